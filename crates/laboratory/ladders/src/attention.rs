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
mod specialized;
mod stored_scores;
#[cfg(test)]
mod tests;
mod turns;
mod wgmma;

pub use heads::{HEAD, Heads, TILE, on_host};

use crate::Rung;
use crate::rung::ladder;

ladder! {
    "attention" in "attention": "attention of bf16 heads of 128 elements, f32 sums";
    pub fn rungs() -> [Rung<Heads>];
    "stored-scores" stored_scores;
    "fused" fused;
    "one-warp" one_warp;
    "flash" flash;
    "wgmma" wgmma;
    "specialized" specialized;
    "overlapped" overlapped;
    "turns" turns;
    "library" library;
}
