//! Products of matrices, and of a matrix and a vector.

pub mod factors;
pub mod hgemm;
pub mod int_matmul;
pub mod matmul;
pub mod matvec;
pub mod sgemm;
