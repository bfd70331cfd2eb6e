//! Rules of video instructions: arithmetic on bytes and halves of words, and on words as if they were one bit wider.
//!
//! Each instruction becomes a few steps on 64-bit integers: extract the operands, compute, clamp, merge with the last operand.

use crate::kernel::{Operand, Reg, Width};
use crate::opcode::Alu;
use crate::opcode::convert::ConvertOp;
use crate::opcode::integer::{Integer, IntegerOp};
use crate::opcode::logic::{BitField, MoveOp, Relation, VideoOp};
use crate::rules::context::Cx;
use crate::{LoweringResult, Unsupported};
use lanework_ptx as syntax;
use lanework_ptx::Modifier::{self, *};
use lanework_ptx::Opcode::{
    Vabsdiff, Vabsdiff2, Vabsdiff4, Vadd, Vadd2, Vadd4, Vavrg2, Vavrg4, Vmad, Vmax, Vmax2, Vmax4,
    Vmin, Vmin2, Vmin4, Vset, Vset2, Vset4, Vshl, Vshr, Vsub, Vsub2, Vsub4,
};
use lanework_ptx::ScalarType::*;

/// A range of bits of a word.
#[derive(Clone, Copy)]
struct BitRange {
    shift: u32,
    bits: u32,
}

const WORD: BitRange = BitRange { shift: 0, bits: 32 };

impl BitRange {
    /// As a constant operand, with its sign.
    fn source(self, signed: bool) -> Operand {
        let field = BitField { shift: self.shift, bits: self.bits, signed };
        Operand::Const(u64::from(field.encode()))
    }
}

/// The name of a register and the selector after its dot.
fn selected(operand: &syntax::Operand) -> (syntax::Operand, Option<String>) {
    if let syntax::Operand::Name(name) = operand
        && let Some((register, selector)) = name.split_once('.')
        && name.starts_with('%')
    {
        return (syntax::Operand::Name(register.to_owned()), Some(selector.to_owned()));
    }
    (operand.clone(), None)
}

/// The field that a scalar selector names.
fn field(cx: &Cx<'_, '_>, selector: Option<&str>) -> LoweringResult<BitRange> {
    let Some(selector) = selector else { return Ok(WORD) };
    let place = selector.get(1..).and_then(|n| n.parse::<u32>().ok());
    match (selector.as_bytes().first(), place) {
        (Some(b'b'), Some(n @ 0..4)) => Ok(BitRange { shift: 8 * n, bits: 8 }),
        (Some(b'h'), Some(n @ 0..2)) => Ok(BitRange { shift: 16 * n, bits: 16 }),
        _ => Err(cx.unsupported(&format!("selector `.{selector}`"))),
    }
}

/// Emits a step into a new 64-bit register.
fn wide(cx: &mut Cx<'_, '_>, sources: &[Operand], op: VideoOp) -> LoweringResult<Operand> {
    let register = cx.lowering.new_register(Width::Wide);
    cx.alu(Some(register), sources, Alu::Video(op))?;
    Ok(Operand::Reg(register))
}

/// Operand `i` of a scalar instruction.
fn scalar_operand(cx: &mut Cx<'_, '_>, i: usize, signed: bool) -> LoweringResult<Operand> {
    let (operand, selector) = selected(&cx.operand(i)?.clone());
    let field = field(cx, selector.as_deref())?;
    let source = cx.source(&operand, B32)?;
    wide(cx, &[source, field.source(signed)], VideoOp::Pick { wide: false })
}

/// The step that computes.
fn computed(cx: &Cx<'_, '_>) -> LoweringResult<VideoOp> {
    let wrap = cx.has(Wrap);
    let relation = [Eq, Ne, Lt, Le, Gt, Ge].into_iter().find(|name| cx.has(*name));
    Ok(match (cx.instruction.opcode, relation.and_then(Relation::from_modifier)) {
        (Vadd | Vadd2 | Vadd4, _) => VideoOp::Add,
        (Vsub | Vsub2 | Vsub4, _) => VideoOp::Subtract,
        (Vabsdiff | Vabsdiff2 | Vabsdiff4, _) => VideoOp::AbsoluteDifference,
        (Vmin | Vmin2 | Vmin4, _) => VideoOp::Min,
        (Vmax | Vmax2 | Vmax4, _) => VideoOp::Max,
        (Vavrg2 | Vavrg4, _) => VideoOp::Average,
        (Vshl, _) => VideoOp::ShiftLeft { wrap },
        (Vshr, _) => VideoOp::ShiftRight { wrap },
        (Vset | Vset2 | Vset4, Some(relation)) => VideoOp::Set(relation),
        _ => return Err(cx.unsupported("this operation")),
    })
}

