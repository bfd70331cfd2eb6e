//! Scan rung: `three-phases`.
//!
//! Idea: every block sums its own part. After a barrier of the whole grid, each block adds the sums of the parts before
//! its own, reads its part again and scans it (reduce, then scan).
//! 思路：每个线程块先求出自己那一部分的和；经过一次网格屏障之后，各线程块把前面各部分的和相加，再读一遍自己的部分并扫描（先归约，再扫描）。
//! Predicts: all multiprocessors work; global load sectors double, because each number is read twice and written once.
//! 预测：所有多处理器都在工作；全局加载扇区加倍，因为每个数读两次、写一次。
//! Costs: a cooperative launch: no more blocks than fit on the device.
//! 代价：需要协作启动：线程块数不能超过设备能同时容纳的数目。

use super::Sums;
use super::tile::block_scan;
use lanework::prelude::*;
use lanework::{Prepared, Result};

const THREADS: u32 = 512;
/// Resident blocks per multiprocessor.
const RESIDENT: u32 = 2;

#[kernel(block = THREADS, min_blocks = RESIDENT)]
fn three_phases(x: &[f32], y: &mut [f32], cells: &mut [u64]) {
    let n = x.len() as u32;
    let t = thread_idx.x;
    // Each part is a multiple of the block.
    let part = n.div_ceil(grid_dim.x).div_ceil(THREADS) * THREADS;
    let first = (block_idx.x as u64 * part as u64).min(n as u64) as u32;
    let stop = (first as u64 + part as u64).min(n as u64) as u32;

    let mut sum = 0.0f32;
    for i in (first + t..stop).step_by(THREADS) {
        sum += x[i];
    }
    let (_, total) = block_scan(sum, THREADS);
    if t == 0 {
        cells[block_idx.x] = total.to_bits() as u64;
    }
    grid_sync();

    let mut before = 0.0f32;
    for block in (t..block_idx.x).step_by(THREADS) {
        before += f32_from_bits(cells[block] as u32);
    }
    let (_, mut carry) = block_scan(before, THREADS);
    for start in (first..stop).step_by(THREADS) {
        sync_threads();
        let i = start + t;
        let mut value = 0.0f32;
        if i < stop {
            value = x[i];
        }
        let (sum, total) = block_scan(value, THREADS);
        if i < stop {
            y[i] = carry + sum;
        }
        carry += total;
    }
}

pub(super) fn prepare<'a>(s: &'a mut Sums, device: &Device) -> Result<Prepared<'a>> {
    let most = RESIDENT * device.info().multiprocessors.max(1);
    let blocks = (s.x.len() as u32).div_ceil(THREADS).clamp(1, most);
    s.make_room(device, blocks)?;
    let launch = three_phases(&s.x, &mut s.y, &mut s.cells).grid(blocks).block(THREADS);
    // SAFETY: indices are under the end of a part, which is at most the length; there is a cell per block.
    unsafe { launch.cooperative().prepare_unchecked(device) }
}
