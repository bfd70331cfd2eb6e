//! Vector addition rung: `grid-stride`.
//!
//! Idea: as many blocks as the device runs concurrently; each thread advances by the grid
//! size.
//! 思路：线程块数等于设备能同时运行的数目，每个线程以整个网格的大小为步长前进。
//! Predicts: the same requests and sectors; fewer warps, with more work each.
//! 预测：请求数和扇区数不变；warp 更少，每个 warp 的工作更多。
//! Costs: a loop replaces the hardware's block scheduling.
//! 代价：用一个循环代替硬件对线程块的调度。

use super::vectors::{THREADS, Vectors};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Resident blocks per multiprocessor.
const RESIDENT: u32 = 8;

#[kernel]
fn grid_stride(a: &[f32], b: &[f32], c: &mut [f32]) {
    let mut i = block_idx.x * block_dim.x + thread_idx.x;
    while i < c.len() as u32 {
        c[i] = a[i] + b[i];
        i += grid_dim.x * block_dim.x;
    }
}

pub(super) fn prepare<'a>(v: &'a mut Vectors, device: &Device) -> Result<Prepared<'a>> {
    let most = device.info().multiprocessors * RESIDENT;
    let blocks = (v.c.len() as u32).div_ceil(THREADS).clamp(1, most.max(1));
    let launch = grid_stride(&v.a, &v.b, &mut v.c);
    // SAFETY: i is under the length, which all three share. One more step stays under 2^32, because lengths are under
    // 2^31 and a grid has far fewer threads.
    unsafe { launch.grid(blocks).block(THREADS).prepare_unchecked(device) }
}
