//! Numerical algorithms on host matrices.

pub(crate) mod factor;
pub(crate) mod jacobi;
pub(crate) mod reflections;
pub(crate) mod schur;
