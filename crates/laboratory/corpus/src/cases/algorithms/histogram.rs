//! `histogram.cu`: counters in memory, shared memory, warps and threads.

use crate::Case;
use crate::case::args;
use crate::random::{bytes, floats, words};

const UNIT: &str = "histogram";

pub fn cases() -> Vec<Case> {
    let x = bytes(1, 4000);
    let bytes_of = |name| Case::new(UNIT, name).with("in", &x).with("bins", &[0u32; 256]);
    let count = |bins: usize, which: &dyn Fn(u8) -> usize| {
        let mut counts = vec![0u32; bins];
        x.iter().for_each(|&value| counts[which(value)] += 1);
        counts
    };
    let all = count(256, &usize::from);
    let mut low = count(16, &|value| usize::from(value & 15));
    low.resize(256, 0);
    vec![
        bytes_of("global")
            .run("histogram_global", 5, 128, args!["in", "bins", 4000u32])
            .expects("bins", &all),
        bytes_of("shared")
            .run("histogram_shared", 3, 96, args!["in", "bins", 1000u32])
            .expects("bins", &all),
        bytes_of("matched")
            .run("histogram_matched", 32, 128, args!["in", "bins", 4000u32])
            .expects("bins", &low),
        private(),
        ranges(),
    ]
}

fn private() -> Case {
    let x = words(2, 2 * 128 * 20);
    let mut counts = [0u32; 16];
    x.iter().for_each(|value| counts[(value >> 28) as usize] += 1);
    Case::new(UNIT, "private")
        .with("in", &x)
        .with("bins", &[0u32; 16])
        .run("histogram_private", 2, 128, args!["in", "bins", 20u32])
        .expects("bins", &counts)
}

fn ranges() -> Case {
    let mut x = floats(3, 2500);
    (x[7], x[8], x[9]) = (f32::INFINITY, f32::NEG_INFINITY, -0.5);
    let mut counts = [0u32; 12];
    for &value in &x {
        let bin = match value {
            v if v < -0.5 => 10,
            v if v >= 0.5 => 11,
            v => ((v + 0.5) * 10.0) as usize,
        };
        counts[bin] += 1;
    }
    Case::new(UNIT, "ranges")
        .with("in", &x)
        .with("bins", &[0u32; 12])
        .run_shared(
            "histogram_ranges",
            4,
            128,
            48,
            args!["in", "bins", 2500u32, -0.5f32, 0.5f32, 10u32],
        )
        .expects("bins", &counts)
}
