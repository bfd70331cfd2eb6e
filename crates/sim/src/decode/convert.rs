//! `cvt`.

use super::integer::{widened, with_affine};
use super::mov::{COPY, always, copy};
use super::{Cx, float, packed};
use crate::ir::{Src, Width};
use crate::lanes::Scalar;
use crate::lower::Rule;
use crate::pure::{Affine, Pure, affine, hot1, pure1, pure2, warm1};
use half::{bf16, f16};
use lanework_ptx::ScalarType::{self, *};

const WIDEN_S: Affine = affine(&|a: Scalar, _: Scalar, _: Scalar| widened(a, true), always);
const WIDEN_U: Affine = affine(&|a: Scalar, _: Scalar, _: Scalar| widened(a, false), always);

/// How a conversion rounds.
#[derive(Clone, Copy, PartialEq)]
enum Round {
    Even,
    Zero,
    Down,
    Up,
    Away,
}

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

/// `cvt`.
pub fn cvt(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[
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
    ])?;
    let types = cx.types();
    let [to, from] = types[..] else { return Err(cx.unknown("two types are expected")) };
    if cx.instruction.operands.len() == 3 {
        return pack_two(cx, to, from);
    }
    cx.operands(2)?;
    if cx.has("relu") || cx.has("satfinite") || cx.has("rna") {
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

/// An integer as a float of some bits of mantissa, rounded in the given direction.
fn round_integer(negative: bool, magnitude: u64, mantissa: u32, round: Round) -> f64 {
    let bits = 64 - magnitude.leading_zeros();
    let rounded = if bits <= mantissa {
        magnitude as f64
    } else {
        let drop = bits - mantissa;
        let (kept, rest) = (magnitude >> drop, magnitude & ((1 << drop) - 1));
        let half = 1u64 << (drop - 1);
        let up = match round {
            Round::Even | Round::Away => rest > half || (rest == half && kept & 1 == 1),
            Round::Zero => false,
            Round::Down => negative && rest != 0,
            Round::Up => !negative && rest != 0,
        };
        (kept + u64::from(up)) as f64 * (drop as f64).exp2()
    };
    if negative { -rounded } else { rounded }
}

fn round_signed(a: i64, mantissa: u32, round: Round) -> f64 {
    round_integer(a < 0, a.unsigned_abs(), mantissa, round)
}

fn to_float(
    cx: &mut Cx<'_, '_>,
    dst: Option<u32>,
    a: Src,
    from: ScalarType,
    to: ScalarType,
) -> Rule {
    let (round, _) = rounding(cx).unwrap_or((Round::Even, false));
    match (from, to, round) {
        (S32, F32, Round::Even) => return cx.pure(dst, &[a], hot1(|a: i32| a as f32)),
        (U32, F32, Round::Even) => return cx.pure(dst, &[a], hot1(|a: u32| a as f32)),
        (S32, F64, _) => return cx.pure(dst, &[a], pure1(|a: i32| f64::from(a))),
        (U32, F64, _) => return cx.pure(dst, &[a], pure1(|a: u32| f64::from(a))),
        _ => {}
    }
    let unsigned = matches!(from, U64 | B64);
    let pure = extended(cx, from)?;
    let wide = through_wide(cx, a, pure)?;
    let pure = match (to, round, unsigned) {
        (F32, Round::Even, false) => pure1(|a: i64| a as f32),
        (F32, Round::Zero, false) => pure1(|a: i64| round_signed(a, 24, Round::Zero) as f32),
        (F32, Round::Down, false) => pure1(|a: i64| round_signed(a, 24, Round::Down) as f32),
        (F32, Round::Up, false) => pure1(|a: i64| round_signed(a, 24, Round::Up) as f32),
        (F32, Round::Even, true) => pure1(|a: u64| a as f32),
        (F32, Round::Zero, true) => pure1(|a: u64| round_integer(false, a, 24, Round::Zero) as f32),
        (F32, Round::Down, true) => pure1(|a: u64| round_integer(false, a, 24, Round::Down) as f32),
        (F32, Round::Up, true) => pure1(|a: u64| round_integer(false, a, 24, Round::Up) as f32),
        (F64, Round::Even, false) => pure1(|a: i64| a as f64),
        (F64, Round::Zero, false) => pure1(|a: i64| round_signed(a, 53, Round::Zero)),
        (F64, Round::Down, false) => pure1(|a: i64| round_signed(a, 53, Round::Down)),
        (F64, Round::Up, false) => pure1(|a: i64| round_signed(a, 53, Round::Up)),
        (F64, Round::Even, true) => pure1(|a: u64| a as f64),
        (F64, Round::Zero, true) => pure1(|a: u64| round_integer(false, a, 53, Round::Zero)),
        (F64, Round::Down, true) => pure1(|a: u64| round_integer(false, a, 53, Round::Down)),
        (F64, Round::Up, true) => pure1(|a: u64| round_integer(false, a, 53, Round::Up)),
        (F16, Round::Even, false) => {
            pure1(|a: i64| packed::wide_to_f16(round_signed(a, 11, Round::Even)))
        }
        (F16, Round::Even, true) => {
            pure1(|a: u64| packed::wide_to_f16(round_integer(false, a, 11, Round::Even)))
        }
        (Bf16, Round::Even, false) => {
            pure1(|a: i64| packed::wide_to_bf16(round_signed(a, 8, Round::Even)))
        }
        (Bf16, Round::Even, true) => {
            pure1(|a: u64| packed::wide_to_bf16(round_integer(false, a, 8, Round::Even)))
        }
        _ => return Err(cx.unknown("this type or rounding")),
    };
    cx.pure(dst, &[wide], pure)
}

/// Out-of-range values clamp with or without `.sat`, and NaN gives 0.
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
    match (from, to, round, ftz) {
        (F32, S32, Round::Zero, _) => return cx.pure(dst, &[a], hot1(|a: f32| a as i32)),
        (F32, U32, Round::Zero, _) => return cx.pure(dst, &[a], hot1(|a: f32| a as u32)),
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
    let pure = match to {
        U8 | B8 => pure1(|a: f64| a as u8),
        U16 | B16 => pure1(|a: f64| a as u16),
        U32 | B32 => pure1(|a: f64| a as u32),
        U64 | B64 => pure1(|a: f64| a as u64),
        S8 => pure1(|a: f64| a as i8),
        S16 => pure1(|a: f64| a as i16),
        S32 => pure1(|a: f64| a as i32),
        S64 => pure1(|a: f64| a as i64),
        _ => return Err(cx.unknown("this type")),
    };
    cx.pure(dst, &[rounded], pure)
}

/// Rounds an f64 to an integral one.
fn integral(round: Round) -> &'static Pure {
    match round {
        Round::Even => pure1(|a: f64| a.round_ties_even()),
        Round::Zero => pure1(|a: f64| a.trunc()),
        Round::Down => pure1(|a: f64| a.floor()),
        Round::Up => pure1(|a: f64| a.ceil()),
        Round::Away => pure1(|a: f64| a.round()),
    }
}

