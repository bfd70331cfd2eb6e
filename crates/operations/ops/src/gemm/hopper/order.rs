//! Tile order of persistent blocks: concurrent tiles share rows and columns in the L2 cache.

use lanework::prelude::*;

/// Tile order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Groups of this many tile rows, column by column.
    Grouped(u32),
}

impl Order {
    fn together(self) -> u32 {
        match self {
            Order::Grouped(rows) => rows,
        }
    }
}

/// Row and column of tile number `tile` in a grid of `down` by `across` tiles.
#[device]
pub fn place(tile: u32, down: u32, across: u32, #[constant] order: Order) -> (u32, u32) {
    let together = const { order.together() };
    let first = tile / (together * across) * together;
    let height = (down - first).min(together);
    let within = tile % (together * across);
    (first + within % height, within / height)
}
