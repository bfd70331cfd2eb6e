//! Copies of registers, and registers taken apart and put together (PTX manual, "Data Movement and
//! Conversion Instructions: mov").

use crate::types::{NanUse, Width};

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
    /// Whether operands in affine form, none of them varying, give an affine result.
    pub fn keeps_affine(self) -> bool {
        matches!(self, MoveOp::Copy(Width::Word | Width::Wide))
    }

    /// What it does with NaN.
    pub fn nan_use(self) -> NanUse {
        match self {
            MoveOp::Copy(Width::Word) => NanUse::Copies,
            _ => NanUse::Observes,
        }
    }
}
