//! SGEMM rung: `warp-tiled`, after `conflict-free`, before `double-buffered`.
//!
//! Idea: a level between block and thread: each warp computes a 64 x 32 part of the tile, so that its
//! lanes read what their neighbours read; 16 steps are staged at a time.
//! Predicts: TODO
//! Costs: TODO
//! 思路：在线程块与线程之间增加 warp 一级：每个 warp 计算 64×32 的部分，各通道读取彼此相邻的数；一次准备 16 步。
//! 预测：TODO
//! 代价：TODO

use super::operands::{Operands, Shape, four, store_four};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Sizes of the tiles, from block to thread.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// Rows and columns of C per block, and steps along k that are staged at a time.
    pub block: (u32, u32, u32),
    /// Rows and columns of C per warp.
    pub warp: (u32, u32),
    /// Lanes of a warp along the rows and along the columns of C.
    pub lanes: (u32, u32),
}

impl Tile {
    pub(super) fn threads(self) -> u32 {
        self.block.0 / self.warp.0 * (self.block.1 / self.warp.1) * 32
    }
    /// Fours of rows and of columns that a thread computes.
    pub(super) fn fours(self) -> (u32, u32) {
        (self.warp.0 / (4 * self.lanes.0), self.warp.1 / (4 * self.lanes.1))
    }
}

#[kernel(block = tile.threads(), min_blocks = min_blocks)]
fn warp_tiled(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    m: u32,
    n: u32,
    k: u32,
    lda: u32,
    ldb: u32,
    ldc: u32,
    alpha: f32,
    beta: f32,
    #[constant] reads_c: bool,
    #[constant] edge: bool,
    #[constant] wide: (bool, bool, bool),
    #[constant] tile: Tile,
    #[constant] min_blocks: u32,
) {
    let ((tm, tn, tk), threads, (fr, fc)) = (tile.block, tile.threads(), tile.fours());
    let a_tile = shared::<f32>([tk, tm + 4]);
    let b_tile = shared::<f32>([tk, tn]);
    let t = thread_idx.x;
    let (top, left) = (block_idx.y * tm, block_idx.x * tn);
    let (warp, lane) = (t / 32, t % 32);
    let warps_n = tn / tile.warp.1;
    let y = warp / warps_n * tile.warp.0 + lane / tile.lanes.1 * 4;
    let x = warp % warps_n * tile.warp.1 + lane % tile.lanes.1 * 4;
    let sums = registers(0.0f32, [4 * fr, 4 * fc]);

    for p in (0..k).step_by(tk) {
        let (line, step) = (t / 2, t % 2 * 4);
        #[unroll]
        for s in (0..tk).step_by(8) {
            #[unroll]
            for l in (0..tm).step_by((threads / 2) as usize) {
                let row = line + l;
                let from_a = four(&a, top + row, p + step + s, m, k, lda, wide.0, edge);
                #[unroll]
                for i in 0..4 {
                    a_tile[[step + s + i, row]] = from_a[i];
                }
            }
        }
        let (step, column) = (t / (tn / 4), t % (tn / 4) * 4);
        #[unroll]
        for s in (0..tk).step_by((threads / (tn / 4)) as usize) {
            let from_b = four(&b, p + step + s, left + column, k, n, ldb, wide.1, edge);
            b_tile.store4((step + s, column), from_b);
        }
        sync_threads();
        #[unroll]
        for i in 0..tk {
            let lines = registers(0.0f32, [4 * fr]);
            let columns = registers(0.0f32, [4 * fc]);
            #[unroll]
            for f in 0..fr {
                let four = a_tile.load4((i, y + f * 4 * tile.lanes.0));
                #[unroll]
                for r in 0..4 {
                    lines[4 * f + r] = four[r];
                }
            }
            #[unroll]
            for f in 0..fc {
                let four = b_tile.load4((i, x + f * 4 * tile.lanes.1));
                #[unroll]
                for q in 0..4 {
                    columns[4 * f + q] = four[q];
                }
            }
            #[unroll]
            for r in 0..4 * fr {
                #[unroll]
                for q in 0..4 * fc {
                    sums[[r, q]] = lines[r].mul_add(columns[q], sums[[r, q]]);
                }
            }
        }
        sync_threads();
    }

    #[unroll]
    for r in 0..4 * fr {
        #[unroll]
        for f in 0..fc {
            let sums =
                [sums[[r, 4 * f]], sums[[r, 4 * f + 1]], sums[[r, 4 * f + 2]], sums[[r, 4 * f + 3]]];
            let row = top + y + r / 4 * 4 * tile.lanes.0 + r % 4;
            let col = left + x + f * 4 * tile.lanes.1;
            store_four(c, row, col, m, n, ldc, &sums, alpha, beta, reads_c, wide.2, edge);
        }
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let tile = Tile { block: (128, 128, 16), warp: (64, 32), lanes: (8, 4) };
    prepare_tile(x, device, tile, 2)
}

/// tuning
pub fn prepare_tile<'a>(
    x: &'a mut Operands,
    device: &Device,
    tile: Tile,
    min_blocks: u32,
) -> Result<Prepared<'a>> {
    let (grid, reads_c, edge) =
        (x.tiles(tile.block.0, tile.block.1)?, x.reads_c(), !x.whole(tile.block));
    let (Shape { m, n, k, lda, ldb, ldc }, wide) = (x.shape, x.wide());
    let launch = warp_tiled(
        &x.a, &x.b, &mut x.c, m, n, k, lda, ldb, ldc, x.alpha, x.beta, reads_c, edge, wide, tile,
        min_blocks,
    );
    // SAFETY: each global access is guarded by the extents, or no tile reaches past them, and
    // `tiles` has seen that the buffers hold the shape; accesses of fours are used only where rows
    // are made of aligned ones. A thread's number is under THREADS, so its places are within the
    // tiles.
    unsafe { launch.grid(grid).block(tile.threads()).prepare_unchecked(device) }
}
