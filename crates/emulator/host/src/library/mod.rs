//! The C library, by the names of its functions. Each takes its arguments as 64-bit words: integers and pointers as
//! they are, floats by their bits. Variable arguments are passed as the address of a block that holds each at a
//! multiple of its size.

mod environment;
mod heap;
mod math;
mod scan;
mod stdio;

use crate::process::LibraryFunctions;

/// All functions.
pub const LIBRARY: &[LibraryFunctions] =
    &[environment::FUNCTIONS, heap::FUNCTIONS, math::FUNCTIONS, scan::FUNCTIONS, stdio::FUNCTIONS];
