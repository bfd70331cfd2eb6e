//! `cvt` from and to floats of 8, 6 and 4 bits.

use super::context::Cx;
use super::convert;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::Alu;
use crate::opcode::eight::{EightDirection as Direction, EightFormat as Format, EightOp};
use lanework_ptx::ScalarType::{B8, B16, B32, F32};

/// The types of pairs, by name.
const FORMATS: &[(&str, Format)] = &[
    ("e4m3x2", Format::E4m3),
    ("e5m2x2", Format::E5m2),
    ("e2m3x2", Format::E2m3),
    ("e3m2x2", Format::E3m2),
    ("e2m1x2", Format::E2m1),
];

/// `cvt`: those of other types are in [`convert`].
pub fn cvt(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let Some(&(name, format)) = FORMATS.iter().find(|(name, _)| cx.has(name)) else {
        return convert::cvt(cx);
    };
    cx.allow(&["rn", "satfinite", "relu", name])?;
    // The type converted to stands first.
    let types: Vec<&str> = cx.instruction.modifiers.iter().map(String::as_str).collect();
    let types: Vec<&str> =
        types.into_iter().filter(|m| !["rn", "relu", "satfinite"].contains(m)).collect();
    let direction = match types[..] {
        [to, "f32"] if to == name => Direction::FromSingles,
        [to, "f16x2"] if to == name => Direction::FromHalves,
        ["f16x2", from] if from == name => Direction::ToHalves,
        _ => return Err(cx.unknown("this pair of types")),
    };
    let widens = direction == Direction::ToHalves;
    if !cx.has("rn") || cx.has("satfinite") == widens {
        return Err(cx.unknown("numbers go to 8 bits with `.rn.satfinite`, from them with `.rn`"));
    }
    let pair = if format == Format::E2m1 { B8 } else { B16 };
    let (ty, count) = match direction {
        Direction::FromSingles => (F32, 2),
        Direction::FromHalves => (B32, 1),
        Direction::ToHalves => (pair, 1),
    };
    cx.operands(count + 1)?;
    let dst = cx.dst_of(0, if widens { B32 } else { pair })?;
    let mut src = Vec::new();
    for i in 1..=count {
        src.push(cx.src(i, ty)?);
    }
    cx.alu(dst, &src, Alu::Eight(EightOp { format, direction, relu: cx.has("relu") }))
}
