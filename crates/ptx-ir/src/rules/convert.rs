//! `cvt`: between integers, to and from floats, and packed; [`super::eight`] has floats of 8 bits.

use super::context::Cx;
use crate::kernel::{Operand, Reg, Width};
use crate::lower::state::width_of;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::Alu;
use crate::opcode::convert::{ConvertOp, NarrowInteger, Tf32Clamp, Tf32Rounding, WidenFrom};
use crate::opcode::double::DoubleOp;
use crate::opcode::float::{FloatType, Rounding};
use crate::opcode::half::{F16Function, HalfFunction, HalfOp, HalfType};
use crate::opcode::integer::Integer;
use crate::opcode::moves::MoveOp;
use crate::opcode::single::SingleOp;
use lanework_ptx::ScalarType::{self, *};

/// The rounding of the instruction, and whether it is to an integral number.
fn rounding(cx: &Cx<'_, '_>) -> Option<(Rounding, bool)> {
    let table = [
        ("rn", Rounding::NearestEven, false),
        ("rz", Rounding::Zero, false),
        ("rm", Rounding::Down, false),
        ("rp", Rounding::Up, false),
        ("rni", Rounding::NearestEven, true),
        ("rzi", Rounding::Zero, true),
        ("rmi", Rounding::Down, true),
        ("rpi", Rounding::Up, true),
    ];
    table.iter().find(|(name, ..)| cx.has(name)).map(|(_, round, integral)| (*round, *integral))
}

fn is_integer(ty: ScalarType) -> bool {
    !ty.is_float() && ty != Pred
}

const MODIFIERS: &[&str] = &[
    "rn",
    "rz",
    "rm",
    "rp",
    "rni",
    "rzi",
    "rmi",
    "rpi",
    "rna",
    "ftz",
    "sat",
    "relu",
    "satfinite",
    "tf32",
];

/// `cvt`.
pub fn cvt(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has("pack") {
        return pack_integers(cx);
    }
    cx.allow(MODIFIERS)?;
    if cx.has("tf32") {
        return to_tf32(cx);
    }
    let types = cx.types();
    let [to, from] = types[..] else { return Err(cx.unknown("two types are expected")) };
    if cx.instruction.operands.len() == 3 {
        return pack_two(cx, to, from);
    }
    cx.operands(2)?;
    if cx.has("rna") {
        return Err(cx.unknown("this rounding"));
    }
    let dst = cx.dst_of(0, to)?;
    let a = cx.src(1, from)?;
    match (is_integer(from), is_integer(to)) {
        (true, true) => integers(cx, dst, a, from, to),
        (true, false) => to_float(cx, dst, a, from, to),
        (false, true) => to_integer(cx, dst, a, from, to),
        (false, false) => floats(cx, dst, a, from, to),
    }
}

/// Emits a conversion into a 64-bit register of its own.
fn through_wide(cx: &mut Cx<'_, '_>, a: Operand, op: Alu) -> LoweringResult<Operand> {
    let register = cx.lowering.new_register(Width::Wide);
    cx.alu(Some(register), &[a], op)?;
    Ok(Operand::Reg(register))
}

/// Any integer as a signed 64-bit one; a `u64` keeps its bits.
fn extend(cx: &Cx<'_, '_>, from: ScalarType) -> LoweringResult<Alu> {
    match Integer::of(from) {
        Some(Integer::S64 | Integer::U64) => Ok(Alu::copy(Width::Wide)),
        Some(from) => Ok(Alu::Convert(ConvertOp::ExtendToWide(from))),
        None => Err(cx.unknown("this type")),
    }
}

fn integers(
    cx: &mut Cx<'_, '_>,
    dst: Option<Reg>,
    a: Operand,
    from: ScalarType,
    to: ScalarType,
) -> LoweringResult {
    if cx.has("sat") {
        return saturated(cx, dst, a, from, to);
    }
    if from.size() == 4 && to.size() == 4 {
        return cx.alu(dst, &[a], Alu::copy(Width::Word));
    }
    if to.size() == 8 {
        let op = extend(cx, from)?;
        return cx.alu(dst, &[a], op);
    }
    if from.size() == 8 && to.size() == 4 {
        return cx.alu(dst, &[a], Alu::Convert(ConvertOp::TruncateWide));
    }
    // What is left has at most 32 bits on one side: the narrower of the two types decides.
    let narrower = if to.size() <= from.size() { to } else { from };
    let op = match narrower {
        // Extended by its sign, but no further than the result.
        S8 if to == U16 => ConvertOp::ExtendToHalf,
        U8 | B8 => ConvertOp::ExtendToWord(NarrowInteger::U8),
        S8 => ConvertOp::ExtendToWord(NarrowInteger::S8),
        U16 | B16 => ConvertOp::ExtendToWord(NarrowInteger::U16),
        S16 => ConvertOp::ExtendToWord(NarrowInteger::S16),
        _ => return Err(cx.unknown("this type")),
    };
    cx.alu(dst, &[a], Alu::Convert(op))
}

