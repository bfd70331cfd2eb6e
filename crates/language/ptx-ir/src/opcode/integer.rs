//! Integer arithmetic (PTX manual, "Integer Arithmetic Instructions", "Extended-Precision Integer Arithmetic Instructions"),
//! products (`mul`, `mad`, `mul24`, `mad24`, `dp4a`, `dp2a`), and address arithmetic (`cvta`, `isspacep`, `mapa`, `getctarank`).
//!
//! Types are part of the opcode; lowering rules decide which instruction may have which type. The carry flag is a predicate
//! register, always the last operand.

use crate::types::UniformityClass;
use lanework_ptx::ScalarType;

/// An integer type. Untyped bits count as unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Integer {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
}

/// A signed integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum SignedInteger {
    S16,
    S32,
    S64,
}

/// The size of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerSize {
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
    /// 64 bits.
    Wide,
}

impl Integer {
    /// The integer of a type; `None` for floats, predicates and 128 bits.
    pub fn from_type(ty: ScalarType) -> Option<Integer> {
        Some(match ty {
            ScalarType::U8 | ScalarType::B8 => Integer::U8,
            ScalarType::S8 => Integer::S8,
            ScalarType::U16 | ScalarType::B16 => Integer::U16,
            ScalarType::S16 => Integer::S16,
            ScalarType::U32 | ScalarType::B32 => Integer::U32,
            ScalarType::S32 => Integer::S32,
            ScalarType::U64 | ScalarType::B64 => Integer::U64,
            ScalarType::S64 => Integer::S64,
            _ => return None,
        })
    }

    /// Whether its registers hold it in full: 32 or 64 bits.
    pub fn fills_register(self) -> bool {
        !matches!(self, Integer::U8 | Integer::S8 | Integer::U16 | Integer::S16)
    }
}

impl IntegerSize {
    /// The size of a typed integer of 16 to 64 bits, and whether it is signed.
    pub fn and_sign(ty: ScalarType) -> Option<(IntegerSize, bool)> {
        Some(match ty {
            ScalarType::U16 => (IntegerSize::Half, false),
            ScalarType::S16 => (IntegerSize::Half, true),
            ScalarType::U32 => (IntegerSize::Word, false),
            ScalarType::S32 => (IntegerSize::Word, true),
            ScalarType::U64 => (IntegerSize::Wide, false),
            ScalarType::S64 => (IntegerSize::Wide, true),
            _ => return None,
        })
    }
}

/// A function of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerOp {
    /// `a + b`.
    Add(Integer),
    /// `a - b`.
    Sub(Integer),
    /// `a + b` of `s32`, clamped.
    AddSaturate,
    /// `a - b` of `s32`, clamped.
    SubSaturate,
    /// `a / b`; all ones where `b` is 0.
    Div(Integer),
    /// `a % b`; all ones where `b` is 0.
    Rem(Integer),
    /// The smaller.
    Min(Integer),
    /// The larger.
    Max(Integer),
    /// The smaller of two `s32`, or 0 if negative.
    MinRelu,
    /// The larger of two `s32`, or 0 if negative.
    MaxRelu,
    /// The magnitude of a signed integer, which wraps.
    Abs(SignedInteger),
    /// `-a`, which wraps.
    Neg(SignedInteger),
    /// `|a - b| + c`.
    SumOfDifference(Integer),
    /// An operation on both 16-bit halves.
    Pair(PairOp),
}

/// An operation on both 16-bit halves of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairOp {
    /// The sums.
    Add,
    /// The smaller ones.
    Min {
        /// Whether they are signed.
        signed: bool,
    },
    /// The larger ones.
    Max {
        /// Whether they are signed.
        signed: bool,
    },
    /// The smaller ones, signed, or 0 if negative.
    MinRelu,
    /// The larger ones, signed, or 0 if negative.
    MaxRelu,
}

impl IntegerOp {
    /// Whether the result is affine if all operands are affine or uniform.
    pub fn keeps_affine(self) -> bool {
        match self {
            IntegerOp::Add(ty) | IntegerOp::Sub(ty) => ty.fills_register(),
            _ => false,
        }
    }
}

