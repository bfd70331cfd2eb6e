//! Comparisons and selections.

use super::Cx;
use super::float::flushed;
use super::integer::found;
use super::logic::positive;
use crate::engine::number::single::flush;
use crate::engine::pure::{Pure, hot2, hot3, mask, pure1, pure2, pure3, warm2, warm3};
use crate::ir::kernel::{Reg, Src, Width};
use crate::ir::lower::Rule;
use half::{bf16, f16};
use lanework_ptx::Operand;
use lanework_ptx::ScalarType::{self, *};

/// `selp`.
pub fn selp(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    cx.operands(4)?;
    let ty = cx.ty()?;
    let dst = cx.dst_of(0, ty)?;
    let (mut a, mut b) = (cx.src(1, ty)?, cx.src(2, ty)?);
    let (p, negated) = cx.predicate(3)?;
    if negated {
        std::mem::swap(&mut a, &mut b);
    }
    let pure = if ty.size() == 8 {
        warm3(|a: u64, b: u64, p: bool| if p { a } else { b })
    } else {
        hot3(|a: u32, b: u32, p: bool| if p { a } else { b })
    };
    cx.pure(dst, &[a, b, p], pure)
}

/// `slct`: `a` if `c >= 0`, else `b`.
pub fn slct(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["ftz"])?;
    cx.operands(4)?;
    let [ty, test] = cx.types()[..] else { return Err(cx.unknown("two types are expected")) };
    let pure = match (ty.size(), test) {
        (8, S32) => pure3(|a: u64, b: u64, c: i32| if c >= 0 { a } else { b }),
        (8, F32) if cx.has("ftz") => {
            pure3(|a: u64, b: u64, c: f32| if flush(c) >= 0.0 { a } else { b })
        }
        (_, F32) if cx.has("ftz") => {
            pure3(|a: u32, b: u32, c: f32| if flush(c) >= 0.0 { a } else { b })
        }
        (8, F32) => pure3(|a: u64, b: u64, c: f32| if c >= 0.0 { a } else { b }),
        (_, S32) => pure3(|a: u32, b: u32, c: i32| if c >= 0 { a } else { b }),
        (_, F32) => pure3(|a: u32, b: u32, c: f32| if c >= 0.0 { a } else { b }),
        _ => return Err(cx.unknown("this type")),
    };
    let dst = cx.dst_of(0, ty)?;
    let (a, b, c) = (cx.src(1, ty)?, cx.src(2, ty)?, cx.src(3, test)?);
    cx.pure(dst, &[a, b, c], pure)
}

const COMPARISONS: &[&str] = &[
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu",
    "geu", "num", "nan", "ftz", "and", "or", "xor",
];

macro_rules! float_comparisons {
    ($name:expr, $make:ident, $t:ty) => {
        match $name {
            "eq" => Some($make(|a: $t, b: $t| a == b)),
            "ne" => Some($make(|a: $t, b: $t| a < b || a > b)),
            "lt" => Some($make(|a: $t, b: $t| a < b)),
            "le" => Some($make(|a: $t, b: $t| a <= b)),
            "gt" => Some($make(|a: $t, b: $t| a > b)),
            "ge" => Some($make(|a: $t, b: $t| a >= b)),
            "equ" => Some($make(|a: $t, b: $t| !(a < b || a > b))),
            "neu" => Some($make(|a: $t, b: $t| a != b)),
            "ltu" => Some($make(|a: $t, b: $t| !(a >= b))),
            "leu" => Some($make(|a: $t, b: $t| !(a > b))),
            "gtu" => Some($make(|a: $t, b: $t| !(a <= b))),
            "geu" => Some($make(|a: $t, b: $t| !(a < b))),
            "num" => Some($make(|a: $t, b: $t| a == a && b == b)),
            "nan" => Some($make(|a: $t, b: $t| a != a || b != b)),
            _ => None,
        }
    };
}

