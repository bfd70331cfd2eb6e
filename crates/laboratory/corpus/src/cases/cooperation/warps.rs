//! `warps.cu` and `redux.cu`: shuffles, votes, groups of lanes, numbered barriers. `atomics.cu`: atomics, loops of
//! compare-and-swap, locks, queues.

use crate::Case;
use crate::case::{args, bytes, doubles, floats, ints, many};
use half::{bf16, f16};

const WARPS: &str = "warps";

pub fn cases() -> Vec<Case> {
    [warps_cases(), atomics_cases()].into_iter().flatten().collect()
}

fn warps_cases() -> Vec<Case> {
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
    // Only the odd lanes read lane 1 of their group of four.
    out.extend((0..32).map(|i| if i % 2 == 1 { x[i / 4 * 4 + 1] } else { -1 }));
    Case::new(WARPS, "shuffles")
        .with("in", &x)
        .with("out", &vec![0i32; 320])
        .run("shuffles", 1, 32, args!["in", "out"])
        .expects("out", &out)
}

fn shuffles_wide() -> Case {
    let (x, y) = (doubles(2, 32), many(3, 32, |r| r as i64));
    let far = |i: usize| if i + 16 < 32 { i + 16 } else { i };
    Case::new(WARPS, "shuffles of 64 bits")
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
    Case::new(WARPS, "votes")
        .with("in", &x)
        .with("out", &vec![0u32; out.len()])
        .run("votes", 2, 64, args!["in", "out"])
        .expects("out", &out)
}

fn block_votes() -> Case {
    let x = ints(5, 100, -99, 99);
    let positive = x.iter().filter(|&&v| v > 0).count() as i32;
    Case::new(WARPS, "votes of a block")
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
    Case::new(WARPS, "coalesced groups")
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
    Case::new(WARPS, "labelled partitions")
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
    Case::new(WARPS, "tiles of eight")
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
    Case::new(WARPS, "shapes")
        .with("out", &vec![0u32; out.len()])
        .run("shape", (3, 2, 2), (5, 4, 3), args!["out"])
        .expects("out", &out)
}

