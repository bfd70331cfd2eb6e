//! Scan rung: `look-back`.
//!
//! Idea: a tile publishes its own sum immediately and its running sum later. A block looks back over 32 tiles at a time
//! and adds their sums until it finds a running sum (decoupled look-back, Merrill and Garland 2016). Here a block adds
//! the sums from left to right, starting at that running sum. The tiles before it added them in the same order, so the
//! bits of the result do not depend on how far a block looks back.
//! 思路：tile 先立即发布自己的和，稍后再发布前缀和。线程块每次回看 32 个 tile，把它们的和相加，直到遇到一个前缀和（解耦回看 decoupled look-back，Merrill 与 Garland 2016）。
//! 这里线程块从那个前缀和起自左向右相加；之前的各 tile 也按这个顺序相加，所以无论回看多远，结果都逐位相同。
//! Predicts: the same traffic; no tile waits for a chain of others, so the wait is a few round trips to memory.
//! 预测：流量不变；没有 tile 要等一长串其他 tile，等待时间只是几次内存往返。
//! Costs: 32 serial additions per 32 tiles visited, and more polling.
//! 代价：每回看 32 个 tile 要做 32 次串行加法，轮询也更多。

use super::Sums;
use super::chained::THREADS;
use super::tile::{block_scan, leave_zeros};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// The upper word of a cell states its kind: the tile's own sum, or the running sum up to the tile's end.
const OF_TILE: u64 = 1;
const UP_TO_END: u64 = 2;
/// Maximum number of 32-tile groups to visit.
const GROUPS: usize = 16;

#[device]
pub(super) fn publish(cells: &mut [u64], tile: u32, what: u64, sum: f32) {
    store_relaxed(&mut cells[tile], what << 32 | sum.to_bits() as u64, Scope::Device);
}

/// The sum of all tiles before `tile`, computed by the lanes of one warp and returned in each of them.
#[device]
pub(super) fn sum_before(cells: &mut [u64], tile: u32) -> f32 {
    let lane = thread_idx.x % 32;
    // The value that this lane read in each group, nearest group first; 0 if there is no tile.
    let mut seen = [0.0f32; GROUPS];
    let mut group = 0u32;
    let mut found = tile == 0;
    while !found {
        // Lane 31 reads the nearest tile.
        let back = group * 32 + 31 - lane;
        let exists = back < tile;
        let mut cell = UP_TO_END << 32;
        if exists {
            let at = tile - 1 - back;
            cell = load_relaxed(&cells[at], Scope::Device);
            while cell >> 32 == 0 {
                cell = load_relaxed(&cells[at], Scope::Device);
            }
        }
        let complete = ballot_sync(FULL_MASK, cell >> 32 == UP_TO_END);
        // The nearest complete sum includes all sums to its left.
        let nearest = select(complete == 0, 0, 31 - complete.leading_zeros());
        seen[group] = select(lane >= nearest && exists, f32_from_bits(cell as u32), 0.0);
        found = complete != 0;
        group += 1;
        // Blocks take tiles in order, so tiles behind the last group are complete by now: poll until one is visible.
        if group == GROUPS as u32 && !found {
            group -= 1;
        }
    }
    // From the farthest to the nearest, one by one.
    let mut sum = 0.0f32;
    for from_far in 0..group {
        let of_lane = seen[group - 1 - from_far];
        #[unroll]
        for l in 0..32u32 {
            sum += shfl_sync(FULL_MASK, of_lane, l);
        }
    }
    sum
}

#[kernel(block = THREADS)]
fn look_back(x: &[f32], y: &mut [f32], cells: &mut [u64], tickets: &mut [u32]) {
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
    if t < 32 {
        if t == 0 {
            publish(cells, tile, OF_TILE, total);
        }
        let before = sum_before(cells, tile);
        if t == 0 {
            publish(cells, tile, UP_TO_END, before + total);
            carried[0] = before;
        }
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
    let launch = look_back(&s.x, &mut s.y, &mut s.cells, &mut s.tickets);
    // SAFETY: the kernel checks indices against the shared length; there are as many tickets as blocks, tiles and
    // cells, and a block reads only cells before its own.
    unsafe { launch.grid(tiles).block(THREADS).prepare_unchecked(device) }
}
