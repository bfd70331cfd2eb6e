//! `async.cu`: asynchronous copies and barriers. `hopper.cu`: clusters, bulk copies and warpgroup products.

use crate::Case;
use crate::case::{args, bytes, integer_floats, ints};
use crate::cases::arrays::dense::product;
use half::f16;

const COPIES: &str = "async";

pub fn cases() -> Vec<Case> {
    [copies_cases(), hopper_cases()].into_iter().flatten().collect()
}

fn copies_cases() -> Vec<Case> {
    let mut cases = vec![stages(), pipeline_thread(), group_copy(), barrier_phases()];
    cases.extend([barrier_copy(), pipeline_roles(), hand_over()]);
    cases
}

fn stages() -> Case {
    let tiles = 5usize;
    let x = ints(1, tiles * 256, -999, 999);
    let mut out = Vec::new();
    for tile in 0..tiles {
        for t in 0..64 {
            let from = 63 - t;
            for word in 0..4 {
                // From the second tile on, every eighth chunk copies half and fills the rest with
                // zeros.
                let cut = tile > 0 && from % 8 == 7 && word >= 2;
                let v = if cut { 0 } else { x[(tile * 64 + from) * 4 + word] };
                out.push(v + word as i32 + 1);
            }
        }
    }
    Case::new(COPIES, "stages by primitives")
        .with("in", &x)
        .with("out", &vec![0i32; x.len()])
        .run("copy_stages", 1, 64, args!["in", "out", tiles as i32])
        .expects("out", &out)
}

fn pipeline_thread() -> Case {
    let x = integer_floats(2, 7 * 128, 999);
    Case::new(COPIES, "a pipeline per thread")
        .with("in", &x)
        .with("out", &vec![0f32; x.len()])
        .run("pipeline_thread", 1, 128, args!["in", "out", 7i32])
        .expects("out", &x.iter().map(|v| v * 2.0).collect::<Vec<_>>())
}

fn group_copy() -> Case {
    let x = ints(3, 512, -999, 999);
    let out: Vec<i32> = x.chunks(256).flat_map(|block| block.iter().rev().copied()).collect();
    Case::new(COPIES, "a group copies")
        .with("in", &x)
        .with("out", &[0i32; 512])
        .run_shared("group_copy", 2, 96, 1024, args!["in", "out"])
        .expects("out", &out)
}

fn barrier_phases() -> Case {
    let mut v = ints(4, 64, -99, 99);
    let first = v.clone();
    for round in 0..6 {
        let last = v.clone();
        for (t, v) in v.iter_mut().enumerate() {
            *v = v.wrapping_mul(3).wrapping_add(last[(t + round + 1) % 64]);
        }
    }
    Case::new(COPIES, "phases of a barrier")
        .with("in", &first)
        .with("out", &[0i32; 64])
        .run("barrier_phases", 1, 64, args!["in", "out", 6i32])
        .expects("out", &v)
}

fn barrier_copy() -> Case {
    let x = ints(5, 3 * 96 * 4, -999, 999);
    let sums: Vec<i32> = x
        .chunks(96 * 4)
        .flat_map(|round| round.chunks(4).rev().map(|v| v.iter().sum::<i32>()).collect::<Vec<_>>())
        .collect();
    Case::new(COPIES, "copies that complete on a barrier")
        .with("in", &x)
        .with("sums", &[0i32; 3 * 96])
        .run("barrier_copy", 1, 96, args!["in", "sums"])
        .expects("sums", &sums)
}

fn pipeline_roles() -> Case {
    let x = ints(6, 8 * 32, -99, 99);
    let out: Vec<i32> =
        (0..8 * 64).map(|i| x[i / 64 * 32 + i % 32] * 10 + (i % 64 / 32) as i32).collect();
    Case::new(COPIES, "producers and consumers of a pipeline")
        .with("in", &x)
        .with("out", &[0i32; 8 * 64])
        .run("pipeline_roles", 1, 96, args!["in", "out", 8i32])
        .expects("out", &out)
}

