//! `cvt` from and to floats of 8, 6 and 4 bits, and scale factors.

use super::context::Cx;
use super::convert;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::Alu;
use crate::opcode::convert::{ConvertOp, ScaleRounding};
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

/// `cvt` from and to `.ue8m0x2`, scale factors that are powers of two.
fn scales(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["rn", "rz", "rp", "satfinite", "ue8m0x2"])?;
    let named = |m: &&String| ["ue8m0x2", "f32", "bf16x2"].contains(&m.as_str());
    let types: Vec<&str> =
        cx.instruction.modifiers.iter().filter(named).map(String::as_str).collect();
    let rounding = match (cx.has("rz"), cx.has("rp")) {
        (true, false) => Some(ScaleRounding { up: false, finite: cx.has("satfinite") }),
        (false, true) => Some(ScaleRounding { up: true, finite: cx.has("satfinite") }),
        _ => None,
    };
    let (op, dst, src, count) = match (&types[..], rounding) {
        (["ue8m0x2", "f32"], Some(rounding)) => (ConvertOp::SinglesToScales(rounding), B16, F32, 2),
        (["ue8m0x2", "bf16x2"], Some(to)) => (ConvertOp::HalvesToScales(to), B16, B32, 1),
        (["bf16x2", "ue8m0x2"], None) if cx.has("rn") => (ConvertOp::ScalesToHalves, B32, B16, 1),
        _ => return Err(cx.unknown("this pair of types or rounding")),
    };
    cx.operands(count + 1)?;
    let dst = cx.dst_of(0, dst)?;
    let mut sources = Vec::new();
    for i in 1..=count {
        sources.push(cx.src(i, src)?);
    }
    cx.alu(dst, &sources, Alu::Convert(op))
}

/// `cvt`: those of other types are in [`convert`].
pub fn cvt(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has("ue8m0x2") {
        return scales(cx);
    }
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
