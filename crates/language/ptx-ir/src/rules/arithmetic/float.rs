//! Rules of floating-point arithmetic of 16, 32 and 64 bits.
//!
//! Rounding to nearest even is part of each type's opcode, with `.ftz` and `.sat` for f32. For other rounding directions and for
//! 16-bit types, such modifiers become separate instructions before and after the operation; see [`with_modifiers`].

use crate::LoweringResult;
use crate::kernel::Operand;
use crate::lower::state::width_of;
use crate::opcode::Alu;
use crate::opcode::float::{
    Approximation, DirectedFunction, DirectedOp, Division, DoubleOp, F16Function, FloatClass,
    FloatModifiers, HalfFunction, HalfOp, HalfType, MinMax, RoundingDirection, SingleOp, Unary,
};
use crate::opcode::integer::{IntegerOp, SignedInteger};
use crate::rules::arithmetic::expand;
use crate::rules::context::Cx;
use crate::rules::mov;
use lanework_ptx as syntax;
use lanework_ptx::Modifier::*;
use lanework_ptx::ScalarType::{self, *};

/// Emits `add`, `sub` or `mul` with the opcode of each type.
fn binary(
    cx: &mut Cx<'_, '_>,
    to_direction: DirectedFunction,
    single: fn(FloatModifiers) -> SingleOp,
    double: DoubleOp,
    of_half: HalfFunction,
) -> LoweringResult {
    let ty = cx.ty()?;
    cx.allow(&[Rn, Rz, Rm, Rp, Ftz, Sat])?;
    if let Some(op) = directed(cx, ty, to_direction) {
        return with_modifiers(cx, ty, 2, op);
    }
    let start = cx.lowering.kernel.insts.len();
    match ty {
        F32 => cx.uniform_type(ty, 2, Alu::Single(single(modifiers(cx)))),
        F64 => cx.uniform_type(ty, 2, Alu::Double(double)),
        F16 | F16x2 if of_half == HalfFunction::Mul && cx.has(Ftz) => {
            with_modifiers(cx, ty, 2, only_f16(F16Function::MulFlushed, ty))
        }
        _ => {
            let op = half(cx, ty, of_half)?;
            with_modifiers(cx, ty, 2, op)
        }
    }?;
    // A product that is clamped first is not added unclamped.
    let clamped_product = of_half == HalfFunction::Mul && cx.has(Sat);
    if !cx.has(Rn) && !clamped_product {
        note_open_rounding(cx, start);
    }
    Ok(())
}

/// Records that PTX leaves the rounding of the instruction open; it was lowered from `start` on.
fn note_open_rounding(cx: &mut Cx<'_, '_>, start: usize) {
    let ftz = cx.has(Ftz);
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
    match (cx.has(Approx), cx.has(Full)) {
        (true, _) => Division::Approximate,
        (_, true) => Division::Full,
        _ => Division::Rounded,
    }
}

