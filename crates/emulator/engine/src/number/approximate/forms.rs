//! The PTX instructions with `.approx` and `.full`, composed of the special function unit and ordinary
//! arithmetic as in the driver's code for compute capability 9.0 (read from its machine code).
//!
//! The unit treats subnormal inputs as zero; forms without `.ftz` scale them first, and scale the result
//! back.

use crate::number::approximate::unit;
use crate::number::double::{quiet, with_nan_of};
use crate::number::single::{NAN32, canonical, flush, flush_rounded_up};
use ::half::{bf16, f16};

/// 2^24 makes any subnormal number normal.
const UP: f32 = (1u32 << 24) as f32;
/// Reciprocals of larger numbers would be subnormal.
const LARGE: f32 = f32::from_bits(0x7e80_0000);
/// 1 / (2 pi), by which the argument of `sin` and `cos` is multiplied, toward zero.
const TURNS: f32 = f32::from_bits(0x3e22_f983);

fn on_bits(f: fn(u32) -> u32, x: f32) -> f32 {
    f32::from_bits(f(x.to_bits()))
}

/// Whether a number is below the smallest normal one; NaN is not.
fn is_small(x: f32) -> bool {
    x.abs() < f32::MIN_POSITIVE
}

/// `rcp.approx`.
pub fn rcp(x: f32, ftz: bool) -> f32 {
    if ftz {
        return on_bits(unit::rcp, x);
    }
    let scale = if x.abs() > LARGE {
        0.25
    } else if is_small(x) {
        UP
    } else {
        1.0
    };
    canonical(on_bits(unit::rcp, x * scale) * scale)
}

/// `rsqrt.approx`.
pub fn rsqrt(x: f32, ftz: bool) -> f32 {
    match !ftz && is_small(x) {
        true => canonical(on_bits(unit::rsqrt, x * UP) * 4096.0),
        false => on_bits(unit::rsqrt, x),
    }
}

/// `sqrt.approx`.
pub fn sqrt(x: f32, ftz: bool) -> f32 {
    match !ftz && is_small(x) {
        true => canonical(on_bits(unit::sqrt, x * UP) * (1.0 / 4096.0)),
        false => on_bits(unit::sqrt, x),
    }
}

/// `ex2.approx`.
pub fn ex2(x: f32, ftz: bool) -> f32 {
    if !ftz && x < -126.0 {
        let root = on_bits(unit::ex2, x * 0.5);
        return root * root;
    }
    on_bits(unit::ex2, x)
}

/// `lg2.approx`.
pub fn lg2(x: f32, ftz: bool) -> f32 {
    match !ftz && is_small(x) {
        true => canonical(on_bits(unit::lg2, x * UP) - 24.0),
        false => on_bits(unit::lg2, x),
    }
}

/// `sin.approx`, with and without `.ftz`.
pub fn sin(x: f32) -> f32 {
    on_bits(unit::sin, turns(x))
}

/// `cos.approx`, with and without `.ftz`.
pub fn cos(x: f32) -> f32 {
    on_bits(unit::cos, turns(x))
}

/// An angle in revolutions, rounded toward zero.
fn turns(x: f32) -> f32 {
    // The product is exact in f64, and so is the distance to its rounding.
    let exact = f64::from(x) * f64::from(TURNS);
    let nearest = exact as f32;
    let away = f64::from(nearest).abs() > exact.abs();
    if away { f32::from_bits(nearest.to_bits() - 1) } else { nearest }
}

/// `tanh.approx.f32`.
pub fn tanh(x: f32) -> f32 {
    on_bits(unit::tanh, x)
}

/// `div.approx`: `a` times the reciprocal of `b`.
pub fn div(a: f32, b: f32, ftz: bool) -> f32 {
    quotient(factors(a, b, false, ftz), ftz)
}

/// `div.full`: `div.approx` of operands that are scaled if the reciprocal would be subnormal.
pub fn div_full(a: f32, b: f32, ftz: bool) -> f32 {
    quotient(factors(a, b, true, ftz), ftz)
}

fn quotient((a, reciprocal): (f32, f32), ftz: bool) -> f32 {
    if ftz { multiply_flushed(a, reciprocal) } else { canonical(reciprocal * a) }
}

/// The two factors whose product `div.approx` is, or `div.full` if `full`.
pub fn factors(a: f32, b: f32, full: bool, ftz: bool) -> (f32, f32) {
    let large = full && b.abs() > LARGE;
    match (ftz, large, is_small(b)) {
        (true, true, _) => (multiply_flushed(a, 0.25), on_bits(unit::rcp, b * 0.25)),
        (false, true, _) => (a * 0.25, on_bits(unit::rcp, b * 0.25)),
        (false, _, true) => (a * UP, on_bits(unit::rcp, b * UP)),
        _ => (a, on_bits(unit::rcp, b)),
    }
}

/// `mul.ftz`.
fn multiply_flushed(a: f32, b: f32) -> f32 {
    let (a, b) = (flush(a), flush(b));
    canonical(flush(flush_rounded_up(a * b, f64::from(a) * f64::from(b))))
}

