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

use crate::{Ladder, Rung};

/// The rungs, in the order of the ladder.
#[rustfmt::skip]
pub fn rungs() -> Vec<Rung<Sums>> {
    vec![
        Rung::new("one-thread", "beyond", include_str!("scan/one_thread.rs"), one_thread::prepare),
        Rung::new("one-block", "beyond", include_str!("scan/one_block.rs"), one_block::prepare),
        Rung::new("warp-shuffle", "beyond", include_str!("scan/warp_shuffle.rs"), warp_shuffle::prepare),
        Rung::new("three-phases", "beyond", include_str!("scan/three_phases.rs"), three_phases::prepare),
        Rung::new("chained", "beyond", include_str!("scan/chained.rs"), chained::prepare),
        Rung::new("look-back", "beyond", include_str!("scan/look_back.rs"), look_back::prepare),
        Rung::new("big-tiles", "beyond", include_str!("scan/big_tiles.rs"), big_tiles::prepare),
        Rung::new("library", "beyond", include_str!("scan/library.rs"), library::prepare),
    ]
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "scan",
        title: "running sums of f32",
        story: [include_str!("scan/story.en.md"), include_str!("scan/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}
