//! Integer arithmetic, and the instructions that share a name with floating-point ones.

use super::{Cx, carry, float};
use crate::engine::lanes::Scalar;
use crate::engine::pure::{Affine, Pure, affine, hot2, hot3, pure2, pure3, warm2, warm3};
use crate::ir::lower::Rule;
use crate::ir::uniformity::Class;
use lanework_ptx::ScalarType::{self, *};

/// Picks the integer type for a row; each row is written once for all of them.
macro_rules! by_type {
    ($ty:expr, $make:ident, |$($arg:ident),*| $body:expr) => {
        match $ty {
            U8 | B8 => { type T = u8; Some($make(|$($arg: T),*| -> T { $body })) }
            S8 => { type T = i8; Some($make(|$($arg: T),*| -> T { $body })) }
            U16 | B16 => { type T = u16; Some($make(|$($arg: T),*| -> T { $body })) }
            S16 => { type T = i16; Some($make(|$($arg: T),*| -> T { $body })) }
            U32 | B32 => { type T = u32; Some($make(|$($arg: T),*| -> T { $body })) }
            S32 => { type T = i32; Some($make(|$($arg: T),*| -> T { $body })) }
            U64 | B64 => { type T = u64; Some($make(|$($arg: T),*| -> T { $body })) }
            S64 => { type T = i64; Some($make(|$($arg: T),*| -> T { $body })) }
            _ => None,
        }
    };
}
pub(super) use by_type;

/// A `Pure` with an affine handler added.
macro_rules! with_affine {
    ($pure:expr, $affine:expr) => {{
        static PURE: std::sync::OnceLock<$crate::engine::pure::Pure> = std::sync::OnceLock::new();
        PURE.get_or_init(|| {
            let base = $pure;
            $crate::engine::pure::Pure { affine: Some($affine), ..*base }
        })
    }};
}
pub(super) use with_affine;

fn always(_: &[Class]) -> bool {
    true
}

/// A product keeps one stride only if one factor is the same in both halves.
fn one_uniform(classes: &[Class]) -> bool {
    classes[0] == Class::Uniform || classes[1] == Class::Uniform
}

/// Lane-wise arithmetic on both bases and the stride.
#[inline(always)]
fn each(f: impl Fn(u64, u64) -> u64, a: Scalar, b: Scalar) -> Scalar {
    Scalar {
        base: [f(a.base[0], b.base[0]), f(a.base[1], b.base[1])],
        stride: f(a.stride, b.stride),
        unused: 0,
    }
}

#[inline(always)]
fn product(a: Scalar, b: Scalar) -> Scalar {
    let stride = a.stride.wrapping_mul(b.base[0]).wrapping_add(b.stride.wrapping_mul(a.base[0]));
    Scalar {
        base: [a.base[0].wrapping_mul(b.base[0]), a.base[1].wrapping_mul(b.base[1])],
        stride,
        unused: 0,
    }
}

/// A 32-bit affine value as a 64-bit one, if no lane wraps.
#[inline(always)]
pub(super) fn widened(a: Scalar, signed: bool) -> Option<Scalar> {
    let stride = i64::from(a.stride as i32);
    let base = a.base.map(|b| if signed { i64::from(b as i32) } else { i64::from(b as u32) });
    let range =
        if signed { i64::from(i32::MIN)..=i64::from(i32::MAX) } else { 0..=i64::from(u32::MAX) };
    let last = [base[0] + 15 * stride, base[1] + 15 * stride];
    if range.contains(&last[0]) && range.contains(&last[1]) {
        Some(Scalar { base: base.map(|b| b as u64), stride: stride as u64, unused: 0 })
    } else {
        None
    }
}

const ADD: Affine =
    Affine { sum: true, ..affine(&|a, b, _| Some(each(u64::wrapping_add, a, b)), always) };
const SUB: Affine = affine(&|a, b, _| Some(each(u64::wrapping_sub, a, b)), always);
const MUL: Affine = affine(&|a, b, _| Some(product(a, b)), one_uniform);
const MAD: Affine = affine(&|a, b, c| Some(each(u64::wrapping_add, product(a, b), c)), one_uniform);
const MUL_WIDE_S: Affine =
    affine(&|a, b, _| Some(product(widened(a, true)?, widened(b, true)?)), one_uniform);
