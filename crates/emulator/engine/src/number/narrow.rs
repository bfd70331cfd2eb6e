//! Floating point of 16 bits, single and packed two to a 32-bit register, through wider types (PTX manual,
//! "Half Precision Floating-Point Instructions").
//!
//! Sums and products of two 16-bit numbers round once from f32. A fused operation rounds twice: its sum is rounded to
//! odd in f32 (f16) or f64 (bf16), after which rounding to 11 or 8 bits gives the same result as a single rounding
//! (Boldo and Melquiond, "Emulation of a FMA and correctly-rounded sums: proved algorithms using rounding to odd", IEEE
//! Transactions on Computers 57(4), 2008).
//!
//! [`lanes`] has the same for a warp.

pub(crate) mod lanes;

use crate::number::single::NAN32;
use half::{bf16, f16};

/// The NaN that 16-bit arithmetic produces, of either type.
pub const NAN16: u16 = 0x7fff;

/// `f` of the low and of the high half.
pub fn halves(a: u32, f: impl Fn(u16) -> u16) -> u32 {
    u32::from(f(a as u16)) | u32::from(f((a >> 16) as u16)) << 16
}

/// A subnormal f16 flushed to a zero of its sign.
pub fn flush16(a: u16) -> u16 {
    if a & 0x7c00 == 0 { a & 0x8000 } else { a }
}

/// Both halves flushed.
pub fn flush16x2(a: u32) -> u32 {
    halves(a, flush16)
}

/// An f16 clamped to [0, 1]; NaN becomes 0.
pub fn saturate16(a: u16) -> u16 {
    match a {
        0x8000.. => 0,
        0x7c01.. => 0,
        0x3c00.. => 0x3c00,
        _ => a,
    }
}

/// Both halves clamped.
pub fn saturate16x2(a: u32) -> u32 {
    halves(a, saturate16)
}

/// Zero for negative numbers; NaN, which arithmetic makes positive, stays.
pub fn relu16(a: u16) -> u16 {
    if a & 0x8000 != 0 { 0 } else { a }
}

/// Both halves.
pub fn relu16x2(a: u32) -> u32 {
    halves(a, relu16)
}

/// The larger of two 16-bit floats if `max`, else the smaller one; -0 is below +0. If one is NaN, gives the other one, or NaN if
/// `nan`. `infinity` are the bits of the format's infinity.
#[inline(always)]
pub fn chosen16(a: u16, b: u16, (max, nan): (bool, bool), infinity: u16) -> u16 {
    // Bits of negative numbers grow with the magnitude.
    let ordered = |x: u16| {
        let x = x as i16;
        x ^ (x >> 15 & 0x7fff)
    };
    let of_a = (ordered(a) < ordered(b)) != max;
    let chosen = if of_a { a } else { b };
    let [a_nan, b_nan] = [a & 0x7fff > infinity, b & 0x7fff > infinity];
    if nan {
        return if a_nan | b_nan { NAN16 } else { chosen };
    }
    let number = if b_nan { a } else { chosen };
    let number = if a_nan { b } else { number };
    if a_nan & b_nan { NAN16 } else { number }
}

/// Both halves.
#[inline(always)]
pub fn chosen16x2(a: u32, b: u32, choice: (bool, bool), infinity: u16) -> u32 {
    let high = chosen16((a >> 16) as u16, (b >> 16) as u16, choice, infinity);
    pair(high, chosen16(a as u16, b as u16, choice, infinity))
}

/// Applies `f` to the low and to the high halves.
#[inline(always)]
pub fn map16<const N: usize>(x: [u32; N], f: impl Fn([f32; N]) -> f32) -> u32 {
    let (mut lows, mut highs) = ([0.0; N], [0.0; N]);
    for i in 0..N {
        (lows[i], highs[i]) = (f16_value(x[i] & 0xffff), f16_value(x[i] >> 16));
    }
    f16_bits(f(lows)) | f16_bits(f(highs)) << 16
}

/// The same for `bf16`.
#[inline(always)]
pub fn mapb16<const N: usize>(x: [u32; N], f: impl Fn([f32; N]) -> f32) -> u32 {
    let (mut lows, mut highs) = ([0.0; N], [0.0; N]);
    for i in 0..N {
        (lows[i], highs[i]) = (f32::from_bits(x[i] << 16), f32::from_bits(x[i] & 0xffff_0000));
    }
    bf16_bits(f(lows)) | bf16_bits(f(highs)) << 16
}

/// Two 16-bit patterns side by side.
#[inline(always)]
pub fn pair(high: u16, low: u16) -> u32 {
    u32::from(high) << 16 | u32::from(low)
}

/// An f16 as f32.
#[inline(always)]
pub fn widen16(x: f16) -> f32 {
    f16_value(x.to_bits().into())
}

