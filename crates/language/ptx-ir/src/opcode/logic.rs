//! Bits: logic, shifts, counts, fields and tables (PTX manual, "Logic and Shift Instructions", and the
//! bit instructions of "Integer Arithmetic Instructions").

use crate::opcode::integer::{Integer, Size};
use crate::types::{Class, Width};

/// A function of bits.
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
    ShiftLeft(Size),
    /// `a >> b`; 0, or the sign, for amounts past the width.
    ShiftRight {
        /// Of `a`.
        size: Size,
        /// Whether the sign comes in.
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
        /// Of 64 bits.
        wide: bool,
    },
    /// The number of zeros above the highest set bit.
    LeadingZeros {
        /// Of 64 bits.
        wide: bool,
    },
    /// The bits in reverse order.
    Reverse {
        /// Of 64 bits.
        wide: bool,
    },
    /// The highest set bit, or the highest unlike the sign; all ones if there is none.
    FindHighest {
        /// In 64 bits.
        wide: bool,
        /// Whether there is a sign.
        signed: bool,
        /// The shift that brings it to the top, instead of its number.
        shift: bool,
    },
    /// `c` bits of `a` from bit `b` on.
    FieldExtract {
        /// Of 64 bits.
        wide: bool,
        /// Whether they are extended by their sign.
        signed: bool,
    },
    /// A position and a length as one word, for [`LogicOp::FieldInsert`].
    FieldOf {
        /// In 64 bits.
        wide: bool,
    },
    /// `b`, with a field that `c` gives taken from the low bits of `a`.
    FieldInsert {
        /// Of 64 bits.
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
    /// The bits of `b` where `a` has ones, those of `c` elsewhere.
    Select,
}

/// How the third operand of `prmt` picks bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PermuteMode {
    /// A selector of four bits for each byte, whose highest bit asks for the sign.
    Selectors,
    /// Four bytes upwards from one.
    Forward,
    /// Four bytes downwards from one.
    Backward,
    /// One byte four times.
    Replicate8,
    /// Bytes below one are replaced by it.
    ClampLeft,
    /// Bytes above one are replaced by it.
    ClampRight,
    /// One half twice.
    Replicate16,
}

impl LogicOp {
    /// Whether operands of these classes, none of them varying, give an affine result.
    pub fn keeps_affine(self, operands: &[Class]) -> bool {
        match self {
            LogicOp::Not(Width::Word | Width::Wide) => true,
            LogicOp::ShiftLeft(Size::Word | Size::Wide) => operands[1] == Class::Uniform,
            _ => false,
        }
    }
}
