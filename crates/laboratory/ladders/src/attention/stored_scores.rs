//! Attention rung: `stored-scores`.
//!
//! Idea: the formula as written: compute and store the scores, turn them into weights and store those, multiply them by the
//! values; 16 queries per block.
//! 思路：照公式写：计算分数并存储，把它们变成权重再存储，最后乘以值；每个线程块处理 16 个查询。
//! Predicts: each score is written once, then read and written twice: 20 bytes for each of length^2 scores, on top of the operands.
//! 预测：每个分数要写一次，再读写各两次：除操作数外，length^2 个分数各有 20 字节的流量。
//! Costs: memory for heads * length^2 scores; every block reads each row of keys and values from the caches.
//! 代价：存放 heads * length^2 个分数的内存；每个线程块都要从缓存读取键和值的每一行。

use super::heads::{HEAD, Heads};
use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Queries per block.
const ROWS: u32 = 16;

#[kernel(block = 256)]
fn stored_scores(
    q: &[bf16],
    k: &[bf16],
    v: &[bf16],
    scores: &mut [f32],
    out: &mut [bf16],
    length: u32,
    scale: f32,
) {
    let first = block_idx.x * ROWS; // among the rows of all heads
    let of_head = first / length * length;
    let t = thread_idx.x;
    for i in (t..ROWS * length).step_by(256) {
        let (row, key) = (first + i / length, of_head + i % length);
        let mut sum = 0.0f32;
        for c in 0..HEAD {
            sum += q[row * HEAD + c] as f32 * k[key * HEAD + c] as f32;
        }
        scores[first as u64 * length as u64 + i as u64] = sum * scale;
    }
    sync_threads();
    // Each group of 16 threads has a row of weights.
    let row = (first + t / 16) as u64 * length as u64;
    let mut most = f32::NEG_INFINITY;
    for key in (t % 16..length).step_by(16) {
        most = most.max(scores[row + key as u64]);
    }
    let mut sum = 0.0f32;
    #[unroll]
    for bits in [8u32, 4, 2, 1] {
        most = most.max(shfl_xor_sync(FULL_MASK, most, bits));
    }
    for key in (t % 16..length).step_by(16) {
        let weight = fast::exp2(scores[row + key as u64] - most);
        scores[row + key as u64] = weight;
        sum += weight;
    }
    #[unroll]
    for bits in [8u32, 4, 2, 1] {
        sum += shfl_xor_sync(FULL_MASK, sum, bits);
    }
    let sums = shared::<f32>(ROWS);
    sums[t / 16] = sum;
    sync_threads();
    for i in (t..ROWS * HEAD).step_by(256) {
        let (row, column) = (i / HEAD, i % HEAD);
        let mut result = 0.0f32;
        for key in 0..length {
            let weight = scores[(first + row) as u64 * length as u64 + key as u64];
            result += weight * v[(of_head + key) * HEAD + column] as f32;
        }
        out[(first + row) * HEAD + column] = (result / sums[row]) as bf16;
    }
}

pub(super) fn prepare<'a>(x: &'a mut Heads, device: &Device) -> Result<Prepared<'a>> {
    let rows = x.heads * x.length;
    let scores = match x.scores.take() {
        Some(scores) => scores,
        None => device.uninit_named(rows as usize * x.length as usize, "scores")?,
    };
    let scores = x.scores.insert(scores);
    let launch = stored_scores(&x.q, &x.k, &x.v, scores, &mut x.out, x.length, Heads::scale());
    // SAFETY: the rows of a head are a multiple of a block's rows, so every index is under heads * length rows.
    unsafe { launch.grid(rows / ROWS).block(256).prepare_unchecked(device) }
}
