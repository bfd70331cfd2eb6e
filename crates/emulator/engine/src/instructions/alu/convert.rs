//! Handlers of conversions.
//!
//! The host rounds to the nearest even; [`crate::number::soft`] rounds in the other directions.
//! NaN: conversions from and to f64 keep the bits of the payload that fit; other conversions to f16
//! and bf16 give 0x7fff.

use crate::instructions::alu::moves::widened;
use crate::instructions::alu::operation::{
    Affine, AluOperation, affine, hot1, lanes1, lanes2, rare1, rare2, rare3, warm1, warm2,
};
use crate::machine::slot::Scalar;
use crate::number::narrow::lanes::narrow_low;
use crate::number::narrow::{NAN16, Narrow, halves_of_scales, scales, scales_of_halves, widen16};
use crate::number::single::{canonical, flush, quiet32};
use crate::number::soft::{Format, Number, Round};
use crate::number::{narrow, single, soft};
use half::{bf16, f16};
use lanework_ptx_ir::opcode::convert::{
    ConvertOp, NarrowInteger, Tf32Clamp, Tf32Rounding, WidenFrom,
};
use lanework_ptx_ir::opcode::float::{FloatType, Rounding};
use lanework_ptx_ir::opcode::integer::Integer;

const WIDEN_S: Affine = affine(&|a: Scalar, _: Scalar, _: Scalar| widened(a, true));
const WIDEN_U: Affine = affine(&|a: Scalar, _: Scalar, _: Scalar| widened(a, false));
const TRUNCATE: Affine = affine(&|a: Scalar, _: Scalar, _: Scalar| Some(a));

/// The handlers of a conversion in each rounding direction.
macro_rules! rounded {
    ($rounding:expr, |$to:ident| $handlers:expr) => {
        rounded!($rounding, to nearest {
            const $to: Round = Round::Even;
            $handlers
        }, |$to| $handlers)
    };
    ($rounding:expr, to nearest $nearest:expr, |$to:ident| $handlers:expr) => {
        match $rounding {
            Rounding::NearestEven => $nearest,
            Rounding::Zero => {
                const $to: Round = Round::Zero;
                $handlers
            }
            Rounding::Down => {
                const $to: Round = Round::Down;
                $handlers
            }
            Rounding::Up => {
                const $to: Round = Round::Up;
                $handlers
            }
        }
    };
}

