//! Matrix product rung: `kahan`.
//!
//! Idea: Kahan summation (1965) keeps the rounding error of each addition and adds it back in the next
//! one.
//! Predicts: the same requests and sectors as `naive`; four more instructions per multiply-add:
//! three operations and a copy of the sum.
//! Costs: four dependent operations per step, hidden behind the latency of the loads.
//! 思路：Kahan 求和（1965）：记下每次加法的舍入误差，在下一次加法时补回去。
//! 预测：请求数和扇区数与 `naive` 相同，每次乘加多四条指令：三次运算，以及对和的一次复制。
//! 代价：每一步有四个前后依赖的运算，由加载的延迟隐藏。

use super::Matrices;
use super::matrices::THREADS;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn kahan(a: &[f32], b: &[f32], c: &mut [f32], m: u32, n: u32, k: u32) {
    let element = block_idx.x * block_dim.x + thread_idx.x;
    let (row, col) = (element / n, element % n);
    if row < m {
        let (mut sum, mut rest) = (0.0f32, 0.0f32);
        for p in 0..k {
            let term = a[row * k + p].mul_add(b[p * n + col], rest);
            let next = sum + term;
            rest = term - (next - sum);
            sum = next;
        }
        c[row * n + col] = sum;
    }
}

pub(super) fn prepare<'a>(x: &'a mut Matrices, device: &Device) -> Result<Prepared<'a>> {
    let (grid, e) = (x.line_of_blocks(), x.extents);
    let launch = kahan(&x.a.buffer, &x.b.buffer, &mut x.c.buffer, e.m, e.n, e.k);
    // SAFETY: row < m, col < n and p < k, so every index is within its packed matrix.
    unsafe { launch.grid(grid).block(THREADS).prepare_unchecked(device) }
}