/// The f32 of an f16's bits, by arithmetic on them, so that it vectorizes over 32 lanes.
#[inline(always)]
pub fn f16_value(bits: u32) -> f32 {
    let sign = (bits & 0x8000) << 16;
    let magnitude = bits & 0x7fff;
    // 2^112 moves the exponent's bias from 15 to 127, subnormals included.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000);
    let special = f32::from_bits(0x7f80_0000 | magnitude << 13);
    let value = if magnitude >= 0x7c00 { special } else { scaled };
    let value = f32::from_bits(value.to_bits() | sign);
    // An f16 that is NaN becomes the NaN of f32 arithmetic, whatever its bits.
    if magnitude > 0x7c00 { f32::from_bits(NAN32) } else { value }
}

/// A 16-bit float that widens by bit arithmetic.
pub trait Narrow {
    /// As f32, exactly.
    fn widen(self) -> f32;
}

impl Narrow for f16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        widen16(self)
    }
}

impl Narrow for bf16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }
}

/// The nearest f16; NaN is the one that arithmetic makes.
#[inline(always)]
pub fn to_f16(x: f32) -> f16 {
    f16::from_bits(f16_bits(x) as u16)
}

/// The nearest bf16; NaN is the one that arithmetic makes.
#[inline(always)]
pub fn to_bf16(x: f32) -> bf16 {
    bf16::from_bits(bf16_bits(x) as u16)
}

/// The bits of the nearest f16, by arithmetic on words, so that it vectorizes over 32 lanes.
#[inline(always)]
pub fn f16_bits(x: f32) -> u32 {
    let bits = x.to_bits();
    let (sign, magnitude) = (bits >> 16 & 0x8000, bits & 0x7fff_ffff);
    // 0.5 has the last place of a subnormal f16, so the host's sum rounds.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let even = magnitude >> 13 & 1;
    let normal = magnitude.wrapping_add(0xfff + even).wrapping_sub(112 << 23) >> 13;
    let rounded = if magnitude < 0x3880_0000 { subnormal } else { normal };
    let rounded = if magnitude >= 0x4780_0000 { 0x7c00 } else { rounded };
    if magnitude > 0x7f80_0000 { NAN16.into() } else { sign | rounded }
}

/// The bits of the nearest bf16, likewise.
#[inline(always)]
pub fn bf16_bits(x: f32) -> u32 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    if bits & 0x7fff_ffff > 0x7f80_0000 { NAN16.into() } else { rounded }
}

/// The nearest f16, rounded once.
#[inline(always)]
pub fn wide_to_f16(x: f64) -> f16 {
    to_f16(odd(x))
}

/// The nearest bf16, rounded once.
#[inline(always)]
pub fn wide_to_bf16(x: f64) -> bf16 {
    to_bf16(odd(x))
}

/// [`round_to_odd`](lanework_ptx_ir::module::constants::round_to_odd) in a form that vectorizes.
#[inline(always)]
fn odd(x: f64) -> f32 {
    let nearest = x as f32;
    let wide = f64::from(nearest);
    let beyond = u32::from(wide.abs() > x.abs());
    let odd = nearest.to_bits().wrapping_sub(beyond) | 1;
    // NaN is neither less nor greater.
    f32::from_bits(if (wide < x) | (wide > x) { odd } else { nearest.to_bits() })
}

/// Flushes a result that would be subnormal if it were rounded to 11 bits. Rounding it to f16 first
/// would keep some of these: subnormal numbers have fewer digits, so it may round up to the
/// smallest normal number.
pub fn flushable(x: f32) -> f32 {
    const BELOW: f32 = (1.0 - 1.0 / 4096.0) / 16384.0;
    if x.abs() < BELOW { 0f32.copysign(x) } else { x }
}

/// `a * b + c` of f16 in f32, rounded to odd: rounding it again equals a single rounding. The numbers are small enough for an
/// exact product and an exact rounding error of the sum (Knuth's TwoSum).
#[inline(always)]
pub fn fused16(a: f32, b: f32, c: f32) -> f32 {
    let product = a * b;
    let sum = product + c;
    let part = sum - product;
    let lost = (product - (sum - part)) + (c - part);
    let beyond = (lost > 0.0) != (sum > 0.0);
    let odd = sum.to_bits().wrapping_sub(u32::from(beyond)) | 1;
    // NaN has lost nothing.
    f32::from_bits(if (lost < 0.0) | (lost > 0.0) { odd } else { sum.to_bits() })
}

/// `a * b + c` of bf16 in f64, rounded to odd, likewise.
pub fn fused(a: f32, b: f32, c: f32) -> f64 {
    // Both factors have at most 11 bits, so the product is exact.
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let part = sum - product;
    let lost = (product - (sum - part)) + (c - part);
    if lost == 0.0 || lost.is_nan() || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let towards_zero = (lost > 0.0) != (sum > 0.0);
    f64::from_bits(if towards_zero { sum.to_bits() - 1 } else { sum.to_bits() + 1 })
}

// Scale factors of blocks of small floats: a byte is the exponent of a power of two from 2^-127 to 2^127, 0xff is NaN, and
// there is no sign (Open Compute Project, "Microscaling Formats (MX) Specification", 2023; PTX manual, `cvt` of `.ue8m0x2`).
//
// Unmeasured: no GPU that has these conversions was available. NVIDIA's `cuda_fp8.hpp` computes the same for every
// bf16.

