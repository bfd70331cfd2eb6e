//! Sum-of-squares rung: `tree-halving`.
//!
//! Idea: the lower half of the threads adds the upper half's sums, then the lower quarter, and so on: active threads are
//! adjacent, and so are their elements.
//! 思路：前一半线程加上后一半的和，然后是前四分之一，依此类推：活跃的线程彼此相邻，处理的元素也彼此相邻。
//! Predicts: no bank conflicts, and as few shared requests as `tree-strided`.
//! 预测：没有 bank 冲突，共享内存请求与 `tree-strided` 一样少。
//! Costs: still a barrier per step.
//! 代价：每步仍然需要一次屏障。

use super::clock::note_time;
use super::{BLOCKS, Numbers, Summand};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn tree_halving<E: Summand>(
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
    let mut offset = threads / 2;
    while offset > 0 {
        if thread_idx.x < offset {
            tree[thread_idx.x] += tree[thread_idx.x + offset];
        }
        offset /= 2;
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
    let launch = tree_halving(&n.src, &mut n.sums, &mut n.clocks, threads);
    // SAFETY: indices are under the length of `src`; an adding thread `x` is under `offset`, so `x + offset` is under
    // `2 * offset`, at most `threads`. There is room for a sum of each block.
    unsafe { launch.grid(BLOCKS).block(threads).prepare_unchecked(device) }
}
