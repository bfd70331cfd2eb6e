//! The operands of a product of factors that may be rounded to TF32.

use crate::factors::Factors;

/// The operands: factors of f32.
pub type Operands = Factors<f32, f32>;
