//! `cvt`: between integers, to and from floats, and packed.

use super::context::Cx;
use crate::engine::alu::affine::widened;
use crate::engine::alu::macros::with_affine;
use crate::engine::lanes::Scalar;
use crate::engine::number::soft::{self, Round};
use crate::engine::number::{double, narrow, narrow as packed, single as float};
use crate::engine::pure::{Affine, Pure, affine, hot1, pure1, pure2, pure3, warm1};
use crate::ir::kernel::{Src, Width};
use crate::ir::lower::unsupported::Rule;
use half::{bf16, f16};
use lanework_ptx::ScalarType::{self, *};

const COPY: Affine = affine(&|a: Scalar, _: Scalar, _: Scalar| Some(a), always);

fn always(_: &[crate::ir::types::Class]) -> bool {
    true
}

fn copy(ty: ScalarType) -> &'static Pure {
    crate::engine::alu::handlers(super::mov::copy(ty))
}

const WIDEN_S: Affine = affine(&|a: Scalar, _: Scalar, _: Scalar| widened(a, true), always);
const WIDEN_U: Affine = affine(&|a: Scalar, _: Scalar, _: Scalar| widened(a, false), always);

fn rounding(cx: &Cx<'_, '_>) -> Option<(Round, bool)> {
    let table = [
        ("rn", Round::Even, false),
        ("rz", Round::Zero, false),
        ("rm", Round::Down, false),
        ("rp", Round::Up, false),
        ("rna", Round::Away, false),
        ("rni", Round::Even, true),
        ("rzi", Round::Zero, true),
        ("rmi", Round::Down, true),
        ("rpi", Round::Up, true),
    ];
    table.iter().find(|(name, ..)| cx.has(name)).map(|(_, round, integer)| (*round, *integer))
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
pub fn cvt(cx: &mut Cx<'_, '_>) -> Rule {
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

/// Emits `pure` into a 64-bit register of its own.
fn through_wide(cx: &mut Cx<'_, '_>, a: Src, pure: &'static Pure) -> Rule<Src> {
    let register = cx.lowering.new_register(Width::Wide);
    cx.pure(Some(register), &[a], pure)?;
    Ok(Src::Reg(register))
}

/// Any integer as a signed 64-bit one; a `u64` keeps its bits.
fn extended(cx: &Cx<'_, '_>, from: ScalarType) -> Rule<&'static Pure> {
    Ok(match from {
        U8 | B8 => pure1(|a: u8| i64::from(a)),
        U16 | B16 => pure1(|a: u16| i64::from(a)),
        U32 | B32 => with_affine!(hot1(|a: u32| i64::from(a)), WIDEN_U),
        S8 => pure1(|a: i8| i64::from(a)),
        S16 => pure1(|a: i16| i64::from(a)),
        S32 => with_affine!(hot1(|a: i32| i64::from(a)), WIDEN_S),
        S64 | U64 | B64 => copy(U64),
        _ => return Err(cx.unknown("this type")),
    })
}

fn integers(
    cx: &mut Cx<'_, '_>,
    dst: Option<u32>,
    a: Src,
    from: ScalarType,
    to: ScalarType,
) -> Rule {
    if cx.has("sat") {
        return saturated(cx, dst, a, from, to);
    }
    if from.size() == 4 && to.size() == 4 {
        return cx.pure(dst, &[a], copy(U32));
    }
    if to.size() == 8 {
        let pure = extended(cx, from)?;
        return cx.pure(dst, &[a], pure);
    }
    if from.size() == 8 && to.size() == 4 {
        return cx.pure(dst, &[a], with_affine!(hot1(|a: u64| a as u32), COPY));
    }
    // What is left has at most 32 bits on one side: the narrower of the two types decides.
    let narrower = if to.size() <= from.size() { to } else { from };
    let pure = match narrower {
        // Extended by its sign, but no further than the result.
        S8 if to == U16 => pure1(|a: i8| a as u16),
        U8 | B8 => pure1(|a: u8| u32::from(a)),
        S8 => pure1(|a: i8| i32::from(a)),
        U16 | B16 => pure1(|a: u16| u32::from(a)),
        S16 => pure1(|a: i16| i32::from(a)),
        _ => return Err(cx.unknown("this type")),
    };
    cx.pure(dst, &[a], pure)
}

fn saturated(
    cx: &mut Cx<'_, '_>,
    dst: Option<u32>,
    a: Src,
    from: ScalarType,
    to: ScalarType,
) -> Rule {
    let wide = if matches!(from, U64 | B64) {
        if to.size() == 8 && to != S64 {
            return cx.pure(dst, &[a], copy(U64));
        }
        through_wide(cx, a, pure1(|a: u64| a.min(i64::MAX as u64)))?
    } else {
        let pure = extended(cx, from)?;
        through_wide(cx, a, pure)?
    };
    let pure = match to {
        U8 | B8 => pure1(|a: i64| a.clamp(0, 0xff) as u8),
        U16 | B16 => pure1(|a: i64| a.clamp(0, 0xffff) as u16),
        U32 | B32 => pure1(|a: i64| a.clamp(0, 0xffff_ffff) as u32),
        U64 | B64 => pure1(|a: i64| a.max(0)),
        S8 => pure1(|a: i64| a.clamp(-0x80, 0x7f) as i8),
        S16 => pure1(|a: i64| a.clamp(-0x8000, 0x7fff) as i16),
        S32 => pure1(|a: i64| a.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32),
        _ => copy(U64),
    };
    cx.pure(dst, &[wide], pure)
}

/// The rows of a conversion in the four directions.
macro_rules! rounded {
    ($round:expr, |$direction:ident| $make:expr) => {
        match $round {
            Round::Zero => {
                const $direction: Round = Round::Zero;
                $make
            }
            Round::Down => {
                const $direction: Round = Round::Down;
                $make
            }
            Round::Up => {
                const $direction: Round = Round::Up;
                $make
            }
            _ => {
                const $direction: Round = Round::Even;
                $make
            }
        }
    };
}

fn signed(a: i64) -> soft::Number {
    soft::integer(a < 0, a.unsigned_abs())
}

fn bits16(format: soft::Format, number: soft::Number, round: Round) -> u16 {
    format.round(number, round).map_or(narrow::NAN16, |bits| bits as u16)
}

fn bits32(number: soft::Number, round: Round) -> u32 {
    soft::F32.round(number, round).map_or(float::NAN32, |bits| bits as u32)
}

/// An integer's bits never are NaN.
fn bits64(number: soft::Number, round: Round) -> u64 {
    soft::F64.round(number, round).unwrap_or(0)
}

fn to_float(
    cx: &mut Cx<'_, '_>,
    dst: Option<u32>,
    a: Src,
    from: ScalarType,
    to: ScalarType,
) -> Rule {
    let (round, _) = rounding(cx).unwrap_or((Round::Even, false));
    if !cx.has("sat") {
        match (from, to, round) {
            (S32, F32, Round::Even) => return cx.pure(dst, &[a], hot1(|a: i32| a as f32)),
            (U32, F32, Round::Even) => return cx.pure(dst, &[a], hot1(|a: u32| a as f32)),
            (S32, F64, _) => return cx.pure(dst, &[a], pure1(|a: i32| f64::from(a))),
            (U32, F64, _) => return cx.pure(dst, &[a], pure1(|a: u32| f64::from(a))),
            _ => {}
        }
    }
    let unsigned = matches!(from, U64 | B64);
    let pure = extended(cx, from)?;
    let wide = through_wide(cx, a, pure)?;
    let pure = match (to, unsigned) {
        (F32, false) if round == Round::Even => pure1(|a: i64| a as f32),
        (F32, true) if round == Round::Even => pure1(|a: u64| a as f32),
        (F32, false) => rounded!(round, |R| pure1(|a: i64| bits32(signed(a), R))),
        (F32, true) => rounded!(round, |R| pure1(|a: u64| bits32(soft::integer(false, a), R))),
        (F64, false) => rounded!(round, |R| pure1(|a: i64| bits64(signed(a), R))),
        (F64, true) => rounded!(round, |R| pure1(|a: u64| bits64(soft::integer(false, a), R))),
        (F16, false) => rounded!(round, |R| pure1(|a: i64| bits16(soft::F16, signed(a), R))),
        (F16, true) => {
            rounded!(round, |R| pure1(|a: u64| bits16(soft::F16, soft::integer(false, a), R)))
        }
        (Bf16, false) => rounded!(round, |R| pure1(|a: i64| bits16(soft::BF16, signed(a), R))),
        (Bf16, true) => {
            rounded!(round, |R| pure1(|a: u64| bits16(soft::BF16, soft::integer(false, a), R)))
        }
        _ => return Err(cx.unknown("this type or rounding")),
    };
    finished(cx, dst, wide, to, pure)
}

/// Emits a conversion to a float, and after it what `.ftz`, `.sat`, `.relu` and `.satfinite` ask for.
fn finished(
    cx: &mut Cx<'_, '_>,
    dst: Option<u32>,
    a: Src,
    to: ScalarType,
    pure: &'static Pure,
) -> Rule {
    let mut steps: Vec<&'static Pure> = vec![pure];
    if cx.has("ftz") && to == F32 {
        steps.push(pure1(|a: f32| float::flush(a)));
    }
    match (to, cx.has("sat"), cx.has("relu")) {
        (_, false, false) => {}
        (F32, true, _) => steps.push(pure1(|a: f32| float::saturate(a))),
        (F64, true, _) => {
            use crate::ir::opcode::{Alu, double::DoubleOp};
            steps.push(crate::engine::alu::handlers(Alu::Double(DoubleOp::Saturate)));
        }
        (F16, true, _) => steps.push(pure1(|a: u16| narrow::saturate16(a))),
        (F16 | Bf16, _, true) => steps.push(pure1(|a: u16| narrow::relu16(a))),
        _ => return Err(cx.unknown("`.sat` or `.relu` of this type")),
    }
    if cx.has("satfinite") {
        match to {
            F16 => steps.push(pure1(|a: u16| finite(a, 0x7c00))),
            Bf16 => steps.push(pure1(|a: u16| finite(a, 0x7f80))),
            _ => return Err(cx.unknown("`.satfinite` of this type")),
        }
    }
    let last = steps.pop().unwrap_or(pure);
    let mut source = a;
    for step in steps {
        let register = cx.lowering.new_register(crate::ir::lower::state::width_of(to)?);
        cx.pure(Some(register), &[source], step)?;
        source = Src::Reg(register);
    }
    cx.pure(dst, &[source], last)
}

/// The largest finite number in place of infinity.
fn finite(a: u16, infinity: u16) -> u16 {
    if a & 0x7fff == infinity { a - 1 } else { a }
}

/// Out-of-range values clamp with or without `.sat`. NaN gives 0, but where 64 bits are on either side
/// the lowest integer's bits.
fn to_integer(
    cx: &mut Cx<'_, '_>,
    dst: Option<u32>,
    a: Src,
    from: ScalarType,
    to: ScalarType,
) -> Rule {
    let Some((round, true)) = rounding(cx) else {
        return Err(cx.unknown("an integer rounding is missing"));
    };
    let ftz = cx.has("ftz");
    match (from, to, round) {
        (F32, S32, Round::Zero) => {
            cx.pure(dst, &[a], hot1(|a: f32| a as i32))?;
            cx.blind_to_nan();
            return Ok(());
        }
        (F32, U32, Round::Zero) => {
            cx.pure(dst, &[a], hot1(|a: f32| a as u32))?;
            cx.blind_to_nan();
            return Ok(());
        }
        _ => {}
    }
    let wide = match from {
        F32 if ftz => through_wide(cx, a, pure1(|a: f32| f64::from(float::flush(a))))?,
        F32 => through_wide(cx, a, warm1(|a: f32| f64::from(a)))?,
        F16 => through_wide(cx, a, pure1(|a: f16| f64::from(packed::widen16(a))))?,
        Bf16 => through_wide(cx, a, pure1(|a: bf16| f64::from(packed::Narrow::widen(a))))?,
        F64 => a,
        _ => return Err(cx.unknown("this type")),
    };
    let rounded = through_wide(cx, wide, integral(round))?;
    macro_rules! with_nan {
        ($ty:ty) => {
            pure1(|a: f64| if a.is_nan() { 1 << (<$ty>::BITS - 1) } else { a as $ty })
        };
    }
    let pure = match (to, from == F64) {
        (U8 | B8, false) => pure1(|a: f64| a as u8),
        (U16 | B16, false) => pure1(|a: f64| a as u16),
        (U32 | B32, false) => pure1(|a: f64| a as u32),
        (S8, false) => pure1(|a: f64| a as i8),
        (S16, false) => pure1(|a: f64| a as i16),
        (S32, false) => pure1(|a: f64| a as i32),
        (U8 | B8, true) => with_nan!(u8),
        (U16 | B16, true) => with_nan!(u16),
        (U32 | B32, true) => with_nan!(u32),
        (S8, true) => with_nan!(i8),
        (S16, true) => with_nan!(i16),
        (S32, true) => with_nan!(i32),
        (U64 | B64, _) => with_nan!(u64),
        (S64, _) => with_nan!(i64),
        _ => return Err(cx.unknown("this type")),
    };
    cx.pure(dst, &[rounded], pure)
}

/// Rounds an f64 to an integral one.
fn integral(round: Round) -> &'static Pure {
    match round {
        Round::Even => pure1(|a: f64| double::quiet(a.round_ties_even())),
        Round::Zero => pure1(|a: f64| double::quiet(a.trunc())),
        Round::Down => pure1(|a: f64| double::quiet(a.floor())),
        Round::Up => pure1(|a: f64| double::quiet(a.ceil())),
        Round::Away => pure1(|a: f64| double::quiet(a.round())),
    }
}

