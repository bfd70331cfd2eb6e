//! The PTX instructions with `.approx` and `.full`, composed of the special function unit and ordinary
//! arithmetic as in the driver's code for compute capability 9.0 (read from its machine code).
//!
//! The unit treats subnormal inputs as zero; forms without `.ftz` scale them first, and scale the result
//! back.

use crate::number::approximate::{UnitFunction, of, of_lanes, unit};
use crate::number::single::{NAN32, canonical, flush, flush_rounded_up};
use crate::number::soft::{quiet, with_nan_of};
use ::half::{bf16, f16};

/// 2^24 makes any subnormal number normal.
const UP: f32 = (1u32 << 24) as f32;
/// Reciprocals of larger numbers would be subnormal.
const LARGE: f32 = f32::from_bits(0x7e80_0000);
/// 1 / (2 pi), rounded toward zero, by which the argument of `sin` and `cos` is multiplied.
const TURNS: f32 = f32::from_bits(0x3e22_f983);

/// Whether a number is below the smallest normal one; NaN is not.
#[inline(always)]
fn is_small(x: f32) -> bool {
    x.abs() < f32::MIN_POSITIVE
}

/// An instruction of one operand: a function of the unit, with arithmetic before and after it.
pub trait ApproximateForm {
    /// The function of the unit.
    type Unit: UnitFunction;
    /// The unit's operand.
    #[inline(always)]
    fn before(x: f32) -> f32 {
        x
    }
    /// The result, from the operand and the unit's result.
    #[inline(always)]
    fn after(_x: f32, result: f32) -> f32 {
        result
    }
}

/// The instruction for one lane.
pub fn lane<F: ApproximateForm>(x: f32) -> f32 {
    F::after(x, of_float::<F::Unit>(F::before(x)))
}

/// The instruction for a warp.
#[inline(always)]
pub fn warp<F: ApproximateForm>(x: &[f32; 32]) -> [f32; 32] {
    let (mut bits, mut out) = ([0; 32], [0.0; 32]);
    for i in 0..32 {
        bits[i] = F::before(x[i]).to_bits();
    }
    let bits = of_lanes::<F::Unit>(&bits);
    for i in 0..32 {
        out[i] = F::after(x[i], f32::from_bits(bits[i]));
    }
    out
}

#[inline(always)]
fn of_float<F: UnitFunction>(x: f32) -> f32 {
    f32::from_bits(of::<F>(x.to_bits()))
}

/// `rcp.approx`.
pub struct Rcp<const FTZ: bool>;

impl Rcp<false> {
    #[inline(always)]
    fn scale(x: f32) -> f32 {
        let scale = if is_small(x) { UP } else { 1.0 };
        if x.abs() > LARGE { 0.25 } else { scale }
    }
}

impl ApproximateForm for Rcp<false> {
    type Unit = unit::Rcp;

    #[inline(always)]
    fn before(x: f32) -> f32 {
        x * Self::scale(x)
    }

    #[inline(always)]
    fn after(x: f32, result: f32) -> f32 {
        canonical(result * Self::scale(x))
    }
}

impl ApproximateForm for Rcp<true> {
    type Unit = unit::Rcp;
}

