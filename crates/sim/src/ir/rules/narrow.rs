//! Floating-point arithmetic of 16 bits, single and packed, through wider types: add, subtract and
//! multiply round once from f32, fused operations once from a sum that is odd where it is inexact.

use super::Cx;
use super::float::{double, flush, max32, min32, nan_or};
use super::packed::{self, Narrow};
use crate::engine::pure::{Pure, pure1, pure2, pure3};
use crate::ir::lower::Rule;
use half::{bf16, f16};
use lanework_ptx::ScalarType::{self, *};

/// The NaN that 16-bit arithmetic makes, of either type.
pub const NAN16: u16 = 0x7fff;

/// `f` of the low and of the high half.
fn halves(a: u32, f: impl Fn(u16) -> u16) -> u32 {
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

/// Zero for what is negative; NaN, which arithmetic makes positive, stays.
pub fn relu16(a: u16) -> u16 {
    if a & 0x8000 != 0 { 0 } else { a }
}

/// Both halves.
pub fn relu16x2(a: u32) -> u32 {
    halves(a, relu16)
}

/// The rows of a function, computed in f32.
macro_rules! rows {
    ($ty:expr, $cold:ident, |$($x:ident),*| $body:expr) => {
        match $ty {
            F16 => Some($cold(|$($x: f16),*| -> f16 { $(let $x = $x.widen();)* packed::to_f16($body) })),
            Bf16 => Some($cold(|$($x: bf16),*| -> bf16 { $(let $x = $x.widen();)* packed::to_bf16($body) })),
            F16x2 => Some($cold(|$($x: u32),*| -> u32 {
                packed::map16([$($x),*], |[$($x),*]| { $(let $x = $x.widen();)* packed::to_f16($body) })
            })),
            Bf16x2 => Some($cold(|$($x: u32),*| -> u32 {
                packed::mapb16([$($x),*], |[$($x),*]| { $(let $x = $x.widen();)* packed::to_bf16($body) })
            })),
            _ => None,
        }
    };
}

/// `add`.
pub fn add(ty: ScalarType) -> Option<&'static Pure> {
    rows!(ty, pure2, |a, b| a + b)
}

/// `sub`.
pub fn sub(ty: ScalarType) -> Option<&'static Pure> {
    rows!(ty, pure2, |a, b| a - b)
}

/// A result before it is rounded to an f16 that is to be flushed. Subnormal numbers have fewer digits, so
/// that one may round to the least normal number which, with all digits, would stay below.
fn flushable(x: f64) -> f64 {
    const BELOW: f64 = (1.0 - 1.0 / 4096.0) / 16384.0;
    if x.abs() < BELOW { 0f64.copysign(x) } else { x }
}

/// `mul`.
pub fn mul(ty: ScalarType, ftz: bool) -> Option<&'static Pure> {
    if ftz && matches!(ty, F16 | F16x2) {
        // The product is exact in f32.
        return rows!(ty, pure2, |a, b| flushable(f64::from(a * b)) as f32);
    }
    rows!(ty, pure2, |a, b| a * b)
}

/// `a * b + c` in f64, odd where it is inexact: rounding it again is as rounding once.
fn fused(a: f32, b: f32, c: f32) -> f64 {
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

/// `fma` of f16 whose results are to be flushed.
pub fn fma_flushed(ty: ScalarType) -> Option<&'static Pure> {
    fn fma(a: f16, b: f16, c: f16) -> f16 {
        packed::wide_to_f16(flushable(fused(a.widen(), b.widen(), c.widen())))
    }
    match ty {
        F16 => Some(pure3(|a, b, c| fma(a, b, c))),
        F16x2 => Some(pure3(|a, b, c| packed::map16([a, b, c], |[a, b, c]| fma(a, b, c)))),
        _ => None,
    }
}

/// `fma`; with `oob` the NaN of elements outside a tensor makes the result 0.
pub fn fma(ty: ScalarType, oob: bool) -> Option<&'static Pure> {
    // The NaN that a copy of a tensor fills in where there is none of it, of either sign.
    fn outside(a: u16, b: u16, result: u16) -> u16 {
        if a & 0x7fff == 0x7ff7 || b & 0x7fff == 0x7ff7 { 0 } else { result }
    }
    fn f16_fma(a: f16, b: f16, c: f16) -> f16 {
        packed::wide_to_f16(fused(a.widen(), b.widen(), c.widen()))
    }
    fn bf16_fma(a: bf16, b: bf16, c: bf16) -> bf16 {
        packed::wide_to_bf16(fused(a.widen(), b.widen(), c.widen()))
    }
    fn f16_oob(a: f16, b: f16, c: f16) -> f16 {
        f16::from_bits(outside(a.to_bits(), b.to_bits(), f16_fma(a, b, c).to_bits()))
    }
    fn bf16_oob(a: bf16, b: bf16, c: bf16) -> bf16 {
        bf16::from_bits(outside(a.to_bits(), b.to_bits(), bf16_fma(a, b, c).to_bits()))
    }
    Some(match (ty, oob) {
        (F16, false) => pure3(|a, b, c| f16_fma(a, b, c)),
        (Bf16, false) => pure3(|a, b, c| bf16_fma(a, b, c)),
        (F16x2, false) => pure3(|a, b, c| packed::map16([a, b, c], |[a, b, c]| f16_fma(a, b, c))),
        (Bf16x2, false) => {
            pure3(|a, b, c| packed::mapb16([a, b, c], |[a, b, c]| bf16_fma(a, b, c)))
        }
        (F16, true) => pure3(|a, b, c| f16_oob(a, b, c)),
        (Bf16, true) => pure3(|a, b, c| bf16_oob(a, b, c)),
        (F16x2, true) => pure3(|a, b, c| packed::map16([a, b, c], |[a, b, c]| f16_oob(a, b, c))),
        (Bf16x2, true) => pure3(|a, b, c| packed::mapb16([a, b, c], |[a, b, c]| bf16_oob(a, b, c))),
        _ => return None,
    })
}