fn hand_over() -> Case {
    let (blocks, threads) = (6usize, 64usize);
    let (mut row, mut data) = ((0..threads as i32).collect::<Vec<_>>(), Vec::<i32>::new());
    for _ in 0..blocks {
        data.extend(&row);
        row.rotate_left(1);
        row.iter_mut().for_each(|v| *v *= 2);
    }
    let last = data[(blocks - 1) * threads..].to_vec();
    Case::new(COPIES, "flags between blocks")
        .with("data", &vec![0i32; data.len()])
        .with("flags", &vec![0i32; blocks])
        .with("out", &vec![0i32; threads])
        .run("hand_over", blocks as u32, threads as u32, args!["data", "flags", "out"])
        .expects("data", &data)
        .expects("out", &last)
}

const HOPPER: &str = "hopper";

fn hopper_cases() -> Vec<Case> {
    vec![histogram(), ring(), bulk_copy(), wgmma(), specialised(), elections()]
}

fn histogram() -> Case {
    let x = bytes(1, 3000);
    let mut bins = vec![0u32; 256];
    x.iter().for_each(|&v| bins[usize::from(v)] += 1);
    Case::new(HOPPER, "a histogram over a cluster")
        .with("in", &x)
        .with("bins", &[0u32; 256])
        .run("cluster_histogram", 8, 96, args!["in", 3000i32, "bins"])
        .expects("bins", &bins)
}

fn ring() -> Case {
    let x = ints(2, 8 * 32, -999, 999);
    let mut out = Vec::new();
    for i in 0..8 * 32 {
        // Four blocks along x, two along y; clusters of two by two, so that a block's rank is its
        // position in the cluster.
        let (bx, by, lane) = (i / 32 % 4, i / 128, i % 32);
        let block = |rank: usize| (rank / 2) * 4 + bx / 2 * 2 + rank % 2;
        let rank = by * 2 + bx % 2;
        let step = |sum: i32, step: usize| sum * 3 + x[block((rank + 1 + step) % 4) * 32 + lane];
        out.push((0..4).fold(0, step) + 1_000_000 * rank as i32);
    }
    Case::new(HOPPER, "a ring of blocks")
        .with("in", &x)
        .with("out", &vec![0i32; x.len()])
        .run("cluster_ring", (4, 2), 32, args!["in", "out"])
        .expects("out", &out)
}

fn bulk_copy() -> Case {
    let rows = 7usize;
    let x = integer_floats(3, rows * 256, 999);
    let out: Vec<f32> = x.iter().enumerate().map(|(i, v)| v * 2.0 + (i / 256) as f32).collect();
    Case::new(HOPPER, "bulk copies there and back")
        .with("in", &x)
        .with("out", &vec![0f32; x.len()])
        .run("bulk_copy", 1, 64, args!["in", "out", rows as i32])
        .expects("out", &out)
}

fn wgmma() -> Case {
    let (m, n, k) = (64, 32, 48);
    let (a, b) = (integer_floats(4, m * k, 30), integer_floats(5, k * n, 30));
    let bits = |v: &[f32]| v.iter().map(|&v| f16::from_f32(v).to_bits()).collect::<Vec<_>>();
    let turned: Vec<f32> = (0..n * k).map(|i| b[i % k * n + i / k]).collect();
    let c = product((m, n, k), |sum: f32, i, j| sum + a[i] * b[j]);
    Case::new(HOPPER, "a product of a warp group")
        .with("a", &bits(&a))
        .with("bt", &bits(&turned))
        .with("c", &vec![0f32; m * n])
        .run("wgmma_product", 1, 128, args!["a", "bt", "c", k as i32])
        .expects("c", &c)
}

fn specialised() -> Case {
    let tiles = 6usize;
    let x = integer_floats(6, tiles * 128, 999);
    let sum = |t: usize| (0..tiles).fold(0f32, |sum, i| sum * 2.0 + x[i * 128 + 127 - t]);
    Case::new(HOPPER, "warp groups that load and add")
        .with("in", &x)
        .with("out", &[0f32; 128])
        .run("specialised", 1, 256, args!["in", "out", tiles as i32])
        .expects("out", &(0..128).map(sum).collect::<Vec<_>>())
}

fn elections() -> Case {
    // Two warps per block, each elects lane 0: ranks twice, and 32 once per block.
    let total = 2 * 28 + 8 * 32;
    Case::new(HOPPER, "elections over a cluster")
        .with("out", &[0i32; 2])
        .run("elections", 16, 64, args!["out"])
        .expects("out", &[total, total])
}
