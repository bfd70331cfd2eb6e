//! `warps.cu` and `redux.cu`: shuffles, votes, groups of lanes, barriers by number.

use crate::Case;
use crate::case::args;
use crate::random::{bytes, doubles, ints, many};

const UNIT: &str = "warps";

pub fn cases() -> Vec<Case> {
    let mut cases = vec![shuffles(), shuffles_wide(), votes(), block_votes(), coalesced()];
    cases.extend([labeled(), tiles(), shape(), named_barriers(), redux()]);
    cases
}

fn shuffles() -> Case {
    let x = ints(1, 32, -1000, 1000);
    let lane = |from: &dyn Fn(usize) -> usize| (0..32).map(|i| x[from(i)]).collect::<Vec<_>>();
    let mut out = [
        lane(&|i| (i * 7 + 3) % 32),
        lane(&|i| i.checked_sub(5).unwrap_or(i)),
        lane(&|i| if i + 9 < 32 { i + 9 } else { i }),
        lane(&|i| i ^ 21),
        lane(&|i| i),
        lane(&|i| if i % 8 >= 3 { i - 3 } else { i }),
        lane(&|i| if i % 16 + 3 < 16 { i + 3 } else { i }),
        lane(&|i| i ^ 12),
        lane(&|_| 3),
    ]
    .concat();
    // Lane 1 of each group of four, read by the odd lanes alone.
    out.extend((0..32).map(|i| if i % 2 == 1 { x[i / 4 * 4 + 1] } else { -1 }));
    Case::new(UNIT, "shuffles")
        .with("in", &x)
        .with("out", &vec![0i32; 320])
        .run("shuffles", 1, 32, args!["in", "out"])
        .expects("out", &out)
}

fn shuffles_wide() -> Case {
    let (x, y) = (doubles(2, 32), many(3, 32, |r| r as i64));
    let far = |i: usize| if i + 16 < 32 { i + 16 } else { i };
    Case::new(UNIT, "shuffles of 64 bits")
        .with("in", &x)
        .with("out", &[0f64; 32])
        .with("in64", &y)
        .with("out64", &[0i64; 32])
        .run("shuffles_wide", 1, 32, args!["in", "out", "in64", "out64"])
        .expects("out", &(0..32).map(|i| x[i ^ 1] - x[far(i)]).collect::<Vec<_>>())
        .expects(
            "out64",
            &(0..32usize).map(|i| y[31 - i] ^ y[i.saturating_sub(1)]).collect::<Vec<_>>(),
        )
}

/// The lanes of a warp that satisfy a predicate.
fn ballot(warp: &[i32], holds: impl Fn(i32) -> bool) -> u32 {
    warp.iter().enumerate().map(|(lane, &v)| u32::from(holds(v)) << lane).sum()
}

fn votes() -> Case {
    let x = ints(4, 128, -99, 99);
    let mut out = Vec::new();
    for warp in x.chunks(32) {
        for &v in warp {
            out.push(ballot(warp, |v| v > 0));
            out.push(u32::from(warp.iter().any(|&v| v > 90)));
            out.push(u32::from(warp.iter().all(|&v| v > -90)));
            out.push(if v & 1 == 1 { ballot(warp, |v| v & 1 == 1) } else { 0 });
            out.push(ballot(warp, |w| w % 5 == v % 5));
            out.push(u32::MAX ^ 1);
        }
    }
    Case::new(UNIT, "votes")
        .with("in", &x)
        .with("out", &vec![0u32; out.len()])
        .run("votes", 2, 64, args!["in", "out"])
        .expects("out", &out)
}

fn block_votes() -> Case {
    let x = ints(5, 100, -99, 99);
    let positive = x.iter().filter(|&&v| v > 0).count() as i32;
    Case::new(UNIT, "votes of a block")
        .with("in", &x)
        .with("out", &[0i32; 100])
        .run("block_votes", 1, 100, args!["in", "out"])
        .expects("out", &[positive * 100 + 10; 100])
}

