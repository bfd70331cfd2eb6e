//! Attention: `softmax(q * transpose(k) / sqrt(d)) * v` in bf16 with f32 sums, heads of 128 elements.
//!
//! The algorithm is FlashAttention (Dao et al. 2022 to 2024), with one idea per rung: scores in registers, tensor
//! cores, tiles, TMA and `wgmma`, warp specialization, and products that overlap exponentials.

mod flash;
mod fused;
mod heads;
mod library;
mod one_warp;
mod overlapped;
mod softmax;
mod specialised;
mod stored_scores;
#[cfg(test)]
mod tests;
mod turns;
mod wgmma;

pub use heads::{HEAD, Heads, TILE, on_host};

use crate::{Ladder, Rung};

/// The rungs, in the order of the ladder.
pub fn rungs() -> Vec<Rung<Heads>> {
    macro_rules! rung {
        ($name:literal $module:ident) => {
            Rung::new(
                $name,
                "beyond",
                include_str!(concat!("attention/", stringify!($module), ".rs")),
                $module::prepare,
            )
        };
    }
    vec![
        rung!("stored-scores" stored_scores),
        rung!("fused" fused),
        rung!("one-warp" one_warp),
        rung!("flash" flash),
        rung!("wgmma" wgmma),
        rung!("specialised" specialised),
        rung!("overlapped" overlapped),
        rung!("turns" turns),
        rung!("library" library),
    ]
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "attention",
        title: "attention of bf16 heads of 128 elements, f32 sums",
        story: [include_str!("attention/story.en.md"), include_str!("attention/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}
