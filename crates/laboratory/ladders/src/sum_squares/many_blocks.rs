//! Sum-of-squares rung: `many-blocks`.
//!
//! Idea: 32 blocks instead of one, so 32 multiprocessors work instead of one.
//! 思路：用 32 个线程块代替一个，使 32 个多处理器同时工作，而不是只有一个。
//! Predicts: 1/32 of the instructions per warp; sectors unchanged.
//! 预测：每个 warp 的指令数降到 1/32；扇区数不变。
//! Costs: 32 times the partial sums for the host to add: 8,192 for blocks of 256 threads.
//! 代价：主机要加的部分和增加到 32 倍：每个线程块 256 个线程时为 8,192 个。

use super::clock::note_time;
use super::{BLOCKS, Numbers, Summand};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn many_blocks<E: Summand>(
    src: &[E],
    sums: &mut [E::Sum],
    clocks: &mut [u64],
    #[constant] threads: u32,
) {
    let began = clock64();
    let thread = block_idx.x * threads + thread_idx.x;
    let mut sum = E::Sum::ZERO;
    for i in (thread..src.len() as u32).step_by(BLOCKS * threads) {
        let x = src[i] as E::Sum;
        sum += x * x;
    }
    sums[thread] = sum;
    note_time(clocks, began);
}

pub(super) fn prepare<'a, E: Summand>(
    n: &'a mut Numbers<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    n.make_room(device, BLOCKS, BLOCKS * n.threads)?;
    let launch = many_blocks(&n.src, &mut n.sums, &mut n.clocks, n.threads);
    // SAFETY: indices are under the length of `src`; there is room for a sum of each thread.
    unsafe { launch.grid(BLOCKS).block(n.threads).prepare_unchecked(device) }
}
