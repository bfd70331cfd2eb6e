//! Conversions (PTX manual, "Data Movement and Conversion Instructions: cvt, cvt.pack"), including packed floats of 8, 6 and 4
//! bits.
//!
//! A conversion that no single operation covers goes through 64-bit registers in several instructions: integers as `s64`, floats
//! on their way to integers as `f64`.

use crate::opcode::float::{FloatType, Rounding};
use crate::opcode::integer::Integer;
use crate::types::NanUse;

/// A conversion, or a step of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConvertOp {
    /// An integer as one of 64 bits, extended by its own sign.
    ExtendToWide(Integer),
    /// The low bits of a word as a word, extended by their own sign.
    ExtendToWord(NarrowInteger),
    /// The low byte of a word as 16 bits, extended by its sign.
    ExtendToHalf,
    /// The low word of 64 bits.
    TruncateWide,
    /// An `s64` clamped to a type's range.
    Clamp(Integer),
    /// A `u64` clamped to the range of `s64`.
    ClampUnsigned,
    /// An integer of 32 bits as f32 or f64, to the nearest even.
    WordToFloat {
        /// Whether the integer is signed.
        signed: bool,
        /// To f64; else to f32.
        double: bool,
    },
    /// An integer of 64 bits as a float.
    WideToFloat {
        /// Whether the integer is signed.
        signed: bool,
        /// The float's type.
        to: FloatType,
        /// How the float is rounded.
        rounding: Rounding,
    },
    /// An f32 as a word, toward zero and clamped; NaN becomes 0.
    SingleToWord {
        /// Whether the word is signed.
        signed: bool,
    },
    /// A float as the f64 of the same value, on its way to an integer.
    Widen(WidenFrom),
    /// An f32 rounded to an integral one.
    RoundSingle(Rounding),
    /// An f64 rounded to an integral one.
    RoundDouble(Rounding),
    /// An integral f64 as an integer, clamped.
    DoubleToInteger {
        /// The integer's type.
        to: Integer,
        /// Whether NaN becomes the integer with only the highest bit set, instead of 0. For 64-bit
        /// integers it always does.
        nan_is_lowest: bool,
    },
    /// An integral f64 as an f16, or a bf16.
    DoubleToHalf {
        /// To bf16.
        bf16: bool,
    },
    /// A float as another.
    Float {
        /// From this type.
        from: FloatType,
        /// To this one.
        to: FloatType,
        /// How the result is rounded.
        rounding: Rounding,
    },
    /// An f32 flushed as an addition would: NaN becomes the one that arithmetic produces.
    FlushSingle,
    /// The largest finite number in place of an infinite f16, or bf16.
    Finite {
        /// Of bf16.
        bf16: bool,
    },
    /// Two f32 to the nearest even, the first in the high half.
    SinglesToHalves {
        /// To bf16; else to f16.
        bf16: bool,
    },
    /// An f32 as TF32, in the upper 19 bits of a word.
    ToTf32(Tf32Rounding),
    /// A TF32 number clamped.
    ClampTf32(Tf32Clamp),
    /// Two f32 to two powers of two (`.ue8m0x2`): each magnitude is rounded up or down to a power
    /// of two. The first becomes the high byte.
    SinglesToScales(ScaleRounding),
    /// Two packed bf16, likewise.
    HalvesToScales(ScaleRounding),
    /// Two powers of two as packed bf16.
    ScalesToHalves,
    /// A word clamped to the range between two signed words, the low one (lower bound) and the high
    /// one (upper bound) of `b` (`cvt.pack`).
    PackClamp,
    /// The low `c` bits of `a` above the low `c` bits of `b` (`cvt.pack`).
    PackPair,
    /// `a` with `b` above its low `2 * c` bits (`cvt.pack`).
    PackAbove,
}

/// An integer of less than 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the PTX type of its name")]
pub enum NarrowInteger {
    U8,
    S8,
    U16,
    S16,
}

/// The source of a widening to f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WidenFrom {
    /// An f16.
    Half,
    /// A bf16.
    Bf16,
    /// An f32.
    Single {
        /// Subnormal numbers are flushed to zero.
        ftz: bool,
    },
}

/// How TF32 is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tf32Rounding {
    /// To the nearest, ties to even.
    NearestEven,
    /// To the nearest, ties away from zero.
    NearestAway,
    /// Toward zero.
    Zero,
}

/// How a magnitude becomes a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScaleRounding {
    /// To the power above it; else to the one below.
    pub up: bool,
    /// Overflow gives the largest power; else NaN.
    pub finite: bool,
}

/// How TF32 is clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tf32Clamp {
    /// Negative numbers become 0.
    Relu,
    /// Infinity becomes the largest finite number.
    Finite,
    /// Both.
    ReluFinite,
}

impl ConvertOp {
    /// Whether the result is affine if all operands are affine or uniform.
    pub fn keeps_affine(self) -> bool {
        matches!(
            self,
            ConvertOp::ExtendToWide(Integer::U32 | Integer::S32) | ConvertOp::TruncateWide
        )
    }

    /// How it treats NaN.
    pub fn nan_use(self) -> NanUse {
        match self {
            ConvertOp::SingleToWord { .. } => NanUse::Ignores,
            _ => NanUse::Observes,
        }
    }
}

/// A conversion of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SmallFloatOp {
    /// The small type.
    pub format: SmallFloatFormat,
    /// Source and target types.
    pub direction: SmallFloatDirection,
    /// Whether negative numbers become 0.
    pub relu: bool,
}

/// A float type of 8 bits or less; 6-bit types use the low bits of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SmallFloatFormat {
    /// 4 bits of exponent, 3 of mantissa, no infinities.
    E4m3,
    /// 5 bits of exponent, 2 of mantissa.
    E5m2,
    /// 6 bits: 2 of exponent, 3 of mantissa, no infinities, no NaN.
    E2m3,
    /// 6 bits: 3 of exponent, 2 of mantissa, likewise.
    E3m2,
    /// 4 bits: 2 of exponent, 1 of mantissa, likewise; two in a byte.
    E2m1,
}

impl SmallFloatFormat {
    /// The distance in bits between the two numbers of a pair.
    pub fn distance(self) -> u32 {
        if self == SmallFloatFormat::E2m1 { 4 } else { 8 }
    }
}

/// Source and target of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SmallFloatDirection {
    /// Two f32, the first to the high half; too large ones become the largest finite number.
    FromSingles,
    /// Two f16, likewise.
    FromHalves,
    /// To two f16: nothing is lost.
    ToHalves,
}