fn floats(cx: &mut Cx<'_, '_>, dst: Option<u32>, a: Src, from: ScalarType, to: ScalarType) -> Rule {
    let (round, integer) = rounding(cx).unwrap_or((Round::Even, false));
    let ftz = cx.has("ftz");
    // `.ftz` goes through an addition, which also makes NaN its own; on the way to f16 it does nothing.
    let a = if ftz && from == F32 && to != F16 {
        let register = cx.lowering.new_register(Width::Word);
        cx.pure(Some(register), &[a], pure1(|a: f32| float::canonical(float::flush(a))))?;
        Src::Reg(register)
    } else {
        a
    };
    if let (true, F16 | Bf16) = (integer && from == to, to) {
        let wide = match to {
            F16 => through_wide(cx, a, pure1(|a: f16| f64::from(packed::widen16(a))))?,
            _ => through_wide(cx, a, pure1(|a: bf16| f64::from(packed::Narrow::widen(a))))?,
        };
        let rounded = through_wide(cx, wide, integral(round))?;
        let pure = match to {
            F16 => pure1(|a: f64| packed::wide_to_f16(a)),
            _ => pure1(|a: f64| packed::wide_to_bf16(a)),
        };
        return finished(cx, dst, rounded, to, pure);
    }
    let pure = match (from, to) {
        (F32, F32) if integer => match round {
            Round::Even => pure1(|a: f32| float::canonical(a.round_ties_even())),
            Round::Zero => pure1(|a: f32| float::canonical(a.trunc())),
            Round::Down => pure1(|a: f32| float::canonical(a.floor())),
            _ => pure1(|a: f32| float::canonical(a.ceil())),
        },
        (F64, F64) if integer => integral(round),
        (F32, F32) => copy(F32),
        (F64, F64) => copy(F64),
        (F16, F16) => pure1(|a: f16| if a.is_nan() { narrow::NAN16 } else { a.to_bits() }),
        (Bf16, Bf16) => pure1(|a: u16| a),
        (F32, F64) => warm1(|a: f32| double::quiet(f64::from(a))),
        (F64, F32) if round == Round::Even => warm1(|a: f64| float::quiet32(a as f32)),
        (F64, F32) => rounded!(round, |R| pure1(|a: f64| {
            if a.is_nan() { float::quiet32(a as f32).to_bits() } else { bits32(number64(a), R) }
        })),
        (F16, F32) => hot1(|a: f16| packed::widen16(a)),
        (Bf16, F32) => hot1(|a: u16| f32::from_bits(u32::from(a) << 16)),
        (F16, F64) => pure1(|a: f16| a.to_f64()),
        (Bf16, F64) => pure1(|a: bf16| double::quiet(f64::from(packed::Narrow::widen(a)))),
        (F32, F16) if round == Round::Even => pure1(|a: f32| packed::to_f16(a)),
        (F32, Bf16) if round == Round::Even => pure1(|a: f32| packed::to_bf16(a)),
        (F32, F16) => rounded!(round, |R| pure1(|a: f32| bits16(soft::F16, number32(a), R))),
        (F32, Bf16) => rounded!(round, |R| pure1(|a: f32| bits16(soft::BF16, number32(a), R))),
        (F64, F16) => rounded!(round, |R| pure1(|a: f64| narrowed(soft::F16, a, 10, R))),
        (F64, Bf16) => rounded!(round, |R| pure1(|a: f64| narrowed(soft::BF16, a, 7, R))),
        (Bf16, F16) => rounded!(round, |R| pure1(|a: u16| {
            bits16(soft::F16, soft::BF16.unpack(u64::from(a)), R)
        })),
        (F16, Bf16) => rounded!(round, |R| pure1(|a: u16| {
            bits16(soft::BF16, soft::F16.unpack(u64::from(a)), R)
        })),
        _ => return Err(cx.unknown("this pair of types or rounding")),
    };
    finished(cx, dst, a, to, pure)
}

