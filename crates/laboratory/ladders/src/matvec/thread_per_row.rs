//! Matrix-vector rung: `thread-per-row`.
//!
//! Idea: one thread for each result.
//! 思路：每个结果一个线程。
//! Predicts: 32 sectors for a warp's load of A, because its lanes read 32 rows; one sector for its load of x.
//! 预测：一个 warp 加载 A 要 32 个扇区，因为各 lane 读的是 32 个不同的行；加载 x 只要 1 个扇区。
//! Costs: each load uses an eighth of each sector; a matrix of few rows has few threads.
//! 代价：每次加载只用到每个扇区的八分之一；行数少的矩阵，线程也少。

use super::Operands;
use lanework::prelude::*;
use lanework::{Prepared, Result};

const THREADS: u32 = 128;

#[kernel]
fn thread_per_row(a: &[f32], x: &[f32], y: &mut [f32], rows: u32, cols: u32) {
    let row = block_idx.x * block_dim.x + thread_idx.x;
    if row < rows {
        let mut sum = 0.0f32;
        for i in 0..cols {
            sum += a[row * cols + i] * x[i];
        }
        y[row] = sum;
    }
}

pub(super) fn prepare<'a>(o: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let launch = thread_per_row(&o.a, &o.x, &mut o.y, o.rows, o.cols);
    let launch = launch.grid(o.rows.div_ceil(THREADS)).block(THREADS);
    // SAFETY: the kernel checks row and column indices against the extents.
    unsafe { launch.prepare_unchecked(device) }
}
