//! Sum-of-squares rung: `tree-unrolled`.
//!
//! Idea: the steps of the tree are unrolled, with constant offsets and no loop.
//! 思路：把树的各步展开，偏移量为常数，没有循环。
//! Predicts: fewer instructions; shared requests unchanged.
//! 预测：指令更少；共享内存请求不变。
//! Costs: a separate kernel for each block size.
//! 代价：每种线程块大小都要有单独的核函数。

use super::clock::note_time;
use super::{BLOCKS, Numbers, Summand};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn tree_unrolled<E: Summand>(
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
    #[unroll]
    for step in 1..=threads.ilog2() {
        let offset = threads >> step;
        if thread_idx.x < offset {
            tree[thread_idx.x] += tree[thread_idx.x + offset];
        }
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
    let launch = tree_unrolled(&n.src, &mut n.sums, &mut n.clocks, threads);
    // SAFETY: indices are under the length of `src`; an adding thread `x` is under `offset`, so `x + offset` is under
    // `2 * offset`, at most `threads`. There is room for a sum of each block.
    unsafe { launch.grid(BLOCKS).block(threads).prepare_unchecked(device) }
}