/// An f64 rounded to a format with so many bits of mantissa; NaN keeps its sign and first bits.
fn narrowed(format: soft::Format, a: f64, mantissa: u32, round: Round) -> u16 {
    let nan = || {
        let payload = (a.to_bits() & ((1 << 52) - 1)) >> (52 - mantissa);
        let quiet = payload as u16 | 1 << (mantissa - 1);
        (a.to_bits() >> 48) as u16 & 0x8000 | (0x7fff >> mantissa) << mantissa | quiet
    };
    format.round(number64(a), round).map_or_else(nan, |bits| bits as u16)
}

fn number32(a: f32) -> soft::Number {
    soft::F32.unpack(u64::from(a.to_bits()))
}

fn number64(a: f64) -> soft::Number {
    soft::F64.unpack(a.to_bits())
}

/// `cvt.rna.tf32.f32` and its kin: 19 bits at the top of a word.
fn to_tf32(cx: &mut Cx<'_, '_>) -> Rule {
    fn tf32(a: f32, round: Round) -> u32 {
        let nan = if round == Round::Away { a.to_bits() } else { float::NAN32 };
        soft::TF32.round(number32(a), round).map_or(nan & !0x1fff, |bits| (bits as u32) << 13)
    }
    cx.operands(2)?;
    let pure = match rounding(cx) {
        Some((Round::Even, false)) => pure1(|a: f32| tf32(a, Round::Even)),
        Some((Round::Zero, false)) => pure1(|a: f32| tf32(a, Round::Zero)),
        Some((Round::Away, false)) => pure1(|a: f32| tf32(a, Round::Away)),
        _ => return Err(cx.unknown("this rounding")),
    };
    let dst = cx.dst_of(0, B32)?;
    let a = cx.src(1, F32)?;
    let (relu, finite) = (cx.has("relu"), cx.has("satfinite"));
    let first = if relu || finite { Some(cx.lowering.new_register(Width::Word)) } else { dst };
    cx.pure(first, &[a], pure)?;
    let pure = match (relu, finite) {
        (false, false) => return Ok(()),
        (true, false) => pure1(|a: u32| if a >> 31 != 0 { 0 } else { a }),
        (false, true) => pure1(largest_tf32),
        (true, true) => pure1(|a: u32| if a >> 31 != 0 { 0 } else { largest_tf32(a) }),
    };
    cx.pure(dst, &[first.map_or(Src::Const(0), Src::Reg)], pure)
}

