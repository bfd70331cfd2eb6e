//! Vector addition, `c[i] = a[i] + b[i]`: the step before the matrix product.
//!
//! Each addition needs two loads and one store, so the kernel is memory-bound, and the ladder shows
//! how to saturate the memory.

mod grid_stride;
mod one_each;
mod vectorized;
mod vectors;

pub use vectors::{LONGEST, Vectors};

use crate::Rung;
use crate::rung::ladder;

ladder! {
    "vector-add" in "vector_add": "sum of two vectors of f32";
    pub fn rungs() -> [Rung<Vectors>];
    "one-each" one_each C1;
    "grid-stride" grid_stride;
    "vectorized" vectorized C4;
}
