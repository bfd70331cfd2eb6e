//! Arithmetic and conversions.

pub mod floats;
pub mod integers;
