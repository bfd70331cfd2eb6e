//! SGEMM rung: `warp-tiled`.
//!
//! Idea: a tile level between block and thread: each warp computes a 64 x 32 part of the block's tile, so its lanes use 96
//! numbers per step instead of 144; 16 steps are loaded at a time.
//! Predicts: half of `conflict-free`'s barriers and fewer instructions; still no bank conflicts.
//! Costs: twice the shared memory; the reuse among lanes shows in the time, not in the counts.
//! 思路：在线程块与线程之间增加一级 tile：每个 warp 计算线程块 tile 中 64 x 32 的部分，每一步它的各 lane 只用 96 个数，而不是 144 个；一次加载 16 步所需的数。
//! 预测：屏障次数是 `conflict-free` 的一半，指令更少；仍然没有 bank 冲突。
//! 代价：共享内存用量加倍；lane 之间的复用只体现在时间上，不体现在计数上。

use super::operands::{Operands, Shape, load_float4};
use super::tile::{Tile, multiply, place, store};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// The work of 8 warps.
const TILE: Tile = Tile { rows: 128, cols: 128, steps: 16 };

#[kernel(block = TILE.threads())]
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
) {
    let a_tile = shared::<f32>(TILE.a_shape(1));
    let b_tile = shared::<f32>(TILE.b_shape(1));
    let t = thread_idx.x;
    let (top, left) = (block_idx.y * TILE.rows, block_idx.x * TILE.cols);
    let (y, x) = place(TILE);
    let mut sums = [[0.0f32; 8]; 8];

    for p in (0..k).step_by(TILE.steps) {
        #[unroll]
        for s in [0, 8] {
            let (line, step) = (t / 2, s + t % 2 * 4);
            let from_a = load_float4(&a, top + line, p + step, m, k, lda, wide.0, edge);
            #[unroll]
            for i in 0..4 {
                a_tile[[0, step + i, line]] = from_a[i];
            }
            let (step, column) = (s + t / 32, t % 32 * 4);
            let from_b = load_float4(&b, p + step, left + column, k, n, ldb, wide.1, edge);
            b_tile.store4((0, step, column), from_b);
        }
        sync_threads();
        multiply(a_tile, b_tile, 0, y, x, &mut sums, TILE);
        sync_threads();
    }
    store(c, top + y, left + x, m, n, ldc, &sums, alpha, beta, reads_c, wide.2, edge);
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (grid, reads_c) = (x.tiles(TILE.rows, TILE.cols)?, x.reads_c());
    let edge = !x.is_multiple_of_tile(TILE.extents());
    let (Shape { m, n, k, lda, ldb, ldc }, wide) = (x.shape, x.wide());
    let launch = warp_tiled(
        &x.a, &x.b, &mut x.c, m, n, k, lda, ldb, ldc, x.alpha, x.beta, reads_c, edge, wide,
    );
    // SAFETY: each global access is guarded by the extents, or no tile reaches past them, and
    // `tiles` has checked that the buffers hold the shape; float4 accesses are used only where rows
    // consist of aligned ones. 256 threads load 128 rows and 8 steps of the tiles at a time.
    unsafe { launch.grid(grid).block(TILE.threads()).prepare_unchecked(device) }
}
