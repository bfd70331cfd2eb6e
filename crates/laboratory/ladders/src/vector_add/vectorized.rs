//! Vector addition rung: `vectorized`.
//!
//! Idea: each thread adds four pairs with 16-byte accesses; the last few pairs are added one by
//! one.
//! 思路：每个线程用 16 字节的访问处理四对数；最后剩下的几对逐个处理。
//! Predicts: a quarter of the requests, of 16 sectors each, and fewer instructions per addition.
//! 预测：请求数降到四分之一，每个请求 16 个扇区；每次加法的指令更少。
//! Costs: the remainder that does not fill a float4 (a 16-byte vector) needs separate code.
//! 代价：凑不满一个 float4（16 字节向量）的余数要另写代码。

use super::vectors::{THREADS, Vectors};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn vectorized(a: &[f32], b: &[f32], c: &mut [f32]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) * 4;
    let length = c.len() as u32;
    if i + 3 < length {
        let (left, right) = (a.load_vec::<4>(i), b.load_vec::<4>(i));
        let mut sums = [0.0f32; 4];
        #[unroll]
        for j in 0..4 {
            sums[j] = left[j] + right[j];
        }
        c.store_vec(i, sums);
    } else {
        #[unroll]
        for j in 0..3u32 {
            if i + j < length {
                c[i + j] = a[i + j] + b[i + j];
            }
        }
    }
}

pub(super) fn prepare<'a>(v: &'a mut Vectors, device: &Device) -> Result<Prepared<'a>> {
    let blocks = (v.c.len() as u32).div_ceil(4 * THREADS).max(1);
    let launch = vectorized(&v.a, &v.b, &mut v.c);
    // SAFETY: each index is under the length, which all three share; i is a multiple of 4, so wide
    // accesses are aligned.
    unsafe { launch.grid(blocks).block(THREADS).prepare_unchecked(device) }
}
