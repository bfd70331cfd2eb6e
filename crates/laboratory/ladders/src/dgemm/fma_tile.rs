//! FP64 rung: `fma-tile`.
//!
//! Idea: as in `sgemm`'s `tile-2d`, a block of 256 threads computes 64 x 64 results, each thread 4 x 4 of them in registers, fed
//! from tiles in shared memory.
//! 思路：与 `sgemm` 的 `tile-2d` 相同：256 个线程的线程块计算 64 x 64 个结果，每个线程在寄存器里计算 4 x 4 个，数据来自共享内存中的 tile。
//! Predicts: 1 / 32 global loads and 1 / 2 shared loads per multiply-add; no bank conflicts.
//! 预测：每次乘加 1 / 32 次全局加载、1 / 2 次共享内存加载；没有 bank 冲突。
//! Costs: tensor cores multiply twice as fast; two barriers per tile, and nothing is copied while a tile is multiplied.
//! 代价：张量核心做乘法的速度是它的两倍；每个 tile 两次屏障，而且计算 tile 时不拷贝任何数据。

use super::Operands;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of a block's tile of results, and steps along K per tile.
const EDGE: u32 = 64;
const DEPTH: u32 = 8;
const THREADS: u32 = 256;
/// Elements per step: two more than the tile has rows, so lanes that store 8 steps of 2 rows use different banks.
const WIDTH: u32 = EDGE + 2;

#[kernel(block = THREADS)]
fn fma_tile(a: &[f64], b: &[f64], c: &mut [f64], n: u32, k: u32) {
    let left = shared::<f64>([DEPTH, WIDTH]);
    let right = shared::<f64>([DEPTH, WIDTH]);
    let t = thread_idx.x;
    let (top, first) = (block_idx.y * EDGE, block_idx.x * EDGE);
    // Rows and columns of a thread are 16 apart, so that a half warp's columns are adjacent.
    let (y, x) = (t / 16, t % 16);
    let mut sums = [[0.0f64; 4]; 4];
    for p in (0..k).step_by(DEPTH) {
        #[unroll]
        for i in 0..EDGE * DEPTH / THREADS {
            let (line, step) = (t / DEPTH + i * (THREADS / DEPTH), t % DEPTH);
            left[[step, line]] = a[(top + line) * k + p + step];
            right[[step, line]] = b[(first + line) * k + p + step];
        }
        sync_threads();
        #[unroll]
        for step in 0..DEPTH {
            let mut rows = [0.0f64; 4];
            let mut columns = [0.0f64; 4];
            #[unroll]
            for i in 0..4u32 {
                rows[i] = left[[step, y + 16 * i]];
                columns[i] = right[[step, x + 16 * i]];
            }
            #[unroll]
            for i in 0..4 {
                #[unroll]
                for j in 0..4 {
                    sums[i][j] = rows[i].mul_add(columns[j], sums[i][j]);
                }
            }
        }
        sync_threads(); // all threads have read the tile before the next one is stored
    }
    #[unroll]
    for i in 0..4u32 {
        #[unroll]
        for j in 0..4u32 {
            c[(top + y + 16 * i) * n + first + x + 16 * j] = sums[i][j];
        }
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (m, n, k) = x.sizes();
    let launch = fma_tile(&x.a, &x.b, &mut x.c, n, k).grid((n / EDGE, m / EDGE)).block(THREADS);
    // SAFETY: `Factors` pads extents to multiples of 256 and 16, so every tile is inside its matrix.
    unsafe { launch.prepare_unchecked(device) }
}
