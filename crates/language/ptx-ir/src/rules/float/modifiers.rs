//! Rounding directions, `.ftz`, `.sat` and `.relu` of floating-point instructions.
//!
//! Rounding to the nearest even is part of the opcode of each type, with `.ftz` and `.sat` of f32. Where another
//! rounding direction or a 16-bit type has such modifiers, the steps before and after the operation are instructions
//! of their own; see [`with_modifiers`].

use crate::kernel::Operand;
use crate::lower::state::width_of;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::Alu;
use crate::opcode::directed::{DirectedFunction, DirectedOp, Direction};
use crate::opcode::half::{F16Function, HalfFunction, HalfOp, HalfType};
use crate::opcode::single::{Modifiers, SingleOp};
use crate::rules::context::Cx;
use crate::rules::mov;
use lanework_ptx::ScalarType::{self, *};

/// The rounding direction of the instruction; `None` is to the nearest even.
pub(super) fn direction(cx: &Cx<'_, '_>) -> Option<Direction> {
    [("rz", Direction::Zero), ("rm", Direction::Down), ("rp", Direction::Up)]
        .into_iter()
        .find_map(|(name, direction)| cx.has(name).then_some(direction))
}

/// The opcode of a function rounded in a direction, where the instruction says one and the type has it.
pub(super) fn directed(cx: &Cx<'_, '_>, ty: ScalarType, function: DirectedFunction) -> Option<Alu> {
    let direction = direction(cx)?;
    match ty {
        F32 => Some(Alu::Directed(DirectedOp { function, double: false, direction })),
        F64 => Some(Alu::Directed(DirectedOp { function, double: true, direction })),
        _ => None,
    }
}

/// The opcode of a function of 16-bit floats.
pub(super) fn half(cx: &Cx<'_, '_>, ty: ScalarType, function: HalfFunction) -> LoweringResult<Alu> {
    match HalfType::of(ty) {
        Some(ty) => Ok(Alu::Half(HalfOp::Any(function, ty))),
        None => Err(cx.unknown("this type")),
    }
}

/// The opcode of a function that only `f16` has.
pub(super) fn only_f16(function: F16Function, ty: ScalarType) -> Alu {
    Alu::Half(HalfOp::F16 { function, packed: ty == F16x2 })
}

/// A subnormal operand flushed, in a register of its own.
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

/// Emits `op` over operands of `ty`, with what `.ftz`, `.sat` and `.relu` ask for before and after it.
pub(super) fn with_modifiers(
    cx: &mut Cx<'_, '_>,
    ty: ScalarType,
    count: usize,
    op: Alu,
) -> LoweringResult {
    let (ftz, sat, relu) = (cx.has("ftz"), cx.has("sat"), cx.has("relu"));
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
        _ => return Err(cx.unknown("`.sat` or `.relu` of this type")),
    };
    cx.alu(dst, &[last], finish)
}

/// The modifiers that opcodes of f32 have.
pub(super) fn modifiers(cx: &Cx<'_, '_>) -> Modifiers {
    Modifiers { ftz: cx.has("ftz"), sat: cx.has("sat") }
}