/// The predicate of a comparison.
#[allow(clippy::neg_cmp_op_on_partial_ord, clippy::eq_op)]
fn comparison(cx: &Cx<'_, '_>, ty: ScalarType) -> Rule<&'static Pure> {
    let name = cx.instruction.modifiers.first().cloned().unwrap_or_default();
    let name = name.as_str();
    let pure = match (name, ty) {
        (_, F32) => float_comparisons!(name, warm2, f32),
        (_, F64) => float_comparisons!(name, pure2, f64),
        (_, F16) => float_comparisons!(name, pure2, f16),
        (_, Bf16) => float_comparisons!(name, pure2, bf16),
        ("eq", B32 | U32 | S32) => Some(hot2(|a: u32, b: u32| a == b)),
        ("ne", B32 | U32 | S32) => Some(hot2(|a: u32, b: u32| a != b)),
        ("gt", S32) => Some(hot2(|a: i32, b: i32| a > b)),
        ("le", S32) => Some(hot2(|a: i32, b: i32| a <= b)),
        ("gt" | "hi", U32) => Some(hot2(|a: u32, b: u32| a > b)),
        ("lt", S32) => Some(hot2(|a: i32, b: i32| a < b)),
        ("ge", S32) => Some(hot2(|a: i32, b: i32| a >= b)),
        ("lt" | "lo", U32) => Some(hot2(|a: u32, b: u32| a < b)),
        ("ge" | "hs", U32) => Some(hot2(|a: u32, b: u32| a >= b)),
        ("eq", _) => by_pred(ty, Compare::Equal),
        ("ne", _) => by_pred(ty, Compare::Unequal),
        ("lt" | "lo", _) => by_pred(ty, Compare::Less),
        ("le" | "ls", _) => by_pred(ty, Compare::AtMost),
        ("gt" | "hi", _) => by_pred(ty, Compare::Greater),
        ("ge" | "hs", _) => by_pred(ty, Compare::AtLeast),
        _ => None,
    };
    found(cx, pure)
}

#[derive(Clone, Copy)]
enum Compare {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

fn by_pred(ty: ScalarType, how: Compare) -> Option<&'static Pure> {
    fn rows<T: crate::engine::lanes::Elem + Ord>(how: Compare) -> &'static Pure {
        match how {
            Compare::Equal => warm2(|a: T, b: T| a == b),
            Compare::Unequal => warm2(|a: T, b: T| a != b),
            Compare::Less => warm2(|a: T, b: T| a < b),
            Compare::AtMost => warm2(|a: T, b: T| a <= b),
            Compare::Greater => warm2(|a: T, b: T| a > b),
            Compare::AtLeast => warm2(|a: T, b: T| a >= b),
        }
    }
    fn narrow<T: crate::engine::lanes::Elem + Ord>(how: Compare) -> &'static Pure {
        match how {
            Compare::Equal => pure2(|a: T, b: T| a == b),
            Compare::Unequal => pure2(|a: T, b: T| a != b),
            Compare::Less => pure2(|a: T, b: T| a < b),
            Compare::AtMost => pure2(|a: T, b: T| a <= b),
            Compare::Greater => pure2(|a: T, b: T| a > b),
            Compare::AtLeast => pure2(|a: T, b: T| a >= b),
        }
    }
    Some(match ty {
        U16 | B16 => narrow::<u16>(how),
        S16 => narrow::<i16>(how),
        U32 | B32 => rows::<u32>(how),
        S32 => rows::<i32>(how),
        U64 | B64 => rows::<u64>(how),
        S64 => rows::<i64>(how),
        _ => return None,
    })
}

/// Combines a comparison with the predicate operand `i`, if the instruction asks for it.
fn combined(cx: &mut Cx<'_, '_>, result: Src, i: usize) -> Rule<Src> {
    if cx.instruction.operands.len() <= i {
        return Ok(result);
    }
    let with = positive(cx, i)?;
    let pure = match (cx.has("and"), cx.has("or"), cx.has("xor")) {
        (true, _, _) => mask(|a, b| a & b),
        (_, true, _) => mask(|a, b| a | b),
        (_, _, true) => mask(|a, b| a ^ b),
        _ => return Err(cx.unknown("a predicate operand without `.and`, `.or` or `.xor`")),
    };
    let register = cx.lowering.new_register(Width::Predicate);
    cx.pure(Some(register), &[result, with], pure)?;
    Ok(Src::Reg(register))
}

/// The operands of a comparison, flushed where it says so.
fn compared(cx: &mut Cx<'_, '_>, ty: ScalarType) -> Rule<[Src; 2]> {
    let mut both = [cx.src(1, ty)?, cx.src(2, ty)?];
    if cx.has("ftz") {
        for source in &mut both {
            *source = flushed(cx, *source, ty)?;
        }
    }
    Ok(both)
}

