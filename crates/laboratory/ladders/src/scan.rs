//! The inclusive scan: `y[i] = x[0] + ... + x[i]`, from one thread to the speed of a copy.
//!
//! Every result needs all numbers before it, so the work looks serial. The middle rungs make it parallel, at the
//! price of more additions or more traffic; the last ones read each number once and write each result once, and
//! differ in how the sums travel from tile to tile.

mod big_tiles;
mod chained;
mod library;
mod look_back;
mod one_block;
mod one_thread;
mod sums;
mod three_phases;
mod tile;
mod warp_shuffle;

pub use sums::{LONGEST, Sums};

use crate::Rung;
use crate::rung::ladder;

ladder! {
    "scan" in "scan": "running sums of f32";
    pub fn rungs() -> [Rung<Sums>];
    "one-thread" one_thread;
    "one-block" one_block;
    "warp-shuffle" warp_shuffle;
    "three-phases" three_phases;
    "chained" chained;
    "look-back" look_back;
    "big-tiles" big_tiles;
    "library" library;
}
