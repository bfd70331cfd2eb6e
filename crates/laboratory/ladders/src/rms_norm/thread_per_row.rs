//! RMS norm rung: `thread-per-row`.
//!
//! Idea: one thread per row, in two passes: the mean of the squares, then the results.
//! 思路：每行一个线程，遍历两遍：求平方的均值、求结果。
//! Predicts: 32 sectors per request where rows are longer than a sector; two loads per number.
//! 预测：行长超过一个扇区时每个请求 32 个扇区；每个数加载两次。
//! Costs: adjacent lanes read numbers that are a row apart; with few rows, few threads work.
//! 代价：相邻 lane 读取的数相隔一行；行数少时，工作的线程也少。

use crate::rows::{Rows, THREADS};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn thread_per_row(x: &[f32], y: &mut [f32], gamma: &[f32], rows: u32, cols: u32, eps: f32) {
    let row = block_idx.x * block_dim.x + thread_idx.x;
    if row < rows {
        let first = row * cols;
        let mut squares = 0.0f32;
        for i in 0..cols {
            let x = x[first + i];
            squares += x * x;
        }
        let scale = 1.0 / (squares / cols as f32 + eps).sqrt();
        for i in 0..cols {
            y[first + i] = x[first + i] * scale * gamma[i];
        }
    }
}

pub(super) fn prepare<'a>(r: &'a mut Rows, device: &Device) -> Result<Prepared<'a>> {
    let blocks = r.rows.div_ceil(THREADS).max(1);
    let launch = thread_per_row(&r.x, &mut r.y, &r.gamma, r.rows, r.cols, r.eps);
    // SAFETY: a thread with a row under `rows` accesses only that row; the others access nothing.
    unsafe { launch.grid(blocks).block(THREADS).prepare_unchecked(device) }
}
