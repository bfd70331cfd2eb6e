//! Sum-of-squares rung: `block-serial`.
//!
//! Idea: each block collects its threads' sums in shared memory, and thread 0 adds them.
//! 思路：每个线程块把各线程的和放进共享内存，再由 0 号线程相加。
//! Predicts: one store per block instead of one per warp, and 32 sums for the host instead of
//! 8,192.
//! 预测：存储从每个 warp 一次降到每个线程块一次；留给主机的和从 8,192 个降到 32 个。
//! Costs: a barrier, and serial additions by one thread while the rest of its block waits.
//! 代价：一次屏障，以及由一个线程做的串行加法，其间线程块的其他线程都在等待。

use super::clock::note_time;
use super::{BLOCKS, Numbers, Summand};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn block_serial<E: Summand>(
    src: &[E],
    sums: &mut [E::Sum],
    clocks: &mut [u64],
    #[constant] threads: u32,
) {
    let began = clock64();
    let shared_sums = shared::<E::Sum>(threads);
    let mut sum = E::Sum::ZERO;
    let first = block_idx.x * threads + thread_idx.x;
    for i in (first..src.len() as u32).step_by(BLOCKS * threads) {
        let x = src[i] as E::Sum;
        sum += x * x;
    }
    shared_sums[thread_idx.x] = sum;
    sync_threads();
    if thread_idx.x == 0 {
        for other in 1..threads {
            sum += shared_sums[other];
        }
        sums[block_idx.x] = sum;
    }
    note_time(clocks, began);
}

pub(super) fn prepare<'a, E: Summand>(
    n: &'a mut Numbers<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    n.make_room(device, BLOCKS, BLOCKS)?;
    let launch = block_serial(&n.src, &mut n.sums, &mut n.clocks, n.threads);
    // SAFETY: indices are under the length of `src`; there is room for a sum of each block, and in
    // shared memory for one of each thread.
    unsafe { launch.grid(BLOCKS).block(n.threads).prepare_unchecked(device) }
}
