//! Numerical algorithms on host matrices.

pub(crate) mod factor;
mod field;
pub(crate) mod reflections;
pub(crate) mod schur;
pub(crate) mod spectral;
