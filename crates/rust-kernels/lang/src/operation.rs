//! The binary operations of the language, and the PTX instruction of each.

use lanework_ptx::ScalarType;

/// A binary operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Min,
    Max,
}

impl Operation {
    /// Whether the operation is commutative.
    pub fn commutes(self) -> bool {
        use Operation::*;
        matches!(self, Add | Mul | And | Or | Xor | Min | Max)
    }

    /// The instruction for integers of the (32- or 64-bit) type `ty`.
    pub fn integer_name(self, ty: ScalarType) -> String {
        let (word, bits) = (ty.name(), 8 * ty.size());
        match self {
            Operation::Add => format!("add.{word}"),
            Operation::Sub => format!("sub.{word}"),
            Operation::Mul => format!("mul.lo.{word}"),
            Operation::Div => format!("div.{word}"),
            Operation::Rem => format!("rem.{word}"),
            Operation::And => format!("and.b{bits}"),
            Operation::Or => format!("or.b{bits}"),
            Operation::Xor => format!("xor.b{bits}"),
            Operation::Shl => format!("shl.b{bits}"),
            Operation::Shr => format!("shr.{word}"),
            Operation::Min => format!("min.{word}"),
            Operation::Max => format!("max.{word}"),
        }
    }

    /// The instruction for floats of type `ty`; rounding is spelt out so that a product and a sum
    /// are never contracted into a fused multiply-add.
    pub fn float_name(self, ty: ScalarType) -> String {
        let word = ty.name();
        match self {
            Operation::Add => format!("add.rn.{word}"),
            Operation::Sub => format!("sub.rn.{word}"),
            Operation::Mul => format!("mul.rn.{word}"),
            Operation::Div => format!("div.rn.{word}"),
            Operation::Min => format!("min.{word}"),
            Operation::Max => format!("max.{word}"),
            other => unreachable!("{other:?} is not defined on floats"),
        }
    }
}