/// Emits a comparison into `to`.
fn emit(cx: &mut Cx<'_, '_>, to: Option<Reg>, ty: ScalarType, both: &[Src; 2]) -> Rule {
    let pure = comparison(cx, ty)?;
    cx.pure(to, both, pure)?;
    if ty == F32 {
        cx.blind_to_nan();
    }
    Ok(())
}

/// One half of packed operands, in registers of their own.
fn half_of(cx: &mut Cx<'_, '_>, both: &[Src; 2], high: bool) -> Rule<[Src; 2]> {
    let mut halves = *both;
    for source in &mut halves {
        let register = cx.lowering.new_register(Width::Word);
        let pure = if high { pure1(|a: u32| (a >> 16) as u16) } else { pure1(|a: u32| a as u16) };
        cx.pure(Some(register), &[*source], pure)?;
        *source = Src::Reg(register);
    }
    Ok(halves)
}

/// The comparisons of both halves of packed operands.
fn packed(cx: &mut Cx<'_, '_>, ty: ScalarType) -> Rule<[Src; 2]> {
    let both = compared(cx, ty)?;
    let one = if ty == F16x2 { F16 } else { Bf16 };
    let mut results = [Src::Truth(false); 2];
    for (high, result) in results.iter_mut().enumerate() {
        let halves = half_of(cx, &both, high == 1)?;
        let register = cx.lowering.new_register(Width::Predicate);
        emit(cx, Some(register), one, &halves)?;
        *result = combined(cx, Src::Reg(register), 3)?;
    }
    Ok(results)
}

/// `setp`, with one or two results: the second is the opposite, or that of the high half.
pub fn setp(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(COMPARISONS)?;
    let ty = cx.ty()?;
    let (p, q) = match cx.operand(0)?.clone() {
        Operand::Pair(p, q) => (cx.destination(&p)?, cx.destination(&q)?),
        operand => (cx.destination(&operand)?, None),
    };
    if let F16x2 | Bf16x2 = ty {
        let [low, high] = packed(cx, ty)?;
        cx.pure(p, &[low], mask(|a, _| a))?;
        return cx.pure(q, &[high], mask(|a, _| a));
    }
    let both = compared(cx, ty)?;
    if cx.instruction.operands.len() == 3 && q.is_none() {
        return emit(cx, p, ty, &both);
    }
    let result = cx.lowering.new_register(Width::Predicate);
    emit(cx, Some(result), ty, &both)?;
    let first = combined(cx, Src::Reg(result), 3)?;
    let second = if q.is_some() {
        let opposite = cx.lowering.new_register(Width::Predicate);
        cx.pure(Some(opposite), &[Src::Reg(result)], mask(|a, _| !a))?;
        Some(combined(cx, Src::Reg(opposite), 3)?)
    } else {
        None
    };
    cx.pure(p, &[first], mask(|a, _| a))?;
    match second {
        Some(second) => cx.pure(q, &[second], mask(|a, _| a)),
        None => Ok(()),
    }
}

/// `set`: a comparison as all ones or 1.0.
pub fn set(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(COMPARISONS)?;
    let [to, ty] = cx.types()[..] else { return Err(cx.unknown("two types are expected")) };
    let dst = cx.dst_of(0, to)?;
    if let (F16x2, F16x2) | (Bf16x2, Bf16x2) = (to, ty) {
        let [low, high] = packed(cx, ty)?;
        let one = Src::Const(if ty == F16x2 { 0x3c00 } else { 0x3f80 });
        let pure = pure3(|low: bool, high: bool, one: u32| {
            (if low { one } else { 0 }) | (if high { one << 16 } else { 0 })
        });
        return cx.pure(dst, &[low, high, one], pure);
    }
    let both = compared(cx, ty)?;
    let result = cx.lowering.new_register(Width::Predicate);
    emit(cx, Some(result), ty, &both)?;
    let result = combined(cx, Src::Reg(result), 3)?;
    let pure = match to {
        U32 | S32 => pure1(|p: bool| if p { u32::MAX } else { 0 }),
        U16 | S16 => pure1(|p: bool| if p { u16::MAX } else { 0 }),
        F32 => pure1(|p: bool| if p { 1.0f32 } else { 0.0 }),
        F16 => pure1(|p: bool| if p { 0x3c00u16 } else { 0 }),
        Bf16 => pure1(|p: bool| if p { 0x3f80u16 } else { 0 }),
        _ => return Err(cx.unknown("this result type")),
    };
    cx.pure(dst, &[result], pure)
}
