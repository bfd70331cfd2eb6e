//! Floating-point arithmetic: f32 and f64, and f16 and bf16 (single and packed) through f32.
//!
//! Rounding is to nearest even. Where a GPU approximates (`ex2`, `lg2`, `sin`, `cos`, `tanh`, `rsqrt`,
//! `rcp.approx`, `div.approx`, `sqrt.approx`), the emulator computes in double precision and rounds
//! once, so it errs by at most half a unit in the last place, and the GPU by what its manual grants.
//! NaN results keep the host's payload; only min, max and conversions canonicalise.

use super::integer::found;
use super::{Cx, packed};
use crate::lower::Rule;
use crate::pure::{Pure, hot2, hot3, pure1, pure2, pure3, warm1, warm2, warm3};
use half::{bf16, f16};
use lanework_ptx::ScalarType::{self, *};

/// Flushes a subnormal to a zero of its sign.
#[inline(always)]
pub fn flush(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE { f32::from_bits(x.to_bits() & 0x8000_0000) } else { x }
}

/// Clamps to [0, 1]; NaN becomes 0.
#[inline(always)]
pub fn saturate(x: f32) -> f32 {
    if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }
}

#[inline(always)]
fn saturate64(x: f64) -> f64 {
    if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }
}

const ROUNDING: &[&str] = &["rn", "ftz", "sat"];

/// The rows of an f32 function: plain, flushing, saturating, both.
macro_rules! f32_rows {
    ($cx:expr, $make:ident, $cold:ident, |$($x:ident),*| $body:expr) => {
        match ($cx.has("ftz"), $cx.has("sat")) {
            (false, false) => $make(|$($x: f32),*| -> f32 { $body }),
            (true, false) => $cold(|$($x: f32),*| -> f32 { $(let $x = flush($x);)* flush($body) }),
            (false, true) => $cold(|$($x: f32),*| -> f32 { saturate($body) }),
            (true, true) => $cold(|$($x: f32),*| -> f32 { $(let $x = flush($x);)* saturate(flush($body)) }),
        }
    };
}

macro_rules! narrow {
    (f32, $ty:ty, $body:expr) => {
        <$ty>::from_f32($body)
    };
    (f64, f16, $body:expr) => {
        packed::wide_to_f16($body)
    };
    (f64, bf16, $body:expr) => {
        packed::wide_to_bf16($body)
    };
}

/// The rows of a function for the narrow types, computed in `f32`, or `f64` when one rounding of
/// `f32` would round twice.
macro_rules! narrow_rows {
    ($ty:expr, $cold:ident, $wide:ident, |$($x:ident),*| $body:expr) => {
        match $ty {
            F16 => Some($cold(|$($x: f16),*| -> f16 { $(let $x = <$wide>::from(packed::Narrow::widen($x));)* narrow!($wide, f16, $body) })),
            Bf16 => Some($cold(|$($x: bf16),*| -> bf16 { $(let $x = <$wide>::from(packed::Narrow::widen($x));)* narrow!($wide, bf16, $body) })),
            F16x2 => Some($cold(|$($x: u32),*| -> u32 {
                packed::map16([$($x),*], |[$($x),*]| { $(let $x = <$wide>::from(packed::Narrow::widen($x));)* narrow!($wide, f16, $body) })
            })),
            Bf16x2 => Some($cold(|$($x: u32),*| -> u32 {
                packed::mapb16([$($x),*], |[$($x),*]| { $(let $x = <$wide>::from(packed::Narrow::widen($x));)* narrow!($wide, bf16, $body) })
            })),
            _ => None,
        }
    };
}

fn binary(
    cx: &mut Cx<'_, '_>,
    f32_row: &'static Pure,
    f64_row: &'static Pure,
    narrow: Option<&'static Pure>,
) -> Rule {
    let ty = cx.ty()?;
    cx.allow(ROUNDING)?;
    let pure = match ty {
        F32 => Some(f32_row),
        F64 => Some(f64_row),
        _ => narrow.filter(|_| !cx.has("sat")),
    };
    let pure = found(cx, pure)?;
    cx.uniform_type(ty, 2, pure)
}

/// `add` of floats.
pub fn add(cx: &mut Cx<'_, '_>) -> Rule {
    let row = f32_rows!(cx, hot2, warm2, |a, b| a + b);
    let narrow = narrow_rows!(cx.ty()?, pure2, f32, |a, b| a + b);
    binary(cx, row, warm2(|a: f64, b: f64| a + b), narrow)
}

/// `sub` of floats.
pub fn sub(cx: &mut Cx<'_, '_>) -> Rule {
    let row = f32_rows!(cx, hot2, warm2, |a, b| a - b);
    let narrow = narrow_rows!(cx.ty()?, pure2, f32, |a, b| a - b);
    binary(cx, row, warm2(|a: f64, b: f64| a - b), narrow)
}

/// `mul` of floats.
pub fn mul(cx: &mut Cx<'_, '_>) -> Rule {
    let row = f32_rows!(cx, hot2, warm2, |a, b| a * b);
    let narrow = narrow_rows!(cx.ty()?, pure2, f32, |a, b| a * b);
    binary(cx, row, warm2(|a: f64, b: f64| a * b), narrow)
}

