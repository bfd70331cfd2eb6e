//! Rules of bit operations: logic, shifts, counts, fields.

use crate::LoweringResult;
use crate::kernel::{Operand, Width};
use crate::module::constants::immediate_bits;
use crate::opcode::Alu;
use crate::opcode::integer::IntegerSize;
use crate::opcode::logic::{LogicOp, PermuteMode};
use crate::rules::arithmetic::table;
use crate::rules::context::Cx;
use lanework_ptx as syntax;
use lanework_ptx::Modifier::*;
use lanework_ptx::ScalarType::{self, *};

/// The width of untyped bits.
fn width(cx: &Cx<'_, '_>, ty: ScalarType) -> LoweringResult<Width> {
    match ty {
        Pred => Ok(Width::Predicate),
        B16 | B32 => Ok(Width::Word),
        B64 => Ok(Width::Wide),
        _ => Err(cx.unsupported("this type")),
    }
}

/// Whether untyped bits have 64 bits, rather than 32.
fn wide(cx: &Cx<'_, '_>, ty: ScalarType) -> LoweringResult<bool> {
    match ty {
        B32 => Ok(false),
        B64 => Ok(true),
        _ => Err(cx.unsupported("this type")),
    }
}

/// Whether an integer has 64 bits rather than 32, and whether it is signed.
fn wide_and_sign(cx: &Cx<'_, '_>, ty: ScalarType) -> LoweringResult<(bool, bool)> {
    match IntegerSize::and_sign(ty) {
        Some((size @ (IntegerSize::Word | IntegerSize::Wide), signed)) => {
            Ok((size == IntegerSize::Wide, signed))
        }
        _ => Err(cx.unsupported("this type")),
    }
}

/// `and`, `or`, `xor`.
pub fn bitwise(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let width = width(cx, ty)?;
    let op = Alu::Logic(match cx.instruction.opcode {
        syntax::Opcode::And => LogicOp::And(width),
        syntax::Opcode::Or => LogicOp::Or(width),
        _ => LogicOp::Xor(width),
    });
    if ty == Pred {
        cx.operands(3)?;
        let dst = cx.dst_of(0, Pred)?;
        let (a, b) = (positive(cx, 1)?, positive(cx, 2)?);
        return cx.alu(dst, &[a, b], op);
    }
    cx.uniform_type(ty, 2, op)
}

/// A predicate operand; a negated one is computed into a new register.
pub fn positive(cx: &mut Cx<'_, '_>, i: usize) -> LoweringResult<Operand> {
    let (source, negated) = cx.predicate(i)?;
    if !negated {
        return Ok(source);
    }
    let register = cx.lowering.new_register(Width::Predicate);
    cx.alu(Some(register), &[source], Alu::Logic(LogicOp::Not(Width::Predicate)))?;
    Ok(Operand::Reg(register))
}

/// `not`.
pub fn not(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let op = LogicOp::Not(width(cx, ty)?);
    cx.uniform_type(ty, 1, Alu::Logic(op))
}

/// `cnot`: 1 for 0, else 0.
pub fn cnot(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let op = LogicOp::IsZero(cx.integer(ty)?);
    cx.uniform_type(ty, 1, Alu::Logic(op))
}

/// `dst = f(a, amount)` where the amount is 32 bits wide.
fn shift(cx: &mut Cx<'_, '_>, ty: ScalarType, op: LogicOp) -> LoweringResult {
    cx.operands(3)?;
    let dst = cx.dst_of(0, ty)?;
    let (a, amount) = (cx.src(1, ty)?, cx.src(2, U32)?);
    cx.alu(dst, &[a, amount], Alu::Logic(op))
}

/// The size and signedness of the shifted value.
fn shifted(cx: &Cx<'_, '_>, ty: ScalarType) -> LoweringResult<(IntegerSize, bool)> {
    match ty {
        B16 => Ok((IntegerSize::Half, false)),
        B32 => Ok((IntegerSize::Word, false)),
        B64 => Ok((IntegerSize::Wide, false)),
        _ => IntegerSize::and_sign(ty).ok_or_else(|| cx.unsupported("this type")),
    }
}

/// `shl`; amounts past the width give 0.
pub fn shl(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let (size, _) = shifted(cx, ty)?;
    shift(cx, ty, LogicOp::ShiftLeft(size))
}

/// `shr`; amounts past the width give 0, or the sign.
pub fn shr(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let (size, signed) = shifted(cx, ty)?;
    shift(cx, ty, LogicOp::ShiftRight { size, signed })
}

/// `shf`: a shift across two words.
pub fn shf(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let op = LogicOp::Funnel { left: cx.has(L), wrap: cx.has(Wrap) };
    cx.uniform_type(B32, 3, Alu::Logic(op))
}

/// Emits an operation on a source of `ty` with a 32-bit result.
fn to_word(cx: &mut Cx<'_, '_>, ty: ScalarType, op: LogicOp) -> LoweringResult {
    cx.operands(2)?;
    let dst = cx.dst_of(0, U32)?;
    let a = cx.src(1, ty)?;
    cx.alu(dst, &[a], Alu::Logic(op))
}

