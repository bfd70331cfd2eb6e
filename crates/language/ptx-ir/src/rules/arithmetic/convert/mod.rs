//! Rules of `cvt`: dispatch by type, packed results, and packed floats of 8, 6 and 4 bits with their scale factors.

mod scalar;

use crate::LoweringResult;
use crate::kernel::{Operand, Width};
use crate::opcode::Alu;
use crate::opcode::convert::{
    ConvertOp, ScaleRounding, SmallFloatDirection, SmallFloatFormat, SmallFloatOp,
};
use crate::opcode::float::Rounding;
use crate::opcode::logic::MoveOp;
use crate::rules::arithmetic::convert::scalar::{Conversion, rounding, to_tf32};
use crate::rules::context::Cx;
use lanework_ptx::Modifier::{self, *};
use lanework_ptx::ScalarType::{self, B8, B16, B32, F32, *};

fn is_integer(ty: ScalarType) -> bool {
    !ty.is_float() && ty != Pred
}

const MODIFIERS: &[Modifier] =
    &[Rn, Rz, Rm, Rp, Rni, Rzi, Rmi, Rpi, Rna, Ftz, Sat, Relu, Satfinite, Tf32];

/// `cvt` between types of 8 bits and more.
fn cvt_scalar(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has(Pack) {
        return pack_integers(cx);
    }
    cx.allow(MODIFIERS)?;
    if cx.has(Tf32) {
        return to_tf32(cx);
    }
    let types = cx.types();
    let [to, from] = types[..] else { return Err(cx.unsupported("two types are expected")) };
    if cx.instruction.operands.len() == 3 {
        return pack_two(cx, to, from);
    }
    cx.operands(2)?;
    if cx.has(Rna) {
        return Err(cx.unsupported("this rounding"));
    }
    let dst = cx.dst_of(0, to)?;
    let conversion = Conversion { dst, source: cx.src(1, from)?, from, to };
    match (is_integer(from), is_integer(to)) {
        (true, true) => conversion.of_integers(cx),
        (true, false) => conversion.to_float(cx),
        (false, true) => conversion.to_integer(cx),
        (false, false) => conversion.of_floats(cx),
    }
}

/// `cvt.rn.f16x2.f32 d, a, b`: `a` in the high half.
fn pack_two(cx: &mut Cx<'_, '_>, to: ScalarType, from: ScalarType) -> LoweringResult {
    let (rounding, _) = rounding(cx).unwrap_or((Rounding::NearestEven, false));
    if from != F32 || !matches!(to, F16x2 | Bf16x2) {
        return Err(cx.unsupported("this packed conversion"));
    }
    let dst = cx.dst_of(0, to)?;
    let (a, b) = (cx.src(1, F32)?, cx.src(2, F32)?);
    if rounding == Rounding::NearestEven && !cx.has(Relu) && !cx.has(Satfinite) {
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
fn pack_integers(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[Pack, Sat, U4, S4, U2, S2])?;
    let Some((low, high, bits)) = cx.instruction.modifiers.get(2).copied().and_then(packable)
    else {
        return Err(cx.unsupported("this type"));
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
fn packable(modifier: Modifier) -> Option<(i32, i32, u32)> {
    let (signed, bits) = match modifier {
        Modifier::U2 => (false, 2),
        Modifier::U4 => (false, 4),
        Type(U8) => (false, 8),
        Type(U16) => (false, 16),
        Modifier::S2 => (true, 2),
        Modifier::S4 => (true, 4),
        Type(S8) => (true, 8),
        Type(S16) => (true, 16),
        _ => return None,
    };
    Some(match signed {
        false => (0, (1 << bits) - 1, bits),
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1, bits),
    })
}

/// The types of pairs, by name.
const FORMATS: &[(Modifier, SmallFloatFormat)] = &[
    (E4m3x2, SmallFloatFormat::E4m3),
    (E5m2x2, SmallFloatFormat::E5m2),
    (E2m3x2, SmallFloatFormat::E2m3),
    (E3m2x2, SmallFloatFormat::E3m2),
    (E2m1x2, SmallFloatFormat::E2m1),
];

/// `cvt` from and to `.ue8m0x2`, scale factors that are powers of two.
fn scales(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[Rn, Rz, Rp, Satfinite, Ue8m0x2])?;
    let named = |m: &Modifier| matches!(m, Ue8m0x2 | Type(F32 | Bf16x2));
    let types: Vec<_> = cx.instruction.modifiers.iter().copied().filter(named).collect();
    let rounding = match (cx.has(Rz), cx.has(Rp)) {
        (true, false) => Some(ScaleRounding { up: false, finite: cx.has(Satfinite) }),
        (false, true) => Some(ScaleRounding { up: true, finite: cx.has(Satfinite) }),
        _ => None,
    };
    let (op, dst, src, count) = match (&types[..], rounding) {
        ([Ue8m0x2, Type(F32)], Some(rounding)) => {
            (ConvertOp::SinglesToScales(rounding), B16, F32, 2)
        }
        ([Ue8m0x2, Type(Bf16x2)], Some(to)) => (ConvertOp::HalvesToScales(to), B16, B32, 1),
        ([Type(Bf16x2), Ue8m0x2], None) if cx.has(Rn) => (ConvertOp::ScalesToHalves, B32, B16, 1),
        _ => return Err(cx.unsupported("this pair of types or rounding")),
    };
    cx.operands(count + 1)?;
    let dst = cx.dst_of(0, dst)?;
    let mut sources = Vec::new();
    for i in 1..=count {
        sources.push(cx.src(i, src)?);
    }
    cx.alu(dst, &sources, Alu::Convert(op))
}

/// `cvt`; `cvt_scalar` handles the other types.
pub fn cvt(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has(Ue8m0x2) {
        return scales(cx);
    }
    let Some(&(name, format)) = FORMATS.iter().find(|(name, _)| cx.has(*name)) else {
        return cvt_scalar(cx);
    };
    cx.allow(&[Rn, Satfinite, Relu, name])?;
    // The target type comes first.
    let modifiers = cx.instruction.modifiers.iter().copied();
    let types: Vec<_> = modifiers.filter(|m| ![Rn, Relu, Satfinite].contains(m)).collect();
    let direction = match types[..] {
        [to, Type(F32)] if to == name => SmallFloatDirection::FromSingles,
        [to, Type(F16x2)] if to == name => SmallFloatDirection::FromHalves,
        [Type(F16x2), from] if from == name => SmallFloatDirection::ToHalves,
        _ => return Err(cx.unsupported("this pair of types")),
    };
    let widens = direction == SmallFloatDirection::ToHalves;
    if !cx.has(Rn) || cx.has(Satfinite) == widens {
        return Err(cx.unsupported("conversions to 8 bits need `.rn.satfinite`, from 8 bits `.rn`"));
    }
    let pair = if format == SmallFloatFormat::E2m1 { B8 } else { B16 };
    let (ty, count) = match direction {
        SmallFloatDirection::FromSingles => (F32, 2),
        SmallFloatDirection::FromHalves => (B32, 1),
        SmallFloatDirection::ToHalves => (pair, 1),
    };
    cx.operands(count + 1)?;
    let dst = cx.dst_of(0, if widens { B32 } else { pair })?;
    let mut src = Vec::new();
    for i in 1..=count {
        src.push(cx.src(i, ty)?);
    }
    cx.alu(dst, &src, Alu::SmallFloat(SmallFloatOp { format, direction, relu: cx.has(Relu) }))
}