/// `div` of floats; the approximate forms are exact here.
pub fn div(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["rn", "ftz", "approx", "full"])?;
    let ty = cx.ty()?;
    let pure = match ty {
        F32 if cx.has("ftz") => pure2(|a: f32, b: f32| flush(flush(a) / flush(b))),
        F32 => warm2(|a: f32, b: f32| a / b),
        F64 => pure2(|a: f64, b: f64| a / b),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 2, pure)
}

/// `fma`, and `mad` of floats.
pub fn fma(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["rn", "ftz", "sat", "relu"])?;
    let ty = cx.ty()?;
    let pure = if cx.has("relu") {
        found(cx, narrow_rows!(ty, pure3, f64, |a, b, c| relu64(a * b + c)))?
    } else if ty == F32 {
        fused_f32(cx)
    } else if ty == F64 {
        hot3(|a: f64, b: f64, c: f64| a.mul_add(b, c))
    } else if cx.has("sat") {
        found(cx, narrow_rows!(ty, pure3, f64, |a, b, c| saturate64(a * b + c)))?
    } else {
        found(cx, narrow_rows!(ty, pure3, f64, |a, b, c| a * b + c))?
    };
    cx.uniform_type(ty, 3, pure)
}

/// `fma.f32`; the plain one is marked, for the assembler fuses it with the loads before it.
fn fused_f32(cx: &Cx<'_, '_>) -> &'static Pure {
    if cx.has("ftz") || cx.has("sat") {
        return f32_rows!(cx, warm3, warm3, |a, b, c| a.mul_add(b, c));
    }
    static PURE: std::sync::OnceLock<Pure> = std::sync::OnceLock::new();
    PURE.get_or_init(|| Pure { fma: true, ..*hot3(|a: f32, b: f32, c: f32| a.mul_add(b, c)) })
}

fn relu64(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

/// The smaller; the other one if one is NaN; -0 is below +0.
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
        if b.is_nan() { f32::from_bits(0x7fff_ffff) } else { b }
    } else if b.is_nan() {
        a
    } else {
        ordered
    }
}

/// The larger; the other one if one is NaN; +0 is above -0.
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
        if b.is_nan() { f32::from_bits(0x7fff_ffff) } else { b }
    } else if b.is_nan() {
        a
    } else {
        ordered
    }
}

fn min64(a: f64, b: f64) -> f64 {
    let equal = f64::from_bits(a.to_bits() | b.to_bits());
    let ordered = if a == b {
        equal
    } else if a < b {
        a
    } else {
        b
    };
    if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else {
        ordered
    }
}

fn max64(a: f64, b: f64) -> f64 {
    let equal = f64::from_bits(a.to_bits() & b.to_bits());
    let ordered = if a == b {
        equal
    } else if a > b {
        a
    } else {
        b
    };
    if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else {
        ordered
    }
}

fn nan_or(f: impl Fn(f32, f32) -> f32, a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() { f32::from_bits(0x7fff_ffff) } else { f(a, b) }
}

/// `min` and `max` of floats.
pub fn min_max(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["ftz", "NaN"])?;
    let ty = cx.ty()?;
    let min = cx.instruction.opcode == "min";
    let pure = match (ty, cx.has("NaN"), min) {
        (F32, false, true) => f32_rows!(cx, warm2, pure2, |a, b| min32(a, b)),
        (F32, false, false) => f32_rows!(cx, warm2, pure2, |a, b| max32(a, b)),
        (F32, true, true) => f32_rows!(cx, pure2, pure2, |a, b| nan_or(min32, a, b)),
        (F32, true, false) => f32_rows!(cx, pure2, pure2, |a, b| nan_or(max32, a, b)),
        (F64, false, true) => pure2(|a: f64, b: f64| min64(a, b)),
        (F64, false, false) => pure2(|a: f64, b: f64| max64(a, b)),
        (_, false, true) => found(cx, narrow_rows!(ty, pure2, f32, |a, b| min32(a, b)))?,
        (_, false, false) => found(cx, narrow_rows!(ty, pure2, f32, |a, b| max32(a, b)))?,
        (_, true, true) => found(cx, narrow_rows!(ty, pure2, f32, |a, b| nan_or(min32, a, b)))?,
        (_, true, false) => found(cx, narrow_rows!(ty, pure2, f32, |a, b| nan_or(max32, a, b)))?,
    };
    if cx.instruction.operands.len() == 4 {
        return Err(cx.unknown("three inputs"));
    }
    cx.uniform_type(ty, 2, pure)
}