const MUL_WIDE_U: Affine =
    affine(&|a, b, _| Some(product(widened(a, false)?, widened(b, false)?)), one_uniform);
const MAD_WIDE_S: Affine = affine(
    &|a, b, c| Some(each(u64::wrapping_add, product(widened(a, true)?, widened(b, true)?), c)),
    one_uniform,
);
const MAD_WIDE_U: Affine = affine(
    &|a, b, c| Some(each(u64::wrapping_add, product(widened(a, false)?, widened(b, false)?), c)),
    one_uniform,
);

/// `add`.
pub fn add(cx: &mut Cx<'_, '_>) -> Rule {
    if let Some(done) = pairs(cx) {
        return done;
    }
    let ty = cx.ty()?;
    if ty.is_float() {
        return float::add(cx);
    }
    if cx.has("cc") {
        return carry::add(cx);
    }
    cx.allow(&["sat"])?;
    if cx.has("sat") {
        return cx.uniform_type(ty, 2, pure2(|a: i32, b: i32| a.saturating_add(b)));
    }
    let pure = match ty {
        U32 | S32 | B32 => with_affine!(hot2(|a: u32, b: u32| a.wrapping_add(b)), ADD),
        U64 | S64 | B64 => with_affine!(hot2(|a: u64, b: u64| a.wrapping_add(b)), ADD),
        _ => found(cx, by_type!(ty, pure2, |a, b| a.wrapping_add(b)))?,
    };
    cx.uniform_type(ty, 2, pure)
}

/// `sub`.
pub fn sub(cx: &mut Cx<'_, '_>) -> Rule {
    let ty = cx.ty()?;
    if ty.is_float() {
        return float::sub(cx);
    }
    if cx.has("cc") {
        return carry::add(cx);
    }
    cx.allow(&["sat"])?;
    if cx.has("sat") {
        return cx.uniform_type(ty, 2, pure2(|a: i32, b: i32| a.saturating_sub(b)));
    }
    let pure = match ty {
        U32 | S32 | B32 => with_affine!(hot2(|a: u32, b: u32| a.wrapping_sub(b)), SUB),
        U64 | S64 | B64 => with_affine!(hot2(|a: u64, b: u64| a.wrapping_sub(b)), SUB),
        _ => found(cx, by_type!(ty, pure2, |a, b| a.wrapping_sub(b)))?,
    };
    cx.uniform_type(ty, 2, pure)
}

/// Pairs of 16-bit integers, which are no scalar type: `add`, `min` and `max`.
fn pairs(cx: &mut Cx<'_, '_>) -> Option<Rule> {
    fn each(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
        u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
    }
    fn signed(f: impl Fn(i16, i16) -> i16) -> impl Fn(u16, u16) -> u16 {
        move |a, b| f(a as i16, b as i16) as u16
    }
    if !cx.has("u16x2") && !cx.has("s16x2") {
        return None;
    }
    if let Err(refusal) = cx.allow(&["u16x2", "s16x2", "relu"]) {
        return Some(Err(refusal));
    }
    let pure = match (cx.instruction.opcode.as_str(), cx.has("s16x2"), cx.has("relu")) {
        ("add", _, false) => pure2(|a: u32, b: u32| each(a, b, u16::wrapping_add)),
        ("min", false, false) => pure2(|a: u32, b: u32| each(a, b, u16::min)),
        ("max", false, false) => pure2(|a: u32, b: u32| each(a, b, u16::max)),
        ("min", true, false) => pure2(|a: u32, b: u32| each(a, b, signed(i16::min))),
        ("max", true, false) => pure2(|a: u32, b: u32| each(a, b, signed(i16::max))),
        ("min", true, true) => pure2(|a: u32, b: u32| each(a, b, signed(|a, b| a.min(b).max(0)))),
        ("max", true, true) => pure2(|a: u32, b: u32| each(a, b, signed(|a, b| a.max(b).max(0)))),
        _ => return Some(Err(cx.unknown("this operation on pairs"))),
    };
    Some(cx.uniform_type(B32, 2, pure))
}

/// The type of twice the width.
fn doubled(cx: &Cx<'_, '_>, ty: ScalarType) -> Rule<ScalarType> {
    match ty {
        U16 => Ok(U32),
        S16 => Ok(S32),
        U32 => Ok(U64),
        S32 => Ok(S64),
        _ => Err(cx.unknown("`.wide` of this type")),
    }
}

