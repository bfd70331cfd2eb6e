//! Sum-of-squares rung: `single-pass`.
//!
//! Idea: each block takes a ticket (an atomic increment) after it has written its sum. The block
//! with the last ticket adds all sums in block order: one launch, one sum, the same in every
//! run.
//! 思路：每个线程块写好自己的和之后取一个号（一次原子加）。拿到最后一号的线程块按线程块的顺序把所有的和相加：一次启动，一个结果，每次运行都相同。
//! Predicts: one sum for the host; one atomic per block; global sectors almost unchanged.
//! 预测：主机只得到一个和；每个线程块一次原子操作；全局扇区几乎不变。
//! Costs: a fence and an atomic per block; memory for one sum per block.
//! 代价：每个线程块一次 fence 和一次原子操作；存放各线程块的和要占内存。

use super::clock::note_time;
use super::several_loads::{RESIDENT, THREADS, blocks, thread_sum};
use super::warp_shuffle::block_sum;
use super::{Numbers, Summand};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = (THREADS, 1, 1), min_blocks = RESIDENT)]
fn single_pass<E: Summand, const V: usize>(
    src: &[E],
    sums: &mut [E::Sum],
    clocks: &mut [u64],
    blocks: &mut [E::Sum],
    ticket: &mut [u32],
) {
    let began = clock64();
    let last = shared::<u32>(1);
    let sum = thread_sum::<E, V>(src);
    let of_block = block_sum::<E>(sum, THREADS);
    if thread_idx.x == 0 {
        blocks[block_idx.x] = of_block;
        threadfence();
        // The last ticket resets the counter to 0 for the next launch.
        last[0] = atomic_inc(&mut ticket[0], grid_dim.x - 1);
    }
    sync_threads();
    if last[0] == grid_dim.x - 1 {
        let mut sum = E::Sum::ZERO;
        for block in (thread_idx.x..grid_dim.x).step_by(THREADS) {
            sum += load_volatile(&blocks[block]);
        }
        let total = block_sum::<E>(sum, THREADS);
        if thread_idx.x == 0 {
            sums[0] = total;
        }
    }
    note_time(clocks, began);
}

pub(super) fn prepare<'a, E: Summand>(
    n: &'a mut Numbers<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let grid = blocks(n, device);
    n.make_room(device, grid, 1)?;
    let Numbers { src, sums, clocks, blocks, ticket, .. } = n;
    let src = &*src;
    let launch = match size_of::<E>() {
        8 => single_pass::<E, 2>(src, sums, clocks, blocks, ticket),
        _ => single_pass::<E, 4>(src, sums, clocks, blocks, ticket),
    };
    // SAFETY: a vector under `vectors` ends within `src`, which starts at a multiple of 16 bytes;
    // single numbers are guarded. There is room for a sum of each block.
    unsafe { launch.grid(grid).block(THREADS).prepare_unchecked(device) }
}
