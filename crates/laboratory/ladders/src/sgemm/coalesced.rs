//! SGEMM rung: `coalesced`.
//!
//! Idea: x selects the column, so a warp reads adjacent elements of B, writes adjacent elements of C and reads one
//! element of A; the loads of four steps along k are in flight together.
//! Predicts: 5 load sectors per multiply-add of a warp instead of 33, and 4 per store instead of
//! 32.
//! Costs: only code: the index computation is transposed and the loop unrolled.
//! 思路：让 x 选择列，warp 就读取 B 的相邻元素、写入 C 的相邻元素，并且只读取 A 的一个元素；沿 k 四步的加载同时在途。
//! 预测：一个 warp 每次乘加的加载扇区从 33 个降到 5 个，每次存储从 32 个降到 4 个。
//! 代价：只改代码：下标的计算转置，循环展开。

use super::operands::{Operands, Shape, scaled};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of the square block.
const T: u32 = 32;
/// Steps whose loads are in flight together.
const UNROLL: u32 = 4;

#[kernel(block = (T, T))]
fn coalesced(
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
    let row = block_idx.y * T + thread_idx.y;
    let col = block_idx.x * T + thread_idx.x;
    if row < m && col < n {
        let mut sum = 0.0f32;
        let unrolled = k / UNROLL * UNROLL;
        for p in (0..unrolled).step_by(UNROLL) {
            let line = &a[row * lda + p];
            #[unroll]
            for s in 0..UNROLL {
                sum = line.add(s).load().mul_add(b[(p + s) * ldb + col], sum);
            }
        }
        for p in unrolled..k {
            sum = a[row * lda + p].mul_add(b[p * ldb + col], sum);
        }
        let at = row * ldc + col;
        c[at] = scaled(sum, alpha, beta, &c, at, reads_c);
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (grid, reads_c) = (x.tiles(T, T)?, x.reads_c());
    let Shape { m, n, k, lda, ldb, ldc } = x.shape;
    let launch = coalesced(&x.a, &x.b, &mut x.c, m, n, k, lda, ldb, ldc, x.alpha, x.beta, reads_c);
    // SAFETY: row < m, col < n and p < k, and `tiles` has checked that the buffers hold the shape.
    unsafe { launch.grid(grid).block((T, T)).prepare_unchecked(device) }
}