/// The largest finite TF32 number in place of infinity; one step is taken from NaN too.
fn largest_tf32(a: u32) -> u32 {
    if a & 0x7fff_ffff >= 0x7f80_0000 { a - 0x2000 } else { a }
}

/// `cvt.rn.f16x2.f32 d, a, b`: `a` in the high half.
fn pack_two(cx: &mut Cx<'_, '_>, to: ScalarType, from: ScalarType) -> Rule {
    let (round, _) = rounding(cx).unwrap_or((Round::Even, false));
    if from != F32 || !matches!(to, F16x2 | Bf16x2) {
        return Err(cx.unknown("this packed conversion"));
    }
    let dst = cx.dst_of(0, to)?;
    let (a, b) = (cx.src(1, F32)?, cx.src(2, F32)?);
    if round == Round::Even && !cx.has("relu") && !cx.has("satfinite") {
        let pure = match to {
            F16x2 => pure2(|a: f32, b: f32| {
                packed::pair(packed::to_f16(a).to_bits(), packed::to_f16(b).to_bits())
            }),
            _ => pure2(|a: f32, b: f32| {
                packed::pair(packed::to_bf16(a).to_bits(), packed::to_bf16(b).to_bits())
            }),
        };
        return cx.pure(dst, &[a, b], pure);
    }
    let one = if to == F16x2 { F16 } else { Bf16 };
    let (high, low) =
        (cx.lowering.new_register(Width::Word), cx.lowering.new_register(Width::Word));
    floats(cx, Some(high), a, F32, one)?;
    floats(cx, Some(low), b, F32, one)?;
    cx.pure(dst, &[Src::Reg(high), Src::Reg(low)], pure2(|a: u16, b: u16| packed::pair(a, b)))
}