/// `ex2.approx.f16`.
pub fn ex2_f16(x: f16) -> f16 {
    cut_f16(unit::ex2(x.to_f32().to_bits()))
}

/// `tanh.approx.f16`.
pub fn tanh_f16(x: f16) -> f16 {
    cut_f16(unit::tanh(x.to_f32().to_bits()))
}

/// `ex2.approx.ftz.bf16`.
pub fn ex2_bf16(x: bf16) -> bf16 {
    cut_bf16(unit::ex2(u32::from(x.to_bits()) << 16))
}

/// `tanh.approx.bf16`.
pub fn tanh_bf16(x: bf16) -> bf16 {
    cut_bf16(unit::tanh(u32::from(x.to_bits()) << 16))
}

/// An f32 cut off to f16; a NaN is 0x7fff.
fn cut_f16(bits: u32) -> f16 {
    let (sign, magnitude) = ((bits >> 16 & 0x8000) as u16, bits & 0x7fff_ffff);
    let (exponent, mantissa) = ((magnitude >> 23) as i32 - 127, magnitude & 0x7f_ffff | 1 << 23);
    let cut = match exponent {
        128 if magnitude > 0x7f80_0000 => return f16::from_bits(0x7fff),
        16.. => 0x7c00,
        -14..=15 => ((exponent + 15) as u32) << 10 | (mantissa >> 13 & 0x3ff),
        // Subnormal in f16.
        _ => mantissa.checked_shr((-1 - exponent) as u32).unwrap_or(0),
    };
    f16::from_bits(sign | cut as u16)
}

/// An f32 cut off to bf16; a NaN is 0x7fff.
fn cut_bf16(bits: u32) -> bf16 {
    bf16::from_bits(if bits == NAN32 { 0x7fff } else { (bits >> 16) as u16 })
}

const SIGN_HIGH: u32 = 0x8000_0000;
const INFINITY_HIGH: u32 = 0x7ff0_0000;
const FRACTION_HIGH: u32 = 0xf_ffff;

/// `rcp.approx.ftz.f64`: the high word of `1 / a` from the high word of `a`; the low word is 0.
pub fn rcp_f64(a: f64) -> f64 {
    from_high(rcp_high(high(a)))
}

fn rcp_high(word: u32) -> u32 {
    let (sign, exponent, fraction) = split(word);
    match exponent {
        0x7ff if fraction != 0 => NAN32,
        0 => sign | INFINITY_HIGH,
        _ => {
            let result = high_word(unit::rcp_mantissa(fraction << 3), 1022 + 1023 - exponent);
            if result < 1 << 20 || exponent == 0x7ff { sign } else { sign | result }
        }
    }
}

/// `rsqrt.approx.ftz.f64`: the high word of `1 / sqrt(a)` from the high word of `a`; the low word is 0.
pub fn rsqrt_f64_high(a: f64) -> f64 {
    from_high(rsqrt_high(high(a)))
}

fn rsqrt_high(word: u32) -> u32 {
    let (sign, exponent, fraction) = split(word);
    match exponent {
        0x7ff if fraction != 0 => NAN32,
        0 => sign | INFINITY_HIGH,
        _ if sign != 0 => NAN32,
        0x7ff => 0,
        _ => {
            let unbiased = exponent - 1023;
            let mantissa = unit::rsqrt_mantissa(unbiased & 1 == 1, fraction << 3);
            high_word(mantissa, 1022 - (unbiased >> 1))
        }
    }
}

/// `rsqrt.approx.f64`: the approximation of the high word, improved once by an iteration of third order.
pub fn rsqrt_f64(a: f64) -> f64 {
    if a == 0.0 {
        return f64::INFINITY.copysign(a);
    }
    if a.is_nan() {
        return quiet(a);
    }
    if a < 0.0 {
        return with_nan_of(f64::NAN, []);
    }
    if a == f64::INFINITY {
        return 0.0;
    }
    match a.is_subnormal() {
        true => improved(a * (1u64 << 54) as f64) * (1u64 << 27) as f64,
        false => improved(a),
    }
}

fn improved(a: f64) -> f64 {
    let y = rsqrt_f64_high(a);
    let error = (-(y * y)).mul_add(a, 1.0);
    error.mul_add(0.375, 0.5).mul_add(y * error, y)
}

fn high(a: f64) -> u32 {
    (a.to_bits() >> 32) as u32
}

fn from_high(word: u32) -> f64 {
    f64::from_bits(u64::from(word) << 32)
}

/// The sign, the biased exponent and the fraction of a high word.
fn split(word: u32) -> (u32, i32, u32) {
    (word & SIGN_HIGH, (word >> 20 & 0x7ff) as i32, word & FRACTION_HIGH)
}

/// The high word of a mantissa from 2^23 to 2^24, truncated; its exponent is 23.
fn high_word(mantissa: u64, exponent: i32) -> u32 {
    match mantissa >> 24 {
        0 if exponent < 1 => 0,
        0 => (exponent as u32) << 20 | (mantissa >> 3) as u32 & FRACTION_HIGH,
        // A power of two.
        _ => ((exponent + 1) as u32) << 20,
    }
}
