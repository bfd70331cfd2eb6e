//! The operands of a product in double precision.

use crate::factors::Factors;

/// The operands: factors and results of f64.
pub type Operands = Factors<f64, f64>;
