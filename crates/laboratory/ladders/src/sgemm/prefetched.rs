//! SGEMM rung: `prefetched`.
//!
//! Idea: a thread loads the numbers of its next step into registers while it multiplies the current ones, across tiles as well.
//! Two blocks share a multiprocessor, so one multiplies while the other waits.
//! Predicts: the counts of `fitted`, plus one unused step of loads per block; at most 128 registers.
//! Costs: 16 more registers; one wasted step of multiply-adds per block.
//! 思路：线程在计算当前一步的同时，把下一步的数加载到寄存器，跨 tile 时也是如此。两个线程块共用一个多处理器，一个等待时另一个计算。
//! 预测：计数与 `fitted` 相同，每个线程块只多一步用不到的加载；寄存器不超过 128 个。
//! 代价：多用 16 个寄存器；每个线程块多做一步无用的乘加。

use super::double_buffered::{copy_a, copy_b};
use super::fitted::fitting;
use super::operands::{Operands, Shape};
use super::tile::{APART, Tile, place, store};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Tiles in shared memory: one is multiplied while the other is copied.
const STAGES: u32 = 2;

#[kernel(block = tile.threads(), min_blocks = 2)]
fn prefetched(
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
) {
    let a_tiles = shared_dynamic::<f32>(tile.a_shape(STAGES));
    let b_tiles = shared_dynamic::<f32>(tile.b_shape(STAGES));
    let (top, left) = (block_idx.y * tile.rows, block_idx.x * tile.cols);
    let (y, x) = place(tile);
    let mut sums = [[0.0f32; 8]; 8];
    // The operands of this step and of the previous one.
    let mut lines = [[0.0f32; 8]; 2];
    let mut columns = [[0.0f32; 8]; 2];

    copy_a(&a, a_tiles, 0, top, 0, m, k, lda, edge, tile);
    copy_b(&b, b_tiles, 0, left, 0, k, n, ldb, edge, wide.1, tile);
    cp_async_commit();
    let mut stage = 0u32;
    for p in (0..k).step_by(tile.steps) {
        cp_async_wait(0);
        sync_threads(); // all threads see the tile, and no thread still reads the other one
        let next = 1 - stage;
        let ahead = p + tile.steps;
        copy_a(&a, a_tiles, next, top, ahead, m, k, lda, edge, tile);
        copy_b(&b, b_tiles, next, left, ahead, k, n, ldb, edge, wide.1, tile);
        cp_async_commit();
        #[unroll]
        for i in 0..tile.steps {
            let (now, before) = (i % 2, (i + 1) % 2);
            #[unroll]
            for h in 0..2u32 {
                let four = a_tiles.load4((stage, i, y + h * APART.0));
                let others = b_tiles.load4((stage, i, x + h * APART.1));
                #[unroll]
                for e in 0..4u32 {
                    lines[now][4 * h + e] = four[e];
                    columns[now][4 * h + e] = others[e];
                }
            }
            // The previous step; for the first tile, zeros.
            #[unroll]
            for r in 0..8u32 {
                #[unroll]
                for s in 0..8u32 {
                    let q = if r % 2 == 0 { s } else { 7 - s };
                    sums[r][q] = lines[before][r].mul_add(columns[before][q], sums[r][q]);
                }
            }
        }
        stage = next;
    }
    #[unroll]
    for r in 0..8u32 {
        #[unroll]
        for q in 0..8u32 {
            sums[r][q] = lines[1][r].mul_add(columns[1][q], sums[r][q]);
        }
    }
    store(c, top + y, left + x, m, n, ldc, &sums, alpha, beta, reads_c, wide.2, edge);
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let tile = fitting(x.shape, device.info().multiprocessors);
    let (grid, reads_c) = (x.tiles(tile.rows, tile.cols)?, x.reads_c());
    let edge = !x.is_multiple_of_tile(tile.extents());
    let (Shape { m, n, k, lda, ldb, ldc }, wide) = (x.shape, x.wide());
    let launch = prefetched(
        &x.a, &x.b, &mut x.c, m, n, k, lda, ldb, ldc, x.alpha, x.beta, reads_c, edge, wide, tile,
    );
    let launch = launch.grid(grid).block(tile.threads()).shared_bytes(tile.bytes(STAGES));
    // SAFETY: as in `double-buffered`, whose copies this kernel uses.
    unsafe { launch.prepare_unchecked(device) }
}
