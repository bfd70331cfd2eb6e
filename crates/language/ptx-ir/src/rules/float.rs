//! Floating-point arithmetic of 16, 32 and 64 bits.

mod modifiers;

use super::context::Cx;
use super::expand;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::Alu;
use crate::opcode::directed::DirectedFunction;
use crate::opcode::double::DoubleOp;
use crate::opcode::half::{F16Function, HalfFunction};
use crate::opcode::integer::{IntegerOp, Signed};
use crate::opcode::single::{
    Approximation, Division, FloatClass, MinMax, Modifiers, SingleOp, Unary,
};
use lanework_ptx::ScalarType::*;
use modifiers::{directed, half, modifiers, only_f16, with_modifiers};

pub use modifiers::flushed;

/// Emits `add`, `sub` or `mul` with the opcode of each type.
fn binary(
    cx: &mut Cx<'_, '_>,
    to_direction: DirectedFunction,
    single: fn(Modifiers) -> SingleOp,
    double: DoubleOp,
    of_half: HalfFunction,
) -> LoweringResult {
    let ty = cx.ty()?;
    cx.allow(&["rn", "rz", "rm", "rp", "ftz", "sat"])?;
    if let Some(op) = directed(cx, ty, to_direction) {
        return with_modifiers(cx, ty, 2, op);
    }
    let start = cx.lowering.kernel.insts.len();
    match ty {
        F32 => cx.uniform_type(ty, 2, Alu::Single(single(modifiers(cx)))),
        F64 => cx.uniform_type(ty, 2, Alu::Double(double)),
        F16 | F16x2 if of_half == HalfFunction::Mul && cx.has("ftz") => {
            with_modifiers(cx, ty, 2, only_f16(F16Function::MulFlushed, ty))
        }
        _ => {
            let op = half(cx, ty, of_half)?;
            with_modifiers(cx, ty, 2, op)
        }
    }?;
    // A product that is clamped first is not added unclamped.
    let clamped_product = of_half == HalfFunction::Mul && cx.has("sat");
    if !cx.has("rn") && !clamped_product {
        note_open_rounding(cx, start);
    }
    Ok(())
}

/// Notes that PTX leaves the rounding of the instruction open, which was lowered from `start` on.
fn note_open_rounding(cx: &mut Cx<'_, '_>, start: usize) {
    let ftz = cx.has("ftz");
    cx.lowering.note_open_rounding(start, ftz);
}

/// `add` of floats.
pub fn add(cx: &mut Cx<'_, '_>) -> LoweringResult {
    binary(cx, DirectedFunction::Add, SingleOp::Add, DoubleOp::Add, HalfFunction::Add)
}

/// `sub` of floats.
pub fn sub(cx: &mut Cx<'_, '_>) -> LoweringResult {
    binary(cx, DirectedFunction::Sub, SingleOp::Sub, DoubleOp::Sub, HalfFunction::Sub)
}

/// `mul` of floats.
pub fn mul(cx: &mut Cx<'_, '_>) -> LoweringResult {
    binary(cx, DirectedFunction::Mul, SingleOp::Mul, DoubleOp::Mul, HalfFunction::Mul)
}

fn division(cx: &Cx<'_, '_>) -> Division {
    match (cx.has("approx"), cx.has("full")) {
        (true, _) => Division::Approximate,
        (_, true) => Division::Full,
        _ => Division::Rounded,
    }
}

/// `div` of floats.
pub fn div(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["rn", "rz", "rm", "rp", "ftz", "approx", "full"])?;
    let (ty, ftz) = (cx.ty()?, cx.has("ftz"));
    if let Some(op) = directed(cx, ty, DirectedFunction::Div { ftz }) {
        return with_modifiers(cx, ty, 2, op);
    }
    let op = match ty {
        F32 => Alu::Single(SingleOp::Div { division: division(cx), ftz }),
        F64 => Alu::Double(DoubleOp::Div),
        _ => return Err(cx.unknown("this type")),
    };
    let start = cx.lowering.kernel.insts.len();
    cx.uniform_type(ty, 2, op)?;
    if division(cx) != Division::Rounded {
        note_open_rounding(cx, start);
    }
    Ok(())
}

