//! The order in which persistent blocks take tiles, so that those at work at one time share rows and columns in the L2 cache.

use lanework::prelude::*;

/// An order of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// So many rows of tiles together, column by column.
    Grouped(u32),
}

impl Order {
    fn together(self) -> u32 {
        match self {
            Order::Grouped(rows) => rows,
        }
    }
}

/// The row and the column of tiles of tile `tile`, of `down` rows and `across` columns of them.
#[device]
pub fn place(tile: u32, down: u32, across: u32, #[constant] order: Order) -> (u32, u32) {
    let together = const { order.together() };
    let first = tile / (together * across) * together;
    let height = (down - first).min(together);
    let within = tile % (together * across);
    (first + within % height, within / height)
}
