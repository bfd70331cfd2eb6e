//! The operands of a product of 8-bit floats, and the length of its accumulation chains.

use crate::factors::Factors;

/// The operands: factors of e4m3, as bytes.
pub type Operands = Factors<u8, f32>;

/// Steps along K that the tensor cores sum before the promoting rungs add the sum in f32.
pub const PROMOTED: usize = 128;
