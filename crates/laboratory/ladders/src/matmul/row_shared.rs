//! Matrix product rung: `row-shared`.
//!
//! Idea: a block computes one row of C and keeps the row of A, which all its threads read, in shared
//! memory.
//! Predicts: half the global load requests: A is read once per block, and only B in every step.
//! Costs: 4 bytes of dynamic shared memory for each element of the row of A, which limits k.
//! 思路：一个线程块计算 C 的一行，并把所有线程都要读的那一行 A 放进共享内存。
//! 预测：全局加载请求减半：每个线程块只加载一次 A，每一步只加载 B。
//! 代价：A 的一行中每个元素占 4 字节动态共享内存，这限制了 k。

use super::Matrices;
use super::matrices::THREADS;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn row_shared(a: &[f32], b: &[f32], c: &mut [f32], n: u32, #[constant] k: u32) {
    let line = shared_dynamic::<f32>(k);
    let row = block_idx.x;
    for p in (thread_idx.x..k).step_by(block_dim.x) {
        line[p] = a[row * k + p];
    }
    sync_threads();
    for col in (thread_idx.x..n).step_by(block_dim.x) {
        let (mut sum, mut rest) = (0.0f32, 0.0f32);
        for p in 0..k {
            let term = line[p].mul_add(b[p * n + col], rest);
            let next = sum + term;
            rest = term - (next - sum);
            sum = next;
        }
        c[row * n + col] = sum;
    }
}

pub(super) fn prepare<'a>(x: &'a mut Matrices, device: &Device) -> Result<Prepared<'a>> {
    let (bytes, e) = (x.row_bytes(device)?, x.extents);
    let launch = row_shared(&x.a.buffer, &x.b.buffer, &mut x.c.buffer, e.n, e.k);
    // SAFETY: there is a block per row, so row < m; col < n and p < k bound the other indices.
    unsafe { launch.grid(e.m).block(THREADS).shared_bytes(bytes).prepare_unchecked(device) }
}
