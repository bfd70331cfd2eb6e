//! Measures the errors of the `f32` functions on the device: at every number, or at a given number of pairs.
//!
//! The reference is our own `f64` function. Its error is at most 4 units in the last place of `f64`
//! (`erfc`; the others 1.2), which is 4 * 2^-29 units of an `f32`, less than 1e-8. So it cannot change the four printed digits. It was
//! compared, at 10^8 numbers, with a reference of 95 bits that shares no code with it; and the part
//! `f32` of this example uses the host library's `f64` functions instead.

use lanework::math::errors::{Kind, Record, Worst};
use lanework::prelude::*;

/// The distance of `got` from `want` in units in the last place of `f32` near `want`. It is infinite if only one of them is a NaN, or if
/// the signs differ. Infinity is one unit beyond the largest number.
#[device]
pub fn distance(got: f32, want: f64) -> f64 {
    let got = got as f64;
    if got.is_nan() || want.is_nan() {
        return if got.is_nan() && want.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let opposite = (got.to_bits() ^ want.to_bits()) >> 63 == 1;
    let most = 340282366920938463463374607431768211456.0f64; // 2^128
    let zeros = got == 0.0 && want == 0.0;
    let beyond = got.abs() >= most && want.abs() >= most;
    if zeros || beyond {
        return if opposite { f64::INFINITY } else { 0.0 };
    }
    let got = if got.is_infinite() { most.copysign(got) } else { got };
    let want = if want.is_infinite() { most.copysign(want) } else { want };
    let exponent = (want.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let exponent = exponent.clamp(-126, 127);
    (got - want).abs() * f64_from_bits(((1046 - exponent) as u64) << 52)
}

/// Packs an error and its argument (or the index of its pair) into a word, so that the largest word has the largest error.
#[device]
pub fn packed(error: f64, at: u32) -> u64 {
    ((error as f32).to_bits() as u64) << 32 | at as u64
}

/// `lanework::math::errors::mixed`.
#[device]
fn mixed(i: u64) -> u64 {
    let x = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

#[device]
fn sized(bits: u32, range: u32) -> f32 {
    f32_from_bits(bits & 0x807f_ffff | (127 - range / 2 + (bits >> 5) % range) << 23)
}

/// `lanework::math::errors::pair_single`.
#[device]
pub fn pair(i: u64) -> (f32, f32) {
    let (a, b) = (mixed(i) as u32, mixed(!i) as u32);
    match i % 4 {
        0 => (f32_from_bits(a), f32_from_bits(b)),
        1 => (sized(a, 40), sized(b, 40)),
        2 => (f32_from_bits(0x3f00_0000 + (a & 0x00ff_ffff)), sized(b, 60)),
        _ => (f32_from_bits(a), (b as i32 % 1000) as f32 * 0.5),
    }
}

/// `lanework::math::errors::power_single`.
#[device]
pub fn power_pair(i: u64) -> (f32, f32) {
    let (a, b) = (mixed(i) as u32, mixed(!i));
    let n = (b % 129) as i32 - 64;
    let range = 119 / n.abs().max(1);
    let exponent = (b >> 32) as i32 % range;
    (f32_from_bits(a & 0x807f_ffff | ((127 + exponent) as u32) << 23), n as f32)
}

macro_rules! judges {
    ($($name:ident)*; $($two:ident $pair:ident |$x:ident, $y:ident| $single:expr, $double:expr;)*) => {
        mod judging {
            use super::*;
            $(#[kernel]
            pub fn $name(total: u64, stride: u32, judged: &mut [u64]) {
                let step = (grid_dim.x * block_dim.x) as u64;
                let mut i = (block_idx.x * block_dim.x + thread_idx.x) as u64;
                let mut worst = 0u64;
                let mut other = 0u64;
                while i < total {
                    let bits = i as u32 * stride;
                    let x = f32_from_bits(bits);
                    let error = distance(x.$name(), (x as f64).$name());
                    if error == f64::INFINITY {
                        other += 1;
                    }
                    worst = worst.max(packed(error, bits));
                    i += step;
                }
                atomic_max(&mut judged[0], worst);
                if other > 0 {
                    atomic_add(&mut judged[1], other);
                }
            })*
            $(#[kernel]
            pub fn $two(total: u64, judged: &mut [u64]) {
                let step = (grid_dim.x * block_dim.x) as u64;
                let mut i = (block_idx.x * block_dim.x + thread_idx.x) as u64;
                let mut worst = 0u64;
                let mut other = 0u64;
                while i < total {
                    let ($x, $y) = $pair(i);
                    let single = $single;
                    let ($x, $y) = ($x as f64, $y as f64);
                    let error = distance(single, $double);
                    if error == f64::INFINITY {
                        other += 1;
                    }
                    worst = worst.max(packed(error, i as u32));
                    i += step;
                }
                atomic_max(&mut judged[0], worst);
                if other > 0 {
                    atomic_add(&mut judged[1], other);
                }
            })*
        }

        /// Measures the function `name` on the device at `total` pairs, or at `total` numbers whose bits are `stride` apart.
        fn launch(
            name: &str, device: &Device, grid: u32, total: u64, stride: u32, out: &mut Buffer<u64>,
        ) -> lanework::Result<()> {
            match name {
                $(stringify!($name) => judging::$name(total, stride, out).grid(grid).block(256).launch(device),)*
                $(stringify!($two) => judging::$two(total, out).grid(grid).block(256).launch(device),)*
                other => panic!("no kernel for `{other}`"),
            }
        }
    };
}

judges! {
    exp exp2 exp_m1 ln log2 log10 ln_1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf erfc;
    powf pair |x, y| x.powf(y), x.powf(y);
    atan2 pair |x, y| x.atan2(y), x.atan2(y);
    hypot pair |x, y| x.hypot(y), x.hypot(y);
    rem pair |x, y| x % y, x % y;
    rem_euclid pair |x, y| x.rem_euclid(y), x.rem_euclid(y);
    div_euclid pair |x, y| x.div_euclid(y), quotient(x, y);
    powi power_pair |x, n| x.powi(n as i32), x.powf(n);
}

/// The quotient of Euclidean division of two `f32` numbers as Rust defines it, computed in `f64`. Rounding a quotient to
/// `f64` and then to `f32` equals rounding once, because 53 >= 2 * 24 + 2.
#[device]
pub fn quotient(x: f64, y: f64) -> f64 {
    let quotient = ((x / y) as f32).trunc() as f64;
    let other = if y > 0.0 { quotient - 1.0 } else { quotient + 1.0 };
    let other = (other as f32) as f64;
    if x % y < 0.0 { other } else { quotient }
}

/// The largest error of the function `name`, measured on the device.
pub fn judge(
    device: &Device,
    (name, kind): (&str, Kind),
    blocks: u32,
    judged: u64,
    stride: u32,
) -> lanework::Result<Record> {
    let mut out = device.zeros::<u64>(2)?;
    launch(name, device, blocks, judged, stride, &mut out)?;
    let found = out.download()?;
    let at = u64::from(found[0] as u32);
    let at = match (kind, name) {
        (Kind::Single, _) => [at, 0],
        (_, "powi") => both(power_pair(at)),
        _ => both(pair(at)),
    };
    let ulps = f64::from(f32::from_bits((found[0] >> 32) as u32));
    Ok(Record { name: name.into(), kind, judged, other: found[1], worst: Worst { ulps, at } })
}

fn both((x, y): (f32, f32)) -> [u64; 2] {
    [x.to_bits().into(), y.to_bits().into()]
}
