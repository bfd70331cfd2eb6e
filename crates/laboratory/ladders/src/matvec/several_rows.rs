//! Matrix-vector rung: `several-rows`.
//!
//! Idea: a warp handles four rows, so four loads of A are in flight together and x is read once for all four.
//! 思路：一个 warp 处理四行，对 A 的四次加载同时在途，而且四行只读一遍 x。
//! Predicts: 5 / 8 of the load requests of `vectorized`, which loads x as often as A.
//! 预测：加载请求数是 `vectorized` 的 5 / 8，后者加载 x 的次数与加载 A 的一样多。
//! Costs: a quarter of the warps: a matrix of few rows leaves multiprocessors idle. It did not help on an H200: 79.3 us against
//! 63.8 us at 8192 x 8192, 469 us against 115 us for 512 rows of 65,536.
//! 代价：warp 数降到四分之一，行数少的矩阵会使多处理器空闲。在 H200 上没有帮助：8192 x 8192 为 79.3 us，`vectorized` 为 63.8 us；
//! 512 行、每行 65,536 个元素为 469 us，`vectorized` 为 115 us。

use super::Operands;
use super::operands::of_warp;
use lanework::prelude::*;
use lanework::{Prepared, Result};

const THREADS: u32 = 128;
/// Rows per warp.
const ROWS: u32 = 4;

#[kernel(block = THREADS)]
fn several_rows(a: &[f32], x: &[f32], y: &mut [f32], rows: u32, cols: u32) {
    let first = (block_idx.x * THREADS + thread_idx.x) / 32 * ROWS;
    let lane = thread_idx.x % 32;
    let mut sums = [0.0f32; 4];
    for i in (4 * lane..cols).step_by(128) {
        let of_x = x.load4_nc(i);
        let mut of_a = [[0.0f32; 4]; 4];
        #[unroll]
        for r in 0..ROWS {
            // Past the end, reads the last row again and discards the sum.
            of_a[r] = a.load4_nc((first + r).min(rows - 1) * cols + i);
        }
        #[unroll]
        for r in 0..ROWS {
            #[unroll]
            for e in 0..4 {
                sums[r] += of_a[r][e] * of_x[e];
            }
        }
    }
    #[unroll]
    for r in 0..ROWS {
        let sum = of_warp(sums[r]);
        if lane == r && first + r < rows {
            y[first + r] = sum;
        }
    }
}

pub(super) fn prepare<'a>(o: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    if !o.wide() {
        return super::warp_per_row::prepare(o, device);
    }
    let launch = several_rows(&o.a, &o.x, &mut o.y, o.rows, o.cols);
    let launch = launch.grid(o.rows.div_ceil(THREADS / 32 * ROWS)).block(THREADS);
    // SAFETY: the kernel checks row and column indices against the extents, and rows are whole vectors of four.
    unsafe { launch.prepare_unchecked(device) }
}