/// `fma`, and `mad` of floats.
pub fn fma(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if let Some(done) = expand::expanded(cx) {
        return done;
    }
    cx.allow(&["rn", "rz", "rm", "rp", "ftz", "sat", "relu", "oob"])?;
    let ty = cx.ty()?;
    if let Some(op) = directed(cx, ty, DirectedFunction::Fma) {
        return with_modifiers(cx, ty, 3, op);
    }
    match ty {
        F32 => cx.uniform_type(ty, 3, Alu::Single(SingleOp::Fma(modifiers(cx)))),
        F64 => cx.uniform_type(ty, 3, Alu::Double(DoubleOp::Fma)),
        F16 | F16x2 if cx.has("ftz") && !cx.has("oob") => {
            with_modifiers(cx, ty, 3, only_f16(F16Function::FmaFlushed, ty))
        }
        _ => {
            let outside = cx.has("oob");
            let function = if outside { HalfFunction::FmaOutOfBounds } else { HalfFunction::Fma };
            let op = half(cx, ty, function)?;
            with_modifiers(cx, ty, 3, op)
        }
    }
}

/// `min` and `max` of floats.
pub fn min_max(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["ftz", "NaN", "xorsign", "abs"])?;
    if cx.instruction.operands.len() == 4 {
        return expand::of_three(cx);
    }
    let ty = cx.ty()?;
    let max = cx.instruction.opcode == "max";
    let choice = MinMax { max, nan: cx.has("NaN"), xorsign: cx.has("xorsign") };
    match ty {
        F32 => {
            let op = SingleOp::MinMax { choice, ftz: cx.has("ftz") };
            cx.uniform_type(ty, 2, Alu::Single(op))
        }
        F64 => {
            let op = if max { DoubleOp::Max } else { DoubleOp::Min };
            cx.uniform_type(ty, 2, Alu::Double(op))
        }
        _ => {
            let op = half(cx, ty, HalfFunction::MinMax(choice))?;
            with_modifiers(cx, ty, 2, op)
        }
    }
}

fn single_unary(cx: &mut Cx<'_, '_>, function: Unary) -> LoweringResult {
    let op = SingleOp::Unary { function, ftz: cx.has("ftz") };
    cx.uniform_type(F32, 1, Alu::Single(op))
}

/// `abs`.
pub fn abs(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["ftz"])?;
    let ty = cx.ty()?;
    match ty {
        S16 => cx.uniform_type(ty, 1, Alu::Integer(IntegerOp::Abs(Signed::S16))),
        S32 => cx.uniform_type(ty, 1, Alu::Integer(IntegerOp::Abs(Signed::S32))),
        S64 => cx.uniform_type(ty, 1, Alu::Integer(IntegerOp::Abs(Signed::S64))),
        F32 => single_unary(cx, Unary::Abs),
        F64 => cx.uniform_type(ty, 1, Alu::Double(DoubleOp::Abs)),
        _ => {
            let op = half(cx, ty, HalfFunction::Abs)?;
            with_modifiers(cx, ty, 1, op)
        }
    }
}

/// `neg`.
pub fn neg(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["ftz"])?;
    let ty = cx.ty()?;
    let start = cx.lowering.kernel.insts.len();
    match ty {
        S16 => return cx.uniform_type(ty, 1, Alu::Integer(IntegerOp::Neg(Signed::S16))),
        S32 => return cx.uniform_type(ty, 1, Alu::Integer(IntegerOp::Neg(Signed::S32))),
        S64 => return cx.uniform_type(ty, 1, Alu::Integer(IntegerOp::Neg(Signed::S64))),
        F32 => single_unary(cx, Unary::Neg)?,
        F64 => cx.uniform_type(ty, 1, Alu::Double(DoubleOp::Neg))?,
        _ => {
            let op = half(cx, ty, HalfFunction::Neg)?;
            with_modifiers(cx, ty, 1, op)?;
        }
    }
    note_open_rounding(cx, start);
    Ok(())
}

