//! Scan rung: `one-block`.
//!
//! Idea: a block of 1024 threads scans 1024 numbers in 10 steps (Hillis and Steele 1986): in step k each thread adds the sum 2^k
//! positions before its own. The last sum is carried to the next 1024 numbers.
//! 思路：1024 个线程的线程块用 10 步扫描 1024 个数（Hillis 与 Steele 1986）：在第 k 步，每个线程加上自己之前 2^k 个位置处的和。最后一个和带入下一组 1024 个数。
//! Predicts: 4 sectors per request and nearly all lanes active; ten times as many additions.
//! 预测：每个请求 4 个扇区，几乎所有 lane 都活跃；加法次数是原来的十倍。
//! Costs: 8 KB of shared memory and two barriers per step; only one multiprocessor works.
//! 代价：8 KB 共享内存，每步两次屏障；只有一个多处理器在工作。

use super::Sums;
use lanework::prelude::*;
use lanework::{Prepared, Result};

const THREADS: u32 = 1024;

#[kernel(block = THREADS)]
fn one_block(x: &[f32], y: &mut [f32]) {
    let sums = shared::<f32>(THREADS);
    let n = x.len() as u32;
    let t = thread_idx.x;
    let mut carry = 0.0f32;
    for first in (0..n).step_by(THREADS) {
        let i = first + t;
        sums[t] = 0.0;
        if i < n {
            sums[t] = x[i];
        }
        sync_threads();
        #[unroll]
        for step in [1u32, 2, 4, 8, 16, 32, 64, 128, 256, 512] {
            let mut sum = sums[t];
            if t >= step {
                sum += sums[t - step];
            }
            sync_threads();
            sums[t] = sum;
            sync_threads();
        }
        if i < n {
            y[i] = carry + sums[t];
        }
        carry += sums[THREADS - 1];
        sync_threads();
    }
}

pub(super) fn prepare<'a>(s: &'a mut Sums, device: &Device) -> Result<Prepared<'a>> {
    // SAFETY: the kernel checks indices against the shared length, and tile indices are under the number of threads;
    // the loop index exceeds the length by at most one step, so it stays under 2^32.
    unsafe { one_block(&s.x, &mut s.y).grid(1).block(THREADS).prepare_unchecked(device) }
}