/// `div` of floats.
pub fn div(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let (ty, ftz) = (cx.ty()?, cx.has(Ftz));
    if let Some(op) = directed(cx, ty, DirectedFunction::Div { ftz }) {
        return with_modifiers(cx, ty, 2, op);
    }
    let op = match ty {
        F32 => Alu::Single(SingleOp::Div { division: division(cx), ftz }),
        F64 => Alu::Double(DoubleOp::Div),
        _ => return Err(cx.unsupported("this type")),
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
    let ty = cx.ty()?;
    if let Some(op) = directed(cx, ty, DirectedFunction::Fma) {
        return with_modifiers(cx, ty, 3, op);
    }
    match ty {
        F32 => cx.uniform_type(ty, 3, Alu::Single(SingleOp::Fma(modifiers(cx)))),
        F64 => cx.uniform_type(ty, 3, Alu::Double(DoubleOp::Fma)),
        F16 | F16x2 if cx.has(Ftz) && !cx.has(Oob) => {
            with_modifiers(cx, ty, 3, only_f16(F16Function::FmaFlushed, ty))
        }
        _ => {
            let outside = cx.has(Oob);
            let function = if outside { HalfFunction::FmaOutOfBounds } else { HalfFunction::Fma };
            let op = half(cx, ty, function)?;
            with_modifiers(cx, ty, 3, op)
        }
    }
}

/// `min` and `max` of floats.
pub fn min_max(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.instruction.operands.len() == 4 {
        return expand::of_three(cx);
    }
    let ty = cx.ty()?;
    let max = cx.instruction.opcode == syntax::Opcode::Max;
    let choice = MinMax { max, nan: cx.has(Nan), xorsign: cx.has(Xorsign) };
    match ty {
        F32 => {
            let op = SingleOp::MinMax { choice, ftz: cx.has(Ftz) };
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
    let op = SingleOp::Unary { function, ftz: cx.has(Ftz) };
    cx.uniform_type(F32, 1, Alu::Single(op))
}

/// `abs`.
pub fn abs(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    match ty {
        S16 => cx.uniform_type(ty, 1, Alu::Integer(IntegerOp::Abs(SignedInteger::S16))),
        S32 => cx.uniform_type(ty, 1, Alu::Integer(IntegerOp::Abs(SignedInteger::S32))),
        S64 => cx.uniform_type(ty, 1, Alu::Integer(IntegerOp::Abs(SignedInteger::S64))),
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
    let ty = cx.ty()?;
    let start = cx.lowering.kernel.insts.len();
    match ty {
        S16 => return cx.uniform_type(ty, 1, Alu::Integer(IntegerOp::Neg(SignedInteger::S16))),
        S32 => return cx.uniform_type(ty, 1, Alu::Integer(IntegerOp::Neg(SignedInteger::S32))),
        S64 => return cx.uniform_type(ty, 1, Alu::Integer(IntegerOp::Neg(SignedInteger::S64))),
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
    let ty = cx.ty()?;
    let op = match ty {
        F32 => Alu::Single(SingleOp::CopySign),
        F64 => Alu::Double(DoubleOp::CopySign),
        _ => return Err(cx.unsupported("this type")),
    };
    cx.uniform_type(ty, 2, op)
}

/// `sqrt` and `rcp`.
pub fn root(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let sqrt = cx.instruction.opcode == syntax::Opcode::Sqrt;
    let function = if sqrt { DirectedFunction::Sqrt } else { DirectedFunction::Rcp };
    if let Some(op) = directed(cx, ty, function) {
        return with_modifiers(cx, ty, 1, op);
    }
    let double = match (ty, sqrt) {
        (F32, true) if cx.has(Approx) => return approximation(cx, Approximation::Sqrt),
        (F32, false) if cx.has(Approx) => return approximation(cx, Approximation::Rcp),
        (F32, true) => return single_unary(cx, Unary::Sqrt),
        (F32, false) => return single_unary(cx, Unary::Rcp),
        (F64, true) => DoubleOp::Sqrt,
        (F64, false) if cx.has(Approx) => DoubleOp::RcpApproximate,
        (F64, false) => DoubleOp::Rcp,
        _ => return Err(cx.unsupported("this type")),
    };
    cx.uniform_type(ty, 1, Alu::Double(double))
}

fn approximation(cx: &mut Cx<'_, '_>, function: Approximation) -> LoweringResult {
    let op = SingleOp::Approximate { function, ftz: cx.has(Ftz) };
    cx.uniform_type(F32, 1, Alu::Single(op))
}

/// The functions that a GPU only approximates.
pub fn approximate(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let op = match (cx.instruction.opcode, ty) {
        (syntax::Opcode::Ex2, F32) => return approximation(cx, Approximation::Ex2),
        (syntax::Opcode::Lg2, F32) => return approximation(cx, Approximation::Lg2),
        (syntax::Opcode::Sin, F32) => return approximation(cx, Approximation::Sin),
        (syntax::Opcode::Cos, F32) => return approximation(cx, Approximation::Cos),
        (syntax::Opcode::Tanh, F32) => return approximation(cx, Approximation::Tanh),
        (syntax::Opcode::Rsqrt, F32) => return approximation(cx, Approximation::Rsqrt),
        (syntax::Opcode::Rsqrt, F64) if cx.has(Ftz) => Alu::Double(DoubleOp::RsqrtApproximate),
        (syntax::Opcode::Rsqrt, F64) => Alu::Double(DoubleOp::Rsqrt),
        (syntax::Opcode::Ex2, _) => half(cx, ty, HalfFunction::Ex2)?,
        (syntax::Opcode::Tanh, _) => half(cx, ty, HalfFunction::Tanh)?,
        _ => return Err(cx.unsupported("this type")),
    };
    cx.uniform_type(ty, 1, op)
}

/// `testp`; a zero is normal.
pub fn testp(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let class = match cx.instruction.modifiers.first().copied() {
        Some(Finite) => FloatClass::Finite,
        Some(Infinite) => FloatClass::Infinite,
        Some(Number) => FloatClass::Number,
        Some(Notanumber) => FloatClass::NotANumber,
        Some(Normal) => FloatClass::Normal,
        Some(Subnormal) => FloatClass::Subnormal,
        _ => return Err(cx.unsupported("this test")),
    };
    let op = match ty {
        F32 => Alu::Single(SingleOp::Test(class)),
        F64 => Alu::Double(DoubleOp::Test(class)),
        _ => return Err(cx.unsupported("this test")),
    };
    cx.operands(2)?;
    let dst = cx.dst_of(0, Pred)?;
    let a = cx.src(1, ty)?;
    cx.alu(dst, &[a], op)
}

/// The rounding direction of the instruction; `None` is to the nearest even.
pub fn direction(cx: &Cx<'_, '_>) -> Option<RoundingDirection> {
    let directions =
        [(Rz, RoundingDirection::Zero), (Rm, RoundingDirection::Down), (Rp, RoundingDirection::Up)];
    directions.into_iter().find_map(|(name, direction)| cx.has(name).then_some(direction))
}

/// The opcode of a function with directed rounding, if the instruction has one and the type supports it.
fn directed(cx: &Cx<'_, '_>, ty: ScalarType, function: DirectedFunction) -> Option<Alu> {
    let direction = direction(cx)?;
    match ty {
        F32 => Some(Alu::Directed(DirectedOp { function, double: false, direction })),
        F64 => Some(Alu::Directed(DirectedOp { function, double: true, direction })),
        _ => None,
    }
}

/// The opcode of a function of 16-bit floats.
pub fn half(cx: &Cx<'_, '_>, ty: ScalarType, function: HalfFunction) -> LoweringResult<Alu> {
    match HalfType::from_type(ty) {
        Some(ty) => Ok(Alu::Half(HalfOp::Any(function, ty))),
        None => Err(cx.unsupported("this type")),
    }
}

/// The opcode of a function that only `f16` has.
fn only_f16(function: F16Function, ty: ScalarType) -> Alu {
    Alu::Half(HalfOp::F16 { function, packed: ty == F16x2 })
}

/// Flushes a subnormal operand, into a new register.
pub fn flushed(cx: &mut Cx<'_, '_>, a: Operand, ty: ScalarType) -> LoweringResult<Operand> {
    let op = match ty {
        F32 => Alu::Single(SingleOp::Flush),
        F16 | F16x2 => only_f16(F16Function::Flush, ty),
        _ => return Ok(a),
    };
    let register = cx.lowering.new_register(width_of(ty)?);
    cx.alu(Some(register), &[a], op)?;
    Ok(Operand::Reg(register))
}

/// Emits `op` on operands of `ty`, with the steps of `.ftz`, `.sat` and `.relu` before and after it.
fn with_modifiers(cx: &mut Cx<'_, '_>, ty: ScalarType, count: usize, op: Alu) -> LoweringResult {
    let (ftz, sat, relu) = (cx.has(Ftz), cx.has(Sat), cx.has(Relu));
    cx.operands(count + 1)?;
    let dst = cx.dst_of(0, ty)?;
    let mut sources = Vec::new();
    for i in 1..=count {
        let source = cx.src(i, ty)?;
        sources.push(if ftz { flushed(cx, source, ty)? } else { source });
    }
    if !ftz && !sat && !relu {
        return cx.alu(dst, &sources, op);
    }
    let middle = cx.lowering.new_register(width_of(ty)?);
    cx.alu(Some(middle), &sources, op)?;
    let mut last = Operand::Reg(middle);
    if ftz {
        last = flushed(cx, last, ty)?;
    }
    let finish = match (ty, sat, relu) {
        (F32, true, _) => Alu::Single(SingleOp::Saturate),
        (F16 | Bf16 | F16x2 | Bf16x2, _, true) => half(cx, ty, HalfFunction::Relu)?,
        (F16 | F16x2, true, _) => only_f16(F16Function::Saturate, ty),
        (_, false, false) => mov::copy(ty),
        _ => return Err(cx.unsupported("`.sat` or `.relu` of this type")),
    };
    cx.alu(dst, &[last], finish)
}

/// The modifiers that opcodes of f32 have.
pub fn modifiers(cx: &Cx<'_, '_>) -> FloatModifiers {
    FloatModifiers { ftz: cx.has(Ftz), sat: cx.has(Sat) }
}