/// A row, or a refusal that says the type does not fit.
pub(super) fn found<T>(cx: &Cx<'_, '_>, row: Option<T>) -> Rule<T> {
    row.ok_or_else(|| cx.unknown("this type"))
}

fn high(ty: ScalarType) -> Option<&'static Pure> {
    Some(match ty {
        U16 => pure2(|a: u16, b: u16| ((u32::from(a) * u32::from(b)) >> 16) as u16),
        S16 => pure2(|a: i16, b: i16| ((i32::from(a) * i32::from(b)) >> 16) as i16),
        U32 => pure2(|a: u32, b: u32| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        S32 => pure2(|a: i32, b: i32| ((i64::from(a) * i64::from(b)) >> 32) as i32),
        U64 => pure2(|a: u64, b: u64| ((u128::from(a) * u128::from(b)) >> 64) as u64),
        S64 => pure2(|a: i64, b: i64| ((i128::from(a) * i128::from(b)) >> 64) as i64),
        _ => return None,
    })
}

/// `mul`.
pub fn mul(cx: &mut Cx<'_, '_>) -> Rule {
    let ty = cx.ty()?;
    if ty.is_float() {
        return float::mul(cx);
    }
    cx.allow(&["lo", "hi", "wide"])?;
    if cx.has("wide") {
        let wide = doubled(cx, ty)?;
        let pure = match ty {
            U16 => pure2(|a: u16, b: u16| u32::from(a) * u32::from(b)),
            S16 => pure2(|a: i16, b: i16| i32::from(a) * i32::from(b)),
            U32 => with_affine!(hot2(|a: u32, b: u32| u64::from(a) * u64::from(b)), MUL_WIDE_U),
            _ => with_affine!(hot2(|a: i32, b: i32| i64::from(a) * i64::from(b)), MUL_WIDE_S),
        };
        cx.operands(3)?;
        let dst = cx.dst_of(0, wide)?;
        let (a, b) = (cx.src(1, ty)?, cx.src(2, ty)?);
        return cx.pure(dst, &[a, b], pure);
    }
    if cx.has("hi") {
        let pure = found(cx, high(ty))?;
        return cx.uniform_type(ty, 2, pure);
    }
    let pure = match ty {
        U32 | S32 | B32 => with_affine!(hot2(|a: u32, b: u32| a.wrapping_mul(b)), MUL),
        U64 | S64 | B64 => with_affine!(warm2(|a: u64, b: u64| a.wrapping_mul(b)), MUL),
        _ => found(cx, by_type!(ty, pure2, |a, b| a.wrapping_mul(b)))?,
    };
    cx.uniform_type(ty, 2, pure)
}

/// `mad`.
pub fn mad(cx: &mut Cx<'_, '_>) -> Rule {
    let ty = cx.ty()?;
    if ty.is_float() {
        return float::fma(cx);
    }
    if cx.has("cc") {
        return carry::mad(cx);
    }
    cx.allow(&["lo", "hi", "wide", "sat"])?;
    if cx.has("wide") {
        let wide = doubled(cx, ty)?;
        let pure = match ty {
            U16 => pure3(|a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c)),
            S16 => pure3(|a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c)),
            U32 => with_affine!(
                warm3(|a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c)),
                MAD_WIDE_U
            ),
            _ => with_affine!(
                warm3(|a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c)),
                MAD_WIDE_S
            ),
        };
        cx.operands(4)?;
        let dst = cx.dst_of(0, wide)?;
        let (a, b, c) = (cx.src(1, ty)?, cx.src(2, ty)?, cx.src(3, wide)?);
        return cx.pure(dst, &[a, b, c], pure);
    }
    if cx.has("hi") {
        let pure = match (ty, cx.has("sat")) {
            (U16, false) => pure3(|a: u16, b: u16, c: u16| {
                (((u32::from(a) * u32::from(b)) >> 16) as u16).wrapping_add(c)
            }),
            (S16, false) => pure3(|a: i16, b: i16, c: i16| {
                (((i32::from(a) * i32::from(b)) >> 16) as i16).wrapping_add(c)
            }),
            (U32, false) => pure3(|a: u32, b: u32, c: u32| {
                (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c)
            }),
            (S32, false) => pure3(|a: i32, b: i32, c: i32| {
                (((i64::from(a) * i64::from(b)) >> 32) as i32).wrapping_add(c)
            }),
            (S32, true) => pure3(|a: i32, b: i32, c: i32| {
                (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c)
            }),
            (U64, false) => pure3(|a: u64, b: u64, c: u64| {
                (((u128::from(a) * u128::from(b)) >> 64) as u64).wrapping_add(c)
            }),
            (S64, false) => pure3(|a: i64, b: i64, c: i64| {
                (((i128::from(a) * i128::from(b)) >> 64) as i64).wrapping_add(c)
            }),
            _ => return Err(cx.unknown("this type")),
        };
        return cx.uniform_type(ty, 3, pure);
    }
    if cx.has("sat") {
        return Err(cx.unknown("`.sat` without `.hi`"));
    }
    let pure = match ty {
        U32 | S32 | B32 => {
            with_affine!(hot3(|a: u32, b: u32, c: u32| a.wrapping_mul(b).wrapping_add(c)), MAD)
        }
        U64 | S64 | B64 => {
            with_affine!(pure3(|a: u64, b: u64, c: u64| a.wrapping_mul(b).wrapping_add(c)), MAD)
        }
        _ => found(cx, by_type!(ty, pure3, |a, b, c| a.wrapping_mul(b).wrapping_add(c)))?,
    };
    cx.uniform_type(ty, 3, pure)
}

