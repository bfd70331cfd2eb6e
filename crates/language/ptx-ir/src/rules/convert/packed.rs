//! `cvt` of two values into one register.

use super::conversion::Conversion;
use super::float::rounding;
use crate::kernel::{Operand, Width};
use crate::lower::unsupported::LoweringResult;
use crate::opcode::Alu;
use crate::opcode::convert::ConvertOp;
use crate::opcode::float::Rounding;
use crate::opcode::moves::MoveOp;
use crate::rules::context::Cx;
use lanework_ptx::ScalarType::{self, *};

/// `cvt.rn.f16x2.f32 d, a, b`: `a` in the high half.
pub(super) fn pack_two(cx: &mut Cx<'_, '_>, to: ScalarType, from: ScalarType) -> LoweringResult {
    let (rounding, _) = rounding(cx).unwrap_or((Rounding::NearestEven, false));
    if from != F32 || !matches!(to, F16x2 | Bf16x2) {
        return Err(cx.unknown("this packed conversion"));
    }
    let dst = cx.dst_of(0, to)?;
    let (a, b) = (cx.src(1, F32)?, cx.src(2, F32)?);
    if rounding == Rounding::NearestEven && !cx.has("relu") && !cx.has("satfinite") {
        let op = ConvertOp::SinglesToHalves { bf16: to == Bf16x2 };
        return cx.alu(dst, &[a, b], Alu::Convert(op));
    }
    let one = if to == F16x2 { F16 } else { Bf16 };
    let (high, low) =
        (cx.lowering.new_register(Width::Word), cx.lowering.new_register(Width::Word));
    for (register, source) in [(high, a), (low, b)] {
        Conversion { dst: Some(register), source, from: F32, to: one }.of_floats(cx)?;
    }
    let join = MoveOp::Concatenate { wide: false, low: 2 };
    cx.alu(dst, &[Operand::Reg(low), Operand::Reg(high)], Alu::Move(join))
}

/// `cvt.pack.sat`: two integers clamped and put side by side, above what `c` holds.
pub(super) fn pack_integers(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["pack", "sat", "u4", "s4", "u2", "s2"])?;
    let name = cx.instruction.modifiers.get(2).cloned().unwrap_or_default();
    let Some((low, high, bits)) = packable(&name) else {
        return Err(cx.unknown("this type"));
    };
    let dst = cx.dst_of(0, B32)?;
    let (a, b) = (cx.src(1, B32)?, cx.src(2, B32)?);
    let limits = Operand::Const(u64::from(low as u32) | u64::from(high as u32) << 32);
    let mut clamped = Vec::new();
    for source in [a, b] {
        let register = cx.lowering.new_register(Width::Word);
        cx.alu(Some(register), &[source, limits], Alu::Convert(ConvertOp::PackClamp))?;
        clamped.push(Operand::Reg(register));
    }
    let bits = Operand::Const(u64::from(bits));
    let both = cx.lowering.new_register(Width::Word);
    let third = cx.instruction.operands.len() == 4;
    let pair = Alu::Convert(ConvertOp::PackPair);
    cx.alu(if third { Some(both) } else { dst }, &[clamped[0], clamped[1], bits], pair)?;
    if !third {
        return cx.operands(3);
    }
    let c = cx.src(3, B32)?;
    cx.alu(dst, &[Operand::Reg(both), c, bits], Alu::Convert(ConvertOp::PackAbove))
}

/// The lowest and highest value of a type, and its bits.
fn packable(name: &str) -> Option<(i32, i32, u32)> {
    let bits: u32 = name.get(1..)?.parse().ok()?;
    match name.as_bytes()[0] {
        b'u' => Some((0, (1 << bits) - 1, bits)),
        b's' => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1, bits)),
        _ => None,
    }
    .filter(|(.., bits)| matches!(bits, 2 | 4 | 8 | 16))
}