/// The handlers of an opcode of this family.
pub fn handlers(op: ConvertOp) -> &'static AluOperation {
    match op {
        ConvertOp::ExtendToWide(from) => extend_to_wide(from),
        ConvertOp::ExtendToWord(NarrowInteger::U8) => warm1(|a: u8| u32::from(a)),
        ConvertOp::ExtendToWord(NarrowInteger::S8) => warm1(|a: i8| i32::from(a)),
        ConvertOp::ExtendToWord(NarrowInteger::U16) => warm1(|a: u16| u32::from(a)),
        ConvertOp::ExtendToWord(NarrowInteger::S16) => warm1(|a: i16| i32::from(a)),
        ConvertOp::ExtendToHalf => rare1(|a: i8| a as u16),
        ConvertOp::TruncateWide => with_affine!(hot1(|a: u64| a as u32), TRUNCATE),
        ConvertOp::Clamp(to) => clamp(to),
        ConvertOp::ClampUnsigned => rare1(|a: u64| a.min(i64::MAX as u64)),
        ConvertOp::WordToFloat { signed: true, double: false } => hot1(|a: i32| a as f32),
        ConvertOp::WordToFloat { signed: false, double: false } => hot1(|a: u32| a as f32),
        ConvertOp::WordToFloat { signed: true, double: true } => warm1(|a: i32| f64::from(a)),
        ConvertOp::WordToFloat { signed: false, double: true } => warm1(|a: u32| f64::from(a)),
        ConvertOp::WideToFloat { signed: true, to, rounding } => signed_to_float(to, rounding),
        ConvertOp::WideToFloat { signed: false, to, rounding } => unsigned_to_float(to, rounding),
        ConvertOp::SingleToWord { signed: true } => hot1(|a: f32| to_i32(a)),
        ConvertOp::SingleToWord { signed: false } => hot1(|a: f32| a as u32),
        ConvertOp::Widen(WidenFrom::Half) => rare1(|a: f16| f64::from(widen16(a))),
        ConvertOp::Widen(WidenFrom::Bf16) => rare1(|a: bf16| f64::from(a.widen())),
        ConvertOp::Widen(WidenFrom::Single { ftz: false }) => warm1(|a: f32| f64::from(a)),
        ConvertOp::Widen(WidenFrom::Single { ftz: true }) => rare1(|a: f32| f64::from(flush(a))),
        ConvertOp::RoundSingle(rounding) => match rounding {
            Rounding::NearestEven => warm1(|a: f32| canonical(a.round_ties_even())),
            Rounding::Zero => warm1(|a: f32| canonical(a.trunc())),
            Rounding::Down => warm1(|a: f32| canonical(a.floor())),
            Rounding::Up => warm1(|a: f32| canonical(a.ceil())),
        },
        ConvertOp::RoundDouble(rounding) => match rounding {
            Rounding::NearestEven => warm1(|a: f64| soft::quiet(a.round_ties_even())),
            Rounding::Zero => warm1(|a: f64| soft::quiet(a.trunc())),
            Rounding::Down => warm1(|a: f64| soft::quiet(a.floor())),
            Rounding::Up => warm1(|a: f64| soft::quiet(a.ceil())),
        },
        ConvertOp::DoubleToInteger { to, nan_is_lowest } => double_to_integer(to, nan_is_lowest),
        ConvertOp::DoubleToHalf { bf16: false } => rare1(|a: f64| narrow::wide_to_f16(a)),
        ConvertOp::DoubleToHalf { bf16: true } => rare1(|a: f64| narrow::wide_to_bf16(a)),
        ConvertOp::Float { from, to, rounding } => float(from, to, rounding),
        ConvertOp::FlushSingle => rare1(|a: f32| canonical(flush(a))),
        ConvertOp::Finite { bf16: false } => rare1(|a: u16| finite(a, 0x7c00)),
        ConvertOp::Finite { bf16: true } => rare1(|a: u16| finite(a, 0x7f80)),
        ConvertOp::SinglesToHalves { bf16: false } => lanes2(
            |a: f32, b: f32| narrow::f16_bits(a) << 16 | narrow::f16_bits(b),
            |a: &[f32; 32], b: &[f32; 32]| {
                // SAFETY: on x86-64 only the handlers of the AVX2 level call this function (`Tiers::large`), and
                // `best_tier` found F16C on hosts of that level.
                let [high, mut low] = unsafe { [narrow_low(a), narrow_low(b)] };
                for i in 0..32 {
                    low[i] |= high[i] << 16;
                }
                low
            },
        ),
        ConvertOp::SinglesToHalves { bf16: true } => {
            warm2(|a: f32, b: f32| narrow::bf16_bits(a) << 16 | narrow::bf16_bits(b))
        }
        ConvertOp::ToTf32(Tf32Rounding::NearestEven) => warm1(|a: f32| tf32(a, Round::Even)),
        ConvertOp::ToTf32(Tf32Rounding::NearestAway) => warm1(|a: f32| tf32(a, Round::Away)),
        ConvertOp::ToTf32(Tf32Rounding::Zero) => warm1(|a: f32| tf32(a, Round::Zero)),
        ConvertOp::ClampTf32(Tf32Clamp::Relu) => rare1(|a: u32| relu(a)),
        ConvertOp::ClampTf32(Tf32Clamp::Finite) => rare1(|a: u32| finite_tf32(a)),
        ConvertOp::ClampTf32(Tf32Clamp::ReluFinite) => rare1(|a: u32| relu(finite_tf32(a))),
        ConvertOp::SinglesToScales(rounding) => match (rounding.up, rounding.finite) {
            (false, false) => rare2(|a: f32, b: f32| scales(false, false, a, b)),
            (false, true) => rare2(|a: f32, b: f32| scales(false, true, a, b)),
            (true, false) => rare2(|a: f32, b: f32| scales(true, false, a, b)),
            (true, true) => rare2(|a: f32, b: f32| scales(true, true, a, b)),
        },
        ConvertOp::HalvesToScales(rounding) => match (rounding.up, rounding.finite) {
            (false, false) => rare1(|a: u32| scales_of_halves(false, false, a)),
            (false, true) => rare1(|a: u32| scales_of_halves(false, true, a)),
            (true, false) => rare1(|a: u32| scales_of_halves(true, false, a)),
            (true, true) => rare1(|a: u32| scales_of_halves(true, true, a)),
        },
        ConvertOp::ScalesToHalves => rare1(|a: u32| halves_of_scales(a)),
        ConvertOp::PackClamp => {
            rare2(|a: i32, limits: u64| a.clamp(limits as i32, (limits >> 32) as i32))
        }
        ConvertOp::PackPair => {
            rare3(|a: u32, b: u32, n: u32| (a & ((1 << n) - 1)) << n | (b & ((1 << n) - 1)))
        }
        ConvertOp::PackAbove => {
            rare3(|ab: u32, c: u32, n: u32| ab | (u64::from(c) << (2 * n)) as u32)
        }
    }
}

