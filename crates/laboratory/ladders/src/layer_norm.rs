//! Layer norm of the rows of a matrix, from one thread per row to the speed of a copy.
//!
//! The same rungs as in [`softmax`](crate::softmax), with different statistics: the mean and the mean squared
//! deviation.

mod block_per_row;
mod held;
mod library;
mod one_pass;
mod ring;
mod spread;
mod thread_per_row;
mod vectorized;

use crate::Rung;
use crate::rows::Rows;
use crate::rung::ladder;

ladder! {
    "layer-norm" in "layer_norm": "layer norm of the rows of a matrix of f32";
    pub fn rungs() -> [Rung<Rows>];
    "thread-per-row" thread_per_row;
    "block-per-row" block_per_row;
    "one-pass" one_pass;
    "held" held;
    "vectorized" vectorized;
    "spread" spread;
    "ring" ring;
    "library" library;
}