fn saturated(
    cx: &mut Cx<'_, '_>,
    dst: Option<Reg>,
    a: Operand,
    from: ScalarType,
    to: ScalarType,
) -> LoweringResult {
    let wide = if matches!(from, U64 | B64) {
        if to.size() == 8 && to != S64 {
            return cx.alu(dst, &[a], Alu::copy(Width::Wide));
        }
        through_wide(cx, a, Alu::Convert(ConvertOp::ClampUnsigned))?
    } else {
        let op = extend(cx, from)?;
        through_wide(cx, a, op)?
    };
    let op = match Integer::of(to) {
        None | Some(Integer::S64) => Alu::copy(Width::Wide),
        Some(to) => Alu::Convert(ConvertOp::Clamp(to)),
    };
    cx.alu(dst, &[wide], op)
}

fn to_float(
    cx: &mut Cx<'_, '_>,
    dst: Option<Reg>,
    a: Operand,
    from: ScalarType,
    to: ScalarType,
) -> LoweringResult {
    let (rounding, _) = rounding(cx).unwrap_or((Rounding::NearestEven, false));
    let direct = match (from, to, rounding) {
        (S32 | U32, F32, Rounding::NearestEven) | (S32 | U32, F64, _) => !cx.has("sat"),
        _ => false,
    };
    if direct {
        let op = ConvertOp::WordToFloat { signed: from == S32, double: to == F64 };
        return cx.alu(dst, &[a], Alu::Convert(op));
    }
    let op = extend(cx, from)?;
    let wide = through_wide(cx, a, op)?;
    let Some(float) = FloatType::of(to) else {
        return Err(cx.unknown("this type or rounding"));
    };
    let signed = !matches!(from, U64 | B64);
    convert_and_adjust(cx, dst, wide, to, ConvertOp::WideToFloat { signed, to: float, rounding })
}

/// Emits a conversion to a float, and after it the steps of `.ftz`, `.sat`, `.relu` and `.satfinite`.
fn convert_and_adjust(
    cx: &mut Cx<'_, '_>,
    dst: Option<Reg>,
    a: Operand,
    to: ScalarType,
    conversion: ConvertOp,
) -> LoweringResult {
    let copies = matches!(
        conversion,
        ConvertOp::Float { from: FloatType::F32, to: FloatType::F32, .. }
            | ConvertOp::Float { from: FloatType::F64, to: FloatType::F64, .. }
    );
    let mut last = if copies { super::mov::copy(to) } else { Alu::Convert(conversion) };
    let mut then = Vec::new();
    if cx.has("ftz") && to == F32 {
        then.push(Alu::Single(SingleOp::Flush));
    }
    match (to, cx.has("sat"), cx.has("relu")) {
        (_, false, false) => {}
        (F32, true, _) => then.push(Alu::Single(SingleOp::Saturate)),
        (F64, true, _) => then.push(Alu::Double(DoubleOp::Saturate)),
        (F16, true, _) => {
            let function = F16Function::Saturate;
            then.push(Alu::Half(HalfOp::F16 { function, packed: false }));
        }
        (F16, _, true) => then.push(Alu::Half(HalfOp::Any(HalfFunction::Relu, HalfType::F16))),
        (Bf16, _, true) => then.push(Alu::Half(HalfOp::Any(HalfFunction::Relu, HalfType::Bf16))),
        _ => return Err(cx.unknown("`.sat` or `.relu` of this type")),
    }
    if cx.has("satfinite") {
        match to {
            F16 | Bf16 => then.push(Alu::Convert(ConvertOp::Finite { bf16: to == Bf16 })),
            _ => return Err(cx.unknown("`.satfinite` of this type")),
        }
    }
    let mut source = a;
    for next in then {
        let register = cx.lowering.new_register(width_of(to)?);
        cx.alu(Some(register), &[source], last)?;
        (source, last) = (Operand::Reg(register), next);
    }
    cx.alu(dst, &[source], last)
}

