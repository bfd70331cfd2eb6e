//! The PTX instructions of f64 with `.approx`: the special function unit computes the high word of the result from the high word
//! of the operand.
//!
//! No step branches, so the compiler vectorizes a loop over lanes for each.

use crate::number::approximate::{mantissas, unit};
use crate::number::single::NAN32;
use crate::number::soft::{quiet, with_nan_of};

const SIGN_HIGH: u32 = 0x8000_0000;
const INFINITY_HIGH: u32 = 0x7ff0_0000;
const FRACTION_HIGH: u32 = 0xf_ffff;
/// The biased exponent of infinity and NaN.
const SPECIAL: i32 = 0x7ff;

/// `rcp.approx.ftz.f64`: the high word of `1 / a` from the high word of `a`; the low word is 0.
pub fn rcp(a: f64) -> f64 {
    from_high(rcp_high(high(a), unit::rcp_mantissa(rcp_argument(high(a))) as u32))
}

/// The same for a warp.
#[inline(always)]
pub fn rcp_lanes(a: &[f64; 32]) -> [f64; 32] {
    let (mut arguments, mut out) = ([0; 32], [0.0; 32]);
    for i in 0..32 {
        arguments[i] = rcp_argument(high(a[i]));
    }
    let mantissas = mantissas::<unit::Rcp>(&arguments);
    for i in 0..32 {
        out[i] = from_high(rcp_high(high(a[i]), mantissas[i]));
    }
    out
}

/// `rsqrt.approx.ftz.f64`: the high word of `1 / sqrt(a)` from the high word of `a`; the low word is 0.
pub fn rsqrt_high_word(a: f64) -> f64 {
    let (odd, fraction) = rsqrt_argument(high(a));
    from_high(rsqrt_high(high(a), unit::rsqrt_mantissa(odd, fraction) as u32))
}

/// The same for a warp.
#[inline(always)]
pub fn rsqrt_high_word_lanes(a: &[f64; 32]) -> [f64; 32] {
    let (mut arguments, mut out) = ([0; 32], [0.0; 32]);
    for i in 0..32 {
        let (odd, fraction) = rsqrt_argument(high(a[i]));
        arguments[i] = fraction | u32::from(!odd) << 23;
    }
    let mantissas = mantissas::<unit::Rsqrt>(&arguments);
    for i in 0..32 {
        // The root of an even power of two is exact.
        let exact = arguments[i] == 1 << 23;
        let mantissa = if exact { 1 << 24 } else { mantissas[i] };
        out[i] = from_high(rsqrt_high(high(a[i]), mantissa));
    }
    out
}

/// `rsqrt.approx.f64`: the approximation of the high word, improved once by an iteration of third order.
pub fn rsqrt(a: f64) -> f64 {
    let scaled = scaled(a);
    refined(a, improved(scaled, rsqrt_high_word(scaled)))
}

/// The same for a warp.
#[inline(always)]
pub fn rsqrt_lanes(a: &[f64; 32]) -> [f64; 32] {
    let (mut arguments, mut out) = ([0.0; 32], [0.0; 32]);
    for i in 0..32 {
        arguments[i] = scaled(a[i]);
    }
    let words = rsqrt_high_word_lanes(&arguments);
    for i in 0..32 {
        out[i] = refined(a[i], improved(arguments[i], words[i]));
    }
    out
}

/// Fraction bits of f32, for the unit.
#[inline(always)]
fn rcp_argument(word: u32) -> u32 {
    (word & FRACTION_HIGH) << 3
}

#[inline(always)]
fn rcp_high(word: u32, mantissa: u32) -> u32 {
    let (sign, exponent, fraction) = split(word);
    let result = high_word(mantissa, 1022 + 1023 - exponent);
    let small = (result < 1 << 20) | (exponent == SPECIAL);
    let result = if small { 0 } else { result };
    let result = if exponent == 0 { INFINITY_HIGH } else { result };
    if (exponent == SPECIAL) & (fraction != 0) { NAN32 } else { sign | result }
}

/// Whether the exponent is odd, and fraction bits of f32.
#[inline(always)]
fn rsqrt_argument(word: u32) -> (bool, u32) {
    let (_, exponent, fraction) = split(word);
    ((exponent - 1023) & 1 == 1, fraction << 3)
}

