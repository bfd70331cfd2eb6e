//! Product of 8-bit floats, `C = A B` with e4m3 factors and f32 results; B is stored by columns.
//!
//! FP8 has half of bf16's bytes and twice its rate, but the tensor cores of Hopper sum the products of 8-bit floats
//! with about 14 bits. The rungs differ in the number of products per such sum before it moves to 32-bit registers,
//! and in the work that waits meanwhile.

mod chained;
mod library;
mod operands;
mod promoted;
mod turns;

pub use operands::{Operands, PROMOTED};

use crate::Rung;
use crate::rung::ladder;

ladder! {
    "fp8" in "fp8": "matrix product on tensor cores, 8-bit floats (e4m3) and f32 results";
    pub fn rungs() -> [Rung<Operands>];
    "chained" chained;
    "library" library;
    "promoted" promoted;
    "turns" turns;
}