fn low24(x: i32) -> i64 {
    i64::from(x << 8 >> 8)
}

/// `mul24`.
pub fn mul24(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["lo", "hi"])?;
    let ty = cx.ty()?;
    let pure = match (ty, cx.has("hi")) {
        (U32, false) => pure2(|a: u32, b: u32| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff)),
        (S32, false) => pure2(|a: i32, b: i32| (low24(a) * low24(b)) as i32),
        (U32, true) => pure2(|a: u32, b: u32| {
            ((u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)) >> 16) as u32
        }),
        (S32, true) => pure2(|a: i32, b: i32| ((low24(a) * low24(b)) >> 16) as i32),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 2, pure)
}

/// `mad24`.
pub fn mad24(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["lo", "hi", "sat"])?;
    let ty = cx.ty()?;
    let pure = match ty {
        S32 if cx.has("hi") && cx.has("sat") => {
            pure3(|a: i32, b: i32, c: i32| (((low24(a) * low24(b)) >> 16) as i32).saturating_add(c))
        }
        _ if cx.has("sat") => return Err(cx.unknown("`.sat` of this form")),
        U32 if cx.has("hi") => pure3(|a: u32, b: u32, c: u32| {
            (((u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)) >> 16) as u32).wrapping_add(c)
        }),
        S32 if cx.has("hi") => {
            pure3(|a: i32, b: i32, c: i32| (((low24(a) * low24(b)) >> 16) as i32).wrapping_add(c))
        }
        U32 => pure3(|a: u32, b: u32, c: u32| {
            (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff).wrapping_add(c)
        }),
        S32 => pure3(|a: i32, b: i32, c: i32| ((low24(a) * low24(b)) as i32).wrapping_add(c)),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 3, pure)
}

/// `div`; a division by zero gives all ones, as GPUs do.
pub fn div(cx: &mut Cx<'_, '_>) -> Rule {
    let ty = cx.ty()?;
    if ty.is_float() {
        return float::div(cx);
    }
    cx.allow(&[])?;
    let pure = by_type!(ty, pure2, |a, b| if b == 0 {
        (0 as T).wrapping_sub(1)
    } else {
        a.wrapping_div(b)
    });
    let pure = found(cx, pure)?;
    cx.uniform_type(ty, 2, pure)
}

/// `rem`; a remainder by zero gives all ones.
pub fn rem(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    let pure = by_type!(ty, pure2, |a, b| if b == 0 {
        (0 as T).wrapping_sub(1)
    } else {
        a.wrapping_rem(b)
    });
    let pure = found(cx, pure)?;
    cx.uniform_type(ty, 2, pure)
}

