//! Constructs of CUDA C++, and kernels of other compilers.

pub mod language;
pub mod numba;
pub mod triton;
