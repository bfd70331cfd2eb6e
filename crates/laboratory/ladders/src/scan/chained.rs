//! Scan rung: `chained`.
//!
//! Idea: a block takes the next tile from a counter, scans it in registers, waits until the previous tile has published
//! its running sum, adds that sum, and publishes its own. One pass over the numbers is enough. Tiles are claimed in
//! order, so the tile a block waits for is always running (no deadlock).
//! 思路：只遍历一遍。线程块从计数器领取下一个 tile，在寄存器中扫描，等前一个 tile 发布它的前缀和，加上这个值，再发布自己的前缀和。tile 按顺序领取，所以被等待的 tile 一定正在运行（不会死锁）。
//! Predicts: each number is read once and written once; one atomic per tile.
//! 预测：每个数只读一次、只写一次；每个 tile 一次原子操作。
//! Costs: the running sum passes through memory from tile to tile, one after the other: one memory round trip per
//! tile.
//! 代价：前缀和要经过内存从一个 tile 传到下一个，只能依次进行：每个 tile 一次内存往返。

use super::Sums;
use super::tile::{block_scan, leave_zeros};
use lanework::prelude::*;
use lanework::{Prepared, Result};

pub(super) const THREADS: u32 = 1024;

#[kernel(block = THREADS)]
fn chained(x: &[f32], y: &mut [f32], cells: &mut [u64], tickets: &mut [u32]) {
    let carried = shared::<f32>(1);
    let taken = shared::<u32>(1);
    let (n, t) = (x.len() as u32, thread_idx.x);
    if t == 0 {
        taken[0] = atomic_add(&mut tickets[0], 1);
    }
    sync_threads();
    let tile = taken[0];
    let i = tile * THREADS + t;
    let mut value = 0.0f32;
    if i < n {
        value = x[i];
    }
    let (sum, total) = block_scan(value, THREADS);
    if t == 0 {
        let mut before = 0.0f32;
        if tile > 0 {
            let mut cell = load_relaxed(&cells[tile - 1], Scope::Device);
            while cell >> 32 == 0 {
                cell = load_relaxed(&cells[tile - 1], Scope::Device);
            }
            before = f32_from_bits(cell as u32);
        }
        // One store writes the sum together with the word that marks it as valid.
        let published = 1u64 << 32 | (before + total).to_bits() as u64;
        store_relaxed(&mut cells[tile], published, Scope::Device);
        carried[0] = before;
    }
    sync_threads();
    if i < n {
        y[i] = carried[0] + sum;
    }
    leave_zeros(cells, tickets);
}

pub(super) fn prepare<'a>(s: &'a mut Sums, device: &Device) -> Result<Prepared<'a>> {
    let tiles = (s.x.len() as u32).div_ceil(THREADS).max(1);
    s.make_room(device, tiles)?;
    let launch = chained(&s.x, &mut s.y, &mut s.cells, &mut s.tickets);
    // SAFETY: the kernel checks indices against the shared length; there are as many tickets as blocks, tiles and
    // cells, so a block's cell exists.
    unsafe { launch.grid(tiles).block(THREADS).prepare_unchecked(device) }
}
