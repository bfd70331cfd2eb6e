//! Sum-of-squares rung: `one-thread`.
//!
//! Idea: one thread reads every number, as a CPU would.
//! 思路：像 CPU 那样，由一个线程依次读取所有的数。
//! Predicts: 1 of 32 lanes of a warp is active, and each number takes a separate request.
//! 预测：一个 warp 的 32 个 lane 中只有 1 个活跃，每个数各占一个请求。
//! Costs: one thread waits for each load; a GPU hides latency by running other threads, but here there is only one.
//! 代价：唯一的线程要等待每次加载；GPU 靠运行其他线程来隐藏延迟，而这里没有其他线程。

use super::clock::note_time;
use super::{Numbers, Summand};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn one_thread<E: Summand>(src: &[E], sums: &mut [E::Sum], clocks: &mut [u64]) {
    let began = clock64();
    let mut sum = E::Sum::ZERO;
    for i in 0..src.len() as u32 {
        let x = src[i] as E::Sum;
        sum += x * x;
    }
    sums[0] = sum;
    note_time(clocks, began);
}

pub(super) fn prepare<'a, E: Summand>(
    n: &'a mut Numbers<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    n.make_room(device, 1, 1)?;
    let launch = one_thread(&n.src, &mut n.sums, &mut n.clocks);
    // SAFETY: indices are under the length of `src`; there is room for one sum and one block.
    unsafe { launch.grid(1).block(1).prepare_unchecked(device) }
}