/// The exponent of a magnitude, rounded up to a power of two if `up`, else down. Magnitudes below all powers give the smallest;
/// magnitudes above them give the largest if `finite`, else NaN.
fn scale(up: bool, finite: bool, x: f32) -> u32 {
    const INFINITE: u32 = 0x7f80_0000;
    const LEAST: u32 = 0x0040_0000;
    let magnitude = x.to_bits() & 0x7fff_ffff;
    if magnitude > INFINITE {
        return 0xff;
    }
    let between = magnitude & 0x7f_ffff != 0 && magnitude > LEAST;
    let exponent = (magnitude >> 23) + u32::from(up && between);
    exponent.min(if finite { 0xfe } else { 0xff })
}

/// The bits of two numbers, the first in the high byte.
pub fn scales(up: bool, finite: bool, high: f32, low: f32) -> u32 {
    scale(up, finite, high) << 8 | scale(up, finite, low)
}

/// The bits of two packed bf16.
pub fn scales_of_halves(up: bool, finite: bool, pair: u32) -> u32 {
    scales(up, finite, f32::from_bits(pair & 0xffff_0000), f32::from_bits(pair << 16))
}

/// Two scale factors as packed bf16.
pub fn halves_of_scales(pair: u32) -> u32 {
    let half = |byte: u32| match byte & 0xff {
        0 => 0x0040,
        0xff => 0x7fff,
        exponent => exponent << 7,
    };
    half(pair >> 8) << 16 | half(pair)
}

#[cfg(test)]
mod tests {
    use crate::number::narrow::*;

    #[test]
    fn doubles_round_to_halves_once() {
        let just_over_half_a_step = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(wide_to_f16(just_over_half_a_step).to_bits(), 0x3C01);
        assert_eq!(wide_to_f16(1.0 + 2f64.powi(-11)).to_bits(), 0x3C00);
        assert_eq!(wide_to_bf16(1.0 + 2f64.powi(-8) + 2f64.powi(-40)).to_bits(), 0x3F81);
        assert_eq!(wide_to_f16(1e9), f16::INFINITY);
    }

    /// Results of an H200: a product or sum that rounds to the smallest normal f16 is flushed if it
    /// would stay below that number with 11 bits.
    #[test]
    fn results_just_below_the_least_normal_number_are_flushed() {
        let number = |bits| f16::from_bits(bits).to_f32();
        let flushed = |x: f32| flush16(to_f16(flushable(x)).to_bits());
        assert_eq!(flushed(number(0xb2c6) * number(0x8cb9)), 0);
        assert_eq!(flushed(number(0x0400) * number(0x3bff)), 0);
        assert_eq!(flushed(number(0x8bde) * number(0x3411)), 0x8000);
        assert_eq!(flushed(fused16(number(0x0d13), number(0x8569), number(0x0400))), 0);
        assert_eq!(flushed(number(0x0400)), 0x0400);
    }
}

#[cfg(test)]
mod scale_tests {
    use crate::number::narrow::*;

    /// The power of two that a byte stands for.
    fn power(byte: u32) -> f64 {
        2f64.powi(byte as i32 - 127)
    }

    #[test]
    fn every_bf16_goes_to_the_power_of_two_below_or_above() {
        for bits in 0..=0xffffu32 {
            let x = f32::from_bits(bits << 16);
            let magnitude = f64::from(x.abs());
            let [down, up] = [false, true].map(|up| scales_of_halves(up, false, bits) & 0xff);
            let [down_finite, up_finite] =
                [false, true].map(|up| scales_of_halves(up, true, bits << 16) >> 8);
            if x.is_nan() {
                assert_eq!([down, up, down_finite, up_finite], [0xff; 4]);
                continue;
            }
            let below = (0..=0xfe).rev().find(|e| power(*e) <= magnitude).unwrap_or(0);
            let above = (0..=0xfe).find(|e| power(*e) >= magnitude);
            assert_eq!(down, if x.is_infinite() { 0xff } else { below }, "{x}");
            assert_eq!(down_finite, below, "{x}");
            assert_eq!(up, above.unwrap_or(0xff), "{x}");
            assert_eq!(up_finite, above.unwrap_or(0xfe), "{x}");
        }
    }

    #[test]
    fn singles_between_two_bf16_round_once() {
        let just_above = 4.0f32.next_up();
        assert_eq!(scales(true, true, just_above, -just_above), 130 << 8 | 130);
        assert_eq!(scales(false, true, just_above, 4.0f32.next_down()), 129 << 8 | 128);
        assert_eq!(scales(true, false, f32::MAX, f32::MAX), 0xffff);
        assert_eq!(scales(true, true, f32::MAX, 0.0), 0xfe00);
    }

    #[test]
    fn scale_factors_are_bf16() {
        for byte in 0..0xff {
            let half = halves_of_scales(byte | byte << 8);
            assert_eq!(f64::from(f32::from_bits(half << 16)), power(byte));
            assert_eq!(half >> 16, half & 0xffff);
        }
        assert!(f32::from_bits(halves_of_scales(0xff) << 16).is_nan());
    }
}
