//! `hopper.cu`: clusters, bulk copies and warpgroup products.

use crate::Case;
use crate::case::args;
use crate::cases::arrays::dense::product;
use crate::random::{bytes, integer_floats, ints};
use half::f16;

const UNIT: &str = "hopper";

pub fn cases() -> Vec<Case> {
    vec![histogram(), ring(), bulk_copy(), wgmma(), specialised(), elections()]
}

fn histogram() -> Case {
    let x = bytes(1, 3000);
    let mut bins = vec![0u32; 256];
    x.iter().for_each(|&v| bins[usize::from(v)] += 1);
    Case::new(UNIT, "a histogram over a cluster")
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
    Case::new(UNIT, "a ring of blocks")
        .with("in", &x)
        .with("out", &vec![0i32; x.len()])
        .run("cluster_ring", (4, 2), 32, args!["in", "out"])
        .expects("out", &out)
}

fn bulk_copy() -> Case {
    let rows = 7usize;
    let x = integer_floats(3, rows * 256, 999);
    let out: Vec<f32> = x.iter().enumerate().map(|(i, v)| v * 2.0 + (i / 256) as f32).collect();
    Case::new(UNIT, "bulk copies there and back")
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
    Case::new(UNIT, "a product of a warp group")
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
    Case::new(UNIT, "warp groups that load and add")
        .with("in", &x)
        .with("out", &[0f32; 128])
        .run("specialised", 1, 256, args!["in", "out", tiles as i32])
        .expects("out", &(0..128).map(sum).collect::<Vec<_>>())
}

fn elections() -> Case {
    // Two warps per block, each elects lane 0: ranks twice, and 32 once per block.
    let total = 2 * 28 + 8 * 32;
    Case::new(UNIT, "elections over a cluster")
        .with("out", &[0i32; 2])
        .run("elections", 16, 64, args!["out"])
        .expects("out", &[total, total])
}