/// A product, or a sum of products and a third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProductOp {
    /// The low half of `a * b`.
    Mul(Integer),
    /// The low half of `a * b`, plus `c`.
    Mad(Integer),
    /// The high half of `a * b`.
    MulHigh {
        /// The size of the operands.
        size: IntegerSize,
        /// Whether they are signed.
        signed: bool,
    },
    /// The high half of `a * b`, plus `c`.
    MadHigh {
        /// The size of the operands.
        size: IntegerSize,
        /// Whether they are signed.
        signed: bool,
    },
    /// The high half of `a * b` of `s32`, plus `c`, clamped.
    MadHighSaturate,
    /// `a * b` in twice the bits.
    MulWide {
        /// Factors of 32 bits; else of 16.
        word: bool,
        /// Whether they are signed.
        signed: bool,
    },
    /// `a * b + c` in twice the bits.
    MadWide {
        /// Factors of 32 bits; else of 16.
        word: bool,
        /// Whether they are signed.
        signed: bool,
    },
    /// The low 32 (or, if `high`, the upper 32 of 48) bits of a product of 24-bit numbers.
    Mul24 {
        /// The upper bits.
        high: bool,
        /// Whether the factors are signed.
        signed: bool,
    },
    /// The same, plus `c`.
    Mad24 {
        /// The upper bits.
        high: bool,
        /// Whether the factors are signed.
        signed: bool,
    },
    /// The upper bits of a signed 24-bit product, plus `c`, clamped.
    Mad24HighSaturate,
    /// `c` plus the products of four bytes.
    Dot4 {
        /// Whether the bytes of `a` and of `b` are signed.
        signed: [bool; 2],
    },
    /// `c` plus the products of two halves of `a` and two bytes of `b`.
    Dot2 {
        /// Whether the parts of `a` and of `b` are signed.
        signed: [bool; 2],
        /// Whether the bytes are the upper two.
        high: bool,
    },
}

impl ProductOp {
    /// Whether the result is affine for operands of these classes (none of them varying).
    pub fn keeps_affine(self, operands: &[UniformityClass]) -> bool {
        let full = match self {
            ProductOp::Mul(ty) | ProductOp::Mad(ty) => ty.fills_register(),
            ProductOp::MulWide { word, .. } | ProductOp::MadWide { word, .. } => word,
            _ => false,
        };
        // A product keeps one stride only if one factor is the same in both halves.
        full && operands[..2].contains(&UniformityClass::Uniform)
    }
}

/// One half of an extended-precision step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CarryOp {
    /// `a + !b + carry` instead of `a + b + carry`.
    pub subtract: bool,
    /// On 64-bit operands; else on 32-bit ones.
    pub wide: bool,
    /// Gives the carry out of the addition instead of the sum; of a difference, 1 means no borrow.
    pub carry_out: bool,
}

/// A function of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressOp {
    /// An address moved by some bytes, into a window or within one.
    Offset {
        /// Whether the operand has 64 bits instead of 32.
        wide: bool,
    },
    /// Whether a generic address is in global memory.
    IsGlobal,
    /// Whether it is in the shared memory of any block of the cluster.
    IsShared,
    /// Whether it is in the shared memory of the block whose rank is `b`.
    IsOwnShared,
    /// Whether it is in local memory.
    IsLocal,
    /// Whether it is a kernel parameter's.
    IsParameter,
    /// The same place in the shared memory of the block whose rank is `b`.
    MapShared {
        /// Whether the operand has 64 bits instead of 32.
        wide: bool,
        /// A generic address, of 64 bits; else one in shared memory.
        generic: bool,
    },
    /// The rank of the block whose shared memory an address is in; `b` is the own block's.
    RankOf {
        /// Whether the operand has 64 bits instead of 32.
        wide: bool,
    },
}

impl AddressOp {
    /// Whether the result is affine if all operands are affine or uniform.
    pub fn keeps_affine(self) -> bool {
        matches!(self, AddressOp::Offset { .. })
    }
}
