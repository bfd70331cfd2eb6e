//! Attention rung: `fused`.
//!
//! Idea: a warp keeps one query's results while it reads the keys, 32 at a time. When a larger score appears, it scales down the
//! sums so far, so no score is stored.
//! 思路：一个 warp 保存一个查询的结果，每次读取 32 个键。遇到更大的分数时，把已有的和按比例缩小，因此不必存储分数。
//! Predicts: no global stores except the results; the traffic of length^2 scores is gone.
//! 预测：除结果外没有全局存储，省去了 length^2 个分数的流量。
//! Costs: each lane reads its own rows of keys, 32 sectors per request; multiply-adds run at the f32 rate.
//! 代价：每个 lane 读取自己那一行键，每个请求 32 个扇区；乘加以 f32 的速率进行。

use super::heads::{HEAD, Heads};
use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = 128)]
fn fused(q: &[bf16], k: &[bf16], v: &[bf16], out: &mut [bf16], length: u32, scale: f32) {
    let queries = shared::<f32>([4, HEAD]);
    let (warp, lane) = (thread_idx.x / 32, thread_idx.x % 32);
    let row = block_idx.x * 4 + warp;
    let of_head = row / length * length;
    #[unroll]
    for c in (0..HEAD).step_by(32) {
        queries[[warp, lane + c]] = q[row * HEAD + lane + c] as f32;
    }
    sync_warp(FULL_MASK);
    let mut most = f32::NEG_INFINITY;
    let mut total = 0.0f32;
    let mut sums = [0.0f32; { HEAD as usize / 32 }];
    for first in (0..length).step_by(32) {
        let mut score = 0.0f32;
        for c in 0..HEAD {
            score += queries[[warp, c]] * k[(of_head + first + lane) * HEAD + c] as f32;
        }
        let mut now = most.max(score * scale);
        #[unroll]
        for bits in [16u32, 8, 4, 2, 1] {
            now = now.max(shfl_xor_sync(FULL_MASK, now, bits));
        }
        let fade = fast::exp2(most - now);
        let weight = fast::exp2(score * scale - now);
        most = now;
        total = total * fade + weight;
        #[unroll]
        for c in 0..HEAD / 32 {
            sums[c] *= fade;
        }
        for j in 0..32u32 {
            let weight = shfl_sync(FULL_MASK, weight, j);
            let value = (of_head + first + j) * HEAD + lane;
            #[unroll]
            for c in 0..HEAD / 32 {
                sums[c] += weight * v[value + 32 * c] as f32;
            }
        }
    }
    #[unroll]
    for bits in [16u32, 8, 4, 2, 1] {
        total += shfl_xor_sync(FULL_MASK, total, bits);
    }
    #[unroll]
    for c in 0..HEAD / 32 {
        out[row * HEAD + lane + 32 * c] = (sums[c] / total) as bf16;
    }
}

pub(super) fn prepare<'a>(x: &'a mut Heads, device: &Device) -> Result<Prepared<'a>> {
    let launch = fused(&x.q, &x.k, &x.v, &mut x.out, x.length, Heads::scale());
    // SAFETY: the rows of a head are a multiple of a block's rows, so every index is under heads * length rows.
    unsafe { launch.grid(x.heads * x.length / 4).block(128).prepare_unchecked(device) }
}
