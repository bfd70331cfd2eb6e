//! Matrix product rung: `naive`.
//!
//! Idea: one thread computes one element of C; the threads of the grid are numbered along C's rows.
//! Predicts: two load requests per multiply-add: 4 sectors for B and 1 for A, because all lanes read the same
//! address.
//! Costs: every number is read from global memory once for each product that uses it.
//! 思路：一个线程计算 C 的一个元素，线程沿 C 的行编号。
//! 预测：每次乘加两个加载请求：B 占 4 个扇区，A 占 1 个扇区，因为所有 lane 读同一地址。
//! 代价：每个数参与几次乘法，就要从全局内存读几次。

use super::Matrices;
use super::matrices::THREADS;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn naive(a: &[f32], b: &[f32], c: &mut [f32], m: u32, n: u32, k: u32) {
    let element = block_idx.x * block_dim.x + thread_idx.x;
    let (row, col) = (element / n, element % n);
    if row < m {
        let mut sum = 0.0f32;
        for p in 0..k {
            sum = a[row * k + p].mul_add(b[p * n + col], sum);
        }
        c[row * n + col] = sum;
    }
}

pub(super) fn prepare<'a>(x: &'a mut Matrices, device: &Device) -> Result<Prepared<'a>> {
    let (grid, e) = (x.line_of_blocks(), x.extents);
    let launch = naive(&x.a.buffer, &x.b.buffer, &mut x.c.buffer, e.m, e.n, e.k);
    // SAFETY: row < m, col < n and p < k, so every index is within its packed matrix.
    unsafe { launch.grid(grid).block(THREADS).prepare_unchecked(device) }
}
