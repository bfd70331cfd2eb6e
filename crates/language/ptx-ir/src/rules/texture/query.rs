//! `txq`, `suq` and `istypep`.

use super::operands::{emit, object};
use crate::kernel::*;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::Alu;
use crate::opcode::logic::LogicOp;
use crate::opcode::texture::{Query, TextureOp};
use crate::rules::context::Cx;
use lanework_ptx::ScalarType::*;

/// `txq` and `suq`.
pub fn query(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let texture = cx.instruction.opcode == "txq";
    let known: &[(&str, Query)] = &[
        ("width", Query::Width),
        ("height", Query::Height),
        ("depth", Query::Depth),
        ("array_size", Query::Layers),
        ("num_mipmap_levels", Query::Levels),
        ("num_samples", Query::Samples),
        ("normalized_coords", Query::Normalized),
    ];
    let known = if texture { known } else { &known[..4] };
    let (_, ask) = *known
        .iter()
        .find(|(name, _)| cx.has(name))
        .ok_or_else(|| cx.unknown("a query whose answer is a driver's own"))?;
    if cx.ty()? != B32 {
        return Err(cx.unknown("this type"));
    }
    let of_level = texture && cx.has("level");
    if of_level && !matches!(ask, Query::Width | Query::Height | Query::Depth) {
        return Err(cx.unknown("a query that is not of a level"));
    }
    let dst = cx.dst_of(0, B32)?;
    let object = object(cx, 1)?;
    let level = if of_level { cx.src(2, U32)? } else { Operand::Const(0) };
    emit(cx, TextureOp::Ask(ask), vec![dst], vec![object, level]);
    Ok(())
}

/// `istypep`.
pub fn is_type(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[])?;
    cx.operands(2)?;
    let ask = match cx.ty()? {
        Texref => Query::IsTexture,
        Samplerref => Query::IsSampler,
        Surfref => Query::IsSurface,
        _ => return Err(cx.unknown("this type")),
    };
    let dst = cx.dst_of(0, Pred)?;
    let object = object(cx, 1)?;
    let word = cx.lowering.new_register(Width::Word);
    emit(cx, TextureOp::Ask(ask), vec![Some(word)], vec![object, Operand::Const(0)]);
    cx.alu(dst, &[Operand::Reg(word)], Alu::Logic(LogicOp::IsNonzero))
}
