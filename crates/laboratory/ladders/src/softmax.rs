//! Softmax of the rows of a matrix, from one thread per row to the speed of a copy.
//!
//! A row is needed three times: for its largest number, for the sum of the exponentials, and for the results. The
//! rungs read it with neighboring threads, then fewer times, and finally once.

mod block_per_row;
mod held;
mod library;
mod online;
mod ring;
mod spread;
mod thread_per_row;
mod vectorized;
mod warp_shuffle;

use crate::Rung;
use crate::rows::Rows;
use crate::rung::ladder;

ladder! {
    "softmax" in "softmax": "softmax of the rows of a matrix of f32";
    pub fn rungs() -> [Rung<Rows>];
    "thread-per-row" thread_per_row;
    "block-per-row" block_per_row;
    "warp-shuffle" warp_shuffle;
    "online" online;
    "held" held;
    "vectorized" vectorized;
    "spread" spread;
    "ring" ring;
    "library" library;
}
