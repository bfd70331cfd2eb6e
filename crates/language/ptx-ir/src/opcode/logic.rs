//! Bit operations (PTX manual, "Logic and Shift Instructions"), comparisons and selections ("Comparison and Selection
//! Instructions"), register moves (`mov`), and the steps of video instructions ("Video Instructions").
//!
//! A video instruction extracts fields of words as 64-bit integers, computes, clamps, and merges the result.

use crate::opcode::float::FloatType;
use crate::opcode::integer::{Integer, IntegerSize};
use crate::types::{NanUse, UniformityClass, Width};
use lanework_ptx::Modifier;

/// A bit operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogicOp {
    /// `a & b`.
    And(Width),
    /// `a | b`.
    Or(Width),
    /// `a ^ b`.
    Xor(Width),
    /// `!a`.
    Not(Width),
    /// 1 where `a` is 0, else 0.
    IsZero(Integer),
    /// Whether a word is not 0.
    IsNonzero,
    /// Whether two words are the same.
    Equal,
    /// Whether two 64-bit words differ.
    WideDiffer,
    /// `a << b`; 0 for amounts past the width.
    ShiftLeft(IntegerSize),
    /// `a >> b`; 0, or the sign, for amounts past the width.
    ShiftRight {
        /// The size of `a`.
        size: IntegerSize,
        /// Whether to shift in copies of the sign bit.
        signed: bool,
    },
    /// A word of the 64 bits `b:a`, shifted by `c`.
    Funnel {
        /// The upper word of a shift to the left; else the lower word of a shift to the right.
        left: bool,
        /// Whether the amount wraps at 32; else it is at most 32.
        wrap: bool,
    },
    /// The number of set bits.
    CountOnes {
        /// Whether the operand has 64 bits instead of 32.
        wide: bool,
    },
    /// The number of zeros above the highest set bit.
    LeadingZeros {
        /// Whether the operand has 64 bits instead of 32.
        wide: bool,
    },
    /// The bits in reverse order.
    Reverse {
        /// Whether the operand has 64 bits instead of 32.
        wide: bool,
    },
    /// The highest set bit, or the highest bit that differs from the sign; all ones if none.
    FindHighest {
        /// In 64 bits.
        wide: bool,
        /// Whether there is a sign.
        signed: bool,
        /// The shift that brings the bit to the top, instead of the bit's number.
        shift: bool,
    },
    /// `c` bits of `a` from bit `b` on.
    FieldExtract {
        /// Whether the operand has 64 bits instead of 32.
        wide: bool,
        /// Whether they are extended by their sign.
        signed: bool,
    },
    /// A position and a length as one word, for [`LogicOp::FieldInsert`].
    FieldOf {
        /// In 64 bits.
        wide: bool,
    },
    /// `b` with the field `c` replaced by the low bits of `a`.
    FieldInsert {
        /// Whether the operand has 64 bits instead of 32.
        wide: bool,
    },
    /// `b` ones from bit `a` on.
    Mask {
        /// Whether both wrap at 32.
        wrap: bool,
    },
    /// The low `b` bits of `a`, extended.
    Extend {
        /// By their sign.
        signed: bool,
        /// Whether the number of bits wraps at 32.
        wrap: bool,
    },
    /// The number of the `c`-th set bit of `a`, counted from bit `b`.
    FindNth,
    /// Four bytes of the eight in `b:a`.
    Permute(PermuteMode),
    /// A table `c` of four bits, looked up by each bit of `a` and `b`.
    Lookup,
    /// Bitwise select: `b` where `a` is 1, else `c`.
    Select,
}

/// How the third operand of `prmt` picks bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PermuteMode {
    /// A 4-bit selector per byte; its highest bit replicates the sign.
    Selectors,
    /// Four bytes upward from the selected one.
    Forward,
    /// Four bytes downward from the selected one.
    Backward,
    /// The selected byte four times.
    Replicate8,
    /// Bytes below the selected one are replaced by it.
    ClampLeft,
    /// Bytes above the selected one are replaced by it.
    ClampRight,
    /// The selected half twice.
    Replicate16,
}

impl LogicOp {
    /// Whether the result is affine for operands of these classes (none of them varying).
    pub fn keeps_affine(self, operands: &[UniformityClass]) -> bool {
        match self {
            LogicOp::Not(Width::Word | Width::Wide) => true,
            LogicOp::ShiftLeft(IntegerSize::Word | IntegerSize::Wide) => {
                operands[1] == UniformityClass::Uniform
            }
            _ => false,
        }
    }
}

