//! Softmax rung: `block-per-row`.
//!
//! Idea: one block per row; neighboring threads read neighboring numbers, and a tree in shared memory combines their values.
//! 思路：每行一个线程块；相邻线程读取相邻的数，再用共享内存中的树形归约合并各线程的值。
//! Predicts: 4 sectors per request; two trees per row, each with 8 steps and 10 barriers.
//! 预测：每个请求 4 个扇区；每行两棵树，每棵 8 步、10 次屏障。
//! Costs: 1 KB of shared memory; most threads idle in the trees, and threads idle in rows shorter than the block.
//! 代价：1 KB 共享内存；树形归约时大部分线程空闲；行比线程块短时，也有线程空闲。

use crate::rows::{Rows, THREADS, by_tree};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = THREADS)]
fn block_per_row(x: &[f32], y: &mut [f32], cols: u32) {
    let space = shared::<f32>(THREADS);
    let (first, stop) = (block_idx.x * cols, block_idx.x * cols + cols);
    let mut most = f32::NEG_INFINITY;
    for i in (first + thread_idx.x..stop).step_by(THREADS) {
        most = most.max(x[i]);
    }
    let most = by_tree(most, space, true);
    let mut sum = 0.0f32;
    for i in (first + thread_idx.x..stop).step_by(THREADS) {
        sum += fast::exp(x[i] - most);
    }
    let sum = by_tree(sum, space, false);
    for i in (first + thread_idx.x..stop).step_by(THREADS) {
        y[i] = fast::exp(x[i] - most) / sum;
    }
}

pub(super) fn prepare<'a>(r: &'a mut Rows, device: &Device) -> Result<Prepared<'a>> {
    let launch = block_per_row(&r.x, &mut r.y, r.cols).grid(r.rows).block(THREADS);
    // SAFETY: the grid has one block per row, and its threads access only that row.
    unsafe { launch.prepare_unchecked(device) }
}
