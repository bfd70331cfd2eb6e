//! Ordinary kernels, as a Rust programmer writes them who has read only the README and the limits of kernels.

mod arrays;
mod enums;
mod generics;
mod options;
mod results;
mod sieve;
mod slices;
mod structs;
mod tiles;
mod traits;
mod tuples;
