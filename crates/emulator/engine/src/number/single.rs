//! f32 arithmetic in which a GPU differs from the host: flushed subnormals, clamped results, the resulting NaN,
//! and the minimum and maximum (PTX manual, "Floating-Point Instructions").
//!
//! The host's own arithmetic rounds to the nearest even, as a GPU's does. With `.ftz` a GPU flushes
//! a result that would be below the smallest normal number if it kept 24 bits. So a result that
//! becomes that number only because subnormal numbers have fewer bits is flushed, too
//! ([`flush_rounded_up`], [`fma_flushed`]; compared with an H200). Functions that a GPU
//! approximates are in [`super::approximate`].

use crate::number::fused::fused;
use crate::number::soft;
use crate::number::soft::{Number, Round};

/// The NaN that f32 arithmetic produces.
pub const NAN32: u32 = 0x7fff_ffff;

/// Flushes a subnormal to a zero of its sign.
#[inline(always)]
pub fn flush(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE { f32::from_bits(x.to_bits() & 0x8000_0000) } else { x }
}

/// The smallest number that rounds to the smallest normal f32 if it keeps 24 bits.
const SMALLEST_ROUNDED_UP: f64 = f32::MIN_POSITIVE as f64 * (1.0 - 0.5 / (1 << 24) as f64);

/// Flushes a `result` that is the smallest normal number only by rounding; `wide` is its unrounded
/// value. Subnormal numbers have fewer than 24 bits, so `wide` may round up to the smallest normal
/// number although with 24 bits it would stay below.
#[inline(always)]
pub fn flush_rounded_up(result: f32, wide: f64) -> f32 {
    match result.abs() == f32::MIN_POSITIVE && wide.abs() < SMALLEST_ROUNDED_UP {
        true => 0f32.copysign(result),
        false => result,
    }
}

/// Clamps to [0, 1]; NaN becomes 0.
#[inline(always)]
pub fn saturate(x: f32) -> f32 {
    if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }
}

/// The same number; every NaN becomes [`NAN32`].
#[inline(always)]
pub fn canonical(x: f32) -> f32 {
    // Tested by its bits, because the compiler treats all NaNs of arithmetic as equal.
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { NAN32 } else { bits })
}

/// Makes a signaling NaN quiet; conversions keep the bits of the payload that fit.
pub fn quiet32(x: f32) -> f32 {
    if x.is_nan() { f32::from_bits(x.to_bits() | 1 << 22) } else { x }
}

/// Flushes a number that is below the smallest normal f32 before it is rounded, as `div.ftz` with a
/// rounding direction does.
pub fn flush_number(number: Number) -> Number {
    match soft::F32.round(number, Round::Zero) {
        Some(bits) if bits & 0x7f80_0000 == 0 => {
            let negative = bits >> 31 != 0;
            Number::Finite { negative, mantissa: 0, exponent: 0 }
        }
        _ => number,
    }
}

/// `fma.ftz`: flushes results that would be subnormal if they kept 24 bits.
#[inline(always)]
pub fn fma_flushed(a: f32, b: f32, c: f32) -> f32 {
    let (a, b, c) = (flush(a), flush(b), flush(c));
    let result = flush(fused(a, b, c));
    // Without a branch, so that lanes are computed side by side.
    let below = (result.abs() == f32::MIN_POSITIVE) & rounds_up_to_normal(a, b, c);
    if below { 0f32.copysign(result) } else { result }
}

/// `fma.ftz` of a warp. Only a result equal to the smallest normal number needs the exact test of
/// [`fma_flushed`], which is rare.
#[inline(always)]
pub fn fma_flushed_lanes(a: &[f32; 32], b: &[f32; 32], c: &[f32; 32]) -> [f32; 32] {
    let (mut out, mut smallest) = ([0.0f32; 32], 0);
    for i in 0..32 {
        let result = flush(fused(flush(a[i]), flush(b[i]), flush(c[i])));
        smallest |= u32::from(result.abs() == f32::MIN_POSITIVE);
        out[i] = canonical(result);
    }
    if smallest != 0 {
        for i in 0..32 {
            out[i] = canonical(fma_flushed(a[i], b[i], c[i]));
        }
    }
    out
}

