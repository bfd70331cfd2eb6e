//! Matrix product on tensor cores, `C = A B` with bf16 factors and f32 sums; B is stored by columns.
//!
//! A tensor core multiplies small matrices in one instruction, 16 times as fast as multiply-adds, so everything else
//! must keep up. The ladder goes from one warp that waits for memory at each step to blocks that wait only for the
//! tensor cores.

mod block_tile;
mod clusters;
mod library;
mod one_warp;
mod operands;
mod pipelined;
mod specialized;
mod turns;
mod warpgroups;

pub use operands::Operands;

use crate::{Ladder, Rung};

/// The rungs, in the order of the ladder.
pub fn rungs() -> Vec<Rung<Operands>> {
    vec![
        Rung::new("one-warp", "beyond", include_str!("hgemm/one_warp.rs"), one_warp::prepare),
        Rung::new("block-tile", "beyond", include_str!("hgemm/block_tile.rs"), block_tile::prepare),
        Rung::new("pipelined", "beyond", include_str!("hgemm/pipelined.rs"), pipelined::prepare),
        Rung::new("warpgroups", "beyond", include_str!("hgemm/warpgroups.rs"), warpgroups::prepare),
        Rung::new(
            "specialized",
            "beyond",
            include_str!("hgemm/specialized.rs"),
            specialized::prepare,
        ),
        Rung::new("clusters", "beyond", include_str!("hgemm/clusters.rs"), clusters::prepare),
        Rung::new("turns", "beyond", include_str!("hgemm/turns.rs"), turns::prepare),
        Rung::new("library", "beyond", include_str!("hgemm/library.rs"), library::prepare),
    ]
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "hgemm",
        title: "matrix product on tensor cores, bf16 factors and f32 sums",
        story: [include_str!("hgemm/story.en.md"), include_str!("hgemm/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}