/// `popc`.
pub fn popc(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let wide = wide(cx, ty)?;
    to_word(cx, ty, LogicOp::CountOnes { wide })
}

/// `clz`.
pub fn clz(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let wide = wide(cx, ty)?;
    to_word(cx, ty, LogicOp::LeadingZeros { wide })
}

/// `brev`.
pub fn brev(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let wide = wide(cx, ty)?;
    cx.uniform_type(ty, 1, Alu::Logic(LogicOp::Reverse { wide }))
}

/// `bfind`: the highest set bit (signed: the highest bit that differs from the sign); all ones if none.
pub fn bfind(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let (wide, signed) = wide_and_sign(cx, ty)?;
    let shift = cx.has(Shiftamt);
    to_word(cx, ty, LogicOp::FindHighest { wide, signed, shift })
}

/// `bfe`.
pub fn bfe(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let (wide, signed) = wide_and_sign(cx, ty)?;
    cx.operands(4)?;
    let dst = cx.dst_of(0, ty)?;
    let (a, p, l) = (cx.src(1, ty)?, cx.src(2, U32)?, cx.src(3, U32)?);
    cx.alu(dst, &[a, p, l], Alu::Logic(LogicOp::FieldExtract { wide, signed }))
}

/// `bfi`: four sources; position and length are packed into one register first.
pub fn bfi(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let wide = wide(cx, ty)?;
    cx.operands(5)?;
    let dst = cx.dst_of(0, ty)?;
    let (a, b) = (cx.src(1, ty)?, cx.src(2, ty)?);
    let (p, l) = (cx.src(3, U32)?, cx.src(4, U32)?);
    let field = cx.lowering.new_register(Width::Word);
    cx.alu(Some(field), &[p, l], Alu::Logic(LogicOp::FieldOf { wide }))?;
    cx.alu(dst, &[a, b, Operand::Reg(field)], Alu::Logic(LogicOp::FieldInsert { wide }))
}

/// `bmsk`: a mask of some bits from a position.
pub fn bmsk(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let op = LogicOp::Mask { wrap: cx.has(Wrap) };
    cx.uniform_type(B32, 2, Alu::Logic(op))
}

/// `szext`: a value cut to some bits, extended by its sign or not.
pub fn szext(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let signed = match cx.ty()? {
        U32 => false,
        S32 => true,
        _ => return Err(cx.unsupported("this type")),
    };
    let op = LogicOp::Extend { signed, wrap: cx.has(Wrap) };
    cx.uniform_type(B32, 2, Alu::Logic(op))
}

/// `fns`: the n-th set bit from a base.
pub fn fns(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.uniform_type(B32, 3, Alu::Logic(LogicOp::FindNth))
}

/// `prmt`: four bytes picked from eight.
pub fn prmt(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let mode = cx.instruction.modifiers.iter().copied().find(|m| *m != Type(B32));
    let mode = match mode {
        None => PermuteMode::Selectors,
        Some(F4e) => PermuteMode::Forward,
        Some(B4e) => PermuteMode::Backward,
        Some(Rc8) => PermuteMode::Replicate8,
        Some(Ecl) => PermuteMode::ClampLeft,
        Some(Ecr) => PermuteMode::ClampRight,
        Some(Rc16) => PermuteMode::Replicate16,
        Some(_) => return Err(cx.unsupported("this mode")),
    };
    cx.uniform_type(B32, 3, Alu::Logic(LogicOp::Permute(mode)))
}

/// `lop3`: any function of three bits, as a table. The table goes through a constant operand.
pub fn lop3(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let combining = cx.has(Or) || cx.has(And);
    cx.operands(if combining { 6 } else { 5 })?;
    let syntax::Operand::Immediate(table) = *cx.operand(4)? else {
        return Err(cx.unsupported("the table is not a literal"));
    };
    let table = immediate_bits(table, B32) as u32 & 0xff;
    let (dst, truth) = match cx.operand(0)?.clone() {
        syntax::Operand::Pair(d, p) if combining => {
            (cx.destination(&d, B32)?, cx.destination(&p, Pred)?)
        }
        _ if combining => return Err(cx.unsupported("`d|p` is expected")),
        _ => (cx.dst_of(0, B32)?, None),
    };
    let operands = [cx.src(1, B32)?, cx.src(2, B32)?, cx.src(3, B32)?];
    if !combining {
        return table::of_three(cx, dst, operands, table);
    }
    // Whether any bit is set, combined with a predicate.
    let with = positive(cx, 5)?;
    let result = cx.lowering.new_register(Width::Word);
    table::of_three(cx, Some(result), operands, table)?;
    let any = cx.lowering.new_register(Width::Predicate);
    cx.alu(Some(any), &[Operand::Reg(result)], Alu::Logic(LogicOp::IsNonzero))?;
    let both = match cx.has(Or) {
        true => LogicOp::Or(Width::Predicate),
        false => LogicOp::And(Width::Predicate),
    };
    cx.alu(truth, &[Operand::Reg(any), with], Alu::Logic(both))?;
    cx.alu(dst, &[Operand::Reg(result)], Alu::copy(Width::Word))
}
