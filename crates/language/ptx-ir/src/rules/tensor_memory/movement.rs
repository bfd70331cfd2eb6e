//! `tcgen05.ld` and `.st`.

use super::operands::{emit, tensor_address};
use crate::kernel::*;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::tensor_memory::*;
use crate::rules::access::elements;
use crate::rules::context::Cx;
use lanework_ptx::ScalarType::*;

/// The shapes of `ld` and `st`.
const SHAPES: &[(&str, MovementShape)] = &[
    ("32x32b", MovementShape::Lanes32Bits32),
    ("16x64b", MovementShape::Lanes16Bits64),
    ("16x128b", MovementShape::Lanes16Bits128),
    ("16x256b", MovementShape::Lanes16Bits256),
    ("16x32bx2", MovementShape::Lanes16Bits32Twice(0)),
];

const REPEATS: &[&str] = &["x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"];

/// What `ld` or `st` moves; `split` is the operand with the distance of the two halves.
fn movement(cx: &mut Cx<'_, '_>, packed: &str, split: usize) -> LoweringResult<Movement> {
    let names: Vec<&str> = SHAPES.iter().map(|(name, _)| *name).collect();
    let words = ["ld", "st", "red", "min", "max", "abs", "NaN", "sync", "aligned", packed];
    cx.allow(&[&words, &names[..], REPEATS].concat())?;
    let shape = SHAPES.iter().find(|(name, _)| cx.has(name));
    let (_, mut shape) = *shape.ok_or_else(|| cx.unknown("a shape is missing"))?;
    let repeat = REPEATS.iter().position(|name| cx.has(name));
    let repeat = 1 << repeat.ok_or_else(|| cx.unknown("a number of steps is missing"))?;
    if shape.registers() * repeat > 128 {
        return Err(cx.unknown("more than 128 registers"));
    }
    if let MovementShape::Lanes16Bits32Twice(distance) = &mut shape {
        let Operand::Const(columns) = cx.src(split, S32)? else {
            return Err(cx.unknown("the distance of the two halves is not a literal"));
        };
        *distance = columns as i32;
    }
    Ok(Movement { shape, repeat, packed: cx.has(packed), reduction: None })
}

/// What `ld.red` combines.
fn reduction(cx: &Cx<'_, '_>, this: &Movement) -> LoweringResult<LoadReduction> {
    let number = match cx.ty()? {
        F32 => ReducedNumber::F32,
        U32 => ReducedNumber::U32,
        S32 => ReducedNumber::S32,
        _ => return Err(cx.unknown("this type")),
    };
    let (abs, nan) = (cx.has("abs"), cx.has("NaN"));
    if (abs || nan) && number != ReducedNumber::F32 {
        return Err(cx.unknown("`.abs` and `.NaN` are for floats"));
    }
    // Which columns count where two threads share a lane, the manual does not say.
    if this.shape != MovementShape::Lanes32Bits32 || this.repeat < 2 || this.packed {
        return Err(cx.unknown("a reduction of another shape than `.32x32b`, from `.x2` on"));
    }
    let max = match (cx.has("min"), cx.has("max")) {
        (true, false) => false,
        (false, true) => true,
        _ => return Err(cx.unknown("`.min` or `.max` is missing")),
    };
    Ok(LoadReduction { max, number, abs, nan })
}

/// `ld`.
pub(super) fn load(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let reduces = cx.has("red");
    let address = if reduces { 2 } else { 1 };
    let mut this = movement(cx, "pack::16b", address + 1)?;
    let halves = matches!(this.shape, MovementShape::Lanes16Bits32Twice(_));
    cx.operands(address + 1 + usize::from(halves))?;
    let mut dst = Vec::new();
    for operand in elements(cx, 0, (this.shape.registers() * this.repeat) as u8)? {
        dst.push(cx.destination(&operand, B32)?);
    }
    if reduces {
        this.reduction = Some(reduction(cx, &this)?);
        dst.push(cx.dst_of(1, B32)?);
    } else if cx.ty()? != B32 {
        return Err(cx.unknown("a type other than `.b32`"));
    }
    let src = vec![tensor_address(cx, address)?];
    emit(cx, TmemOp::Load(this), dst, src)
}

/// `st`.
pub(super) fn store(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let this = movement(cx, "unpack::16b", 1)?;
    if cx.ty()? != B32 || ["red", "min", "max", "abs", "NaN"].iter().any(|word| cx.has(word)) {
        return Err(cx.unknown("a store of `.b32` is expected"));
    }
    let values = 1 + usize::from(matches!(this.shape, MovementShape::Lanes16Bits32Twice(_)));
    cx.operands(values + 1)?;
    let mut src = vec![tensor_address(cx, 0)?];
    for operand in elements(cx, values, (this.shape.registers() * this.repeat) as u8)? {
        src.push(cx.source(&operand, B32)?);
    }
    emit(cx, TmemOp::Store(this), Vec::new(), src)
}
