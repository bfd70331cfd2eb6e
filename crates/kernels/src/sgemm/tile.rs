//! Tiles in three levels, from block to warp to thread: their sizes, and what a thread does with
//! tiles that lie in shared memory.

use super::operands::store_four;
use lanework::prelude::*;

/// Sizes of the tiles of C that a block, a warp and a thread compute.
///
/// The lanes of a warp stand in a grid, and each computes fours of rows by fours of columns, which
/// lie as far apart as the grid is wide: neighbouring lanes read neighbouring fours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// Rows and columns of C per block.
    pub block: (u32, u32),
    /// Rows and columns of C per warp.
    pub warp: (u32, u32),
    /// Lanes of a warp along the rows and along the columns of C.
    pub lanes: (u32, u32),
    /// Steps along k that are staged at a time.
    pub steps: u32,
}

/// Elements that a step of the transposed tile of A has more than rows: they move every fourth step
/// by 16 banks, so that neighbours store to different ones.
pub(super) const PAD: u32 = 4;

impl Tile {
    /// Threads per block.
    pub const fn threads(self) -> u32 {
        self.block.0 / self.warp.0 * (self.block.1 / self.warp.1) * 32
    }

    /// Fours of rows and of columns that a thread computes.
    pub const fn fours(self) -> (u32, u32) {
        (self.warp.0 / (4 * self.lanes.0), self.warp.1 / (4 * self.lanes.1))
    }

    /// Extents of the staged tile of A, transposed: `stages` of a row per step.
    pub const fn a_shape(self, stages: u32) -> [u32; 3] {
        [stages, self.steps, self.block.0 + PAD]
    }

    /// Extents of the staged tile of B.
    pub const fn b_shape(self, stages: u32) -> [u32; 3] {
        [stages, self.steps, self.block.1]
    }

    /// Bytes of shared memory for both.
    pub const fn bytes(self, stages: u32) -> u32 {
        4 * stages * self.steps * (self.block.0 + PAD + self.block.1)
    }
}

/// The first row and column, within the block's tile of C, that this thread computes.
#[device]
pub(super) fn place(#[constant] tile: Tile) -> (u32, u32) {
    let (warp, lane) = (thread_idx.x / 32, thread_idx.x % 32);
    let along = tile.block.1 / tile.warp.1;
    let y = warp / along * tile.warp.0 + lane / tile.lanes.1 * 4;
    let x = warp % along * tile.warp.1 + lane % tile.lanes.1 * 4;
    (y, x)
}

/// Adds to this thread's sums the products of all steps of the staged tiles.
#[device]
pub(super) fn multiply(
    a_tiles: Shared<f32, 3>,
    b_tiles: Shared<f32, 3>,
    stage: u32,
    y: u32,
    x: u32,
    sums: RegisterArray<f32, 2>,
    #[constant] tile: Tile,
) {
    let (line_fours, column_fours) = tile.fours();
    #[unroll]
    for i in 0..tile.steps {
        let lines = registers(0.0f32, 4 * line_fours);
        let columns = registers(0.0f32, 4 * column_fours);
        #[unroll]
        for f in 0..line_fours {
            let four = a_tiles.load4((stage, i, y + f * 4 * tile.lanes.0));
            #[unroll]
            for r in 0..4 {
                lines[4 * f + r] = four[r];
            }
        }
        #[unroll]
        for f in 0..column_fours {
            let four = b_tiles.load4((stage, i, x + f * 4 * tile.lanes.1));
            #[unroll]
            for q in 0..4 {
                columns[4 * f + q] = four[q];
            }
        }
        #[unroll]
        for r in 0..4 * line_fours {
            #[unroll]
            for q in 0..4 * column_fours {
                sums[[r, q]] = lines[r].mul_add(columns[q], sums[[r, q]]);
            }
        }
    }
}

/// Writes this thread's sums, scaled, to C; (`row`, `col`) is the first element that it computes.
#[device]
pub(super) fn store(
    c: &mut [f32],
    row: u32,
    col: u32,
    m: u32,
    n: u32,
    ldc: u32,
    sums: RegisterArray<f32, 2>,
    alpha: f32,
    beta: f32,
    #[constant] reads_c: bool,
    #[constant] wide: bool,
    #[constant] edge: bool,
    #[constant] tile: Tile,
) {
    let (line_fours, column_fours) = tile.fours();
    #[unroll]
    for r in 0..4 * line_fours {
        let y = row + r / 4 * 4 * tile.lanes.0 + r % 4;
        #[unroll]
        for f in 0..column_fours {
            let x = col + f * 4 * tile.lanes.1;
            let q = 4 * f;
            let four = [sums[[r, q]], sums[[r, q + 1]], sums[[r, q + 2]], sums[[r, q + 3]]];
            store_four(c, y, x, m, n, ldc, &four, alpha, beta, reads_c, wide, edge);
        }
    }
}
