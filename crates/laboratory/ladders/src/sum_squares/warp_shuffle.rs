//! Sum-of-squares rung: `warp-shuffle`.
//!
//! Idea: the lanes of a warp exchange registers with shuffles, so shared memory holds one sum per
//! warp.
//! 思路：同一 warp 的 lane 用 shuffle 交换寄存器，共享内存中每个 warp 只留一个和。
//! Predicts: one shared store per warp and one shared load per block; 2 barriers instead of 10 for
//! 256 threads.
//! 预测：每个 warp 只存储一次共享内存，每个线程块只加载一次；256 个线程时屏障从 10 次降到 2 次。
//! Costs: nothing; needs compute capability 3.0.
//! 代价：没有；需要计算能力 3.0。

use super::clock::note_time;
use super::{BLOCKS, Numbers, Summand};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn warp_shuffle<E: Summand>(
    src: &[E],
    sums: &mut [E::Sum],
    clocks: &mut [u64],
    #[constant] threads: u32,
) {
    let began = clock64();
    let mut sum = E::Sum::ZERO;
    let first = block_idx.x * threads + thread_idx.x;
    for i in (first..src.len() as u32).step_by(BLOCKS * threads) {
        let x = src[i] as E::Sum;
        sum += x * x;
    }
    let total = block_sum::<E>(sum, threads);
    if thread_idx.x == 0 {
        sums[block_idx.x] = total;
    }
    note_time(clocks, began);
}

/// The sum over the lanes of the warp, in lane 0.
#[device]
pub(super) fn warp_sum<E: Summand>(mut sum: E::Sum) -> E::Sum {
    #[unroll]
    for offset in [16u32, 8, 4, 2, 1] {
        sum += shfl_down_sync(FULL_MASK, sum, offset);
    }
    sum
}

/// The sum over the threads of the block, in thread 0. `threads` is a power of two, 32 or more.
#[device]
pub(super) fn block_sum<E: Summand>(sum: E::Sum, #[constant] threads: u32) -> E::Sum {
    let warps = threads / 32;
    let of_warps = shared::<E::Sum>(warps);
    let mut total = warp_sum::<E>(sum);
    if thread_idx.x % 32 == 0 {
        of_warps[thread_idx.x / 32] = total;
    }
    sync_threads();
    if thread_idx.x < 32 {
        total = E::Sum::ZERO;
        if thread_idx.x < warps {
            total = of_warps[thread_idx.x];
        }
        total = warp_sum::<E>(total);
    }
    total
}

pub(super) fn prepare<'a, E: Summand>(
    n: &'a mut Numbers<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let threads = n.threads_by_halves()?;
    n.make_room(device, BLOCKS, BLOCKS)?;
    let launch = warp_shuffle(&n.src, &mut n.sums, &mut n.clocks, threads);
    // SAFETY: indices are under the length of `src`; there is room for a sum of each block.
    unsafe { launch.grid(BLOCKS).block(threads).prepare_unchecked(device) }
}
