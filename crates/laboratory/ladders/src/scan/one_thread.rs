//! Scan rung: `one-thread`.
//!
//! Idea: one thread adds the numbers one after the other, as on a CPU.
//! 思路：一个线程依次把数相加，与 CPU 上的写法一样。
//! Predicts: one active lane of 32; one sector per request, with 4 of its 32 bytes used.
//! 预测：32 个 lane 中只有 1 个活跃；每个请求 1 个扇区，32 字节只用到其中 4 字节。
//! Costs: no extra memory, but the whole device waits for each addition.
//! 代价：不占额外内存，但每做一次加法，整个设备都要等待。

use super::Sums;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = 1)]
fn one_thread(x: &[f32], y: &mut [f32]) {
    let mut sum = 0.0f32;
    for i in 0..x.len() as u32 {
        sum += x[i];
        y[i] = sum;
    }
}

pub(super) fn prepare<'a>(s: &'a mut Sums, device: &Device) -> Result<Prepared<'a>> {
    // SAFETY: the loop ends at the length, which both buffers share.
    unsafe { one_thread(&s.x, &mut s.y).grid(1).block(1).prepare_unchecked(device) }
}
