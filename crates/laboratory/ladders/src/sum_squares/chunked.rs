//! Sum-of-squares rung: `chunked`.
//!
//! Idea: the threads of one block share the work, each with a contiguous chunk of numbers.
//! 思路：一个线程块的所有线程分担工作，每个线程负责一段连续的数。
//! Predicts: all 32 lanes are active, so 1/32 of the requests are enough, but each request touches
//! 32 sectors.
//! 预测：32 个 lane 全部活跃，请求数降到 1/32，但每个请求要访问 32 个扇区。
//! Costs: the host adds one sum per thread.
//! 代价：主机要把每个线程的部分和加起来。

use super::clock::note_time;
use super::{Numbers, Summand};
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn chunked<E: Summand>(src: &[E], sums: &mut [E::Sum], clocks: &mut [u64], chunk: u32) {
    let began = clock64();
    let first = thread_idx.x * chunk;
    let mut sum = E::Sum::ZERO;
    for i in first..min(first + chunk, src.len() as u32) {
        let x = src[i] as E::Sum;
        sum += x * x;
    }
    sums[thread_idx.x] = sum;
    note_time(clocks, began);
}

pub(super) fn prepare<'a, E: Summand>(
    n: &'a mut Numbers<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    n.make_room(device, 1, n.threads)?;
    let chunk = (n.src.len() as u32).div_ceil(n.threads);
    let launch = chunked(&n.src, &mut n.sums, &mut n.clocks, chunk);
    // SAFETY: indices are under the length of `src`; there is room for a sum of each thread.
    unsafe { launch.grid(1).block(n.threads).prepare_unchecked(device) }
}
