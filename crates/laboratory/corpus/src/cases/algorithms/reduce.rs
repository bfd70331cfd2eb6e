//! `reduce.cu`: sums, extremes and their places.

use crate::Case;
use crate::case::args;
use crate::random::{doubles, floats, ints};

const UNIT: &str = "reduce";

pub fn cases() -> Vec<Case> {
    let n = 3000u32;
    let x = ints(1, n as usize, -1000, 1000);
    let total: i32 = x.iter().sum();
    let block_sums: Vec<i32> = x.chunks(256).map(|block| block.iter().sum()).collect();
    let by_block = |name| Case::new(UNIT, name).with("in", &x).with("out", &[0i32; 12]);
    vec![
        by_block("tree")
            .run("reduce_tree", 12, 256, args!["in", "out", n])
            .expects("out", &block_sums),
        by_block("interleaved")
            .run_shared("reduce_interleaved", 12, 256, 1024, args!["in", "out", n])
            .expects("out", &block_sums),
        Case::new(UNIT, "shuffle, integers")
            .with("in", &x)
            .with("out", &[0i32])
            .run("_Z14reduce_shuffleIiEvPKT_PS0_j", 4, 256, args!["in", "out", n])
            .expects("out", &[total]),
        shuffle_floats(),
        shuffle_doubles(),
        vectors(),
        Case::new(UNIT, "last block")
            .with("in", &x)
            .with("partial", &[0i32; 7])
            .with("out", &[0i32])
            .run("reduce_last_block", 7, 128, args!["in", "partial", "out", n])
            .expects("out", &[total]),
        argmax(),
        tiles(),
    ]
}

fn shuffle_floats() -> Case {
    let x = floats(2, 5000);
    let sum: f64 = x.iter().map(|&v| f64::from(v)).sum();
    Case::new(UNIT, "shuffle, floats")
        .with("in", &x)
        .with("out", &[0f32])
        .run("_Z14reduce_shuffleIfEvPKT_PS0_j", 6, 128, args!["in", "out", 5000u32])
        .expects_within("out", &[sum as f32], 1e-4)
        .may_differ("out", "blocks add in any order")
}

fn shuffle_doubles() -> Case {
    let x = doubles(3, 5000);
    Case::new(UNIT, "shuffle, doubles")
        .with("in", &x)
        .with("out", &[0f64])
        .run("_Z14reduce_shuffleIdEvPKT_PS0_j", 6, 128, args!["in", "out", 5000u32])
        .expects_within("out", &[x.iter().sum::<f64>()], 1e-12)
        .may_differ("out", "blocks add in any order")
}

fn vectors() -> Case {
    let (x, grid, block) = (floats(4, 4096), 3, 256);
    // The kernel's own order, so that the bits are known.
    let mut sums = vec![0f32; grid * block];
    for (i, v) in x.chunks(4).enumerate() {
        sums[i % (grid * block)] += (v[0] + v[1]) + (v[2] + v[3]);
    }
    let warp = |lanes: &[f32]| {
        let mut lanes = lanes.to_vec();
        for offset in [16, 8, 4, 2, 1] {
            for lane in 0..offset {
                lanes[lane] += lanes[lane + offset];
            }
        }
        lanes[0]
    };
    let block_sum = |block: &[f32]| block.chunks(32).map(warp).fold(0f32, |sum, w| sum + w);
    let expected: Vec<f32> = sums.chunks(block).map(block_sum).collect();
    Case::new(UNIT, "vectors")
        .with("in", &x)
        .with("out", &[0f32; 3])
        .run("reduce_vectors", grid as u32, block as u32, args!["in", "out", 1024u32])
        .expects("out", &expected)
}

fn argmax() -> Case {
    let mut x = floats(5, 2000);
    (x[1234], x[1700]) = (2.5, 2.5);
    let word = u64::from(2.5f32.to_bits() | 1 << 31) << 32 | u64::from(u32::MAX - 1234);
    Case::new(UNIT, "argmax")
        .with("in", &x)
        .with("best", &[0u64])
        .run("argmax", 4, 128, args!["in", "best", 2000u32])
        .expects("best", &[word])
}

fn tiles() -> Case {
    let x = ints(6, 512, -99, 99);
    let sums: Vec<i32> = x.chunks(16).map(|tile| tile.iter().sum()).collect();
    Case::new(UNIT, "tiles")
        .with("in", &x)
        .with("out", &[0i32; 32])
        .run("reduce_tiles", 4, 128, args!["in", "out"])
        .expects("out", &sums)
}
