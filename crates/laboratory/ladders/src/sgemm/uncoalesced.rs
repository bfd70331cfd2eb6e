//! SGEMM rung: `uncoalesced`.
//!
//! Idea: one thread computes one element of C. The index x, in which a warp's threads differ, selects the row: 32 adjacent
//! threads access a column of A and of C.
//! Predicts: 33 load sectors per multiply-add of a warp: 32 of A, each for one number, and 1 of B.
//! Costs: 28 of every 32 bytes fetched for A are unused.
//! 思路：一个线程计算 C 的一个元素。一个 warp 的线程只有下标 x 不同，而 x 选择行：32 个相邻线程访问 A 和 C 的一列。
//! 预测：一个 warp 每次乘加要加载 33 个扇区：A 占 32 个（每个扇区只用一个数），B 占 1 个。
//! 代价：为 A 取来的每 32 字节里有 28 字节没有用到。

use super::operands::{Operands, Shape, scaled};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of the square block.
const T: u32 = 32;

#[kernel(block = (T, T))]
fn uncoalesced(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    m: u32,
    n: u32,
    k: u32,
    lda: u32,
    ldb: u32,
    ldc: u32,
    alpha: f32,
    beta: f32,
    #[constant] reads_c: bool,
) {
    let row = block_idx.x * T + thread_idx.x;
    let col = block_idx.y * T + thread_idx.y;
    if row < m && col < n {
        let mut sum = 0.0f32;
        for p in 0..k {
            sum = a[row * lda + p].mul_add(b[p * ldb + col], sum);
        }
        let at = row * ldc + col;
        c[at] = scaled(sum, alpha, beta, &c, at, reads_c);
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (grid, reads_c) = (x.tiles(T, T)?, x.reads_c());
    let Shape { m, n, k, lda, ldb, ldc } = x.shape;
    let launch =
        uncoalesced(&x.a, &x.b, &mut x.c, m, n, k, lda, ldb, ldc, x.alpha, x.beta, reads_c);
    // SAFETY: row < m, col < n and p < k, and `tiles` has checked that the buffers hold the shape.
    unsafe { launch.grid((grid.y, grid.x)).block((T, T)).prepare_unchecked(device) }
}
