//! General matrix product in single precision, `C = alpha A B + beta C`, for any shape.
//!
//! A has m rows and k columns, B k rows and n columns, C m rows and n columns; the row strides are
//! `lda`, `ldb` and `ldc` elements. Each of the m n k multiply-adds needs two numbers, and a
//! multiprocessor's arithmetic throughput is far higher than its load throughput: every rung reuses
//! a loaded number for more of them, from cache to shared memory to registers.

mod cluster_split;
mod coalesced;
mod conflict_free;
mod double_buffered;
mod fitted;
mod library;
mod operands;
mod parts;
mod prefetched;
mod ring;
mod shared_tiles;
mod split;
mod split_bf16;
mod split_promoted;
mod tile;
mod tile_1d;
mod tile_2d;
mod uncoalesced;
mod vectorized;
mod warp_tiled;

pub use operands::{Operands, Shape};

use crate::{Ladder, Rung};

/// The rungs, in the order of the ladder.
pub fn rungs() -> Vec<Rung<Operands>> {
    vec![
        Rung::new("uncoalesced", "D1", include_str!("sgemm/uncoalesced.rs"), uncoalesced::prepare),
        Rung::new("coalesced", "D2", include_str!("sgemm/coalesced.rs"), coalesced::prepare),
        Rung::new("shared", "D3", include_str!("sgemm/shared_tiles.rs"), shared_tiles::prepare),
        Rung::new("tile-1d", "beyond", include_str!("sgemm/tile_1d.rs"), tile_1d::prepare),
        Rung::new("tile-2d", "beyond", include_str!("sgemm/tile_2d.rs"), tile_2d::prepare),
        Rung::new("vectorized", "beyond", include_str!("sgemm/vectorized.rs"), vectorized::prepare),
        Rung::new(
            "conflict-free",
            "beyond",
            include_str!("sgemm/conflict_free.rs"),
            conflict_free::prepare,
        ),
        Rung::new("warp-tiled", "beyond", include_str!("sgemm/warp_tiled.rs"), warp_tiled::prepare),
        Rung::new(
            "double-buffered",
            "beyond",
            include_str!("sgemm/double_buffered.rs"),
            double_buffered::prepare,
        ),
        Rung::new("fitted", "beyond", include_str!("sgemm/fitted.rs"), fitted::prepare),
        Rung::new("prefetched", "beyond", include_str!("sgemm/prefetched.rs"), prefetched::prepare),
        Rung::new("ring", "beyond", include_str!("sgemm/ring.rs"), ring::prepare),
        Rung::new(
            "cluster-split",
            "beyond",
            include_str!("sgemm/cluster_split.rs"),
            cluster_split::prepare,
        ),
        Rung::new("library", "beyond", include_str!("sgemm/library.rs"), library::prepare),
        Rung::new("split", "beyond", include_str!("sgemm/split.rs"), split::prepare),
        Rung::new(
            "split-promoted",
            "beyond",
            include_str!("sgemm/split_promoted.rs"),
            split_promoted::prepare,
        ),
        Rung::new("split-bf16", "beyond", include_str!("sgemm/split_bf16.rs"), split_bf16::prepare),
    ]
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "sgemm",
        title: "general matrix product in single precision, any shape and leading dimensions",
        story: [include_str!("sgemm/story.en.md"), include_str!("sgemm/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}
