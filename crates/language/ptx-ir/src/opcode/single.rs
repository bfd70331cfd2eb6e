//! Arithmetic of f32, rounded to the nearest even (PTX manual, "Floating-Point Instructions");
//! [`super::directed`] has the other rounding directions.

use super::float::Negated;
use crate::types::NanUse;

/// A function of f32 operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SingleOp {
    /// `a + b`.
    Add(Modifiers),
    /// `a - b`.
    Sub(Modifiers),
    /// `a * b`.
    Mul(Modifiers),
    /// `a * b + c`, rounded once.
    Fma(Modifiers),
    /// `a * b + c`, rounded once, with the product or `c` negated.
    FmaNegated {
        /// Of the result and the operands.
        modifiers: Modifiers,
        /// What is negated.
        negated: Negated,
    },
    /// `a / b`.
    Div {
        /// How exact it is.
        division: Division,
        /// Subnormal operands and results are flushed to zero.
        ftz: bool,
    },
    /// One of the two factors whose product an approximate quotient `a / b` is.
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
    /// `a`, or zero of its sign where it is subnormal.
    Flush,
    /// `a` clamped to [0, 1]; NaN becomes 0.
    Saturate,
}

/// What `.ftz` and `.sat` ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Modifiers {
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
    /// Of the magnitudes, with the exclusive or of the signs.
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
    /// What it does with NaN. The plain arithmetic that runs most produces the host's NaN; the rest ignores
    /// which NaN an operand is, or, as `Flush`, only feeds arithmetic and comparisons that do.
    pub fn nan_use(self) -> NanUse {
        match self {
            SingleOp::Add(Modifiers { ftz: false, sat: false })
            | SingleOp::Sub(Modifiers { ftz: false, sat: false })
            | SingleOp::Mul(Modifiers { ftz: false, sat: false })
            | SingleOp::Fma(Modifiers { ftz: false, sat: false })
            | SingleOp::FmaNegated { modifiers: Modifiers { ftz: false, sat: false }, .. } => {
                NanUse::Produces
            }
            SingleOp::CopySign | SingleOp::Test(_) => NanUse::Observes,
            _ => NanUse::Ignores,
        }
    }
}