/// Whether `a * b + c` rounds to the smallest normal number of its sign only because subnormal
/// numbers have fewer digits; see [`flush_rounded_up`]. The caller has found that it does round to
/// that number.
#[inline(always)]
fn rounds_up_to_normal(a: f32, b: f32, c: f32) -> bool {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    // The product is exact; this is the rounding error of the sum.
    let sum = product + c;
    let of_c = sum - product;
    let lacks = (product - (sum - of_c)) + (c - of_c);
    (sum.abs() < SMALLEST_ROUNDED_UP) | ((sum.abs() == SMALLEST_ROUNDED_UP) & (lacks * sum < 0.0))
}

/// The smaller operand, or the one that is not NaN; -0 is below +0.
#[inline(always)]
pub fn min32(a: f32, b: f32) -> f32 {
    let equal = f32::from_bits(a.to_bits() | b.to_bits());
    let ordered = if a == b {
        equal
    } else if a < b {
        a
    } else {
        b
    };
    if a.is_nan() {
        if b.is_nan() { f32::from_bits(NAN32) } else { b }
    } else if b.is_nan() {
        a
    } else {
        ordered
    }
}

/// The larger operand, or the one that is not NaN; +0 is above -0.
#[inline(always)]
pub fn max32(a: f32, b: f32) -> f32 {
    let equal = f32::from_bits(a.to_bits() & b.to_bits());
    let ordered = if a == b {
        equal
    } else if a > b {
        a
    } else {
        b
    };
    if a.is_nan() {
        if b.is_nan() { f32::from_bits(NAN32) } else { b }
    } else if b.is_nan() {
        a
    } else {
        ordered
    }
}

/// `f`, or NaN if either operand is NaN (`.NaN`).
#[inline(always)]
pub fn or_nan(f: impl Fn(f32, f32) -> f32, a: f32, b: f32) -> f32 {
    if a.is_nan() | b.is_nan() { f32::from_bits(NAN32) } else { f(a, b) }
}

/// `f` of the magnitudes, with the exclusive or of the signs (`.xorsign.abs`).
pub fn xor_signs(f: impl Fn(f32, f32) -> f32, a: f32, b: f32) -> f32 {
    let sign = (a.to_bits() ^ b.to_bits()) & 0x8000_0000;
    let result = f(a.abs(), b.abs());
    if result.is_nan() { result } else { f32::from_bits(result.to_bits() | sign) }
}

/// Unpacks an f32.
pub fn unpack(x: f32) -> Number {
    soft::F32.unpack(u64::from(x.to_bits()))
}

/// The f32 nearest in a direction.
pub fn round(number: Number, round: Round) -> f32 {
    f32::from_bits(soft::F32.round(number, round).map_or(NAN32, |bits| bits as u32))
}

#[cfg(test)]
mod tests {
    use crate::number::single::fma_flushed;

    /// Results of an H200 for sums just below the smallest normal number.
    #[test]
    fn sums_that_round_to_the_smallest_normal_number_are_not_flushed() {
        let cases = [
            (0x0638_c8e4, 0xa0b5_163c, 0x0080_0000),
            (0x81ae_2c98, 0x0100_935e, 0x0080_0000),
            (0x0c70_4fde, 0x84fd_cd38, 0x0080_0000),
        ];
        for (a, b, c) in cases {
            let sum = fma_flushed(f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
            assert_eq!(sum.to_bits(), 0x0080_0000, "{a:#x} {b:#x} {c:#x}");
        }
    }

    #[test]
    fn sums_that_would_stay_below_with_all_digits_are_flushed() {
        let least = f32::MIN_POSITIVE;
        // The product is 2^-150, one unit of such a number's last digit; half of one is a tie.
        let (a, b) = (2f32.powi(-75), -(2f32.powi(-75)));
        assert_eq!(fma_flushed(a, b, least), 0.0);
        assert_eq!(fma_flushed(a, b / 2.0, least), least);
        assert_eq!(fma_flushed(a, -b, -least).to_bits(), 0x8000_0000);
    }
}
