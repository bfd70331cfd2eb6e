//! Arithmetic of f32 and f64 rounded towards zero, down or up (`.rz`, `.rm`, `.rp`).

use crate::types::NanUse;

/// A function of floats, rounded in a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DirectedOp {
    /// What is computed.
    pub function: DirectedFunction,
    /// Of f64 operands, else of f32 ones.
    pub double: bool,
    /// Where the exact result is rounded.
    pub direction: Direction,
}

/// What is computed.
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
pub enum Direction {
    /// Towards zero.
    Zero,
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
}

impl DirectedOp {
    /// What it does with NaN.
    pub fn nan_use(self) -> NanUse {
        if self.double { NanUse::Observes } else { NanUse::Ignores }
    }
}