/// `a as i32`, in a form that the compiler vectorizes.
#[inline(always)]
fn to_i32(a: f32) -> i32 {
    const END: f32 = (1u32 << 31) as f32;
    let inside = if (-END..END).contains(&a) { a } else { 0.0 };
    // SAFETY: the number is from -2^31 to below 2^31.
    let integer = unsafe { inside.to_int_unchecked::<i32>() };
    let integer = if a >= END { i32::MAX } else { integer };
    if a < -END { i32::MIN } else { integer }
}

/// The integer part of a number, clamped to the type; 0 for NaN. As [`to_i32`].
#[inline(always)]
pub(super) fn double_to_i32(a: f64) -> i32 {
    const END: f64 = (1u64 << 31) as f64;
    let inside = if a > -END - 1.0 && a < END { a } else { 0.0 };
    // SAFETY: the integer part is from -2^31 to 2^31 - 1.
    let integer = unsafe { inside.to_int_unchecked::<i32>() };
    let integer = if a >= END { i32::MAX } else { integer };
    if a <= -END - 1.0 { i32::MIN } else { integer }
}

/// The same for unsigned integers.
#[inline(always)]
pub(super) fn double_to_u32(a: f64) -> u32 {
    const END: f64 = (1u64 << 32) as f64;
    const HALF: f64 = (1u64 << 31) as f64;
    let inside = if a > -1.0 && a < END { a } else { 0.0 };
    // Hosts convert signed integers side by side.
    let whole = inside.trunc() - HALF;
    // SAFETY: the difference is an integer from -2^31 to 2^31 - 1.
    let integer = unsafe { whole.to_int_unchecked::<i32>() } as u32 ^ 1 << 31;
    if a >= END { u32::MAX } else { integer }
}

fn extend_to_wide(from: Integer) -> &'static AluOperation {
    match from {
        Integer::U8 => warm1(|a: u8| i64::from(a)),
        Integer::U16 => warm1(|a: u16| i64::from(a)),
        Integer::U32 => with_affine!(hot1(|a: u32| i64::from(a)), WIDEN_U),
        Integer::S8 => warm1(|a: i8| i64::from(a)),
        Integer::S16 => warm1(|a: i16| i64::from(a)),
        Integer::S32 => with_affine!(hot1(|a: i32| i64::from(a)), WIDEN_S),
        Integer::S64 | Integer::U64 => rare1(|a: u64| a),
    }
}

fn clamp(to: Integer) -> &'static AluOperation {
    match to {
        Integer::U8 => rare1(|a: i64| a.clamp(0, 0xff) as u8),
        Integer::U16 => rare1(|a: i64| a.clamp(0, 0xffff) as u16),
        Integer::U32 => rare1(|a: i64| a.clamp(0, 0xffff_ffff) as u32),
        Integer::U64 => rare1(|a: i64| a.max(0)),
        Integer::S8 => rare1(|a: i64| a.clamp(-0x80, 0x7f) as i8),
        Integer::S16 => rare1(|a: i64| a.clamp(-0x8000, 0x7fff) as i16),
        Integer::S32 => rare1(|a: i64| a.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32),
        Integer::S64 => rare1(|a: i64| a),
    }
}