/// `abs`.
pub fn abs(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["ftz"])?;
    let ty = cx.ty()?;
    let pure = match ty {
        S16 => pure1(|a: i16| a.wrapping_abs()),
        S32 => pure1(|a: i32| a.wrapping_abs()),
        S64 => pure1(|a: i64| a.wrapping_abs()),
        F32 if cx.has("ftz") => pure1(|a: f32| flush(a.abs())),
        F32 => warm1(|a: f32| a.abs()),
        F64 => pure1(|a: f64| a.abs()),
        F16 | Bf16 => pure1(|a: u16| a & 0x7fff),
        F16x2 | Bf16x2 => pure1(|a: u32| a & 0x7fff_7fff),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 1, pure)
}

/// `neg`.
pub fn neg(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["ftz"])?;
    let ty = cx.ty()?;
    let pure = match ty {
        S16 => pure1(|a: i16| a.wrapping_neg()),
        S32 => pure1(|a: i32| a.wrapping_neg()),
        S64 => pure1(|a: i64| a.wrapping_neg()),
        F32 if cx.has("ftz") => pure1(|a: f32| flush(-a)),
        F32 => warm1(|a: f32| -a),
        F64 => pure1(|a: f64| -a),
        F16 | Bf16 => pure1(|a: u16| a ^ 0x8000),
        F16x2 | Bf16x2 => pure1(|a: u32| a ^ 0x8000_8000),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 1, pure)
}

/// `copysign`: the magnitude of `b` with the sign of `a`.
pub fn copysign(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    let pure = match ty {
        F32 => pure2(|a: f32, b: f32| b.copysign(a)),
        F64 => pure2(|a: f64, b: f64| b.copysign(a)),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 2, pure)
}

/// `sqrt` and `rcp`: correctly rounded.
pub fn root(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["rn", "approx", "ftz"])?;
    let ty = cx.ty()?;
    let sqrt = cx.instruction.opcode == "sqrt";
    let pure = match (ty, sqrt) {
        (F32, true) => f32_rows!(cx, warm1, pure1, |a| a.sqrt()),
        (F32, false) => f32_rows!(cx, warm1, pure1, |a| 1.0 / a),
        (F64, true) => pure1(|a: f64| a.sqrt()),
        (F64, false) if cx.has("approx") => pure1(|a: f64| {
            f64::from_bits(
                (1.0 / f64::from_bits(a.to_bits() & !0xffff_ffff)).to_bits() & !0xffff_ffff,
            )
        }),
        (F64, false) => pure1(|a: f64| 1.0 / a),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 1, pure)
}

fn double(f: impl Fn(f64) -> f64, x: f32) -> f32 {
    f(f64::from(x)) as f32
}

/// The functions that a GPU approximates.
pub fn approximate(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["approx", "ftz"])?;
    let ty = cx.ty()?;
    let pure = match (cx.instruction.opcode.as_str(), ty) {
        ("ex2", F32) => f32_rows!(cx, pure1, pure1, |a| double(f64::exp2, a)),
        ("lg2", F32) => f32_rows!(cx, pure1, pure1, |a| double(f64::log2, a)),
        ("sin", F32) => f32_rows!(cx, pure1, pure1, |a| double(f64::sin, a)),
        ("cos", F32) => f32_rows!(cx, pure1, pure1, |a| double(f64::cos, a)),
        ("tanh", F32) => f32_rows!(cx, pure1, pure1, |a| double(f64::tanh, a)),
        ("rsqrt", F32) => f32_rows!(cx, pure1, pure1, |a| double(|x| 1.0 / x.sqrt(), a)),
        ("rsqrt", F64) => pure1(|a: f64| 1.0 / a.sqrt()),
        ("ex2", _) => found(cx, narrow_rows!(ty, pure1, f32, |a| double(f64::exp2, a)))?,
        ("tanh", _) => found(cx, narrow_rows!(ty, pure1, f32, |a| double(f64::tanh, a)))?,
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 1, pure)
}

/// `testp`.
pub fn testp(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["finite", "infinite", "number", "notanumber", "normal", "subnormal"])?;
    let ty = cx.ty()?;
    let test = cx.instruction.modifiers.first().cloned().unwrap_or_default();
    let pure = match (test.as_str(), ty) {
        ("finite", F32) => pure1(|a: f32| a.is_finite()),
        ("infinite", F32) => pure1(|a: f32| a.is_infinite()),
        ("number", F32) => pure1(|a: f32| !a.is_nan()),
        ("notanumber", F32) => pure1(|a: f32| a.is_nan()),
        ("normal", F32) => pure1(|a: f32| a.is_normal()),
        ("subnormal", F32) => pure1(|a: f32| a.is_subnormal()),
        ("finite", F64) => pure1(|a: f64| a.is_finite()),
        ("infinite", F64) => pure1(|a: f64| a.is_infinite()),
        ("number", F64) => pure1(|a: f64| !a.is_nan()),
        ("notanumber", F64) => pure1(|a: f64| a.is_nan()),
        ("normal", F64) => pure1(|a: f64| a.is_normal()),
        ("subnormal", F64) => pure1(|a: f64| a.is_subnormal()),
        _ => return Err(cx.unknown("this test")),
    };
    cx.operands(2)?;
    let dst = cx.dst_of(0, ScalarType::Pred)?;
    let a = cx.src(1, ty)?;
    cx.pure(dst, &[a], pure)
}