fn named_barriers() -> Case {
    let x = ints(9, 64 * 5, -99, 99);
    let out: Vec<i32> = (0..320).map(|i| x[i / 64 * 64 + 63 - i % 64] * 2 + 1).collect();
    Case::new(WARPS, "producers and consumers")
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

const ATOMICS: &str = "atomics";

fn atomics_cases() -> Vec<Case> {
    let mut cases = vec![of_32_bits(), of_64_bits(), shared(), cas_loops(), short(), halves()];
    cases.extend([spin_lock(), lane_lock(), ticket_lock(), ring()]);
    cases
}

fn of_32_bits() -> Case {
    let n = 200i32;
    let sum = n * (n - 1) / 2;
    let mixed = (0..n as u32).fold(0u32, |all, i| all ^ i.wrapping_mul(2_654_435_761));
    // 200 steps over 0..=6 from 2; 20 full cycles down over 9..=0 from 4.
    let counted = [(2 + 200) % 7, 4];
    let unsigned = [0, (1 << 29) - 1, mixed, counted[0], counted[1], 1 << 31, 1 << 31];
    Case::new(ATOMICS, "32 bits")
        .with("s", &[0i32, 0, 5, 5, 1, 5, 0, 0, 0])
        .with("u", &[u32::MAX, 0, 0, 2, 4, u32::MAX, 0])
        .with("old", &vec![0i32; n as usize])
        .run("atomics_32", 4, 50, args!["s", "u", "old"])
        .expects("s", &[sum, -sum, 1 - n, n - 1, 77, 6, 3 * n, n, n])
        .expects("u", &unsigned)
        .satisfies("old", move |found: &[i32]| {
            let mut found = found.to_vec();
            found.sort_unstable();
            let all = found.iter().enumerate().all(|(i, &old)| old == 3 * i as i32);
            if all { Ok(()) } else { Err("each thread should see a different value".to_owned()) }
        })
        .may_differ("old", "threads come in any order")
}

fn of_64_bits() -> Case {
    let n = 200u64;
    let sum: u64 = (0..n).map(|i| 0x1_0000_0001 * i).sum();
    let mixed = (0..n).fold(0u64, |all, i| all ^ i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Case::new(ATOMICS, "64 bits")
        .with("u", &[1u64, u64::MAX, 0, u64::MAX, 0, 0, 1, 5])
        .with("s", &[0i64, 0])
        .with("d", &[0.125f64])
        .run("atomics_64", 4, 50, args!["u", "s", "d"])
        .expects("u", &[1 + sum, 1 << 63, (n - 1) << 40, 0, (1 << 61) - 1, mixed, 77, 6])
        .expects("s", &[-((n as i64 - 1) << 33), (n as i64 - 1) << 33])
        .expects("d", &[0.125 + (n * (n - 1) / 2) as f64 * 0.5])
}

fn shared() -> Case {
    let (blocks, threads) = (3, 96);
    let sum = threads * (threads - 1) / 2;
    Case::new(ATOMICS, "shared memory")
        .with("out", &[0i32; 2])
        .with("floats", &[0f32])
        .with("wide", &[0u64])
        .run("atomics_shared", blocks, threads, args!["out", "floats", "wide"])
        .expects("out", &[(blocks * sum) as i32, (blocks * (1001 - threads)) as i32])
        .expects("floats", &[(blocks * sum) as f32 * 0.25])
        .expects("wide", &[u64::from(blocks) * (0x7_0000_0000 + u64::from(threads) - 1)])
}

fn cas_loops() -> Case {
    let x: Vec<f32> = floats(1, 200).into_iter().map(f32::abs).collect();
    Case::new(ATOMICS, "loops of compare and swap")
        .with("in", &x)
        .with("greatest", &[0f32])
        .with("product", &[3f64])
        .with("bytes", &[0xff_f0_00_10u32])
        .run("cas_loops", 4, 50, args!["in", "greatest", "product", "bytes"])
        .expects("greatest", &[x.iter().copied().fold(0.0, f32::max)])
        .expects("product", &[3.0 * 2f64.powi(29)])
        .expects("bytes", &[0x31_22_32_42u32])
}

fn short() -> Case {
    let sums: Vec<u16> = (0..3).map(|r| (r..600u32).step_by(3).sum::<u32>() as u16).collect();
    Case::new(ATOMICS, "16 bits")
        .with("words", &[0u16; 4])
        .run("atomics_short", 3, 200, args!["words"])
        .expects("words", &[sums[0], sums[1], sums[2], 0])
}

fn halves() -> Case {
    let bits = |a: f32, b: f32| [f16::from_f32(a).to_bits(), f16::from_f32(b).to_bits()];
    let brain = |a: f32, b: f32| [bf16::from_f32(a).to_bits(), bf16::from_f32(b).to_bits()];
    Case::new(ATOMICS, "halves")
        .with("h", &[0u16; 2])
        .with("b", &[0u16; 2])
        .with("one", &[0u16; 2])
        .run("atomics_half", 2, 64, args!["h", "b", "one"])
        .expects("h", &bits(128.0, -256.0))
        .expects("b", &brain(64.0, 512.0))
        .expects("one", &bits(32.0, 0.0))
}

fn spin_lock() -> Case {
    Case::new(ATOMICS, "a lock per warp")
        .with("lock", &[0i32])
        .with("value", &[0i32; 2])
        .with("log", &[0i32; 12])
        .run("spin_lock", 4, 96, args!["lock", "value", "log"])
        .expects("value", &[12, 18])
        .expects("log", &[1i32; 12])
}

fn lane_lock() -> Case {
    Case::new(ATOMICS, "a lock per lane")
        .with("lock", &[0i32])
        .with("value", &[0i32])
        .run("lane_lock", 2, 64, args!["lock", "value"])
        .expects("value", &[128i32])
}

fn ticket_lock() -> Case {
    Case::new(ATOMICS, "tickets of blocks")
        .with("order", &[0u32; 20])
        .run("ticket_lock", 20, 32, args!["order"])
        .expects("order", &(0..20).map(|i: u32| i * i).collect::<Vec<_>>())
}

fn ring() -> Case {
    let x = ints(2, 100, -99, 99);
    Case::new(ATOMICS, "a ring between two warps")
        .with("in", &x)
        .with("out", &[0i32; 100])
        .run("ring", 1, 64, args!["in", "out", 100i32])
        .expects("out", &x.iter().map(|v| v * 3 + 1).collect::<Vec<_>>())
}