/// The f32 nearest to `x` in a direction.
fn narrow(x: f64, round: Round) -> f32 {
    let nearest = x as f32;
    if x.is_nan() || f64::from(nearest) == x {
        return nearest;
    }
    let wide = f64::from(nearest);
    let step = match round {
        Round::Even | Round::Away => return nearest,
        Round::Zero => {
            if x > 0.0 {
                wide > x
            } else {
                wide < x
            }
        }
        Round::Down => wide > x,
        Round::Up => wide < x,
    };
    match (step, round) {
        (false, _) => nearest,
        (true, Round::Up) => nearest.next_up(),
        (true, Round::Down) => nearest.next_down(),
        (true, _) => {
            if x > 0.0 {
                nearest.next_down()
            } else {
                nearest.next_up()
            }
        }
    }
}

/// The f16 or bf16 nearest to zero.
fn narrow_to_zero(x: f32, bits: impl Fn(f32) -> u16, back: impl Fn(u16) -> f32) -> u16 {
    let nearest = bits(x);
    if x.is_nan() || back(nearest).abs() <= x.abs() { nearest } else { nearest - 1 }
}

fn f16_zero(x: f32) -> f16 {
    f16::from_bits(narrow_to_zero(
        x,
        |x| packed::to_f16(x).to_bits(),
        |b| f16::from_bits(b).to_f32(),
    ))
}

fn bf16_zero(x: f32) -> bf16 {
    bf16::from_bits(narrow_to_zero(
        x,
        |x| packed::to_bf16(x).to_bits(),
        |b| bf16::from_bits(b).to_f32(),
    ))
}