fn coalesced() -> Case {
    let x = ints(6, 128, -99, 99);
    let sum: i32 = x.iter().filter(|&&v| v % 3 == 0).sum();
    let mut ranks = Vec::new();
    for warp in x.chunks(32) {
        let third = ballot(warp, |v| v % 3 == 0);
        let most = warp.iter().filter(|&&v| v % 3 != 0).max().expect("some");
        for (lane, v) in warp.iter().enumerate() {
            let before = (third & ((1u32 << lane) - 1)).count_ones() as i32;
            let first = before * 100 + third.count_ones() as i32;
            ranks.push(if v % 3 == 0 { first } else { *most });
        }
    }
    Case::new(UNIT, "coalesced groups")
        .with("in", &x)
        .with("sums", &[0i32])
        .with("ranks", &[0i32; 128])
        .run("coalesced", 2, 64, args!["in", "sums", "ranks"])
        .expects("sums", &[sum])
        .expects("ranks", &ranks)
}

fn labeled() -> Case {
    let label: Vec<u8> = bytes(7, 96).iter().map(|b| b % 5).collect();
    let mut out = Vec::new();
    for (w, warp) in label.chunks(32).enumerate() {
        for mine in warp {
            let count = warp.iter().filter(|l| *l == mine).count();
            let least = warp.iter().position(|l| l == mine).expect("itself") + 32 * w;
            let half = warp.iter().filter(|l| (**l > 2) == (*mine > 2)).count();
            out.push((count + 100 * least + 100_000 * half) as i32);
        }
    }
    Case::new(UNIT, "labelled partitions")
        .with("label", &label)
        .with("out", &[0i32; 96])
        .run("labeled", 1, 96, args!["label", "out"])
        .expects("out", &out)
}

fn tiles() -> Case {
    let x = ints(8, 64, -99, 99);
    let mut out = Vec::new();
    for (t, tile) in x.chunks(8).enumerate() {
        for i in 0..8 {
            let before: i32 = tile[..i].iter().sum();
            out.extend([tile.iter().sum(), before + tile[i], before]);
            out.push(tile.iter().fold(0, |all, v| all ^ v));
            out.push(tile[3] + i32::from(tile.iter().any(|&v| v > 90)) * 1000);
            out.push(t as i32 * 10 + tile.iter().filter(|&&v| v > 0).count() as i32);
        }
    }
    Case::new(UNIT, "tiles of eight")
        .with("in", &x)
        .with("out", &vec![0i32; out.len()])
        .run("tiles", 1, 64, args!["in", "out"])
        .expects("out", &out)
}

fn shape() -> Case {
    let mut out = Vec::new();
    let pack = |at: [u32; 3]| at[0] | at[1] << 8 | at[2] << 16;
    for block in 0..12 {
        for thread in 0..60 {
            out.push(pack([thread % 5, thread / 5 % 4, thread / 20]));
            out.push(pack([block % 3, block / 3 % 2, block / 6]));
            out.extend([60, thread % 32 * 1000 + thread / 32]);
        }
    }
    Case::new(UNIT, "shapes")
        .with("out", &vec![0u32; out.len()])
        .run("shape", (3, 2, 2), (5, 4, 3), args!["out"])
        .expects("out", &out)
}

fn named_barriers() -> Case {
    let x = ints(9, 64 * 5, -99, 99);
    let out: Vec<i32> = (0..320).map(|i| x[i / 64 * 64 + 63 - i % 64] * 2 + 1).collect();
    Case::new(UNIT, "producers and consumers")
        .with("in", &x)
        .with("out", &[0i32; 320])
        .run("named_barriers", 1, 128, args!["in", "out", 5i32])
        .expects("out", &out)
}

fn redux() -> Case {
    let x = ints(10, 32, -1000, 1000);
    let bits: Vec<u32> = x.iter().map(|&v| v as u32).collect();
    let all = [
        x.iter().sum(),
        *x.iter().min().expect("some"),
        *x.iter().max().expect("some"),
        *bits.iter().min().expect("some") as i32,
        *bits.iter().max().expect("some") as i32,
        bits.iter().fold(u32::MAX, |a, v| a & (v | 0xf0)) as i32,
        bits.iter().fold(0, |a, v| a | v & 0xff) as i32,
        bits.iter().fold(0, |a, v| a ^ v) as i32,
    ];
    let few: i32 = x[..11].iter().sum();
    let out: Vec<i32> =
        (0..32).flat_map(|lane| all.into_iter().chain([if lane < 11 { few } else { 0 }])).collect();
    Case::new("redux", "reductions by one instruction")
        .with("in", &x)
        .with("out", &vec![0i32; out.len()])
        .run("redux", 1, 32, args!["in", "out"])
        .expects("out", &out)
}
