//! Rules of `mov`: copies, parts of registers, clocks.

use crate::LoweringResult;
use crate::kernel::{Opcode, Operand, Width};
use crate::lower::state::width_of;
use crate::opcode::Alu;
use crate::opcode::logic::{MoveOp, PartSize};
use crate::opcode::memory::WarpOp;
use crate::rules::context::Cx;
use crate::rules::memory::access::elements;
use crate::rules::special::{clock, is_vector};
use lanework_ptx as syntax;
use lanework_ptx::Modifier::*;
use lanework_ptx::ScalarType::{self, *};

/// The opcode that copies a register of a type.
pub fn copy(ty: ScalarType) -> Alu {
    Alu::copy(match ty {
        Pred => Width::Predicate,
        ty if ty.size() == 8 => Width::Wide,
        _ => Width::Word,
    })
}

/// `mov`, including those to and from vectors of parts.
pub fn mov(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(2)?;
    let ty = cx.ty()?;
    if ty == B128 {
        return crate::rules::b128::mov(cx);
    }
    if cx.has(V2) || cx.has(V4) {
        return vector(cx, ty);
    }
    match (cx.operand(0)?.clone(), cx.operand(1)?.clone()) {
        (syntax::Operand::Vector(parts), _) => unpack(cx, ty, &parts),
        (_, syntax::Operand::Vector(parts)) => pack(cx, ty, &parts),
        (_, syntax::Operand::Name(name)) if clock(&name).is_some() => {
            let (dst, guard) = (cx.dst_of(0, ty)?, cx.guard);
            let high = clock(&name).is_some_and(|(high, _)| high);
            cx.lowering.emit(Opcode::Warp(WarpOp::Clock { high }), vec![dst], Vec::new(), guard);
            Ok(())
        }
        _ => {
            let dst = cx.dst_of(0, ty)?;
            let a = cx.src(1, ty)?;
            cx.alu(dst, &[a], copy(ty))?;
            Ok(())
        }
    }
}

/// `mov.v2` and `mov.v4`: element by element, as if all were read before any is written.
fn vector(cx: &mut Cx<'_, '_>, ty: ScalarType) -> LoweringResult {
    let count = if cx.has(V4) { 4 } else { 2 };
    let to = elements(cx, 0, count)?;
    let from = match cx.operand(1)? {
        // `%tid` is `{%tid.x, %tid.y, %tid.z, 0}`.
        syntax::Operand::Name(name) if count == 4 && is_vector(name) => ["x", "y", "z", "w"]
            .map(|axis| syntax::Operand::Name(format!("{name}.{axis}")))
            .to_vec(),
        _ => elements(cx, 1, count)?,
    };
    let mut kept = Vec::new();
    for operand in &from {
        let source = cx.source(operand, ty)?;
        let register = cx.lowering.new_register(width_of(ty)?);
        cx.alu(Some(register), &[source], copy(ty))?;
        kept.push(Operand::Reg(register));
    }
    for (operand, source) in to.iter().zip(kept) {
        let dst = cx.destination(operand, ty)?;
        cx.alu(dst, &[source], copy(ty))?;
    }
    Ok(())
}

fn part_type(cx: &Cx<'_, '_>, ty: ScalarType, parts: usize) -> LoweringResult<ScalarType> {
    match (ty.size() as usize, parts) {
        (8, 2) => Ok(B32),
        (8, 4) | (4, 2) => Ok(B16),
        (4, 4) | (2, 2) => Ok(B8),
        (8, 8) => Ok(B8),
        _ => Err(cx.unsupported("this number of parts")),
    }
}

fn part_size(part: ScalarType) -> PartSize {
    match part.size() {
        1 => PartSize::Byte,
        2 => PartSize::Half,
        _ => PartSize::Word,
    }
}

fn unpack(cx: &mut Cx<'_, '_>, ty: ScalarType, parts: &[syntax::Operand]) -> LoweringResult {
    let part = part_type(cx, ty, parts.len())?;
    let mut a = cx.src(1, ty)?;
    // The source may be one of the destinations.
    if let Operand::Reg(_) = a {
        let wide = ty.size() == 8;
        let saved = cx.lowering.new_register(if wide { Width::Wide } else { Width::Word });
        cx.alu(Some(saved), &[a], copy(ty))?;
        a = Operand::Reg(saved);
    }
    for (i, operand) in parts.iter().enumerate() {
        let dst = cx.destination(operand, part)?;
        if dst.is_none() {
            continue;
        }
        let amount = Operand::Const(u64::from(part.size()) * 8 * i as u64);
        let op = MoveOp::Extract { wide: ty.size() == 8, part: part_size(part) };
        cx.alu(dst, &[a, amount], Alu::Move(op))?;
    }
    Ok(())
}

fn pack(cx: &mut Cx<'_, '_>, ty: ScalarType, parts: &[syntax::Operand]) -> LoweringResult {
    let part = part_type(cx, ty, parts.len())?;
    let dst = cx.dst_of(0, ty)?;
    let wide = ty.size() == 8;
    let mut sources = Vec::new();
    for operand in parts {
        sources.push(cx.source(operand, part)?);
    }
    let mut sum = sources[0];
    for (i, source) in sources.iter().enumerate().skip(1) {
        let last = i + 1 == sources.len();
        let width = if wide { Width::Wide } else { Width::Word };
        let to = if last { dst } else { Some(cx.lowering.new_register(width)) };
        // Each part goes above the parts so far.
        let join = MoveOp::Concatenate { wide, low: part.size() as u8 * i as u8 };
        // The bits above a narrow part must be zero before it is shifted in.
        let clean = match part_size(part) {
            PartSize::Word => None,
            size => Some(MoveOp::Truncate(size)),
        };
        let mut source = *source;
        if let (Some(clean), Operand::Reg(_), false) = (clean, source, last) {
            let register = cx.lowering.new_register(Width::Word);
            cx.alu(Some(register), &[source], Alu::Move(clean))?;
            source = Operand::Reg(register);
        }
        cx.alu(to, &[sum, source], Alu::Move(join))?;
        if let Some(to) = to {
            sum = Operand::Reg(to);
        }
    }
    Ok(())
}
