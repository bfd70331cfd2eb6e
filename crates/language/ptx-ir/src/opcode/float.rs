//! Floating-point arithmetic (PTX manual, "Floating-Point Instructions", "Half Precision Floating-Point Instructions"): f32, f64,
//! 16-bit types single or packed, and directed rounding (`.rz`, `.rm`, `.rp`).

use crate::types::NanUse;
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
    /// The float type of a scalar type, if that holds one number and has arithmetic.
    pub fn from_type(ty: ScalarType) -> Option<FloatType> {
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
    /// Toward zero.
    Zero,
    /// Toward negative infinity.
    Down,
    /// Toward positive infinity.
    Up,
}

/// Negations inside a fused multiply-add.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Negated {
    /// The product.
    pub product: bool,
    /// The addend.
    pub addend: bool,
}

impl Negated {
    /// Nothing.
    pub const NOTHING: Negated = Negated { product: false, addend: false };
}

/// A function of f32 operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SingleOp {
    /// `a + b`.
    Add(FloatModifiers),
    /// `a - b`.
    Sub(FloatModifiers),
    /// `a * b`.
    Mul(FloatModifiers),
    /// `a * b + c`, rounded once.
    Fma(FloatModifiers),
    /// `a * b + c`, rounded once, with the product or `c` negated.
    FmaNegated {
        /// The modifiers of the result and the operands.
        modifiers: FloatModifiers,
        /// The negations.
        negated: Negated,
    },
    /// `a / b`.
    Div {
        /// How exact it is.
        division: Division,
        /// Subnormal operands and results are flushed to zero.
        ftz: bool,
    },
    /// One of the two factors of an approximate quotient `a / b`, which is their product.
    Factor {
        /// Which one.
        part: QuotientPart,
        /// How exact the quotient is.
        division: Division,
        /// Subnormal operands and results are flushed to zero.
        ftz: bool,
    },
    /// The smaller or the larger operand.
    MinMax {
        /// Which one.
        choice: MinMax,
        /// Subnormal operands and results are flushed to zero.
        ftz: bool,
    },
    /// A function of one operand.
    Unary {
        /// Which one.
        function: Unary,
        /// Subnormal operands and results are flushed to zero.
        ftz: bool,
    },
    /// A function that the GPU approximates.
    Approximate {
        /// Which one.
        function: Approximation,
        /// Subnormal operands and results are flushed to zero.
        ftz: bool,
    },
    /// The magnitude of `b` with the sign of `a`.
    CopySign,
    /// Whether `a` is of a class (`testp`).
    Test(FloatClass),
    /// `a`, or a zero of the same sign if `a` is subnormal.
    Flush,
    /// `a` clamped to [0, 1]; NaN becomes 0.
    Saturate,
}

/// The modifiers `.ftz` and `.sat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatModifiers {
    /// Subnormal operands and results are flushed to zero.
    pub ftz: bool,
    /// The result is clamped to [0, 1].
    pub sat: bool,
}

/// A minimum or maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MinMax {
    /// The larger operand, else the smaller one.
    pub max: bool,
    /// NaN if either operand is NaN, not only if both are.
    pub nan: bool,
    /// `.xorsign`: compares magnitudes; the sign of the result is the exclusive or of the signs.
    pub xorsign: bool,
}

/// A function of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the PTX instruction of its name")]
pub enum Unary {
    Abs,
    Neg,
    Sqrt,
    Rcp,
}

/// How exact a quotient is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Division {
    /// Rounded once.
    Rounded,
    /// `a` times the approximate reciprocal of `b` (`.approx`).
    Approximate,
    /// The same with operands scaled for large `b` (`.full`).
    Full,
}

/// A factor of an approximate quotient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuotientPart {
    /// `a`, scaled as `b` is.
    Numerator,
    /// The approximate reciprocal of `b`, scaled into its range.
    Reciprocal,
}

/// A function that the GPU approximates (`.approx`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the PTX instruction of its name")]
pub enum Approximation {
    Rcp,
    Rsqrt,
    Sqrt,
    Ex2,
    Lg2,
    Sin,
    Cos,
    Tanh,
}

