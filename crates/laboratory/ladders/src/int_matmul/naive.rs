//! Integer product rung: `naive`.
//!
//! Idea: one thread computes one element of C, reading its row of A and its column of B.
//! 思路：一个线程计算 C 的一个元素，读取 A 的一行和 B 的一列。
//! Predicts: two loads per multiply-add; 16 lanes (a half warp) load the same element of A, and the load of B is
//! contiguous along a row.
//! 预测：每次乘加两次加载；半个 warp 加载 A 的同一个元素，B 的加载沿行连续。
//! Costs: each element of A is read n times, each of B m times.
//! 代价：A 的每个元素读 n 次，B 的每个元素读 m 次。

use super::Product;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of the square block.
const BLOCK: u32 = 16;

#[kernel]
fn naive(a: &[i32], b: &[i32], c: &mut [i32], m: u32, n: u32, k: u32) {
    let x = block_idx.x * block_dim.x + thread_idx.x;
    let y = block_idx.y * block_dim.y + thread_idx.y;
    if x < n && y < m {
        let mut sum = 0;
        for p in 0..k {
            sum += a[y * k + p] * b[p * n + x];
        }
        c[y * n + x] = sum;
    }
}

pub(super) fn prepare<'a>(p: &'a mut Product, device: &Device) -> Result<Prepared<'a>> {
    let grid = p.grid(BLOCK, BLOCK)?;
    let launch = naive(&p.a, &p.b, &mut p.c, p.m, p.n, p.k);
    // SAFETY: y < m, x < n and p < k, so the indices are under m * k, k * n and m * n, the lengths.
    unsafe { launch.grid(grid).block((BLOCK, BLOCK)).prepare_unchecked(device) }
}
