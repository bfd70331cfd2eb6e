//! Attention rung: `one-warp`.
//!
//! Idea: a warp multiplies 16 queries by 16 keys at a time on tensor cores (`mma`). Scores and weights stay in
//! fragments; the weights become the left factor of the second product without leaving the registers.
//! 思路：用张量核心：一个 warp 每次用 `mma` 把 16 个查询与 16 个键相乘。分数和权重留在片段中，权重不离开寄存器就成为第二次乘法的左因子。
//! Predicts: `mma` replaces the multiply-adds: less than a tenth of `fused`'s instructions.
//! 预测：`mma` 代替乘加，指令数不到 `fused` 的十分之一。
//! Costs: every warp reads all keys and values of its head, in 4-byte pieces.
//! 代价：每个 warp 都要读取所在头（head）的所有键和值，每次 4 字节。

use super::heads::{HEAD, Heads};
use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = 32)]
fn one_warp(q: &[bf16], k: &[bf16], v: &[bf16], out: &mut [bf16], length: u32, scale: f32) {
    let row = block_idx.x * 16;
    let of_head = row / length * length;
    let mut queries = [FragmentA::<bf16, 16, 16>::zero(); 8];
    #[unroll]
    for at in 0..8u32 {
        queries[at] = FragmentA::<bf16, 16, 16>::load(q.matrix(HEAD), row, 16 * at);
    }
    let mut sums = [FragmentC::<f32, 16, 8>::zero(); 16];
    // For the two rows of a lane's elements: the largest score so far, and the sum of the weights.
    let mut most = [f32::NEG_INFINITY; 2];
    let mut total = [0.0f32; 2];
    for key in (of_head..of_head + length).step_by(16) {
        let mut scores = [FragmentC::<f32, 16, 8>::zero(); 2];
        #[unroll]
        for at in 0..8u32 {
            #[unroll]
            for j in 0..2u32 {
                let keys = k.matrix(HEAD).t();
                let right = FragmentB::<bf16, 16, 8>::load(keys, 16 * at, key + 8 * j);
                scores[j].mma(queries[at], right);
            }
        }
        let high = FragmentC::row_max_of(scores);
        let mut fade = [0.0f32; 2];
        #[unroll]
        for line in 0..2 {
            let now = most[line].max(high[line] * scale);
            fade[line] = fast::exp2(most[line] - now);
            most[line] = now;
        }
        #[unroll]
        for j in 0..2 {
            #[unroll]
            for i in 0..4 {
                let line = FragmentC::<f32, 16, 8>::row_of(i);
                scores[j][i] = fast::exp2(scores[j][i] * scale - most[line]);
            }
        }
        let weights = FragmentC::row_sum_of(scores);
        #[unroll]
        for line in 0..2 {
            total[line] = total[line] * fade[line] + weights[line];
        }
        let pair = [scores[0].to::<bf16>(), scores[1].to::<bf16>()];
        let left = FragmentA::<bf16, 16, 16>::from_sums(pair);
        #[unroll]
        for j in 0..16u32 {
            #[unroll]
            for i in 0..4 {
                sums[j][i] *= fade[FragmentC::<f32, 16, 8>::row_of(i)];
            }
            let right = FragmentB::<bf16, 16, 8>::load(v.matrix(HEAD), key, 8 * j);
            sums[j].mma(left, right);
        }
    }
    #[unroll]
    for j in 0..16u32 {
        #[unroll]
        for i in 0..4 {
            sums[j][i] = sums[j][i] / total[FragmentC::<f32, 16, 8>::row_of(i)];
        }
        sums[j].to::<bf16>().store(out.matrix(HEAD), row, 8 * j);
    }
}

pub(super) fn prepare<'a>(x: &'a mut Heads, device: &Device) -> Result<Prepared<'a>> {
    let launch = one_warp(&x.q, &x.k, &x.v, &mut x.out, x.length, Heads::scale());
    // SAFETY: the rows of a head are a multiple of a block's rows, so every index is under heads * length rows.
    unsafe { launch.grid(x.heads * x.length / 16).block(32).prepare_unchecked(device) }
}
