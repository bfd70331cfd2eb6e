//! `scan.cu`: prefix sums, compaction, segments.

use crate::Case;
use crate::case::args;
use crate::random::{bytes, ints, many, words};

const UNIT: &str = "scan";

pub fn cases() -> Vec<Case> {
    vec![steps(), tree(), shuffle(), look_back(), ordered(), aggregated(), segments()]
}

fn inclusive<T: Copy + Default>(values: &[T], add: impl Fn(T, T) -> T) -> Vec<T> {
    let mut sum = T::default();
    values
        .iter()
        .map(|&value| {
            sum = add(sum, value);
            sum
        })
        .collect()
}

fn steps() -> Case {
    let x = ints(1, 200, -50, 50);
    Case::new(UNIT, "steps")
        .with("in", &x)
        .with("out", &[0i32; 200])
        .run_shared("scan_steps", 1, 256, 2048, args!["in", "out", 200u32])
        .expects("out", &inclusive(&x, |a, b| a + b))
}

fn tree() -> Case {
    let x = ints(2, 4 * 512, -50, 50);
    let sums: Vec<i32> = x.chunks(512).map(|block| block.iter().sum()).collect();
    let after = inclusive(&x, |a, b| a + b);
    let before: Vec<i32> = after.iter().zip(&x).map(|(after, x)| after - x).collect();
    Case::new(UNIT, "tree, then the blocks before")
        .with("in", &x)
        .with("out", &vec![0i32; x.len()])
        .with("sums", &[0i32; 4])
        .run("scan_tree", 4, 256, args!["in", "out", "sums"])
        .run("scan_add", 4, 256, args!["out", "sums"])
        .expects("sums", &sums)
        .expects("out", &before)
}

fn shuffle() -> Case {
    let x = many(3, 2 * 384, |r| r as i64 >> 20);
    let expected: Vec<i64> = x.chunks(384).flat_map(|b| inclusive(b, |a, b| a + b)).collect();
    Case::new(UNIT, "shuffle")
        .with("in", &x)
        .with("out", &vec![0i64; x.len()])
        .run("scan_shuffle", 2, 384, args!["in", "out"])
        .expects("out", &expected)
}

fn look_back() -> Case {
    let n = 37 * 128 - 5;
    let x = words(4, n);
    Case::new(UNIT, "look-back over the grid")
        .with("in", &x)
        .with("out", &vec![0u32; n])
        .with("tiles", &[0u64; 37])
        .run("scan_look_back", 37, 128, args!["in", "out", "tiles", n as u32])
        .expects("out", &inclusive(&x, u32::wrapping_add))
}

fn ordered() -> Case {
    let n = 1000;
    let x = ints(5, n, -1000, 1000);
    let (mut out, mut counts) = (vec![7i32; 1024], Vec::new());
    for (block, values) in x.chunks(256).enumerate() {
        let kept: Vec<i32> = values.iter().copied().filter(|value| value % 3 == 0).collect();
        out[block * 256..][..kept.len()].copy_from_slice(&kept);
        counts.push(kept.len() as u32);
    }
    Case::new(UNIT, "ordered compaction")
        .with("in", &x)
        .with("out", &[7i32; 1024])
        .with("counts", &[0u32; 4])
        .run("compact_ordered", 4, 256, args!["in", "out", "counts", n as u32])
        .expects("out", &out)
        .expects("counts", &counts)
}

fn aggregated() -> Case {
    let n = 1500;
    let x = ints(6, n, -1000, 1000);
    let mut kept: Vec<i32> = x.iter().copied().filter(|value| value % 3 == 0).collect();
    kept.sort_unstable();
    let count = kept.len();
    Case::new(UNIT, "compaction by warps")
        .with("in", &x)
        .with("out", &vec![0i32; n])
        .with("count", &[0u32])
        .run("compact_aggregated", 12, 128, args!["in", "out", "count", n as u32])
        .expects("count", &[count as u32])
        .satisfies("out", move |found: &[i32]| {
            let mut found = found[..count].to_vec();
            found.sort_unstable();
            if found == kept { Ok(()) } else { Err("other values than those to keep".to_owned()) }
        })
        .may_differ("out", "warps append in any order")
}

fn segments() -> Case {
    let x = ints(7, 256, -50, 50);
    let heads: Vec<u8> = bytes(8, 256).iter().map(|b| u8::from(b % 5 == 0)).collect();
    let (mut sum, mut expected) = (0, Vec::new());
    for (i, value) in x.iter().enumerate() {
        sum = if i % 32 == 0 || heads[i] != 0 { *value } else { sum + value };
        expected.push(sum);
    }
    Case::new(UNIT, "segments")
        .with("in", &x)
        .with("heads", &heads)
        .with("out", &[0i32; 256])
        .run("scan_segments", 2, 128, args!["in", "heads", "out"])
        .expects("out", &expected)
}
