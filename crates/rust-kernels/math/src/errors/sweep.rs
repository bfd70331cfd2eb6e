//! Sweeps over arguments, on as many threads as there are.

use super::points::points;
use super::{One, Two, ulps_double, ulps_single};
use std::sync::atomic::{AtomicU64, Ordering};

/// The largest error found, in units in the last place, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Worst {
    /// The error.
    pub ulps: f64,
    /// The bits of the arguments.
    pub at: [u64; 2],
}

/// The worst of `judge(i)` for all `i` below `count`, computed by `threads` threads.
fn worst(count: u64, threads: usize, judge: impl Fn(u64) -> Worst + Sync) -> Worst {
    let next = AtomicU64::new(0);
    let chunk = 1u64 << 16;
    let work = || {
        let mut worst = Worst::default();
        loop {
            let first = next.fetch_add(chunk, Ordering::Relaxed);
            if first >= count {
                return worst;
            }
            for i in first..(first + chunk).min(count) {
                let found = judge(i);
                if found.ulps > worst.ulps {
                    worst = found;
                }
            }
        }
    };
    let found: Vec<Worst> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
    });
    found.into_iter().fold(Worst::default(), |a, b| if b.ulps > a.ulps { b } else { a })
}

/// Every `stride`-th number of `f32`; all of them for 1.
pub fn sweep_single(function: &One, stride: u64, threads: usize) -> Worst {
    worst((1u64 << 32).div_ceil(stride), threads, |i| {
        let bits = i * stride;
        let x = f32::from_bits(bits as u32);
        Worst { ulps: ulps_single((function.single)(x), (function.host)(x.into())), at: [bits, 0] }
    })
}

/// `count` points of `f64`: half of any bits, half where the function does not over- or underflow.
pub fn sweep_double(function: &One, count: u64, threads: usize) -> Worst {
    worst(count, threads, |i| {
        let x = points(i);
        Worst {
            ulps: ulps_double((function.double)(x), (function.reference)(x)),
            at: [x.to_bits(), 0],
        }
    })
}

/// `count` pairs of `f32`, and a sixteenth as many of `f64`, whose reference takes a microsecond.
pub fn sweep_pairs(function: &Two, count: u64, threads: usize) -> [Worst; 2] {
    let single = worst(count, threads, |i| {
        let (x, y) = (function.single_pairs)(i);
        let error = ulps_single((function.single)(x, y), (function.host)(x.into(), y.into()));
        Worst { ulps: error, at: [x.to_bits().into(), y.to_bits().into()] }
    });
    let double = worst(count / 16, threads, |i| {
        let (x, y) = (function.double_pairs)(i);
        let error = ulps_double((function.double)(x, y), (function.reference)(x, y));
        Worst { ulps: error, at: [x.to_bits(), y.to_bits()] }
    });
    [single, double]
}
