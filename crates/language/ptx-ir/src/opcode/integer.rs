//! Integer arithmetic but for products (PTX manual, "Integer Arithmetic Instructions"). Types are part of the opcode;
//! which instruction may have which type is for the lowering rules to say.

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
pub enum Signed {
    S16,
    S32,
    S64,
}

/// The size of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
    /// 64 bits.
    Wide,
}

impl Integer {
    /// The integer of a type; `None` for floats, predicates and 128 bits.
    pub fn of(ty: ScalarType) -> Option<Integer> {
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

impl Size {
    /// The size of a typed integer of 16 to 64 bits, and whether it is signed.
    pub fn and_sign(ty: ScalarType) -> Option<(Size, bool)> {
        Some(match ty {
            ScalarType::U16 => (Size::Half, false),
            ScalarType::S16 => (Size::Half, true),
            ScalarType::U32 => (Size::Word, false),
            ScalarType::S32 => (Size::Word, true),
            ScalarType::U64 => (Size::Wide, false),
            ScalarType::S64 => (Size::Wide, true),
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
    /// The smaller of two `s32`, and 0 where it is negative.
    MinRelu,
    /// The larger of two `s32`, and 0 where it is negative.
    MaxRelu,
    /// The magnitude of a signed integer, which wraps.
    Abs(Signed),
    /// `-a`, which wraps.
    Neg(Signed),
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
    /// The smaller ones, signed, and 0 where they are negative.
    MinRelu,
    /// The larger ones, signed, and 0 where they are negative.
    MaxRelu,
}

impl IntegerOp {
    /// Whether operands in affine form, none of them varying, give an affine result.
    pub fn keeps_affine(self) -> bool {
        match self {
            IntegerOp::Add(ty) | IntegerOp::Sub(ty) => ty.fills_register(),
            _ => false,
        }
    }
}
