//! Kernels of a Rust programmer who has read only the README and the pages about Rust.

mod interpreter;
mod least;
mod macros;
mod monoid;
mod parser;
mod rows;
mod statistics;
mod stencil;
mod tiles;
mod vectors;
mod walks;