fn signed_to_float(to: FloatType, rounding: Rounding) -> &'static AluOperation {
    fn number(a: i64) -> Number {
        soft::integer(a < 0, a.unsigned_abs())
    }
    match to {
        FloatType::F32 => rounded!(rounding, to nearest warm1(|a: i64| a as f32), |R| {
            rare1(|a: i64| single::round(number(a), R))
        }),
        FloatType::F64 => rounded!(rounding, to nearest warm1(|a: i64| a as f64), |R| {
            rare1(|a: i64| bits64(number(a), R))
        }),
        FloatType::F16 => rounded!(rounding, |R| rare1(|a: i64| bits16(soft::F16, number(a), R))),
        FloatType::Bf16 => rounded!(rounding, |R| rare1(|a: i64| bits16(soft::BF16, number(a), R))),
    }
}

fn unsigned_to_float(to: FloatType, rounding: Rounding) -> &'static AluOperation {
    fn number(a: u64) -> Number {
        soft::integer(false, a)
    }
    match to {
        FloatType::F32 => rounded!(rounding, to nearest warm1(|a: u64| a as f32), |R| {
            rare1(|a: u64| single::round(number(a), R))
        }),
        FloatType::F64 => rounded!(rounding, to nearest warm1(|a: u64| a as f64), |R| {
            rare1(|a: u64| bits64(number(a), R))
        }),
        FloatType::F16 => rounded!(rounding, |R| rare1(|a: u64| bits16(soft::F16, number(a), R))),
        FloatType::Bf16 => rounded!(rounding, |R| rare1(|a: u64| bits16(soft::BF16, number(a), R))),
    }
}

fn double_to_integer(to: Integer, nan_is_lowest: bool) -> &'static AluOperation {
    macro_rules! or_lowest {
        ($make:ident, $ty:ty, $cast:expr) => {
            $make(|a: f64| if a.is_nan() { 1 << (<$ty>::BITS - 1) } else { $cast(a) })
        };
    }
    match (to, nan_is_lowest) {
        (Integer::U8, false) => rare1(|a: f64| a as u8),
        (Integer::U16, false) => rare1(|a: f64| a as u16),
        (Integer::U32, false) => warm1(|a: f64| double_to_u32(a)),
        (Integer::S8, false) => rare1(|a: f64| a as i8),
        (Integer::S16, false) => rare1(|a: f64| a as i16),
        (Integer::S32, false) => warm1(|a: f64| double_to_i32(a)),
        (Integer::U8, true) => or_lowest!(rare1, u8, |a| a as u8),
        (Integer::U16, true) => or_lowest!(rare1, u16, |a| a as u16),
        (Integer::U32, true) => or_lowest!(warm1, u32, double_to_u32),
        (Integer::S8, true) => or_lowest!(rare1, i8, |a| a as i8),
        (Integer::S16, true) => or_lowest!(rare1, i16, |a| a as i16),
        (Integer::S32, true) => or_lowest!(warm1, i32, double_to_i32),
        (Integer::U64, _) => or_lowest!(warm1, u64, |a| a as u64),
        (Integer::S64, _) => or_lowest!(warm1, i64, |a| a as i64),
    }
}

