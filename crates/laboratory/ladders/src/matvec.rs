//! Matrix-vector product in single precision, `y = A x`, A by rows.
//!
//! Each element of A is multiplied once, so its bytes determine the time, as in a sum. The reuse techniques of
//! `sgemm` do not help.

mod library;
mod operands;
mod several_rows;
mod thread_per_row;
mod vectorized;
mod warp_per_row;

pub use operands::Operands;

use crate::Rung;
use crate::rung::ladder;

ladder! {
    "matvec" in "matvec": "product of a matrix and a vector of f32";
    pub fn rungs() -> [Rung<Operands>];
    "thread-per-row" thread_per_row;
    "warp-per-row" warp_per_row;
    "vectorized" vectorized;
    "several-rows" several_rows;
    "library" library;
}
