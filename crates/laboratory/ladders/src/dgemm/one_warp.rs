//! FP64 rung: `one-warp`.
//!
//! Idea: tensor cores multiply f64 in full precision: one `mma` for 8 x 8 results and 4 steps. A warp loads the operands of one
//! instruction, and waits for memory.
//! 思路：张量核心也能以全精度做 f64 乘法：一条 `mma` 沿 k 走 4 步，计算 8 x 8 个结果。warp 加载一条指令的操作数，然后等待内存。
//! Predicts: one `mma` for 256 multiply-adds; 2 load requests per `mma`, of 8 sectors each.
//! 预测：每 256 次乘加一条 `mma`，每条 `mma` 有 2 次 warp 加载；每个请求 8 个扇区。
//! Costs: the instruction alone does not help: only 8 x 8 results share a loaded operand, where `fma-tile` has 64 x 64. On an
//! H200 at 4096: 24.7 ms, against 9.0 ms for `fma-tile`.
//! 代价：单靠这条指令没有帮助：只有 8 x 8 个结果共用加载的操作数，而 `fma-tile` 有 64 x 64 个。H200 上 4096 时为 24.7 ms，`fma-tile` 为 9.0 ms。

use super::Operands;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = 32)]
fn one_warp(a: &[f64], b: &[f64], c: &mut [f64], n: u32, k: u32) {
    let (row, column) = (block_idx.y * 8, block_idx.x * 8);
    let mut sum = FragmentC::<f64, 8, 8>::zero();
    for at in (0..k).step_by(4) {
        let left = FragmentA::<f64, 8, 4>::load(a.matrix(k), row, at);
        let right = FragmentB::<f64, 4, 8>::load(b.matrix(k).t(), at, column);
        sum.mma(left, right);
    }
    sum.store(c.matrix(n), row, column);
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (m, n, k) = x.sizes();
    let launch = one_warp(&x.a, &x.b, &mut x.c, n, k).grid((n / 8, m / 8)).block(32);
    // SAFETY: `Factors` pads extents to multiples of 256 and 16, so every fragment is inside its matrix.
    unsafe { launch.prepare_unchecked(device) }
}