#[inline(always)]
fn rsqrt_high(word: u32, mantissa: u32) -> u32 {
    let (sign, exponent, fraction) = split(word);
    let result = high_word(mantissa, 1022 - ((exponent - 1023) >> 1));
    let result = if exponent == SPECIAL { 0 } else { result };
    let result = if sign != 0 { NAN32 } else { result };
    let result = if exponent == 0 { sign | INFINITY_HIGH } else { result };
    if (exponent == SPECIAL) & (fraction != 0) { NAN32 } else { result }
}

/// A subnormal number scaled by 2^54.
#[inline(always)]
fn scaled(a: f64) -> f64 {
    a * if is_subnormal(a) { (1u64 << 54) as f64 } else { 1.0 }
}

#[inline(always)]
fn is_subnormal(a: f64) -> bool {
    a.abs() < f64::MIN_POSITIVE
}

/// The reciprocal root `y` of `a`, improved.
#[inline(always)]
fn improved(a: f64, y: f64) -> f64 {
    let error = (-(y * y)).mul_add(a, 1.0);
    error.mul_add(0.375, 0.5).mul_add(y * error, y)
}

/// The result for `a`, from the improved root of the scaled number.
#[inline(always)]
fn refined(a: f64, root: f64) -> f64 {
    let root = root * if is_subnormal(a) { (1u64 << 27) as f64 } else { 1.0 };
    let root = if a == f64::INFINITY { 0.0 } else { root };
    let root = if a < 0.0 { with_nan_of(f64::NAN, []) } else { root };
    let root = if a == 0.0 { f64::INFINITY.copysign(a) } else { root };
    if a.is_nan() { quiet(a) } else { root }
}

#[inline(always)]
fn high(a: f64) -> u32 {
    (a.to_bits() >> 32) as u32
}

#[inline(always)]
fn from_high(word: u32) -> f64 {
    f64::from_bits(u64::from(word) << 32)
}

/// The sign, the biased exponent and the fraction of a high word.
#[inline(always)]
fn split(word: u32) -> (u32, i32, u32) {
    (word & SIGN_HIGH, (word >> 20 & 0x7ff) as i32, word & FRACTION_HIGH)
}

/// The high word of a mantissa from 2^23 to 2^24, truncated; its exponent is 23.
#[inline(always)]
fn high_word(mantissa: u32, exponent: i32) -> u32 {
    let word = (exponent as u32) << 20 | mantissa >> 3 & FRACTION_HIGH;
    let word = if exponent < 1 { 0 } else { word };
    // A power of two.
    if mantissa >> 24 != 0 { ((exponent + 1) as u32) << 20 } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warp_gets_what_its_lanes_get() {
        let mut state = 1u64;
        for round in 0..4000 {
            let a: [f64; 32] = std::array::from_fn(|i| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let exponents = [0, 1, 0x3ff, 0x400, 0x7fe, 0x7ff, state >> 53 & 0x7ff];
                let fraction = if i % 5 == 0 { 0 } else { state >> 12 };
                let sign = (state >> 11 & 7 == 0) as u64;
                f64::from_bits(sign << 63 | exponents[(i + round) % 7] << 52 | fraction)
            });
            let bits = |of: [f64; 32]| of.map(f64::to_bits);
            assert_eq!(bits(rcp_lanes(&a)), bits(a.map(rcp)), "{a:?}");
            assert_eq!(bits(rsqrt_high_word_lanes(&a)), bits(a.map(rsqrt_high_word)), "{a:?}");
            assert_eq!(bits(rsqrt_lanes(&a)), bits(a.map(rsqrt)), "{a:?}");
        }
    }

    #[test]
    fn special_numbers() {
        let (zero, infinity) = (0f64, f64::INFINITY);
        assert_eq!((rcp(zero), rcp(-zero)), (infinity, -infinity));
        assert_eq!((rcp(infinity).to_bits(), rcp(-infinity).to_bits()), (0, 1 << 63));
        assert_eq!(rcp(f64::from_bits(1)), infinity);
        assert_eq!((rcp(0.5), rcp(-4.0)), (2.0, -0.25));
        assert_eq!(rcp(f64::MAX).to_bits(), 0);
        assert_eq!((rsqrt(zero), rsqrt(-zero)), (infinity, -infinity));
        assert_eq!((rsqrt(infinity), rsqrt(0.25), rsqrt_high_word(16.0)), (0.0, 2.0, 0.25));
        assert!(rsqrt(-1.0).is_nan() && rsqrt_high_word(-1.0).is_nan());
        assert_eq!(rsqrt(f64::from_bits(1)), 2f64.powi(537));
    }
}
