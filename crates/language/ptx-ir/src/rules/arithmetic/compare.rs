//! Rules of comparisons and selections.

use crate::LoweringResult;
use crate::kernel::{Operand, Reg, Width};
use crate::opcode::Alu;
use crate::opcode::float::FloatType;
use crate::opcode::integer::Integer;
use crate::opcode::logic::{CompareOp, FloatRelation, LogicOp, MoveOp, PartSize, Relation, SignOf};
use crate::rules::arithmetic::float::flushed;
use crate::rules::arithmetic::logic::positive;
use crate::rules::context::Cx;
use lanework_ptx as syntax;
use lanework_ptx::Modifier::{self, *};
use lanework_ptx::ScalarType::{self, *};

const COPY: Alu = Alu::copy(Width::Predicate);

/// `selp`.
pub fn selp(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(4)?;
    let ty = cx.ty()?;
    let dst = cx.dst_of(0, ty)?;
    let (mut a, mut b) = (cx.src(1, ty)?, cx.src(2, ty)?);
    let (p, negated) = cx.predicate(3)?;
    if negated {
        std::mem::swap(&mut a, &mut b);
    }
    cx.alu(dst, &[a, b, p], Alu::Compare(CompareOp::Select { wide: ty.size() == 8 }))
}

/// `slct`: `a` if `c >= 0`, else `b`.
pub fn slct(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(4)?;
    let [ty, test] = cx.types()[..] else { return Err(cx.unsupported("two types are expected")) };
    let by = match test {
        S32 => SignOf::S32,
        F32 => SignOf::F32 { ftz: cx.has(Ftz) },
        _ => return Err(cx.unsupported("this type")),
    };
    let dst = cx.dst_of(0, ty)?;
    let (a, b, c) = (cx.src(1, ty)?, cx.src(2, ty)?, cx.src(3, test)?);
    let op = CompareOp::SelectBySign { wide: ty.size() == 8, by };
    cx.alu(dst, &[a, b, c], Alu::Compare(op))
}

/// The comparison: the first modifier other than `.ftz`, `.and`, `.or`, `.xor` and types.
fn comparison(cx: &Cx<'_, '_>, ty: ScalarType) -> LoweringResult<CompareOp> {
    let other = |m: &Modifier| !matches!(m, Ftz | And | Or | Xor | Type(_));
    let named = cx.instruction.modifiers.iter().copied().find(other);
    let op = match FloatType::from_type(ty) {
        Some(ty) => named.and_then(float_relation).map(|relation| CompareOp::Float(relation, ty)),
        None => {
            let relation = named.and_then(integer_relation);
            relation.zip(integer(ty)).map(|(how, ty)| CompareOp::Integer(how, ty))
        }
    };
    op.ok_or_else(|| cx.unsupported("this type"))
}

fn float_relation(modifier: Modifier) -> Option<FloatRelation> {
    match modifier {
        IsNumber => Some(FloatRelation::BothNumbers),
        IsNan => Some(FloatRelation::EitherNan),
        Equ => Some(FloatRelation::Unordered(Relation::Equal)),
        Neu => Some(FloatRelation::Unordered(Relation::NotEqual)),
        Ltu => Some(FloatRelation::Unordered(Relation::Less)),
        Leu => Some(FloatRelation::Unordered(Relation::LessEqual)),
        Gtu => Some(FloatRelation::Unordered(Relation::Greater)),
        Geu => Some(FloatRelation::Unordered(Relation::GreaterEqual)),
        _ => Relation::from_modifier(modifier).map(FloatRelation::Ordered),
    }
}

fn integer_relation(modifier: Modifier) -> Option<Relation> {
    match modifier {
        Lo => Some(Relation::Less),
        Ls => Some(Relation::LessEqual),
        Hi => Some(Relation::Greater),
        Hs => Some(Relation::GreaterEqual),
        _ => Relation::from_modifier(modifier),
    }
}

/// The integers that can be compared: of 16 bits or more.
fn integer(ty: ScalarType) -> Option<Integer> {
    Integer::from_type(ty).filter(|_| ty.size() > 1)
}

/// Combines a comparison with the predicate operand `i`, if present.
fn combined(cx: &mut Cx<'_, '_>, result: Operand, i: usize) -> LoweringResult<Operand> {
    if cx.instruction.operands.len() <= i {
        return Ok(result);
    }
    let with = positive(cx, i)?;
    let op = match (cx.has(And), cx.has(Or), cx.has(Xor)) {
        (true, _, _) => LogicOp::And(Width::Predicate),
        (_, true, _) => LogicOp::Or(Width::Predicate),
        (_, _, true) => LogicOp::Xor(Width::Predicate),
        _ => return Err(cx.unsupported("a predicate operand without `.and`, `.or` or `.xor`")),
    };
    let register = cx.lowering.new_register(Width::Predicate);
    cx.alu(Some(register), &[result, with], Alu::Logic(op))?;
    Ok(Operand::Reg(register))
}

