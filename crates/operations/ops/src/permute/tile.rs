//! The shape of a tile, and of the matrix that it is a part of: what the kernels of `tiles` and `square` are compiled for and told.

use lanework::prelude::*;

/// How a tile is moved: what the kernel is compiled for.
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
    /// Rows of the source are aligned to 16 bytes, and whole chunks of 16 bytes.
    pub wide_loads: bool,
    /// The same of the output.
    pub wide_stores: bool,
    /// The output is divided at sectors.
    pub shifted: bool,
    /// Columns of tiles that are moved together: blocks go across these first, then down.
    pub beside: u32,
}

impl Tile {
    /// Rows that share a cell.
    pub fn group(&self) -> u32 {
        (4 / self.bytes).max(1)
    }

    /// Words of a cell.
    pub fn words(&self) -> u32 {
        (self.bytes / 4).max(1)
    }

    /// Elements of 16 bytes.
    pub fn chunk(&self) -> u32 {
        16 / self.bytes
    }

    /// Rows before the tile that a shifted window may reach.
    pub fn lead(&self) -> u32 {
        if self.shifted { 32 / self.bytes - 1 } else { 0 }
    }

    /// Rows of cells that are read.
    pub fn cells_down(&self) -> u32 {
        (self.down + self.lead()) / self.group()
    }

    /// Cells from one row of them to the next: odd.
    pub fn pitch(&self) -> u32 {
        let padding = if self.group() > 1 { 4 * ((self.across - 1) / 32) } else { 0 };
        (self.across + padding) | 1
    }

    /// Lanes of a warp that access chunks of one row, of `chunks`.
    pub fn lanes(chunks: u32) -> u32 {
        chunks.min(8)
    }

    /// Warps that share the chunks of a row, and the rows that all warps move at a time.
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

/// One matrix to transpose: its extents, and what is between its rows.
#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Plane {
    /// Rows of the source: adjacent elements of the output.
    pub rows: u32,
    /// Columns of the source: adjacent elements there.
    pub cols: u32,
    /// Words from one row of the source to the next.
    pub from: u64,
    /// Words from one row of the output to the next.
    pub to: u64,
    /// Elements from a sector's start to the first element of the output, where it is divided at sectors.
    pub skew: u32,
    /// Zero.
    pub reserved: u32,
}
