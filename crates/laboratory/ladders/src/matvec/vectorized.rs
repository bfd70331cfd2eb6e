//! Matrix-vector rung: `vectorized`.
//!
//! Idea: 16-byte loads keep four times as many bytes in flight per request; rows whose length is not a multiple of 4
//! use `warp-per-row`.
//! 思路：每次访问 16 字节，一次加载在途的字节数是原来的四倍；行长不是 4 的倍数时改用 `warp-per-row`。
//! Predicts: a quarter of the requests, of 16 sectors each.
//! 预测：请求数降到四分之一，每个请求 16 个扇区。
//! Costs: rows of fewer than 128 elements leave lanes idle.
//! On an H200: 63.8 us at 8192 x 8192, 115 us for 512 rows of 65,536.
//! 代价：每行少于 128 个元素时会有 lane 空闲。H200 上 8192 x 8192 为 63.8 us，512 行、每行 65,536 个元素为 115 us。

use super::Operands;
use super::operands::of_warp;
use lanework::prelude::*;
use lanework::{Prepared, Result};

const THREADS: u32 = 128;

#[kernel(block = THREADS)]
fn vectorized(a: &[f32], x: &[f32], y: &mut [f32], rows: u32, cols: u32) {
    let row = (block_idx.x * THREADS + thread_idx.x) / 32;
    let lane = thread_idx.x % 32;
    if row < rows {
        let mut sum = 0.0f32;
        for i in (4 * lane..cols).step_by(128) {
            let (of_a, of_x) = (a.load4_nc(row * cols + i), x.load4_nc(i));
            #[unroll]
            for e in 0..4 {
                sum += of_a[e] * of_x[e];
            }
        }
        let sum = of_warp(sum);
        if lane == 0 {
            y[row] = sum;
        }
    }
}

pub(super) fn prepare<'a>(o: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    if !o.wide() {
        return super::warp_per_row::prepare(o, device);
    }
    let launch = vectorized(&o.a, &o.x, &mut o.y, o.rows, o.cols);
    let launch = launch.grid(o.rows.div_ceil(THREADS / 32)).block(THREADS);
    // SAFETY: the kernel checks row and column indices against the extents, and rows are whole vectors of four.
    unsafe { launch.prepare_unchecked(device) }
}
