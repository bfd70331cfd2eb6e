//! Matrix product rung: `naive-2d`.
//!
//! Idea: `naive` with a two-dimensional grid: a thread's row and column need no division.
//! Predicts: the same as `naive` with blocks of 32: 1 sector for A and 4 for B per step; the sum is
//! uncompensated.
//! Costs: every number is read from global memory once for each product that uses it.
//! 思路：与 `naive` 相同，但使用二维网格，求线程的行号和列号不需要除法。
//! 预测：线程块边长为 32 时与 `naive` 相同，每步 A 占 1 个扇区、B 占 4 个扇区；求和不带补偿。
//! 代价：每个数参与几次乘法，就要从全局内存读几次。

use super::Matrices;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn naive_2d(a: &[f32], b: &[f32], c: &mut [f32], m: u32, n: u32, k: u32) {
    let col = block_idx.x * block_dim.x + thread_idx.x;
    let row = block_idx.y * block_dim.y + thread_idx.y;
    if row < m && col < n {
        let mut sum = 0.0f32;
        for p in 0..k {
            sum = a[row * k + p].mul_add(b[p * n + col], sum);
        }
        c[row * n + col] = sum;
    }
}

pub(super) fn prepare<'a>(x: &'a mut Matrices, device: &Device) -> Result<Prepared<'a>> {
    let (grid, e, block) = (x.tiles(device, x.block)?, x.extents, x.block);
    let launch = naive_2d(&x.a.buffer, &x.b.buffer, &mut x.c.buffer, e.m, e.n, e.k);
    // SAFETY: row < m, col < n and p < k, so every index is within its packed matrix.
    unsafe { launch.grid(grid).block((block, block)).prepare_unchecked(device) }
}