/// Out-of-range values clamp with or without `.sat`. NaN gives 0, but where 64 bits are on either side
/// the lowest integer's bits.
fn to_integer(
    cx: &mut Cx<'_, '_>,
    dst: Option<Reg>,
    a: Operand,
    from: ScalarType,
    to: ScalarType,
) -> LoweringResult {
    let Some((rounding, true)) = rounding(cx) else {
        return Err(cx.unknown("an integer rounding is missing"));
    };
    if let (F32, S32 | U32, Rounding::Zero) = (from, to, rounding) {
        let op = ConvertOp::SingleToWord { signed: to == S32 };
        return cx.alu(dst, &[a], Alu::Convert(op));
    }
    let widen = match from {
        F32 => Some(WidenFrom::Single { ftz: cx.has("ftz") }),
        F16 => Some(WidenFrom::Half),
        Bf16 => Some(WidenFrom::Bf16),
        F64 => None,
        _ => return Err(cx.unknown("this type")),
    };
    let wide = match widen {
        Some(from) => through_wide(cx, a, Alu::Convert(ConvertOp::Widen(from)))?,
        None => a,
    };
    let rounded = through_wide(cx, wide, Alu::Convert(ConvertOp::RoundDouble(rounding)))?;
    let Some(to) = Integer::of(to) else { return Err(cx.unknown("this type")) };
    let op = ConvertOp::DoubleToInteger { to, nan_is_lowest: from == F64 };
    cx.alu(dst, &[rounded], Alu::Convert(op))
}

fn floats(
    cx: &mut Cx<'_, '_>,
    dst: Option<Reg>,
    a: Operand,
    from: ScalarType,
    to: ScalarType,
) -> LoweringResult {
    let (rounding, integral) = rounding(cx).unwrap_or((Rounding::NearestEven, false));
    // `.ftz` goes through an addition, which also makes NaN its own; on the way to f16 it does nothing.
    let a = if cx.has("ftz") && from == F32 && to != F16 {
        let register = cx.lowering.new_register(Width::Word);
        cx.alu(Some(register), &[a], Alu::Convert(ConvertOp::FlushSingle))?;
        Operand::Reg(register)
    } else {
        a
    };
    let (Some(of), Some(into)) = (FloatType::of(from), FloatType::of(to)) else {
        return Err(cx.unknown("this pair of types or rounding"));
    };
    if integral && from == to {
        let widen = match from {
            F16 => WidenFrom::Half,
            Bf16 => WidenFrom::Bf16,
            F32 => return convert_and_adjust(cx, dst, a, to, ConvertOp::RoundSingle(rounding)),
            _ => return convert_and_adjust(cx, dst, a, to, ConvertOp::RoundDouble(rounding)),
        };
        let wide = through_wide(cx, a, Alu::Convert(ConvertOp::Widen(widen)))?;
        let rounded = through_wide(cx, wide, Alu::Convert(ConvertOp::RoundDouble(rounding)))?;
        return convert_and_adjust(
            cx,
            dst,
            rounded,
            to,
            ConvertOp::DoubleToHalf { bf16: to == Bf16 },
        );
    }
    convert_and_adjust(cx, dst, a, to, ConvertOp::Float { from: of, to: into, rounding })
}

/// `cvt.rna.tf32.f32` and its kin: 19 bits at the top of a word.
fn to_tf32(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(2)?;
    let to = match rounding(cx) {
        Some((Rounding::NearestEven, false)) => Tf32Rounding::NearestEven,
        Some((Rounding::Zero, false)) => Tf32Rounding::Zero,
        None if cx.has("rna") => Tf32Rounding::NearestAway,
        _ => return Err(cx.unknown("this rounding")),
    };
    let dst = cx.dst_of(0, B32)?;
    let a = cx.src(1, F32)?;
    let clamp = match (cx.has("relu"), cx.has("satfinite")) {
        (false, false) => return cx.alu(dst, &[a], Alu::Convert(ConvertOp::ToTf32(to))),
        (true, false) => Tf32Clamp::Relu,
        (false, true) => Tf32Clamp::Finite,
        (true, true) => Tf32Clamp::ReluFinite,
    };
    let first = cx.lowering.new_register(Width::Word);
    cx.alu(Some(first), &[a], Alu::Convert(ConvertOp::ToTf32(to)))?;
    cx.alu(dst, &[Operand::Reg(first)], Alu::Convert(ConvertOp::ClampTf32(clamp)))
}

/// `cvt.rn.f16x2.f32 d, a, b`: `a` in the high half.
fn pack_two(cx: &mut Cx<'_, '_>, to: ScalarType, from: ScalarType) -> LoweringResult {
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
    floats(cx, Some(high), a, F32, one)?;
    floats(cx, Some(low), b, F32, one)?;
    let join = MoveOp::Concatenate { wide: false, low: 2 };
    cx.alu(dst, &[Operand::Reg(low), Operand::Reg(high)], Alu::Move(join))
}

/// `cvt.pack.sat`: two integers clamped and put side by side, above what `c` holds.
fn pack_integers(cx: &mut Cx<'_, '_>) -> LoweringResult {
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