/// The operands of a comparison, flushed for `.ftz`.
fn compared(cx: &mut Cx<'_, '_>, ty: ScalarType) -> LoweringResult<[Operand; 2]> {
    let mut both = [cx.src(1, ty)?, cx.src(2, ty)?];
    if cx.has(Ftz) {
        for source in &mut both {
            *source = flushed(cx, *source, ty)?;
        }
    }
    Ok(both)
}

/// Emits a comparison into `to`.
fn emit(
    cx: &mut Cx<'_, '_>,
    to: Option<Reg>,
    ty: ScalarType,
    both: &[Operand; 2],
) -> LoweringResult {
    let op = comparison(cx, ty)?;
    cx.alu(to, both, Alu::Compare(op))
}

/// One half of packed operands, in new registers.
fn half_of(cx: &mut Cx<'_, '_>, both: &[Operand; 2], high: bool) -> LoweringResult<[Operand; 2]> {
    let mut halves = *both;
    for source in &mut halves {
        let register = cx.lowering.new_register(Width::Word);
        let (op, amount) = match high {
            true => {
                (MoveOp::Extract { wide: false, part: PartSize::Half }, &[Operand::Const(16)][..])
            }
            false => (MoveOp::Truncate(PartSize::Half), &[][..]),
        };
        let operands = [&[*source], amount].concat();
        cx.alu(Some(register), &operands, Alu::Move(op))?;
        *source = Operand::Reg(register);
    }
    Ok(halves)
}

/// The comparisons of both halves of packed operands.
fn packed(cx: &mut Cx<'_, '_>, ty: ScalarType) -> LoweringResult<[Operand; 2]> {
    let both = compared(cx, ty)?;
    let one = if ty == F16x2 { F16 } else { Bf16 };
    let mut results = [Operand::Truth(false); 2];
    for (high, result) in results.iter_mut().enumerate() {
        let halves = half_of(cx, &both, high == 1)?;
        let register = cx.lowering.new_register(Width::Predicate);
        emit(cx, Some(register), one, &halves)?;
        *result = combined(cx, Operand::Reg(register), 3)?;
    }
    Ok(results)
}

/// `setp`, with one or two results: the second is the opposite, or the result of the high half.
pub fn setp(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let (p, q) = match cx.operand(0)?.clone() {
        syntax::Operand::Pair(p, q) => (cx.destination(&p, Pred)?, cx.destination(&q, Pred)?),
        operand => (cx.destination(&operand, Pred)?, None),
    };
    if let F16x2 | Bf16x2 = ty {
        let [low, high] = packed(cx, ty)?;
        cx.alu(p, &[low], COPY)?;
        return cx.alu(q, &[high], COPY);
    }
    let both = compared(cx, ty)?;
    if cx.instruction.operands.len() == 3 && q.is_none() {
        return emit(cx, p, ty, &both);
    }
    let result = cx.lowering.new_register(Width::Predicate);
    emit(cx, Some(result), ty, &both)?;
    let first = combined(cx, Operand::Reg(result), 3)?;
    let second = if q.is_some() {
        let opposite = cx.lowering.new_register(Width::Predicate);
        let not = Alu::Logic(LogicOp::Not(Width::Predicate));
        cx.alu(Some(opposite), &[Operand::Reg(result)], not)?;
        Some(combined(cx, Operand::Reg(opposite), 3)?)
    } else {
        None
    };
    cx.alu(p, &[first], COPY)?;
    match second {
        Some(second) => cx.alu(q, &[second], COPY),
        None => Ok(()),
    }
}

/// `set`: a comparison as all ones or 1.0, separately for each half of packed operands.
pub fn set(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let [to, ty] = cx.types()[..] else { return Err(cx.unsupported("two types are expected")) };
    let dst = cx.dst_of(0, to)?;
    if let (F16x2, F16x2) | (Bf16x2, Bf16x2) = (to, ty) {
        let [low, high] = packed(cx, ty)?;
        let one = Operand::Const(if ty == F16x2 { 0x3c00 } else { 0x3f80 });
        return cx.alu(dst, &[low, high, one], Alu::Compare(CompareOp::SelectHalves));
    }
    if let (U32 | S32, F16x2 | Bf16x2) = (to, ty) {
        let [low, high] = packed(cx, ty)?;
        let ones = Operand::Const(u64::from(u16::MAX));
        return cx.alu(dst, &[low, high, ones], Alu::Compare(CompareOp::SelectHalves));
    }
    let both = compared(cx, ty)?;
    let result = cx.lowering.new_register(Width::Predicate);
    emit(cx, Some(result), ty, &both)?;
    let result = combined(cx, Operand::Reg(result), 3)?;
    let truth = match to {
        U32 | S32 => u64::from(u32::MAX),
        U16 | S16 => u64::from(u16::MAX),
        F32 => u64::from(1.0f32.to_bits()),
        F16 => 0x3c00,
        Bf16 => 0x3f80,
        _ => return Err(cx.unsupported("this result type")),
    };
    let operands = [Operand::Const(truth), Operand::Const(0), result];
    cx.alu(dst, &operands, Alu::Compare(CompareOp::Select { wide: false }))
}
