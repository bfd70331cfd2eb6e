//! `async.cu`: asynchronous copies and barriers.

use crate::Case;
use crate::case::args;
use crate::random::{integer_floats, ints};

const UNIT: &str = "async";

pub fn cases() -> Vec<Case> {
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
    Case::new(UNIT, "stages by primitives")
        .with("in", &x)
        .with("out", &vec![0i32; x.len()])
        .run("copy_stages", 1, 64, args!["in", "out", tiles as i32])
        .expects("out", &out)
}

fn pipeline_thread() -> Case {
    let x = integer_floats(2, 7 * 128, 999);
    Case::new(UNIT, "a pipeline per thread")
        .with("in", &x)
        .with("out", &vec![0f32; x.len()])
        .run("pipeline_thread", 1, 128, args!["in", "out", 7i32])
        .expects("out", &x.iter().map(|v| v * 2.0).collect::<Vec<_>>())
}

fn group_copy() -> Case {
    let x = ints(3, 512, -999, 999);
    let out: Vec<i32> = x.chunks(256).flat_map(|block| block.iter().rev().copied()).collect();
    Case::new(UNIT, "a group copies")
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
    Case::new(UNIT, "phases of a barrier")
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
    Case::new(UNIT, "copies that complete on a barrier")
        .with("in", &x)
        .with("sums", &[0i32; 3 * 96])
        .run("barrier_copy", 1, 96, args!["in", "sums"])
        .expects("sums", &sums)
}

fn pipeline_roles() -> Case {
    let x = ints(6, 8 * 32, -99, 99);
    let out: Vec<i32> =
        (0..8 * 64).map(|i| x[i / 64 * 32 + i % 32] * 10 + (i % 64 / 32) as i32).collect();
    Case::new(UNIT, "producers and consumers of a pipeline")
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
    Case::new(UNIT, "flags between blocks")
        .with("data", &vec![0i32; data.len()])
        .with("flags", &vec![0i32; blocks])
        .with("out", &vec![0i32; threads])
        .run("hand_over", blocks as u32, threads as u32, args!["data", "flags", "out"])
        .expects("data", &data)
        .expects("out", &last)
}
