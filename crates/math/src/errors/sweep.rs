//! Sweeps over arguments, on as many threads as there are.

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

/// The `i`-th point of `f64`.
pub fn points(i: u64) -> f64 {
    let bits = mixed(i);
    if i.is_multiple_of(2) {
        return f64::from_bits(bits);
    }
    // Exponents from 2^-20 to 2^10, about evenly.
    let exponent = 1003 + mixed(!i) % 31;
    f64::from_bits(bits & 0x800f_ffff_ffff_ffff | exponent << 52)
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

/// The `i`-th pair of `f32`: any bits, of like magnitude, one near 1 and one of any size, one a multiple of 1/2.
pub fn pair_single(i: u64) -> (f32, f32) {
    let (a, b) = (mixed(i) as u32, mixed(!i) as u32);
    let sized = |bits: u32, range: u32| {
        f32::from_bits(bits & 0x807f_ffff | (127 - range / 2 + (bits >> 5) % range) << 23)
    };
    match i % 4 {
        0 => (f32::from_bits(a), f32::from_bits(b)),
        1 => (sized(a, 40), sized(b, 40)),
        2 => (f32::from_bits(0x3f00_0000 + (a & 0x00ff_ffff)), sized(b, 60)),
        _ => (f32::from_bits(a), (b as i32 % 1000) as f32 * 0.5),
    }
}

/// The `i`-th pair of `f64`, as [`pair_single`].
pub fn pair_double(i: u64) -> (f64, f64) {
    let (a, b) = (mixed(i), mixed(!i));
    let sized = |bits: u64, range: u64| {
        f64::from_bits(
            bits & 0x800f_ffff_ffff_ffff | (1023 - range / 2 + (bits >> 5) % range) << 52,
        )
    };
    match i % 4 {
        0 => (f64::from_bits(a), f64::from_bits(b)),
        1 => (sized(a, 40), sized(b, 40)),
        2 => (f64::from_bits(0x3fe0_0000_0000_0000 + (a & 0x001f_ffff_ffff_ffff)), sized(b, 120)),
        _ => (f64::from_bits(a), (b as i64 % 1000) as f64 * 0.5),
    }
}

/// The `i`-th pair of an `f32` and an integer from -64 to 64 whose power neither overflows nor becomes subnormal.
pub fn power_single(i: u64) -> (f32, f32) {
    let (a, b) = (mixed(i) as u32, mixed(!i));
    let n = (b % 129) as i32 - 64;
    let range = 119 / n.abs().max(1);
    let exponent = (b >> 32) as i32 as i64 % i64::from(range);
    (f32::from_bits(a & 0x807f_ffff | ((127 + exponent) as u32) << 23), n as f32)
}

/// The `i`-th pair of `f64`, as [`power_single`].
pub fn power_double(i: u64) -> (f64, f64) {
    let (a, b) = (mixed(i), mixed(!i));
    let n = (b % 129) as i32 - 64;
    let range = 1000 / n.abs().max(1);
    let exponent = (b >> 32) as i32 as i64 % i64::from(range);
    (f64::from_bits(a & 0x800f_ffff_ffff_ffff | ((1023 + exponent) as u64) << 52), n.into())
}

/// A number of 64 mixed bits (splitmix64).
fn mixed(i: u64) -> u64 {
    let x = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
