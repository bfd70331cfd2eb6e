//! `cvt` from and to floats of 8 bits.

use super::context::Cx;
use super::convert;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::Alu;
use crate::opcode::eight::{EightDirection as Direction, EightFormat as Format, EightOp};
use lanework_ptx::ScalarType::{B16, B32, F32};

/// `cvt`: those of other types are in [`convert`].
pub fn cvt(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let format = match (cx.has("e4m3x2"), cx.has("e5m2x2")) {
        (true, false) => Format::E4m3,
        (false, true) => Format::E5m2,
        _ => return convert::cvt(cx),
    };
    cx.allow(&["rn", "satfinite", "relu", "e4m3x2", "e5m2x2"])?;
    // The type converted to stands first.
    let types: Vec<&str> = cx.instruction.modifiers.iter().map(String::as_str).collect();
    let types: Vec<&str> =
        types.into_iter().filter(|m| !["rn", "relu", "satfinite"].contains(m)).collect();
    let direction = match types[..] {
        ["e4m3x2" | "e5m2x2", "f32"] => Direction::FromSingles,
        ["e4m3x2" | "e5m2x2", "f16x2"] => Direction::FromHalves,
        ["f16x2", "e4m3x2" | "e5m2x2"] => Direction::ToHalves,
        _ => return Err(cx.unknown("this pair of types")),
    };
    let widens = direction == Direction::ToHalves;
    if !cx.has("rn") || cx.has("satfinite") == widens {
        return Err(cx.unknown("numbers go to 8 bits with `.rn.satfinite`, from them with `.rn`"));
    }
    let (ty, count) = match direction {
        Direction::FromSingles => (F32, 2),
        Direction::FromHalves => (B32, 1),
        Direction::ToHalves => (B16, 1),
    };
    cx.operands(count + 1)?;
    let dst = cx.dst_of(0, if widens { B32 } else { B16 })?;
    let mut src = Vec::new();
    for i in 1..=count {
        src.push(cx.src(i, ty)?);
    }
    cx.alu(dst, &src, Alu::Eight(EightOp { format, direction, relu: cx.has("relu") }))
}
