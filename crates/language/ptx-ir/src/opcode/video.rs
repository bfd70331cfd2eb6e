//! Steps of the video instructions (PTX manual, "Video Instructions"): fields are picked from words as
//! integers of 64 bits, computed with, clamped, and put back.

use super::compare::Relation;

/// A step of a video instruction, on 64-bit integers where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VideoOp {
    /// A field of `a`, extended; `b` is an encoded [`Field`].
    Pick {
        /// From 64 bits; else from a word.
        wide: bool,
    },
    /// `a + b`.
    Add,
    /// `a - b`.
    Subtract,
    /// The magnitude of `a - b`.
    AbsoluteDifference,
    /// The smaller.
    Min,
    /// The larger.
    Max,
    /// The mean, rounded away from zero.
    Average,
    /// `a` shifted left by `b`.
    ShiftLeft {
        /// The amount wraps at 32; else it is at most 32.
        wrap: bool,
    },
    /// `a` shifted right by `b`.
    ShiftRight {
        /// The amount wraps at 32; else it is at most 32.
        wrap: bool,
    },
    /// 1 where a relation holds, else 0.
    Set(Relation),
    /// `a` clamped to the range of the encoded [`Field`] `b`.
    Clamp,
    /// The word `b` with the encoded [`Field`] `c` replaced by the low bits of `a`.
    Merge,
    /// `a * b + c`, plus 1 with `.po`.
    MultiplyAdd {
        /// One more.
        plus_one: bool,
    },
    /// The low word of `a` shifted right by `b`.
    ScaleDown {
        /// Whether `a` is signed.
        signed: bool,
        /// Clamped to a word's range.
        saturate: bool,
    },
}

/// Bits of a word from one on, and whether they have a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The lowest bit.
    pub shift: u32,
    /// How many bits.
    pub bits: u32,
    /// Whether the highest is a sign.
    pub signed: bool,
}

impl Field {
    /// As a constant operand.
    pub fn encode(self) -> u32 {
        self.shift | self.bits << 8 | u32::from(self.signed) << 16
    }

    /// From a constant operand.
    pub fn decode(code: u32) -> Field {
        Field { shift: code & 0xff, bits: code >> 8 & 0xff, signed: code >> 16 != 0 }
    }
}
