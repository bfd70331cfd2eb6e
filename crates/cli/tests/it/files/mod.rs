//! Commands on kernels of PTX and CUDA C++ files.

mod assembler;
mod check;
mod grid;
mod inspect;
mod kernel;
mod profile;
