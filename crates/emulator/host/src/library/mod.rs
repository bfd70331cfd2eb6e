//! The C library, by the names of its functions. Each takes its arguments as 64-bit words: integers and pointers as
//! they are, floats by their bits. Variable arguments are passed as the address of a block that holds each at a
//! multiple of its size.

mod environment;
mod heap;
mod math;
pub mod random;
mod scan;
mod stdio;

use crate::process::{Process, Stop};

/// A function that the program calls.
pub type External = fn(&mut Process, &[u64]) -> Result<u64, Stop>;

/// The functions of one file.
type Functions = &'static [(&'static str, External)];

/// All functions.
pub const LIBRARY: &[Functions] =
    &[environment::FUNCTIONS, heap::FUNCTIONS, math::FUNCTIONS, scan::FUNCTIONS, stdio::FUNCTIONS];

/// An argument; 0 if it was left out.
fn word(arguments: &[u64], at: usize) -> u64 {
    arguments.get(at).copied().unwrap_or(0)
}
