//! Tiles in three levels, block, warp and thread: their sizes, and a thread's multiply-adds on
//! tiles in shared memory.
//!
//! A warp's 8 x 4 lanes compute 64 x 32 elements of C, and each lane 8 x 8 of them: two float4s of
//! rows at a distance of 32 by two float4s of columns at a distance of 16, so that adjacent lanes
//! read adjacent float4s.

use super::operands::store_float4;
use lanework::prelude::*;

/// Rows and columns of C that a warp computes.
const WARP: (u32, u32) = (64, 32);
/// Distance between a lane's two float4s of rows, or of columns.
pub(super) const APART: (u32, u32) = (32, 16);

/// Padding of each step of the transposed tile of A, in elements: it shifts every fourth step by 16
/// banks, so that adjacent lanes store to different banks.
const PAD: u32 = 4;

/// The tile of C that a block computes, and the steps along k that it loads at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// Rows of C, a multiple of 64.
    pub rows: u32,
    /// Columns of C, a multiple of 32.
    pub cols: u32,
    /// Steps along k.
    pub steps: u32,
}

impl Tile {
    /// Threads per block.
    pub const fn threads(self) -> u32 {
        self.rows / WARP.0 * (self.cols / WARP.1) * 32
    }

    /// Rows, columns and steps.
    pub const fn extents(self) -> (u32, u32, u32) {
        (self.rows, self.cols, self.steps)
    }

    /// Shape of `stages` tiles of A, transposed: a row per step.
    pub const fn a_shape(self, stages: u32) -> [u32; 3] {
        [stages, self.steps, self.rows + PAD]
    }

    /// Shape of `stages` tiles of B.
    pub const fn b_shape(self, stages: u32) -> [u32; 3] {
        [stages, self.steps, self.cols]
    }

    /// Bytes of shared memory for both.
    pub const fn bytes(self, stages: u32) -> u32 {
        4 * stages * self.steps * (self.rows + PAD + self.cols)
    }
}

/// The first row and column, within the block's tile of C, that this thread computes.
#[device]
pub(super) fn place(#[constant] tile: Tile) -> (u32, u32) {
    let (warp, lane) = (thread_idx.x / 32, thread_idx.x % 32);
    let across = tile.cols / WARP.1; // warps along a row
    (warp / across * WARP.0 + lane / 4 * 4, warp % across * WARP.1 + lane % 4 * 4)
}

/// Adds to this thread's sums the products of all steps of the tiles in `stage`.
///
/// The sums are visited down one column and up the next, so that consecutive multiply-adds share an
/// operand. The operand reuse cache then saves a register read; the register file has too few ports
/// for three reads per cycle.
#[device]
pub(super) fn multiply(
    a_tiles: Shared<f32, 3>,
    b_tiles: Shared<f32, 3>,
    stage: u32,
    y: u32,
    x: u32,
    sums: &mut [[f32; 8]; 8],
    #[constant] tile: Tile,
) {
    #[unroll]
    for i in 0..tile.steps {
        let lines = [a_tiles.load4((stage, i, y)), a_tiles.load4((stage, i, y + APART.0))];
        let columns = [b_tiles.load4((stage, i, x)), b_tiles.load4((stage, i, x + APART.1))];
        #[unroll]
        for q in 0..8 {
            #[unroll]
            for s in 0..8 {
                let r = if q % 2 == 0 { s } else { 7 - s };
                sums[r][q] = lines[r / 4][r % 4].mul_add(columns[q / 4][q % 4], sums[r][q]);
            }
        }
    }
}

/// Writes this thread's sums, scaled, to C; (`row`, `col`) is the first of them.
#[device]
pub(super) fn store(
    c: &mut [f32],
    row: u32,
    col: u32,
    m: u32,
    n: u32,
    ldc: u32,
    sums: &[[f32; 8]; 8],
    alpha: f32,
    beta: f32,
    #[constant] reads_c: bool,
    #[constant] wide: bool,
    #[constant] edge: bool,
) {
    #[unroll]
    for r in 0..8u32 {
        #[unroll]
        for h in 0..2u32 {
            let (y, x) = (row + r / 4 * APART.0 + r % 4, col + h * APART.1);
            let q = 4 * h;
            let four = [sums[r][q], sums[r][q + 1], sums[r][q + 2], sums[r][q + 3]];
            store_float4(c, y, x, m, n, ldc, &four, alpha, beta, reads_c, wide, edge);
        }
    }
}
