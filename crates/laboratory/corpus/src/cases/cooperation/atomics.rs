//! `atomics.cu`: atomics, loops of compare-and-swap, locks, queues.

use crate::Case;
use crate::case::args;
use crate::random::{floats, ints};
use half::{bf16, f16};

const UNIT: &str = "atomics";

pub fn cases() -> Vec<Case> {
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
    Case::new(UNIT, "32 bits")
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
    Case::new(UNIT, "64 bits")
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
    Case::new(UNIT, "shared memory")
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
    Case::new(UNIT, "loops of compare and swap")
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
    Case::new(UNIT, "16 bits")
        .with("words", &[0u16; 4])
        .run("atomics_short", 3, 200, args!["words"])
        .expects("words", &[sums[0], sums[1], sums[2], 0])
}

fn halves() -> Case {
    let bits = |a: f32, b: f32| [f16::from_f32(a).to_bits(), f16::from_f32(b).to_bits()];
    let brain = |a: f32, b: f32| [bf16::from_f32(a).to_bits(), bf16::from_f32(b).to_bits()];
    Case::new(UNIT, "halves")
        .with("h", &[0u16; 2])
        .with("b", &[0u16; 2])
        .with("one", &[0u16; 2])
        .run("atomics_half", 2, 64, args!["h", "b", "one"])
        .expects("h", &bits(128.0, -256.0))
        .expects("b", &brain(64.0, 512.0))
        .expects("one", &bits(32.0, 0.0))
}

fn spin_lock() -> Case {
    Case::new(UNIT, "a lock per warp")
        .with("lock", &[0i32])
        .with("value", &[0i32; 2])
        .with("log", &[0i32; 12])
        .run("spin_lock", 4, 96, args!["lock", "value", "log"])
        .expects("value", &[12, 18])
        .expects("log", &[1i32; 12])
}

fn lane_lock() -> Case {
    Case::new(UNIT, "a lock per lane")
        .with("lock", &[0i32])
        .with("value", &[0i32])
        .run("lane_lock", 2, 64, args!["lock", "value"])
        .expects("value", &[128i32])
}

fn ticket_lock() -> Case {
    Case::new(UNIT, "tickets of blocks")
        .with("order", &[0u32; 20])
        .run("ticket_lock", 20, 32, args!["order"])
        .expects("order", &(0..20).map(|i: u32| i * i).collect::<Vec<_>>())
}

fn ring() -> Case {
    let x = ints(2, 100, -99, 99);
    Case::new(UNIT, "a ring between two warps")
        .with("in", &x)
        .with("out", &[0i32; 100])
        .run("ring", 1, 64, args!["in", "out", 100i32])
        .expects("out", &x.iter().map(|v| v * 3 + 1).collect::<Vec<_>>())
}
