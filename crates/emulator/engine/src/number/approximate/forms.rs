//! The PTX instructions with `.approx` and `.full`, composed of the special function unit and ordinary
//! arithmetic as in the driver's code for compute capability 9.0 (read from its machine code).
//!
//! The unit treats subnormal inputs as zero; forms without `.ftz` scale them first, and scale the result
//! back.

use crate::number::approximate::{UnitFunction, of, of_lanes, unit};
use crate::number::single::{NAN32, canonical, flush, flush_rounded_up};
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
