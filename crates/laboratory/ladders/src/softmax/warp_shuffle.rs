//! Softmax rung: `warp-shuffle`.
//!
//! Idea: lanes combine their values by shuffles; only one number per warp goes through shared memory.
//! 思路：lane 之间用 shuffle 合并各自的值，每个 warp 只有一个数经过共享内存。
//! Predicts: 2 barriers per row instead of 20.
//! 预测：每行 2 次屏障，原来是 20 次。
//! Costs: nothing.
//! 代价：没有。

use crate::rows::{Rows, THREADS, of_block};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = THREADS)]
fn warp_shuffle(x: &[f32], y: &mut [f32], cols: u32) {
    let space = shared::<f32>([2, 8]);
    let (first, stop) = (block_idx.x * cols, block_idx.x * cols + cols);
    let mut most = f32::NEG_INFINITY;
    for i in (first + thread_idx.x..stop).step_by(THREADS) {
        most = most.max(x[i]);
    }
    let most = of_block(most, space, 0, true, THREADS);
    let mut sum = 0.0f32;
    for i in (first + thread_idx.x..stop).step_by(THREADS) {
        sum += fast::exp(x[i] - most);
    }
    let sum = of_block(sum, space, 1, false, THREADS);
    for i in (first + thread_idx.x..stop).step_by(THREADS) {
        y[i] = fast::exp(x[i] - most) / sum;
    }
}

pub(super) fn prepare<'a>(r: &'a mut Rows, device: &Device) -> Result<Prepared<'a>> {
    let launch = warp_shuffle(&r.x, &mut r.y, r.cols).grid(r.rows).block(THREADS);
    // SAFETY: the grid has one block per row, and its threads access only that row.
    unsafe { launch.prepare_unchecked(device) }
}
