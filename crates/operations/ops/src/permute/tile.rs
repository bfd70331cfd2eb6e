//! Tile and matrix shapes: compile-time configuration and arguments of the kernels of `tiles` and `square`.

use lanework::prelude::*;

/// Tile configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    /// Rows of the source in a tile.
    pub down: u32,
    /// Columns of the source in a tile.
    pub across: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Whether rows of the source are aligned to, and multiples of, 16 bytes.
    pub wide_loads: bool,
    /// The same for the output.
    pub wide_stores: bool,
    /// Whether the output is divided at sectors.
    pub shifted: bool,
    /// Tile columns that are processed together: blocks go across these first, then down.
    pub beside: u32,
}

impl Tile {
    /// Rows per cell.
    pub fn group(&self) -> u32 {
        (4 / self.bytes).max(1)
    }

    /// Words per cell.
    pub fn words(&self) -> u32 {
        (self.bytes / 4).max(1)
    }

    /// Elements per 16 bytes.
    pub fn chunk(&self) -> u32 {
        16 / self.bytes
    }

    /// Rows before the tile that a shifted window may reach.
    pub fn lead(&self) -> u32 {
        if self.shifted { 32 / self.bytes - 1 } else { 0 }
    }

    /// Cell rows that are read.
    pub fn cells_down(&self) -> u32 {
        (self.down + self.lead()) / self.group()
    }

    /// Cell row stride: odd.
    pub fn pitch(&self) -> u32 {
        let padding = if self.group() > 1 { 4 * ((self.across - 1) / 32) } else { 0 };
        (self.across + padding) | 1
    }

    /// Lanes of a warp that access the `chunks` chunks of one row.
    pub fn lanes(chunks: u32) -> u32 {
        chunks.min(8)
    }

    /// Warps that share the chunks of a row, and rows per iteration of all warps.
    pub fn warps(&self, chunks: u32) -> (u32, u32) {
        let lanes = Tile::lanes(chunks);
        let beside = chunks / lanes;
        (beside, 32 / lanes * (self.threads / 32 / beside))
    }

    /// Words of shared memory.
    pub fn shared_words(&self) -> u32 {
        self.cells_down() * self.pitch() * self.words()
    }
}

/// A matrix to transpose: extents and row strides.
#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Plane {
    /// Rows of the source: adjacent elements of the output.
    pub rows: u32,
    /// Columns of the source: adjacent elements of the source.
    pub cols: u32,
    /// Source row stride in words.
    pub from: u64,
    /// Output row stride in words.
    pub to: u64,
    /// Elements from a sector's start to the output's first element, if it is divided at sectors.
    pub skew: u32,
    /// Always zero.
    pub reserved: u32,
}