/// `min` and `max`.
pub fn min_max(cx: &mut Cx<'_, '_>) -> Rule {
    if let Some(done) = pairs(cx) {
        return done;
    }
    let ty = cx.ty()?;
    if ty.is_float() {
        return float::min_max(cx);
    }
    cx.allow(&["relu"])?;
    if cx.has("relu") {
        let pure = match (cx.instruction.opcode.as_str(), ty) {
            ("min", S32) => pure2(|a: i32, b: i32| a.min(b).max(0)),
            ("max", S32) => pure2(|a: i32, b: i32| a.max(b).max(0)),
            _ => return Err(cx.unknown("`.relu` of this type")),
        };
        return cx.uniform_type(ty, 2, pure);
    }
    let warm = match (cx.instruction.opcode.as_str(), ty) {
        ("min", S32) => Some(warm2(|a: i32, b: i32| a.min(b))),
        ("max", S32) => Some(warm2(|a: i32, b: i32| a.max(b))),
        ("min", U32) => Some(warm2(|a: u32, b: u32| a.min(b))),
        ("max", U32) => Some(warm2(|a: u32, b: u32| a.max(b))),
        _ => None,
    };
    let pure = if warm.is_some() {
        warm
    } else if cx.instruction.opcode == "min" {
        by_type!(ty, pure2, |a, b| a.min(b))
    } else {
        by_type!(ty, pure2, |a, b| a.max(b))
    };
    let pure = found(cx, pure)?;
    cx.uniform_type(ty, 2, pure)
}

/// `sad`: |a - b| + c.
pub fn sad(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    let pure = by_type!(ty, pure3, |a, b, c| c.wrapping_add(if a < b {
        b.wrapping_sub(a)
    } else {
        a.wrapping_sub(b)
    }));
    let pure = found(cx, pure)?;
    cx.uniform_type(ty, 3, pure)
}

fn byte(x: u32, i: u32, signed: bool) -> i32 {
    let byte = (x >> (8 * i)) as u8;
    if signed { i32::from(byte as i8) } else { i32::from(byte) }
}

#[inline(always)]
fn dot4<const SA: bool, const SB: bool>(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, i| sum.wrapping_add((byte(a, i, SA) * byte(b, i, SB)) as u32))
}

#[inline(always)]
fn dot2<const SA: bool, const SB: bool, const HIGH: u32>(a: u32, b: u32, c: u32) -> u32 {
    let half = |i: u32| {
        let h = (a >> (16 * i)) as u16;
        if SA { i32::from(h as i16) } else { i32::from(h) }
    };
    (0..2)
        .fold(c, |sum, i| sum.wrapping_add(half(i).wrapping_mul(byte(b, 2 * HIGH + i, SB)) as u32))
}

fn signs(cx: &Cx<'_, '_>) -> Rule<(bool, bool)> {
    let types = cx.types();
    match types[..] {
        [a, b] if matches!(a, U32 | S32) && matches!(b, U32 | S32) => Ok((a == S32, b == S32)),
        _ => Err(cx.unknown("types other than `.u32` and `.s32`")),
    }
}

/// `dp4a`.
pub fn dp4a(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    let pure = match signs(cx)? {
        (false, false) => pure3(|a, b, c| dot4::<false, false>(a, b, c)),
        (false, true) => pure3(|a, b, c| dot4::<false, true>(a, b, c)),
        (true, false) => pure3(|a, b, c| dot4::<true, false>(a, b, c)),
        (true, true) => pure3(|a, b, c| dot4::<true, true>(a, b, c)),
    };
    cx.uniform_type(B32, 3, pure)
}

/// `dp2a`.
pub fn dp2a(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["lo", "hi"])?;
    let pure = match (signs(cx)?, cx.has("hi")) {
        ((false, false), false) => pure3(|a, b, c| dot2::<false, false, 0>(a, b, c)),
        ((false, true), false) => pure3(|a, b, c| dot2::<false, true, 0>(a, b, c)),
        ((true, false), false) => pure3(|a, b, c| dot2::<true, false, 0>(a, b, c)),
        ((true, true), false) => pure3(|a, b, c| dot2::<true, true, 0>(a, b, c)),
        ((false, false), true) => pure3(|a, b, c| dot2::<false, false, 1>(a, b, c)),
        ((false, true), true) => pure3(|a, b, c| dot2::<false, true, 1>(a, b, c)),
        ((true, false), true) => pure3(|a, b, c| dot2::<true, false, 1>(a, b, c)),
        ((true, true), true) => pure3(|a, b, c| dot2::<true, true, 1>(a, b, c)),
    };
    cx.uniform_type(B32, 3, pure)
}
