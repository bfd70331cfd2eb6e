//! Floating-point arithmetic of 16 bits, single or packed two to a word (PTX manual, "Half Precision
//! Floating-Point Instructions").

use super::single::MinMax;
use lanework_ptx::ScalarType;

/// A function of 16-bit floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HalfOp {
    /// One that all 16-bit types have.
    Any(HalfFunction, HalfType),
    /// One that only f16 has.
    F16 {
        /// What is computed.
        function: F16Function,
        /// Of both halves of a word.
        packed: bool,
    },
}

/// A 16-bit float type, single or packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the PTX type of its name")]
pub enum HalfType {
    F16,
    Bf16,
    F16x2,
    Bf16x2,
}

impl HalfType {
    /// The type of 16-bit floats that this is.
    pub fn of(ty: ScalarType) -> Option<HalfType> {
        match ty {
            ScalarType::F16 => Some(HalfType::F16),
            ScalarType::Bf16 => Some(HalfType::Bf16),
            ScalarType::F16x2 => Some(HalfType::F16x2),
            ScalarType::Bf16x2 => Some(HalfType::Bf16x2),
            _ => None,
        }
    }
}

/// A function of any 16-bit float type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HalfFunction {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`.
    Mul,
    /// `a * b + c`, rounded once.
    Fma,
    /// `a * b + c`, or 0 where `a` or `b` is the NaN of elements outside a tensor (`.oob`).
    FmaOutOfBounds,
    /// The smaller or the larger operand.
    MinMax(MinMax),
    /// The magnitude.
    Abs,
    /// The opposite.
    Neg,
    /// `2^a`.
    Ex2,
    /// The hyperbolic tangent.
    Tanh,
    /// `a`, or 0 where it is negative; NaN stays.
    Relu,
}

/// A function of f16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum F16Function {
    /// `a * b`, flushed to zero where it would be subnormal with all its digits.
    MulFlushed,
    /// `a * b + c`, flushed likewise.
    FmaFlushed,
    /// `a`, or zero of its sign where it is subnormal.
    Flush,
    /// `a` clamped to [0, 1]; NaN becomes 0.
    Saturate,
}
