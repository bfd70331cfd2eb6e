//! Sum-of-squares rung: `tree-interleaved`.
//!
//! Idea: every second thread adds its neighbor's sum, then every fourth thread adds the sum two places away, and so on:
//! a tree reduction instead of one thread's serial additions.
//! 思路：每隔一个线程加上相邻线程的和，然后每四个线程中有一个加上相隔两个位置的和，依此类推：用树形归约代替一个线程的串行加法。
//! Predicts: 8 steps instead of 255 serial additions for 256 threads: thread 0's warp runs a
//! fraction of the instructions.
//! 预测：256 个线程只需 8 步，而不是 255 次串行加法：0 号线程所在 warp 的指令数只剩一小部分。
//! Costs: a barrier per step; the active lanes are spread over all warps, so no warp becomes idle in the first 5 steps.
//! 代价：每步一次屏障；活跃的 lane 分散在所有 warp 中，所以前 5 步没有一个 warp 能完全空闲。
//!
//! Bank conflicts are often given as the reason why this is slow. They occur if thread `t` works on
//! element `2 * offset * t`, which is the next rung. Here thread `t` works on element `t` or none,
//! a warp's elements lie within 32 consecutive ones, and there are no conflicts: it is slow because
//! all warps stay active, each with a few lanes. (For 8-byte sums the hardware counts one conflict
//! per load in the first step: with every second lane idle it serves both halves of a warp in one
//! request, which still needs two wavefronts.)

use super::clock::note_time;
use super::{BLOCKS, Numbers, Summand};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn tree_interleaved<E: Summand>(
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
    let mut mask = 1u32;
    while offset < threads {
        if thread_idx.x & mask == 0 {
            tree[thread_idx.x] += tree[thread_idx.x + offset];
        }
        offset += offset;
        mask += offset;
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
    let launch = tree_interleaved(&n.src, &mut n.sums, &mut n.clocks, threads);
    // SAFETY: indices are under the length of `src`. `mask` is `2 * offset - 1`, so only multiples of `2 * offset` add.
    // `threads` is a power of two, so a multiple under it plus `offset` is under it, too. There is room for a sum of
    // each block.
    unsafe { launch.grid(BLOCKS).block(threads).prepare_unchecked(device) }
}