/// Clamps to a field's range if the instruction has `.sat`.
fn clamped(
    cx: &mut Cx<'_, '_>,
    value: Operand,
    bits: u32,
    signed: bool,
) -> LoweringResult<Operand> {
    if !cx.has(Sat) {
        return Ok(value);
    }
    let range = BitRange { shift: 0, bits }.source(signed);
    wide(cx, &[value, range], VideoOp::Clamp)
}

const MODIFIERS: &[Modifier] =
    &[Sat, Add, Min, Max, Clamp, Wrap, Eq, Ne, Lt, Le, Gt, Ge, Shr7, Shr15, Po];

/// The types of the result and of both operands: whether each is signed.
fn signs(cx: &Cx<'_, '_>) -> LoweringResult<[bool; 3]> {
    let types = cx.types();
    if types.iter().any(|ty| !matches!(ty, U32 | S32)) {
        return Err(cx.unsupported("types other than `.u32` and `.s32`"));
    }
    match types[..] {
        // `vset` has no result type: its 0 or 1 is combined with the last operand in the first operand's type.
        [a, b] => Ok([a == S32, a == S32, b == S32]),
        [d, a, b] => Ok([d == S32, a == S32, b == S32]),
        _ => Err(cx.unsupported("three types are expected")),
    }
}

/// The error of forms that an H200 executes differently from the manual.
fn unsettled(cx: &Cx<'_, '_>) -> Unsupported {
    cx.unsupported("GPUs differ from the manual here")
}

/// The rule of scalar video instructions.
pub fn scalar(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.no_sums(3)?;
    cx.allow(MODIFIERS)?;
    let [d_signed, a_signed, b_signed] = signs(cx)?;
    let (destination, selector) = selected(&cx.operand(0)?.clone());
    let into = field(cx, selector.as_deref())?;
    let dst = cx.destination(&destination, B32)?;
    let a = scalar_operand(cx, 1, a_signed)?;
    let b = scalar_operand(cx, 2, b_signed)?;
    if cx.instruction.opcode == Vmad {
        cx.operands(4)?;
        let shifts = cx.has(Sat) || cx.has(Shr7) || cx.has(Shr15);
        if shifts && !(a_signed && b_signed) {
            return Err(unsettled(cx));
        }
        return multiply(cx, dst, [a, b], a_signed || b_signed);
    }
    let opcode = cx.instruction.opcode;
    let extreme = cx.has(Min) || cx.has(Max);
    let clamps = cx.has(Sat) && (!d_signed || into.bits < 32 || opcode == Vshl || extreme);
    if clamps || into.shift > 0 || extreme && opcode != Vset {
        return Err(unsettled(cx));
    }
    let op = computed(cx)?;
    let value = wide(cx, &[a, b], op)?;
    let value = clamped(cx, value, into.bits, d_signed)?;
    if cx.instruction.operands.len() == 3 {
        return cx.alu(dst, &[value], Alu::Convert(ConvertOp::TruncateWide));
    }
    cx.operands(4)?;
    let c = cx.src(3, B32)?;
    let word = if d_signed { Integer::S32 } else { Integer::U32 };
    let op = match (cx.has(Add), cx.has(Min), cx.has(Max)) {
        (true, ..) => IntegerOp::Add(Integer::U32),
        (_, true, _) => IntegerOp::Min(word),
        (_, _, true) => IntegerOp::Max(word),
        _ => {
            let field = into.source(false);
            return cx.alu(dst, &[value, c, field], Alu::Video(VideoOp::Merge));
        }
    };
    cx.alu(dst, &[value, c], Alu::Integer(op))
}