/// `f` of the magnitudes, with the product of the operands' signs.
fn apart<T: Narrow + Copy>(
    a: T,
    b: T,
    bits: impl Fn(T) -> u16,
    round: impl Fn(f32) -> T,
    f: impl Fn(f32, f32) -> f32,
) -> u16 {
    let result = f(a.widen().abs(), b.widen().abs());
    let sign = (bits(a) ^ bits(b)) & 0x8000;
    if result.is_nan() { NAN16 } else { bits(round(result)) & 0x7fff | sign }
}

fn apart_f16(a: f16, b: f16, f: impl Fn(f32, f32) -> f32) -> f16 {
    f16::from_bits(apart(a, b, f16::to_bits, packed::to_f16, f))
}

fn apart_bf16(a: bf16, b: bf16, f: impl Fn(f32, f32) -> f32) -> bf16 {
    bf16::from_bits(apart(a, b, bf16::to_bits, packed::to_bf16, f))
}

/// The rows of a function of magnitudes.
macro_rules! apart_rows {
    ($ty:expr, $f:expr) => {
        match $ty {
            F16 => Some(pure2(|a: f16, b: f16| apart_f16(a, b, $f))),
            Bf16 => Some(pure2(|a: bf16, b: bf16| apart_bf16(a, b, $f))),
            F16x2 => {
                Some(pure2(|a: u32, b: u32| packed::map16([a, b], |[a, b]| apart_f16(a, b, $f))))
            }
            Bf16x2 => {
                Some(pure2(|a: u32, b: u32| packed::mapb16([a, b], |[a, b]| apart_bf16(a, b, $f))))
            }
            _ => None,
        }
    };
}

/// `min` and `max`; NaN only if both are (or either, with `nan`), with the signs' product if `apart`.
pub fn min_max(ty: ScalarType, min: bool, nan: bool, apart: bool) -> Option<&'static Pure> {
    match (min, nan, apart) {
        (true, false, false) => rows!(ty, pure2, |a, b| min32(a, b)),
        (true, true, false) => rows!(ty, pure2, |a, b| nan_or(min32, a, b)),
        (false, false, false) => rows!(ty, pure2, |a, b| max32(a, b)),
        (false, true, false) => rows!(ty, pure2, |a, b| nan_or(max32, a, b)),
        (true, false, true) => apart_rows!(ty, min32),
        (true, true, true) => apart_rows!(ty, |a, b| nan_or(min32, a, b)),
        (false, false, true) => apart_rows!(ty, max32),
        (false, true, true) => apart_rows!(ty, |a, b| nan_or(max32, a, b)),
    }
}

/// `abs` and `neg`: NaN becomes the one that arithmetic makes.
pub fn sign(cx: &mut Cx<'_, '_>, ty: ScalarType, abs: bool) -> Rule {
    fn signed(a: u16, abs: bool, infinity: u16) -> u16 {
        match (a & 0x7fff > infinity, abs) {
            (true, _) => NAN16,
            (_, true) => a & 0x7fff,
            (_, false) => a ^ 0x8000,
        }
    }
    let pure = match (ty, abs) {
        (F16, true) => pure1(|a: u16| signed(a, true, 0x7c00)),
        (F16, false) => pure1(|a: u16| signed(a, false, 0x7c00)),
        (F16x2, true) => pure1(|a: u32| halves(a, |a| signed(a, true, 0x7c00))),
        (F16x2, false) => pure1(|a: u32| halves(a, |a| signed(a, false, 0x7c00))),
        (Bf16, true) => pure1(|a: u16| signed(a, true, 0x7f80)),
        (Bf16, false) => pure1(|a: u16| signed(a, false, 0x7f80)),
        (Bf16x2, true) => pure1(|a: u32| halves(a, |a| signed(a, true, 0x7f80))),
        _ => pure1(|a: u32| halves(a, |a| signed(a, false, 0x7f80))),
    };
    super::float::around(cx, ty, 1, pure)
}

/// `ex2` and `tanh`; `ex2` of bf16 flushes subnormal results.
pub fn approximate(ty: ScalarType, ex2: bool) -> Option<&'static Pure> {
    if ex2 && matches!(ty, Bf16 | Bf16x2) {
        rows!(ty, pure1, |a| flush(double(f64::exp2, a)))
    } else if ex2 {
        rows!(ty, pure1, |a| double(f64::exp2, a))
    } else {
        rows!(ty, pure1, |a| double(f64::tanh, a))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an H200 gave: products and sums that round to the least normal f16, but are below it with
    /// all digits, are flushed.
    #[test]
    fn results_just_below_the_least_normal_number_are_flushed() {
        let number = |bits| f64::from(f16::from_bits(bits).to_f32());
        let flushed = |x: f64| flush16(packed::wide_to_f16(flushable(x)).to_bits());
        assert_eq!(flushed(number(0xb2c6) * number(0x8cb9)), 0);
        assert_eq!(flushed(number(0x0400) * number(0x3bff)), 0);
        assert_eq!(flushed(number(0x8bde) * number(0x3411)), 0x8000);
        assert_eq!(flushed(number(0x0d13) * number(0x8569) + number(0x0400)), 0);
        assert_eq!(flushed(number(0x0400)), 0x0400);
    }
}
