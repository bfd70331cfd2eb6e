//! Matrix product on tensor cores, `C = A B` with bf16 factors and f32 sums; B is stored by columns.
//!
//! A tensor core multiplies small matrices in one instruction, 16 times as fast as FP32 multiply-adds, so everything else
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

use crate::Rung;
use crate::rung::ladder;

ladder! {
    "hgemm" in "hgemm": "matrix product on tensor cores, bf16 factors and f32 sums";
    pub fn rungs() -> [Rung<Operands>];
    "one-warp" one_warp;
    "block-tile" block_tile;
    "pipelined" pipelined;
    "warpgroups" warpgroups;
    "specialized" specialized;
    "clusters" clusters;
    "turns" turns;
    "library" library;
}
