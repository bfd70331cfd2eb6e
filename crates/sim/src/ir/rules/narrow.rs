//! Floating-point arithmetic of 16 bits, single and packed, through wider types: add, subtract and
//! multiply round once from f32, fused operations once from a sum that is odd where it is inexact.

use super::Cx;
use crate::engine::number::narrow::{self as packed, *};
use crate::engine::number::single::{flush, max32, min32, or_nan, through_double};
use crate::engine::pure::{Pure, pure1, pure2, pure3};
use crate::ir::lower::Rule;
use half::{bf16, f16};
use lanework_ptx::ScalarType::{self, *};

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

/// `mul`.
pub fn mul(ty: ScalarType, ftz: bool) -> Option<&'static Pure> {
    if ftz && matches!(ty, F16 | F16x2) {
        // The product is exact in f32.
        return rows!(ty, pure2, |a, b| flushable(f64::from(a * b)) as f32);
    }
    rows!(ty, pure2, |a, b| a * b)
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
        (true, true, false) => rows!(ty, pure2, |a, b| or_nan(min32, a, b)),
        (false, false, false) => rows!(ty, pure2, |a, b| max32(a, b)),
        (false, true, false) => rows!(ty, pure2, |a, b| or_nan(max32, a, b)),
        (true, false, true) => apart_rows!(ty, min32),
        (true, true, true) => apart_rows!(ty, |a, b| or_nan(min32, a, b)),
        (false, false, true) => apart_rows!(ty, max32),
        (false, true, true) => apart_rows!(ty, |a, b| or_nan(max32, a, b)),
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
        rows!(ty, pure1, |a| flush(through_double(f64::exp2, a)))
    } else if ex2 {
        rows!(ty, pure1, |a| through_double(f64::exp2, a))
    } else {
        rows!(ty, pure1, |a| through_double(f64::tanh, a))
    }
}