/// `copysign`: the magnitude of `b` with the sign of `a`.
pub fn copysign(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    let op = match ty {
        F32 => Alu::Single(SingleOp::CopySign),
        F64 => Alu::Double(DoubleOp::CopySign),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 2, op)
}

/// `sqrt` and `rcp`.
pub fn root(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["rn", "rz", "rm", "rp", "approx", "ftz"])?;
    let ty = cx.ty()?;
    let sqrt = cx.instruction.opcode == "sqrt";
    let function = if sqrt { DirectedFunction::Sqrt } else { DirectedFunction::Rcp };
    if let Some(op) = directed(cx, ty, function) {
        return with_modifiers(cx, ty, 1, op);
    }
    let double = match (ty, sqrt) {
        (F32, true) if cx.has("approx") => return approximation(cx, Approximation::Sqrt),
        (F32, false) if cx.has("approx") => return approximation(cx, Approximation::Rcp),
        (F32, true) => return single_unary(cx, Unary::Sqrt),
        (F32, false) => return single_unary(cx, Unary::Rcp),
        (F64, true) => DoubleOp::Sqrt,
        (F64, false) if cx.has("approx") => DoubleOp::RcpApproximate,
        (F64, false) => DoubleOp::Rcp,
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 1, Alu::Double(double))
}

fn approximation(cx: &mut Cx<'_, '_>, function: Approximation) -> LoweringResult {
    let op = SingleOp::Approximate { function, ftz: cx.has("ftz") };
    cx.uniform_type(F32, 1, Alu::Single(op))
}

/// The functions that a GPU only approximates.
pub fn approximate(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["approx", "ftz"])?;
    let ty = cx.ty()?;
    let op = match (cx.instruction.opcode.as_str(), ty) {
        ("ex2", F32) => return approximation(cx, Approximation::Ex2),
        ("lg2", F32) => return approximation(cx, Approximation::Lg2),
        ("sin", F32) => return approximation(cx, Approximation::Sin),
        ("cos", F32) => return approximation(cx, Approximation::Cos),
        ("tanh", F32) => return approximation(cx, Approximation::Tanh),
        ("rsqrt", F32) => return approximation(cx, Approximation::Rsqrt),
        ("rsqrt", F64) if cx.has("ftz") => Alu::Double(DoubleOp::RsqrtApproximate),
        ("rsqrt", F64) => Alu::Double(DoubleOp::Rsqrt),
        ("ex2", _) => half(cx, ty, HalfFunction::Ex2)?,
        ("tanh", _) => half(cx, ty, HalfFunction::Tanh)?,
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 1, op)
}

/// `testp`; a zero is normal.
pub fn testp(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["finite", "infinite", "number", "notanumber", "normal", "subnormal"])?;
    let ty = cx.ty()?;
    let class = match cx.instruction.modifiers.first().map(String::as_str) {
        Some("finite") => FloatClass::Finite,
        Some("infinite") => FloatClass::Infinite,
        Some("number") => FloatClass::Number,
        Some("notanumber") => FloatClass::NotANumber,
        Some("normal") => FloatClass::Normal,
        Some("subnormal") => FloatClass::Subnormal,
        _ => return Err(cx.unknown("this test")),
    };
    let op = match ty {
        F32 => Alu::Single(SingleOp::Test(class)),
        F64 => Alu::Double(DoubleOp::Test(class)),
        _ => return Err(cx.unknown("this test")),
    };
    cx.operands(2)?;
    let dst = cx.dst_of(0, Pred)?;
    let a = cx.src(1, ty)?;
    cx.alu(dst, &[a], op)
}
