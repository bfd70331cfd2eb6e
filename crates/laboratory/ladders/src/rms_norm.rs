//! RMS norm of the rows of a matrix, from one thread per row to the speed of a copy.
//!
//! The same rungs as in [`layer_norm`](crate::layer_norm), with one statistic: the mean of the squares.

mod block_per_row;
mod held;
mod library;
mod ring;
mod spread;
mod thread_per_row;
mod vectorized;

use crate::Rung;
use crate::rows::Rows;
use crate::rung::ladder;

ladder! {
    "rms-norm" in "rms_norm": "RMS norm of the rows of a matrix of f32";
    pub fn rungs() -> [Rung<Rows>];
    "thread-per-row" thread_per_row;
    "block-per-row" block_per_row;
    "held" held;
    "vectorized" vectorized;
    "spread" spread;
    "ring" ring;
    "library" library;
}