fn floats(cx: &mut Cx<'_, '_>, dst: Option<u32>, a: Src, from: ScalarType, to: ScalarType) -> Rule {
    let (round, integer) = rounding(cx).unwrap_or((Round::Even, false));
    let (ftz, sat) = (cx.has("ftz"), cx.has("sat"));
    if (from, to, integer) == (F16, F16, true) {
        let wide = through_wide(cx, a, pure1(|a: f16| f64::from(packed::widen16(a))))?;
        let rounded = through_wide(cx, wide, integral(round))?;
        return cx.pure(dst, &[rounded], pure1(|a: f64| packed::wide_to_f16(a)));
    }
    let pure = match (from, to) {
        (F32, F32) if integer => match round {
            Round::Even => pure1(|a: f32| a.round_ties_even()),
            Round::Zero => pure1(|a: f32| a.trunc()),
            Round::Down => pure1(|a: f32| a.floor()),
            _ => pure1(|a: f32| a.ceil()),
        },
        (F64, F64) if integer => integral(round),
        (F32, F32) => pure1(|a: f32| a),
        (F64, F64) => pure1(|a: f64| a),
        (F16, F16) | (Bf16, Bf16) => pure1(|a: u16| a),
        (F32, F64) => warm1(|a: f32| f64::from(a)),
        (F64, F32) => match round {
            Round::Even | Round::Away => warm1(|a: f64| a as f32),
            Round::Zero => pure1(|a: f64| narrow(a, Round::Zero)),
            Round::Down => pure1(|a: f64| narrow(a, Round::Down)),
            Round::Up => pure1(|a: f64| narrow(a, Round::Up)),
        },
        (F16, F32) => hot1(|a: f16| packed::widen16(a)),
        (Bf16, F32) => hot1(|a: u16| f32::from_bits(u32::from(a) << 16)),
        (F16, F64) => pure1(|a: f16| f64::from(packed::widen16(a))),
        (Bf16, F64) => pure1(|a: bf16| f64::from(packed::Narrow::widen(a))),
        (F32, F16) if round == Round::Zero => pure1(f16_zero),
        (F32, Bf16) if round == Round::Zero => pure1(bf16_zero),
        (F32, F16) if round == Round::Even => pure1(|a: f32| packed::to_f16(a)),
        (F32, Bf16) if round == Round::Even => pure1(|a: f32| packed::to_bf16(a)),
        (F64, F16) if round == Round::Even => pure1(|a: f64| packed::wide_to_f16(a)),
        (F64, Bf16) if round == Round::Even => pure1(|a: f64| packed::wide_to_bf16(a)),
        _ => return Err(cx.unknown("this pair of types or rounding")),
    };
    if !ftz && !sat {
        return cx.pure(dst, &[a], pure);
    }
    // Flushing and saturating go around the conversion, through registers of their own.
    let mut source = a;
    if ftz && from == F32 {
        let register = cx.lowering.new_register(Width::Word);
        cx.pure(Some(register), &[source], pure1(|a: f32| float::flush(a)))?;
        source = Src::Reg(register);
    }
    let wide = to == F64;
    let middle = cx.lowering.new_register(if wide { Width::Wide } else { Width::Word });
    cx.pure(Some(middle), &[source], pure)?;
    let after = match (to, ftz, sat) {
        (F32, true, false) => pure1(|a: f32| float::flush(a)),
        (F32, true, true) => pure1(|a: f32| float::saturate(float::flush(a))),
        (F32, false, true) => pure1(|a: f32| float::saturate(a)),
        (F64, _, true) => pure1(|a: f64| if a > 0.0 { a.min(1.0) } else { 0.0 }),
        (F16, _, true) => pure1(|a: f16| packed::to_f16(float::saturate(packed::Narrow::widen(a)))),
        (Bf16, _, true) => {
            pure1(|a: bf16| packed::to_bf16(float::saturate(packed::Narrow::widen(a))))
        }
        _ => copy(to),
    };
    cx.pure(dst, &[Src::Reg(middle)], after)
}

/// `cvt.rn.f16x2.f32 d, a, b`: `a` in the high half.
fn pack_two(cx: &mut Cx<'_, '_>, to: ScalarType, from: ScalarType) -> Rule {
    let (round, _) = rounding(cx).unwrap_or((Round::Even, false));
    let both = |high: u16, low: u16| u32::from(high) << 16 | u32::from(low);
    let _ = both;
    let pure = match (to, from, round, cx.has("relu")) {
        (F16x2, F32, Round::Even, false) => pure2(|a: f32, b: f32| {
            packed::pair(packed::to_f16(a).to_bits(), packed::to_f16(b).to_bits())
        }),
        (F16x2, F32, Round::Even, true) => pure2(|a: f32, b: f32| {
            packed::pair(packed::to_f16(a.max(0.0)).to_bits(), packed::to_f16(b.max(0.0)).to_bits())
        }),
        (Bf16x2, F32, Round::Even, false) => pure2(|a: f32, b: f32| {
            packed::pair(packed::to_bf16(a).to_bits(), packed::to_bf16(b).to_bits())
        }),
        (Bf16x2, F32, Round::Even, true) => pure2(|a: f32, b: f32| {
            packed::pair(
                packed::to_bf16(a.max(0.0)).to_bits(),
                packed::to_bf16(b.max(0.0)).to_bits(),
            )
        }),
        (F16x2, F32, Round::Zero, false) => {
            pure2(|a: f32, b: f32| packed::pair(f16_zero(a).to_bits(), f16_zero(b).to_bits()))
        }
        (Bf16x2, F32, Round::Zero, false) => {
            pure2(|a: f32, b: f32| packed::pair(bf16_zero(a).to_bits(), bf16_zero(b).to_bits()))
        }
        _ => return Err(cx.unknown("this packed conversion")),
    };
    let dst = cx.dst_of(0, to)?;
    let (a, b) = (cx.src(1, F32)?, cx.src(2, F32)?);
    cx.pure(dst, &[a, b], pure)
}
