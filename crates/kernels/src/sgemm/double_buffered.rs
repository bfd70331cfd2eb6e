//! SGEMM rung: `double-buffered`, after `warp-tiled`, the last.
//!
//! Idea: while a tile is multiplied, the next ones are copied to shared memory asynchronously.
//! Predicts: TODO
//! Costs: TODO
//! 思路：计算当前小块的同时，用异步拷贝把后面的小块送进共享内存。
//! 预测：TODO
//! 代价：TODO

use super::operands::{Operands, Shape, store_four};
use super::warp_tiled::Tile;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = tile.threads(), min_blocks = min_blocks)]
fn double_buffered(
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
    #[constant] stages: u32,
    #[constant] min_blocks: u32,
) {
    let ((tm, tn, tk), (fr, fc)) = (tile.block, tile.fours());
    let a_tiles = shared_dynamic::<f32>([stages, tk, tm + 4]);
    let b_tiles = shared_dynamic::<f32>([stages, tk, tn]);
    let t = thread_idx.x;
    let (top, left) = (block_idx.y * tm, block_idx.x * tn);
    let (warp, lane) = (t / 32, t % 32);
    let warps_n = tn / tile.warp.1;
    let y = warp / warps_n * tile.warp.0 + lane / tile.lanes.1 * 4;
    let x = warp % warps_n * tile.warp.1 + lane % tile.lanes.1 * 4;
    let sums = registers(0.0f32, [4 * fr, 4 * fc]);

    #[unroll]
    for s in 0..stages - 1 {
        copy(&a, &b, a_tiles, b_tiles, s, s * tk, m, n, k, lda, ldb, edge, wide.1, tile);
        cp_async_commit();
    }
    let mut stage = 0u32;
    let mut ahead = stages - 1;
    for p in (0..k).step_by(tk) {
        cp_async_wait(stages - 2);
        sync_threads();
        copy(&a, &b, a_tiles, b_tiles, ahead, p + (stages - 1) * tk, m, n, k, lda, ldb, edge, wide.1, tile);
        cp_async_commit();
        #[unroll]
        for i in 0..tk {
            let lines = registers(0.0f32, [4 * fr]);
            let columns = registers(0.0f32, [4 * fc]);
            #[unroll]
            for f in 0..fr {
                let four = a_tiles.load4((stage, i, y + f * 4 * tile.lanes.0));
                #[unroll]
                for r in 0..4 {
                    lines[4 * f + r] = four[r];
                }
            }
            #[unroll]
            for f in 0..fc {
                let four = b_tiles.load4((stage, i, x + f * 4 * tile.lanes.1));
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
        stage = if stage + 1 == stages { 0 } else { stage + 1 };
        ahead = if ahead + 1 == stages { 0 } else { ahead + 1 };
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

/// Starts copying the tiles of A and B from step `p` on into the buffers of `stage`; past the edge of
/// the matrices there are zeros.
#[device]
fn copy(
    a: &[f32],
    b: &[f32],
    a_tiles: Shared<f32, 3>,
    b_tiles: Shared<f32, 3>,
    stage: u32,
    p: u32,
    m: u32,
    n: u32,
    k: u32,
    lda: u32,
    ldb: u32,
    #[constant] edge: bool,
    #[constant] b_wide: bool,
    #[constant] tile: Tile,
) {
    let ((tm, tn, tk), threads, t) = (tile.block, tile.threads(), thread_idx.x);
    let (top, left) = (block_idx.y * tm, block_idx.x * tn);
    let (line, step) = (t / 8, t % 8);
    #[unroll]
    for s in (0..tk).step_by(8) {
        #[unroll]
        for l in (0..tm).step_by((threads / 8) as usize) {
            let (row, at) = (top + line + l, p + step + s);
            let to = &mut a_tiles[[stage, step + s, line + l]];
            if edge {
                let inside = row < m && at < k;
                cp_async_filled::<4, _>(to, &a[row * lda + at], if inside { 4 } else { 0 });
            } else if at < k {
                cp_async::<4, _>(to, &a[row * lda + at]);
            }
        }
    }
    if b_wide {
        let (step, column) = (t / (tn / 4), t % (tn / 4) * 4);
        #[unroll]
        for s in (0..tk).step_by((threads / (tn / 4)) as usize) {
            let (at, col) = (p + step + s, left + column);
            let to = &mut b_tiles[[stage, step + s, column]];
            if edge {
                let inside = at < k && col < n;
                cp_async_filled::<16, _>(to, &b[at * ldb + col], if inside { 16 } else { 0 });
            } else if at < k {
                cp_async::<16, _>(to, &b[at * ldb + col]);
            }
        }
    } else {
        let (step, column) = (t / tn, t % tn);
        #[unroll]
        for s in (0..tk).step_by((threads / tn) as usize) {
            let (at, col) = (p + step + s, left + column);
            let to = &mut b_tiles[[stage, step + s, column]];
            if edge {
                let inside = at < k && col < n;
                cp_async_filled::<4, _>(to, &b[at * ldb + col], if inside { 4 } else { 0 });
            } else if at < k {
                cp_async::<4, _>(to, &b[at * ldb + col]);
            }
        }
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let tile = Tile { block: (128, 128, 16), warp: (64, 32), lanes: (8, 4) };
    prepare_tile(x, device, tile, 3, 2)
}

/// tuning
pub fn prepare_tile<'a>(
    x: &'a mut Operands,
    device: &Device,
    tile: Tile,
    stages: u32,
    min_blocks: u32,
) -> Result<Prepared<'a>> {
    let (grid, reads_c, edge) =
        (x.tiles(tile.block.0, tile.block.1)?, x.reads_c(), !x.whole(tile.block));
    let (Shape { m, n, k, lda, ldb, ldc }, wide) = (x.shape, x.wide());
    let launch = double_buffered(
        &x.a, &x.b, &mut x.c, m, n, k, lda, ldb, ldc, x.alpha, x.beta, reads_c, edge, wide, tile,
        stages, min_blocks,
    );
    let bytes = stages * tile.block.2 * (tile.block.0 + 4 + tile.block.1) * 4;
    // SAFETY: todo
    unsafe { launch.grid(grid).block(tile.threads()).shared_bytes(bytes).prepare_unchecked(device) }
}
