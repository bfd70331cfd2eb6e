//! Softmax rung: `thread-per-row`.
//!
//! Idea: one thread per row, in three passes: the largest number, the sum of the exponentials, then the results.
//! 思路：每行一个线程，遍历三遍：求最大值、求指数之和、求结果。
//! Predicts: 32 sectors per request where rows are longer than a sector; three loads per number.
//! 预测：行长超过一个扇区时每个请求 32 个扇区；每个数加载三次。
//! Costs: adjacent lanes read numbers that are a row apart; with few rows, few threads work.
//! 代价：相邻 lane 读取的数相隔一行；行数少时，工作的线程也少。

use crate::rows::{Rows, THREADS};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn thread_per_row(x: &[f32], y: &mut [f32], rows: u32, cols: u32) {
    let row = block_idx.x * block_dim.x + thread_idx.x;
    if row < rows {
        let (first, stop) = (row * cols, row * cols + cols);
        let mut most = f32::NEG_INFINITY;
        for i in first..stop {
            most = most.max(x[i]);
        }
        let mut sum = 0.0f32;
        for i in first..stop {
            sum += fast::exp(x[i] - most);
        }
        for i in first..stop {
            y[i] = fast::exp(x[i] - most) / sum;
        }
    }
}

pub(super) fn prepare<'a>(r: &'a mut Rows, device: &Device) -> Result<Prepared<'a>> {
    let blocks = r.rows.div_ceil(THREADS).max(1);
    let launch = thread_per_row(&r.x, &mut r.y, r.rows, r.cols).grid(blocks).block(THREADS);
    // SAFETY: a thread with a row under `rows` accesses only that row; the others access nothing.
    unsafe { launch.prepare_unchecked(device) }
}