/// A comparison or a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// Whether a relation holds between two integers.
    Integer(Relation, Integer),
    /// Whether a relation holds between two floats.
    Float(FloatRelation, FloatType),
    /// `a` where the predicate `c` holds, else `b`.
    Select {
        /// Whether the operand has 64 bits instead of 32.
        wide: bool,
    },
    /// `a` where `c` is not negative, else `b`.
    SelectBySign {
        /// Whether the operand has 64 bits instead of 32.
        wide: bool,
        /// The meaning of `c`.
        by: SignOf,
    },
    /// `c` in the low half where the predicate `a` holds, and in the high half where `b` does.
    SelectHalves,
}

/// A relation between integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `a == b`.
    Equal,
    /// `a != b`.
    NotEqual,
    /// `a < b`.
    Less,
    /// `a <= b`.
    LessEqual,
    /// `a > b`.
    Greater,
    /// `a >= b`.
    GreaterEqual,
}

/// A relation between floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatRelation {
    /// It does not hold where an operand is NaN.
    Ordered(Relation),
    /// It holds where an operand is NaN.
    Unordered(Relation),
    /// Neither operand is NaN.
    BothNumbers,
    /// An operand is NaN.
    EitherNan,
}

/// The type of an operand whose sign selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignOf {
    /// A signed word.
    S32,
    /// An f32; NaN counts as negative.
    F32 {
        /// A negative subnormal counts as zero.
        ftz: bool,
    },
}

impl Relation {
    /// The relation of a PTX name, of signed or unsigned integers and of floats.
    pub fn from_modifier(modifier: Modifier) -> Option<Relation> {
        match modifier {
            Modifier::Eq => Some(Relation::Equal),
            Modifier::Ne => Some(Relation::NotEqual),
            Modifier::Lt => Some(Relation::Less),
            Modifier::Le => Some(Relation::LessEqual),
            Modifier::Gt => Some(Relation::Greater),
            Modifier::Ge => Some(Relation::GreaterEqual),
            _ => None,
        }
    }
}

impl CompareOp {
    /// How it treats NaN.
    pub fn nan_use(self) -> NanUse {
        match self {
            CompareOp::Float(_, FloatType::F32) => NanUse::Ignores,
            _ => NanUse::Observes,
        }
    }
}

/// An operation that moves bits and computes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveOp {
    /// The whole register.
    Copy(Width),
    /// The low part of a 32-bit register, with zeros above it.
    Truncate(PartSize),
    /// A part of `a`, from bit `b` on.
    Extract {
        /// From a 64-bit register; else from a 32-bit one.
        wide: bool,
        /// Its size.
        part: PartSize,
    },
    /// The low bytes of `a`, and `b` above them.
    Concatenate {
        /// To a 64-bit register; else to a 32-bit one.
        wide: bool,
        /// Bytes of `a`: 1 to 7, or to 3.
        low: u8,
    },
}

/// The size of a part of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartSize {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
}

impl MoveOp {
    /// Whether the result is affine if all operands are affine or uniform.
    pub fn keeps_affine(self) -> bool {
        matches!(self, MoveOp::Copy(Width::Word | Width::Wide))
    }

    /// How it treats NaN.
    pub fn nan_use(self) -> NanUse {
        match self {
            MoveOp::Copy(Width::Word) => NanUse::Copies,
            _ => NanUse::Observes,
        }
    }
}

/// A step of a video instruction, on 64-bit integers unless noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VideoOp {
    /// A field of `a`, extended; `b` is an encoded [`BitField`].
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
    /// `a` clamped to the range of the encoded [`BitField`] `b`.
    Clamp,
    /// The word `b` with the encoded [`BitField`] `c` replaced by the low bits of `a`.
    Merge,
    /// `a * b + c`, plus 1 with `.po`.
    MultiplyAdd {
        /// Whether to add 1.
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

/// A range of bits of a word, and whether its highest bit is a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitField {
    /// The lowest bit.
    pub shift: u32,
    /// The number of bits.
    pub bits: u32,
    /// Whether the highest is a sign.
    pub signed: bool,
}

impl BitField {
    /// As a constant operand.
    pub fn encode(self) -> u32 {
        self.shift | self.bits << 8 | u32::from(self.signed) << 16
    }

    /// From a constant operand.
    pub fn decode(code: u32) -> BitField {
        BitField { shift: code & 0xff, bits: code >> 8 & 0xff, signed: code >> 16 != 0 }
    }
}
