//! The operands of a product of bf16.

use crate::factors::Factors;
use half::bf16;

/// The operands of a product of bf16 with f32 results.
pub type Operands = Factors<bf16, f32>;
