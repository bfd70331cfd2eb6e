//! Matrix product in double precision, `C = A B`; B is stored by columns.
//!
//! An H200 multiplies and adds in FP64 at half the rate of FP32, and on tensor cores at twice that. Tensor cores need
//! a quarter of the issue slots for the same results, which leaves slots for copies and loads.

mod fma_tile;
mod fragments;
mod library;
mod one_warp;
mod operands;

pub use operands::Operands;

use crate::Rung;
use crate::rung::ladder;

ladder! {
    "dgemm" in "dgemm": "matrix product in double precision";
    pub fn rungs() -> [Rung<Operands>];
    "fma-tile" fma_tile;
    "one-warp" one_warp;
    "fragments" fragments;
    "library" library;
}
