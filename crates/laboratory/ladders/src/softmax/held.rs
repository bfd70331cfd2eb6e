//! Softmax rung: `held`.
//!
//! Idea: a thread holds up to 16 numbers of the row in registers, and the block has as many threads as the row needs. Each number
//! is loaded once, and each exponential computed once.
//! 思路：每个线程在寄存器中保存一行里最多 16 个数，线程块的线程数按行长确定。每个数只加载一次，每个指数只算一次。
//! Predicts: one load per number; half the global load sectors of `online`; the loads of a thread are in flight together.
//! 预测：每个数加载一次，全局加载扇区是 `online` 的一半；一个线程的各次加载同时在途。
//! Costs: 16 registers; rows of at most 16384 numbers.
//! 代价：16 个寄存器；一行不能超过 16384 个数。

use crate::rows::{HELD, Rows, of_block};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = threads)]
fn held(x: &[f32], y: &mut [f32], cols: u32, #[constant] threads: u32, #[constant] each: usize) {
    let space = shared::<f32>([2, 32]);
    let first = block_idx.x * cols;
    let mut values = [f32::NEG_INFINITY; HELD];
    let mut most = f32::NEG_INFINITY;
    #[unroll]
    for k in 0..each {
        let i = thread_idx.x + k as u32 * threads;
        if i < cols {
            values[k] = load_nc(&x[first + i]);
        }
    }
    #[unroll]
    for k in 0..each {
        most = most.max(values[k]);
    }
    let most = of_block(most, space, 0, true, threads);
    let mut sum = 0.0f32;
    #[unroll]
    for k in 0..each {
        values[k] = fast::exp(values[k] - most);
        sum += values[k];
    }
    let scale = 1.0 / of_block(sum, space, 1, false, threads);
    #[unroll]
    for k in 0..each {
        let i = thread_idx.x + k as u32 * threads;
        if i < cols {
            y[first + i] = values[k] * scale;
        }
    }
}

pub(super) fn prepare<'a>(r: &'a mut Rows, device: &Device) -> Result<Prepared<'a>> {
    let (threads, each) = r.held("softmax", 1)?;
    let launch = held(&r.x, &mut r.y, r.cols, threads, each).grid(r.rows).block(threads);
    // SAFETY: the grid has one block per row, and its threads access only that row.
    unsafe { launch.prepare_unchecked(device) }
}
