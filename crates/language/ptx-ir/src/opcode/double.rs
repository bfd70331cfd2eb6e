//! Arithmetic of f64, rounded to the nearest even (PTX manual, "Floating-Point Instructions");
//! [`super::directed`] has the other rounding directions.

use super::float::Negated;
use super::single::FloatClass;

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
    /// `1 / a` from and to high words only (`.approx.ftz`).
    RcpApproximate,
    /// `1 / sqrt(a)`, by an approximation that is improved once (`.approx`).
    Rsqrt,
    /// `1 / sqrt(a)` from and to high words only (`.approx.ftz`).
    RsqrtApproximate,
    /// Whether `a` is of a class (`testp`).
    Test(FloatClass),
    /// `a` clamped to [0, 1]; NaN becomes 0.
    Saturate,
}