/// `vmad`: a product plus `c`, shifted down and clamped.
fn multiply(
    cx: &mut Cx<'_, '_>,
    dst: Option<Reg>,
    [a, b]: [Operand; 2],
    signed: bool,
) -> LoweringResult {
    let c = cx.src(3, B32)?;
    let c = wide(cx, &[c, WORD.source(signed)], VideoOp::Pick { wide: false })?;
    let sum = wide(cx, &[a, b, c], VideoOp::MultiplyAdd { plus_one: cx.has(Po) })?;
    let shift = match (cx.has(Shr7), cx.has(Shr15)) {
        (true, _) => 7,
        (_, true) => 15,
        _ => 0,
    };
    let down = VideoOp::ScaleDown { signed, saturate: cx.has(Sat) };
    cx.alu(dst, &[sum, Operand::Const(shift)], Alu::Video(down))
}

/// The lanes of a packed selector, lowest first; `least` without a selector.
fn lanes(cx: &Cx<'_, '_>, selector: Option<&str>, least: [u32; 4]) -> LoweringResult<[u32; 4]> {
    let Some(selector) = selector else { return Ok(least) };
    let mut lanes = least;
    let digits: Vec<u32> = selector.chars().skip(1).filter_map(|c| c.to_digit(8)).collect();
    if digits.len() + 1 != selector.len() || digits.len() > 4 {
        return Err(cx.unsupported(&format!("selector `.{selector}`")));
    }
    for (lane, digit) in lanes.iter_mut().zip(digits.iter().rev()) {
        *lane = *digit;
    }
    Ok(lanes)
}

/// The rule of packed video instructions, on two halves or four bytes.
pub fn packed(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.no_sums(usize::MAX)?;
    cx.allow(&[Sat, Add, Eq, Ne, Lt, Le, Gt, Ge])?;
    cx.operands(4)?;
    let [d_signed, a_signed, b_signed] = signs(cx)?;
    let four =
        matches!(cx.instruction.opcode, Vadd4 | Vsub4 | Vavrg4 | Vabsdiff4 | Vmin4 | Vmax4 | Vset4);
    let (count, bits) = if four { (4, 8) } else { (2, 16) };
    let op = computed(cx)?;
    let (destination, mask) = selected(&cx.operand(0)?.clone());
    let written: Vec<u32> = match mask {
        None => (0..count).collect(),
        Some(mask) => mask.chars().skip(1).filter_map(|c| c.to_digit(4)).collect(),
    };
    let dst = cx.destination(&destination, B32)?;
    let (a, a_lanes) = selected(&cx.operand(1)?.clone());
    let (b, b_lanes) = selected(&cx.operand(2)?.clone());
    let a_lanes = lanes(cx, a_lanes.as_deref(), [0, 1, 2, 3])?;
    let second = if four { [4, 5, 6, 7] } else { [2, 3, 0, 0] };
    let b_lanes = lanes(cx, b_lanes.as_deref(), second)?;
    let (a, b) = (cx.source(&a, B32)?, cx.source(&b, B32)?);
    // Selectors count through both words, `a` first.
    let pair = cx.lowering.new_register(Width::Wide);
    let join = MoveOp::Concatenate { wide: true, low: 4 };
    cx.alu(Some(pair), &[a, b], Alu::Move(join))?;
    let both = Operand::Reg(pair);
    let mut result = cx.src(3, B32)?;
    for lane in 0..count {
        if !written.contains(&lane) {
            continue;
        }
        let pick = VideoOp::Pick { wide: true };
        let at = |lane: u32| BitRange { shift: bits * lane, bits };
        let x = wide(cx, &[both, at(a_lanes[lane as usize]).source(a_signed)], pick)?;
        let y = wide(cx, &[both, at(b_lanes[lane as usize]).source(b_signed)], pick)?;
        let value = wide(cx, &[x, y], op)?;
        let value = clamped(cx, value, bits, d_signed)?;
        let next = cx.lowering.new_register(Width::Word);
        if cx.has(Add) {
            let sum = Alu::Integer(IntegerOp::Add(Integer::U32));
            cx.alu(Some(next), &[result, value], sum)?;
        } else {
            let operands = [value, result, at(lane).source(false)];
            cx.alu(Some(next), &operands, Alu::Video(VideoOp::Merge))?;
        }
        result = Operand::Reg(next);
    }
    cx.alu(dst, &[result], Alu::copy(Width::Word))
}