/// A class of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatClass {
    /// Neither infinite nor NaN.
    Finite,
    /// An infinity.
    Infinite,
    /// Not NaN.
    Number,
    /// NaN.
    NotANumber,
    /// Normal, or zero.
    Normal,
    /// Subnormal.
    Subnormal,
}

impl SingleOp {
    /// How it treats NaN. Plain arithmetic, the most frequent, produces the host's NaN. Other operations ignore which NaN
    /// an operand is or, like `Flush`, feed only arithmetic and comparisons that ignore it.
    pub fn nan_use(self) -> NanUse {
        match self {
            SingleOp::Add(FloatModifiers { ftz: false, sat: false })
            | SingleOp::Sub(FloatModifiers { ftz: false, sat: false })
            | SingleOp::Mul(FloatModifiers { ftz: false, sat: false })
            | SingleOp::Fma(FloatModifiers { ftz: false, sat: false })
            | SingleOp::FmaNegated {
                modifiers: FloatModifiers { ftz: false, sat: false }, ..
            } => NanUse::Produces,
            SingleOp::CopySign | SingleOp::Test(_) => NanUse::Observes,
            _ => NanUse::Ignores,
        }
    }
}

/// A function of f64 operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DoubleOp {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`.
    Mul,
    /// `a * b + c`, rounded once.
    Fma,
    /// `a * b + c`, rounded once, with the product or `c` negated.
    FmaNegated(Negated),
    /// `a / b`.
    Div,
    /// The smaller operand.
    Min,
    /// The larger operand.
    Max,
    /// The magnitude.
    Abs,
    /// The opposite.
    Neg,
    /// The magnitude of `b` with the sign of `a`.
    CopySign,
    /// The square root.
    Sqrt,
    /// `1 / a`.
    Rcp,
    /// `1 / a`, reading and writing only the high words (`.approx.ftz`).
    RcpApproximate,
    /// `1 / sqrt(a)`, by an approximation that is improved once (`.approx`).
    Rsqrt,
    /// `1 / sqrt(a)`, reading and writing only the high words (`.approx.ftz`).
    RsqrtApproximate,
    /// Whether `a` is of a class (`testp`).
    Test(FloatClass),
    /// `a` clamped to [0, 1]; NaN becomes 0.
    Saturate,
}

/// A function of floats, rounded in a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DirectedOp {
    /// The function.
    pub function: DirectedFunction,
    /// Whether the operands are f64 instead of f32.
    pub double: bool,
    /// Where the exact result is rounded.
    pub direction: RoundingDirection,
}

/// A function with directed rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DirectedFunction {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`.
    Mul,
    /// `a * b + c`, rounded once.
    Fma,
    /// `a / b`.
    Div {
        /// A result below the smallest normal f32 before it is rounded is flushed.
        ftz: bool,
    },
    /// The square root.
    Sqrt,
    /// `1 / a`.
    Rcp,
}

/// A rounding direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoundingDirection {
    /// Toward zero.
    Zero,
    /// Toward negative infinity.
    Down,
    /// Toward positive infinity.
    Up,
}

impl DirectedOp {
    /// How it treats NaN.
    pub fn nan_use(self) -> NanUse {
        if self.double { NanUse::Observes } else { NanUse::Ignores }
    }
}

/// A function of 16-bit floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HalfOp {
    /// One that all 16-bit types have.
    Any(HalfFunction, HalfType),
    /// One that only f16 has.
    F16 {
        /// The function.
        function: F16Function,
        /// Whether it operates on both halves of a word.
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
    /// The 16-bit float type of a scalar type.
    pub fn from_type(ty: ScalarType) -> Option<HalfType> {
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
    /// `a`, or 0 if negative; NaN is kept.
    Relu,
}

/// A function of f16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum F16Function {
    /// `a * b`, flushed to zero if the exact result is subnormal.
    MulFlushed,
    /// `a * b + c`, flushed likewise.
    FmaFlushed,
    /// `a`, or a zero of the same sign if `a` is subnormal.
    Flush,
    /// `a` clamped to [0, 1]; NaN becomes 0.
    Saturate,
}
