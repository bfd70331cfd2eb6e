//! Commands on kernels of PTX and CUDA C++ files.

mod assembler;
mod check;
mod debug;
mod debug_page;
mod grid;
mod inspect;
mod kernel;
mod layouts;
mod profile;