fn float(from: FloatType, to: FloatType, rounding: Rounding) -> &'static AluOperation {
    use FloatType::{Bf16, F16, F32, F64};
    match (from, to) {
        (F32, F32) => rare1(|a: u32| a),
        (F64, F64) => rare1(|a: u64| a),
        (F16, F16) => rare1(|a: f16| if a.is_nan() { NAN16 } else { a.to_bits() }),
        (Bf16, Bf16) => rare1(|a: u16| a),
        (F32, F64) => warm1(|a: f32| soft::quiet(f64::from(a))),
        (F64, F32) => rounded!(rounding, to nearest warm1(|a: f64| quiet32(a as f32)), |R| {
            rare1(|a: f64| match a.is_nan() {
                true => quiet32(a as f32),
                false => single::round(soft::unpack(a), R),
            })
        }),
        (F16, F32) => hot1(|a: f16| widen16(a)),
        (Bf16, F32) => hot1(|a: u16| f32::from_bits(u32::from(a) << 16)),
        (F16, F64) => rare1(|a: f16| a.to_f64()),
        (Bf16, F64) => rare1(|a: bf16| soft::quiet(f64::from(a.widen()))),
        (F32, F16) => rounded!(rounding, to nearest single_to_half(), |R| {
            rare1(|a: f32| bits16(soft::F16, single::unpack(a), R))
        }),
        (F32, Bf16) => rounded!(rounding, to nearest warm1(|a: f32| narrow::to_bf16(a)), |R| {
            rare1(|a: f32| bits16(soft::BF16, single::unpack(a), R))
        }),
        (F64, F16) => rounded!(rounding, |R| rare1(|a: f64| narrowed(soft::F16, a, 10, R))),
        (F64, Bf16) => rounded!(rounding, |R| rare1(|a: f64| narrowed(soft::BF16, a, 7, R))),
        (Bf16, F16) => rounded!(rounding, |R| rare1(|a: u16| {
            bits16(soft::F16, soft::BF16.unpack(u64::from(a)), R)
        })),
        (F16, Bf16) => rounded!(rounding, |R| rare1(|a: u16| {
            bits16(soft::BF16, soft::F16.unpack(u64::from(a)), R)
        })),
    }
}

/// The handlers of the nearest f16.
fn single_to_half() -> &'static AluOperation {
    lanes1(
        |a: f32| narrow::f16_bits(a),
        |a: &[f32; 32]| {
            // SAFETY: as in `handlers`, for packed halves.
            unsafe { narrow_low(a) }
        },
    )
}

fn bits16(format: Format, number: Number, round: Round) -> u16 {
    format.round(number, round).map_or(NAN16, |bits| bits as u16)
}

/// The f64 of an integer, which is never NaN.
fn bits64(number: Number, round: Round) -> u64 {
    soft::F64.round(number, round).unwrap_or(0)
}

/// An f64 rounded to a format with `mantissa` bits of mantissa; NaN keeps its sign and first bits.
fn narrowed(format: Format, a: f64, mantissa: u32, round: Round) -> u16 {
    let nan = || {
        let payload = (a.to_bits() & ((1 << 52) - 1)) >> (52 - mantissa);
        let quiet = payload as u16 | 1 << (mantissa - 1);
        (a.to_bits() >> 48) as u16 & 0x8000 | (0x7fff >> mantissa) << mantissa | quiet
    };
    format.round(soft::unpack(a), round).map_or_else(nan, |bits| bits as u16)
}

/// The largest finite number in place of infinity.
fn finite(a: u16, infinity: u16) -> u16 {
    if a & 0x7fff == infinity { a - 1 } else { a }
}

/// TF32: the 19 high bits of an f32; `.rna` keeps the first bits of NaN.
///
/// Both formats have the same exponents, so that rounding is a sum with the bits.
#[inline(always)]
pub(super) fn tf32(a: f32, round: Round) -> u32 {
    let bits = a.to_bits();
    let half = match round {
        Round::Even => 0xfff + (bits >> 13 & 1),
        Round::Away => 0x1000,
        _ => 0,
    };
    let nan = if round == Round::Away { bits } else { single::NAN32 };
    let rounded = if bits & 0x7fff_ffff > 0x7f80_0000 { nan } else { bits.wrapping_add(half) };
    rounded & !0x1fff
}

/// Replaces infinity by the largest finite TF32 number; lowers the bits of a NaN by one unit, too.
fn finite_tf32(a: u32) -> u32 {
    if a & 0x7fff_ffff >= 0x7f80_0000 { a - 0x2000 } else { a }
}

/// 0 in place of a negative f32.
fn relu(a: u32) -> u32 {
    if a >> 31 != 0 { 0 } else { a }
}
