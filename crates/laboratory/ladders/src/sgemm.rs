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

use crate::Rung;
use crate::rung::ladder;

ladder! {
    "sgemm" in "sgemm": "general matrix product in single precision, any shape and leading dimensions";
    pub fn rungs() -> [Rung<Operands>];
    "uncoalesced" uncoalesced D1;
    "coalesced" coalesced D2;
    "shared" shared_tiles D3;
    "tile-1d" tile_1d;
    "tile-2d" tile_2d;
    "vectorized" vectorized;
    "conflict-free" conflict_free;
    "warp-tiled" warp_tiled;
    "double-buffered" double_buffered;
    "fitted" fitted;
    "prefetched" prefetched;
    "ring" ring;
    "cluster-split" cluster_split;
    "library" library;
    "split" split;
    "split-promoted" split_promoted;
    "split-bf16" split_bf16;
}
