//! Layer norm rung: `block-per-row`.
//!
//! Idea: one block per row; neighboring threads read neighboring numbers, and shuffles combine the lanes' values.
//! 思路：每行一个线程块；相邻线程读取相邻的数，lane 之间用 shuffle 合并各自的值。
//! Predicts: 4 sectors per request; two barriers per row.
//! 预测：每个请求 4 个扇区；每行两次屏障。
//! Costs: threads idle in rows shorter than the block.
//! 代价：行比线程块短时，有线程空闲。

use crate::rows::{Rows, THREADS, of_block};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = THREADS)]
fn block_per_row(x: &[f32], y: &mut [f32], gamma: &[f32], beta: &[f32], cols: u32, eps: f32) {
    let space = shared::<f32>([2, 8]);
    let first = block_idx.x * cols;
    let mut sum = 0.0f32;
    for i in (thread_idx.x..cols).step_by(THREADS) {
        sum += x[first + i];
    }
    let mean = of_block(sum, space, 0, false, THREADS) / cols as f32;
    let mut squares = 0.0f32;
    for i in (thread_idx.x..cols).step_by(THREADS) {
        let off = x[first + i] - mean;
        squares += off * off;
    }
    let squares = of_block(squares, space, 1, false, THREADS);
    let scale = 1.0 / (squares / cols as f32 + eps).sqrt();
    for i in (thread_idx.x..cols).step_by(THREADS) {
        y[first + i] = (x[first + i] - mean) * scale * gamma[i] + beta[i];
    }
}

pub(super) fn prepare<'a>(r: &'a mut Rows, device: &Device) -> Result<Prepared<'a>> {
    let launch = block_per_row(&r.x, &mut r.y, &r.gamma, &r.beta, r.cols, r.eps);
    // SAFETY: the grid has one block per row, and its threads access only that row.
    unsafe { launch.grid(r.rows).block(THREADS).prepare_unchecked(device) }
}
