//! Commands on kernels of PTX and CUDA C++ files.

mod assembler;
mod check;
mod inspect;
mod kernel;
mod profile;