/// `cvt.pack.sat`: two integers clamped and put side by side, above what `c` holds.
fn pack_integers(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["pack", "sat", "u4", "s4", "u2", "s2"])?;
    let name = cx.instruction.modifiers.get(2).cloned().unwrap_or_default();
    let Some((low, high, bits)) = packable(&name) else {
        return Err(cx.unknown("this type"));
    };
    let dst = cx.dst_of(0, B32)?;
    let (a, b) = (cx.src(1, B32)?, cx.src(2, B32)?);
    let limits = Src::Const(u64::from(low as u32) | u64::from(high as u32) << 32);
    let clamp = pure2(|a: i32, limits: u64| a.clamp(limits as i32, (limits >> 32) as i32));
    let mut clamped = Vec::new();
    for source in [a, b] {
        let register = cx.lowering.new_register(Width::Word);
        cx.pure(Some(register), &[source, limits], clamp)?;
        clamped.push(Src::Reg(register));
    }
    let bits = Src::Const(u64::from(bits));
    let both = cx.lowering.new_register(Width::Word);
    let join = pure3(|a: u32, b: u32, n: u32| (a & ((1 << n) - 1)) << n | (b & ((1 << n) - 1)));
    let third = cx.instruction.operands.len() == 4;
    cx.pure(if third { Some(both) } else { dst }, &[clamped[0], clamped[1], bits], join)?;
    if !third {
        return cx.operands(3);
    }
    let c = cx.src(3, B32)?;
    let above = pure3(|ab: u32, c: u32, n: u32| ab | (u64::from(c) << (2 * n)) as u32);
    cx.pure(dst, &[Src::Reg(both), c, bits], above)
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
