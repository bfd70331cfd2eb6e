//! Tensor-core rung: `one-warp`.
//!
//! Idea: a warp multiplies 16 x 16 by 16 x 8 elements with one `mma`. Each lane loads its part of the factors from global memory
//! in the instruction's layout.
//! Predicts: 6 load requests per `mma` (4 for A, 2 for B), each of 8 sectors for 128 bytes; warps share no loaded
//! factors.
//! Costs: each `mma` waits for its loads; one warp per block.
//! 思路：一个 warp 用一条 `mma` 指令把 16 x 16 与 16 x 8 个元素相乘。每个 lane 按指令要求的布局，直接从全局内存加载自己那部分因子。
//! 预测：每条 `mma` 有 6 个加载请求（A 4 个，B 2 个），每个请求 128 字节、8 个扇区；各 warp 不共用加载的因子。
//! 代价：每条 `mma` 都要等待自己的加载；每个线程块只有一个 warp。

use super::Operands;
use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = 32)]
fn one_warp(a: &[bf16], b: &[bf16], c: &mut [f32], n: u32, k: u32) {
    let (row, column) = (block_idx.y * 16, block_idx.x * 8);
    let mut sum = FragmentC::<f32, 16, 8>::zero();
    for at in (0..k).step_by(16) {
        let left = FragmentA::<bf16, 16, 16>::load(a.matrix(k), row, at);
        let right = FragmentB::<bf16, 16, 8>::load(b.matrix(k).t(), at, column);
        sum.mma(left, right);
    }
    sum.store(c.matrix(n), row, column);
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (m, n, k) = x.sizes();
    let launch = one_warp(&x.a, &x.b, &mut x.c, n, k).grid((n / 8, m / 16)).block(32);
    // SAFETY: `Factors` pads extents to multiples of 256 and 64, so every fragment is inside its matrix.
    unsafe { launch.prepare_unchecked(device) }
}
