//! The operands of a product of 8-bit floats, and how long its chains are.

use crate::factors::Factors;

/// The operands: factors of e4m3, as bytes.
pub type Operands = Factors<u8, f32>;

/// Steps along K whose products are summed by the tensor cores before they are added in f32, where they are.
pub const PROMOTED: usize = 128;
