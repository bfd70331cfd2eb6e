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

use crate::{Ladder, Rung};

/// The rungs, in the order of the ladder.
pub fn rungs() -> Vec<Rung<Operands>> {
    vec![
        Rung::new("fma-tile", "beyond", include_str!("dgemm/fma_tile.rs"), fma_tile::prepare),
        Rung::new("one-warp", "beyond", include_str!("dgemm/one_warp.rs"), one_warp::prepare),
        Rung::new("fragments", "beyond", include_str!("dgemm/fragments.rs"), fragments::prepare),
        Rung::new("library", "beyond", include_str!("dgemm/library.rs"), library::prepare),
    ]
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "dgemm",
        title: "matrix product in double precision",
        story: [include_str!("dgemm/story.en.md"), include_str!("dgemm/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}