/// Forms without `.ftz` that scale subnormal operands up.
macro_rules! scaled_up {
    ($($(#[$doc:meta])* $name:ident of $unit:ty, |$result:ident| $back:expr;)*) => {$(
        $(#[$doc])*
        pub struct $name<const FTZ: bool>;

        impl<const FTZ: bool> ApproximateForm for $name<FTZ> {
            type Unit = $unit;

            #[inline(always)]
            fn before(x: f32) -> f32 {
                if !FTZ && is_small(x) { x * UP } else { x }
            }

            #[inline(always)]
            fn after(x: f32, $result: f32) -> f32 {
                if !FTZ && is_small(x) { canonical($back) } else { $result }
            }
        }
    )*};
}

scaled_up! {
    /// `rsqrt.approx`.
    Rsqrt of unit::Rsqrt, |result| result * 4096.0;
    /// `sqrt.approx`.
    Sqrt of unit::Sqrt, |result| result * (1.0 / 4096.0);
    /// `lg2.approx`.
    Lg2 of unit::Lg2, |result| result - 24.0;
}

/// `ex2.approx`.
pub struct Ex2<const FTZ: bool>;

impl<const FTZ: bool> ApproximateForm for Ex2<FTZ> {
    type Unit = unit::Ex2;

    #[inline(always)]
    fn before(x: f32) -> f32 {
        if !FTZ && x < -126.0 { x * 0.5 } else { x }
    }

    #[inline(always)]
    fn after(x: f32, result: f32) -> f32 {
        if !FTZ && x < -126.0 { result * result } else { result }
    }
}

/// `sin.approx`, with and without `.ftz`.
pub struct Sin;

impl ApproximateForm for Sin {
    type Unit = unit::Sin;

    #[inline(always)]
    fn before(x: f32) -> f32 {
        turns(x)
    }
}

/// `cos.approx`, with and without `.ftz`.
pub struct Cos;

impl ApproximateForm for Cos {
    type Unit = unit::Cos;

    #[inline(always)]
    fn before(x: f32) -> f32 {
        turns(x)
    }
}

/// `tanh.approx.f32`.
pub struct Tanh;

impl ApproximateForm for Tanh {
    type Unit = unit::Tanh;
}

/// An angle in revolutions, rounded toward zero.
#[inline(always)]
fn turns(x: f32) -> f32 {
    // The product is exact in f64, and so is the distance to its rounding.
    let exact = f64::from(x) * f64::from(TURNS);
    let nearest = exact as f32;
    let away = f64::from(nearest).abs() > exact.abs();
    if away { f32::from_bits(nearest.to_bits() - 1) } else { nearest }
}

/// `div.approx`, or `div.full` if `FULL`: `a` times the reciprocal of `b`. Both are scaled if the reciprocal would not
/// be normal.
pub struct Quotient<const FULL: bool, const FTZ: bool>;

impl<const FULL: bool, const FTZ: bool> Quotient<FULL, FTZ> {
    #[inline(always)]
    fn scale(b: f32) -> Option<f32> {
        if FULL && b.abs() > LARGE {
            return Some(0.25);
        }
        (!FTZ && is_small(b)).then_some(UP)
    }

    /// The factor whose reciprocal the unit computes.
    #[inline(always)]
    fn denominator(b: f32) -> f32 {
        Self::scale(b).map_or(b, |scale| b * scale)
    }

    /// The other factor.
    #[inline(always)]
    pub fn numerator(a: f32, b: f32) -> f32 {
        let scaled = |scale| if FTZ { multiply_flushed(a, scale) } else { a * scale };
        Self::scale(b).map_or(a, scaled)
    }

    /// The reciprocal.
    pub fn reciprocal(b: f32) -> f32 {
        of_float::<unit::Rcp>(Self::denominator(b))
    }

    /// The instruction for one lane.
    pub fn lane(a: f32, b: f32) -> f32 {
        quotient((Self::numerator(a, b), Self::reciprocal(b)), FTZ)
    }

    /// The instruction for a warp.
    #[inline(always)]
    pub fn warp(a: &[f32; 32], b: &[f32; 32]) -> [f32; 32] {
        let (mut bits, mut out) = ([0; 32], [0.0; 32]);
        for i in 0..32 {
            bits[i] = Self::denominator(b[i]).to_bits();
        }
        let bits = of_lanes::<unit::Rcp>(&bits);
        for i in 0..32 {
            out[i] = quotient((Self::numerator(a[i], b[i]), f32::from_bits(bits[i])), FTZ);
        }
        out
    }
}

#[inline(always)]
fn quotient((a, reciprocal): (f32, f32), ftz: bool) -> f32 {
    if ftz { multiply_flushed(a, reciprocal) } else { canonical(reciprocal * a) }
}

/// `mul.ftz`.
#[inline(always)]
fn multiply_flushed(a: f32, b: f32) -> f32 {
    let (a, b) = (flush(a), flush(b));
    canonical(flush(flush_rounded_up(a * b, f64::from(a) * f64::from(b))))
}

/// `ex2.approx.f16`.
pub fn ex2_f16(x: f16) -> f16 {
    cut_f16(of::<unit::Ex2>(x.to_f32().to_bits()))
}

/// `tanh.approx.f16`.
pub fn tanh_f16(x: f16) -> f16 {
    cut_f16(of::<unit::Tanh>(x.to_f32().to_bits()))
}

/// `ex2.approx.ftz.bf16`.
pub fn ex2_bf16(x: bf16) -> bf16 {
    cut_bf16(of::<unit::Ex2>(u32::from(x.to_bits()) << 16))
}

/// `tanh.approx.bf16`.
pub fn tanh_bf16(x: bf16) -> bf16 {
    cut_bf16(of::<unit::Tanh>(u32::from(x.to_bits()) << 16))
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
#[inline(always)]
pub fn rcp_f64(a: f64) -> f64 {
    from_high(rcp_high(high(a)))
}

#[inline(always)]
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
#[inline(always)]
pub fn rsqrt_f64_high(a: f64) -> f64 {
    from_high(rsqrt_high(high(a)))
}

#[inline(always)]
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
#[inline(always)]
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

#[inline(always)]
fn improved(a: f64) -> f64 {
    let y = rsqrt_f64_high(a);
    let error = (-(y * y)).mul_add(a, 1.0);
    error.mul_add(0.375, 0.5).mul_add(y * error, y)
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
fn high_word(mantissa: u64, exponent: i32) -> u32 {
    match mantissa >> 24 {
        0 if exponent < 1 => 0,
        0 => (exponent as u32) << 20 | (mantissa >> 3) as u32 & FRACTION_HIGH,
        // A power of two.
        _ => ((exponent + 1) as u32) << 20,
    }
}
