//! RMS norm rung: `held`.
//!
//! Idea: a thread holds up to 16 numbers of the row in registers, and the block has as many threads as the row needs. Each number
//! is loaded once; the mean of the squares is computed from registers.
//! 思路：每个线程在寄存器中保存一行里最多 16 个数，线程块的线程数按行长确定。每个数只加载一次；平方的均值由寄存器求出。
//! Predicts: one load per number and one for gamma of its column; the loads of a thread are in flight together.
//! 预测：每个数加载一次，所在列的 gamma 加载一次；一个线程的各次加载同时在途。
//! Costs: 16 registers; rows of at most 16384 numbers.
//! 代价：16 个寄存器；一行不能超过 16384 个数。

use crate::rows::{HELD, Rows, of_block};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = threads)]
fn held(
    x: &[f32],
    y: &mut [f32],
    gamma: &[f32],
    cols: u32,
    eps: f32,
    #[constant] threads: u32,
    #[constant] each: usize,
) {
    let space = shared::<f32>([2, 32]);
    let first = block_idx.x * cols;
    let mut values = [0.0f32; HELD];
    #[unroll]
    for k in 0..each {
        let i = thread_idx.x + k as u32 * threads;
        if i < cols {
            values[k] = load_nc(&x[first + i]);
        }
    }
    let mut squares = 0.0f32;
    #[unroll]
    for k in 0..each {
        squares += values[k] * values[k];
    }
    let squares = of_block(squares, space, 1, false, threads);
    let scale = 1.0 / (squares / cols as f32 + eps).sqrt();
    #[unroll]
    for k in 0..each {
        let i = thread_idx.x + k as u32 * threads;
        if i < cols {
            y[first + i] = values[k] * scale * load_nc(&gamma[i]);
        }
    }
}

pub(super) fn prepare<'a>(r: &'a mut Rows, device: &Device) -> Result<Prepared<'a>> {
    let (threads, each) = r.held("rms-norm", 1)?;
    let launch = held(&r.x, &mut r.y, &r.gamma, r.cols, r.eps, threads, each);
    // SAFETY: the grid has one block per row, and its threads access only that row.
    unsafe { launch.grid(r.rows).block(threads).prepare_unchecked(device) }
}
