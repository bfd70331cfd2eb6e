//! Softmax rung: `online`.
//!
//! Idea: one pass finds the largest number and the sum: when a larger number appears, it scales down the sum so far (Milakov and
//! Gimelshein 2018).
//! 思路：在同一遍里求出最大值与指数之和：遇到更大的数时，把已有的和按比例缩小（Milakov 与 Gimelshein 2018）。
//! Predicts: two loads per number instead of three.
//! 预测：每个数加载两次，原来是三次。
//! Costs: two exponentials per number in the first pass instead of one, each waiting for the previous one.
//! 代价：第一遍中每个数要算两次指数（原来是一次），而且每次都要等前一次。

use crate::rows::{Rows, THREADS, of_block};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = THREADS)]
fn online(x: &[f32], y: &mut [f32], cols: u32) {
    let space = shared::<f32>([2, 8]);
    let (first, stop) = (block_idx.x * cols, block_idx.x * cols + cols);
    let mut most = f32::MIN; // finite, so that differences of threads without numbers are
    let mut sum = 0.0f32;
    for i in (first + thread_idx.x..stop).step_by(THREADS) {
        let x = x[i];
        let larger = most.max(x);
        sum = sum * fast::exp(most - larger) + fast::exp(x - larger);
        most = larger;
    }
    let of_row = of_block(most, space, 0, true, THREADS);
    let sum = of_block(sum * fast::exp(most - of_row), space, 1, false, THREADS);
    for i in (first + thread_idx.x..stop).step_by(THREADS) {
        y[i] = fast::exp(x[i] - of_row) / sum;
    }
}

pub(super) fn prepare<'a>(r: &'a mut Rows, device: &Device) -> Result<Prepared<'a>> {
    let launch = online(&r.x, &mut r.y, r.cols).grid(r.rows).block(THREADS);
    // SAFETY: the grid has one block per row, and its threads access only that row.
    unsafe { launch.prepare_unchecked(device) }
}
