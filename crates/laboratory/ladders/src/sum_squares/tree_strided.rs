//! Sum-of-squares rung: `tree-strided`.
//!
//! Idea: adjacent threads do the additions that were spread over all warps, so whole warps become idle.
//! 思路：同样的加法改由相邻的线程来做，使整个 warp 都能空闲下来。
//! Predicts: a quarter of the shared requests for 256 threads, but bank conflicts: the elements
//! that a warp accesses are 2, 4, 8 and more words apart.
//! 预测：256 个线程时，共享内存请求降到四分之一，但出现 bank 冲突：一个 warp 访问的元素步长为 2、4、8 甚至更大。
//! Costs: bank conflicts, up to 7 per request for 256 threads and 4-byte sums, up to 15 for 8-byte sums.
//! 代价：bank 冲突，256 个线程时，4 字节的和每个请求最多 7 次，8 字节的和最多 15 次。

use super::clock::note_time;
use super::{BLOCKS, Numbers, Summand};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn tree_strided<E: Summand>(
    src: &[E],
    sums: &mut [E::Sum],
    clocks: &mut [u64],
    #[constant] threads: u32,
) {
    let began = clock64();
    let tree = shared::<E::Sum>(threads);
    let mut sum = E::Sum::ZERO;
    let first = block_idx.x * threads + thread_idx.x;
    for i in (first..src.len() as u32).step_by(BLOCKS * threads) {
        let x = src[i] as E::Sum;
        sum += x * x;
    }
    tree[thread_idx.x] = sum;
    sync_threads();
    let mut offset = 1u32;
    while offset < threads {
        let at = 2 * offset * thread_idx.x;
        if at < threads {
            tree[at] += tree[at + offset];
        }
        offset += offset;
        sync_threads();
    }
    if thread_idx.x == 0 {
        sums[block_idx.x] = tree[0];
    }
    note_time(clocks, began);
}

pub(super) fn prepare<'a, E: Summand>(
    n: &'a mut Numbers<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let threads = n.threads_by_halves()?;
    n.make_room(device, BLOCKS, BLOCKS)?;
    let launch = tree_strided(&n.src, &mut n.sums, &mut n.clocks, threads);
    // SAFETY: indices are under the length of `src`. `at` is a multiple of `2 * offset` under `threads`. `threads` is a
    // larger power of two, so `at + offset` is under it, too. There is room for a sum of each block.
    unsafe { launch.grid(BLOCKS).block(threads).prepare_unchecked(device) }
}
