//! Vector addition rung: `one-each`.
//!
//! Idea: one thread adds one pair; adjacent threads add adjacent pairs.
//! 思路：一个线程加一对数，相邻的线程加相邻的数对。
//! Predicts: 4 sectors per request, two loads and one store per addition.
//! 预测：每个请求 4 个扇区；每次加法两次加载、一次存储。
//! Costs: each thread's index computation serves a single addition.
//! 代价：每个线程算好的下标只用于一次加法。

use super::vectors::{THREADS, Vectors};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn one_each(a: &[f32], b: &[f32], c: &mut [f32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < c.len() as u32 {
        c[i] = a[i] + b[i];
    }
}

pub(super) fn prepare<'a>(v: &'a mut Vectors, device: &Device) -> Result<Prepared<'a>> {
    let blocks = (v.c.len() as u32).div_ceil(THREADS).max(1);
    let launch = one_each(&v.a, &v.b, &mut v.c);
    // SAFETY: i is under the length, which all three share.
    unsafe { launch.grid(blocks).block(THREADS).prepare_unchecked(device) }
}
