//! Floating-point types and rounding modes that opcodes of several families share.

use lanework_ptx::ScalarType;

/// A floating-point type of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the PTX type of its name")]
pub enum FloatType {
    F16,
    Bf16,
    F32,
    F64,
}

impl FloatType {
    /// The type of floats that this is, if it is of one number and has arithmetic.
    pub fn of(ty: ScalarType) -> Option<FloatType> {
        match ty {
            ScalarType::F16 => Some(FloatType::F16),
            ScalarType::Bf16 => Some(FloatType::Bf16),
            ScalarType::F32 => Some(FloatType::F32),
            ScalarType::F64 => Some(FloatType::F64),
            _ => None,
        }
    }
}

/// How a result is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest, ties to even.
    NearestEven,
    /// Towards zero.
    Zero,
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
}

/// What a fused operation negates before it multiplies and adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Negated {
    /// The product.
    pub product: bool,
    /// What is added to it.
    pub addend: bool,
}

impl Negated {
    /// Nothing.
    pub const NOTHING: Negated = Negated { product: false, addend: false };
}
