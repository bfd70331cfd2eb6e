//! `alloca`, `stacksave` and `stackrestore`.

use super::context::Cx;
use crate::kernel::*;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::Alu;
use crate::opcode::compare::{CompareOp, Relation};
use crate::opcode::integer::{Integer, IntegerOp};
use crate::opcode::logic::LogicOp;
use lanework_ptx as syntax;
use lanework_ptx::Immediate;
use lanework_ptx::ScalarType::{U32, U64};

/// The alignment of `alloca` where it names none.
const ALIGNMENT: u64 = 8;
/// The most that it may name.
const MOST_ALIGNED: i128 = 1024;

/// `alloca ptr, size, align`.
pub fn alloca(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    if !matches!(ty, U32 | U64) {
        return Err(cx.unknown("a type other than `.u32` and `.u64`"));
    }
    let align = match cx.instruction.operands.get(2) {
        None => ALIGNMENT,
        Some(syntax::Operand::Immediate(Immediate::Integer(align)))
            if (1..=MOST_ALIGNED).contains(align) && align.count_ones() == 1 =>
        {
            *align as u64
        }
        Some(_) => return Err(cx.unknown("an alignment that is not a power of two up to 1024")),
    };
    let dst = cx.dst_of(0, ty)?;
    let size = cx.src(1, ty)?;
    let skip = cx.lowering.skip_unless(cx.guard.take());
    let (end, base) = cx.lowering.allocation();
    let integer = cx.integer(U64)?;
    let [bytes, free, after] = [(); 3].map(|()| cx.lowering.new_register(Width::Wide));
    let zero = Operand::Const(0);
    // A 32-bit size with zeros above it.
    let widen = match ty {
        U32 => Alu::Move(crate::opcode::moves::MoveOp::Concatenate { wide: true, low: 4 }),
        _ => Alu::Logic(LogicOp::Or(Width::Wide)),
    };
    cx.alu(Some(bytes), &[size, zero], widen)?;
    let sub = Alu::Integer(IntegerOp::Sub(integer));
    cx.alu(Some(free), &[Operand::Reg(end), Operand::Const(base)], sub)?;
    let full = cx.lowering.new_register(Width::Predicate);
    let unsigned: Integer = integer;
    let above = Alu::Compare(CompareOp::Integer(Relation::Greater, unsigned));
    cx.alu(Some(full), &[Operand::Reg(bytes), Operand::Reg(free)], above)?;
    let fits = cx.lowering.skip_unless(Some((full, false)));
    cx.emit(Opcode::StackOverflow, Vec::new(), Vec::new());
    if let Some(fits) = fits {
        cx.lowering.set_label(fits);
    }
    cx.alu(Some(after), &[Operand::Reg(end), Operand::Reg(bytes)], sub)?;
    let mask = Operand::Const(align.wrapping_neg());
    let and = Alu::Logic(LogicOp::And(Width::Wide));
    cx.alu(Some(end), &[Operand::Reg(after), mask], and)?;
    cx.alu(dst, &[Operand::Reg(end)], super::mov::copy(ty))?;
    if let Some(skip) = skip {
        cx.lowering.set_label(skip);
    }
    Ok(())
}

/// `stacksave`: where the free part ends.
pub fn save(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[])?;
    cx.operands(1)?;
    let ty = cx.ty()?;
    let dst = cx.dst_of(0, ty)?;
    let (end, _) = cx.lowering.allocation();
    cx.alu(dst, &[Operand::Reg(end)], super::mov::copy(ty))
}

/// `stackrestore`: back to where it ended.
pub fn restore(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[])?;
    cx.operands(1)?;
    let ty = cx.ty()?;
    let source = cx.src(0, ty)?;
    let (end, _) = cx.lowering.allocation();
    match ty {
        U64 => cx.alu(Some(end), &[source], super::mov::copy(ty)),
        U32 => {
            let widen = crate::opcode::moves::MoveOp::Concatenate { wide: true, low: 4 };
            cx.alu(Some(end), &[source, Operand::Const(0)], Alu::Move(widen))
        }
        _ => Err(cx.unknown("a type other than `.u32` and `.u64`")),
    }
}
