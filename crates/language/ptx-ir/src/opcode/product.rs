//! Products of integers (PTX manual, "Integer Arithmetic Instructions": `mul`, `mad`, `mul24`, `mad24`,
//! `dp4a`, `dp2a`).

use crate::opcode::integer::{Integer, Size};
use crate::types::Class;

/// A product, or a sum of products and a third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProductOp {
    /// The low half of `a * b`.
    Mul(Integer),
    /// The low half of `a * b`, plus `c`.
    Mad(Integer),
    /// The high half of `a * b`.
    MulHigh {
        /// Of the operands.
        size: Size,
        /// Whether they are signed.
        signed: bool,
    },
    /// The high half of `a * b`, plus `c`.
    MadHigh {
        /// Of the operands.
        size: Size,
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
    /// Whether operands of these classes, none of them varying, give an affine result.
    pub fn keeps_affine(self, operands: &[Class]) -> bool {
        let full = match self {
            ProductOp::Mul(ty) | ProductOp::Mad(ty) => ty.fills_register(),
            ProductOp::MulWide { word, .. } | ProductOp::MadWide { word, .. } => word,
            _ => false,
        };
        // A product keeps one stride only if one factor is the same in both halves.
        full && operands[..2].contains(&Class::Uniform)
    }
}
