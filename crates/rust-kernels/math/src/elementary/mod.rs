//! The elementary functions, generic over the numbers that they compute with, and their coefficients.

pub mod coefficients;
pub mod exponential;
pub mod root;
pub mod trigonometric;
