//! Sum-of-squares rung: `several-loads`, after `warp-shuffle`, before `single-pass`.
//!
//! Idea: blocks enough to fill the device, and each thread asks for 8 chunks of 16 bytes before it
//! needs the first, so that memory always has enough to fetch.
//! 思路：用足够多的块填满设备，每个线程先发出 8 次 16 字节的读取，再使用第一个结果，让内存始终有数据可取。
//! Predicts: 16 sectors per request and a quarter of the requests for numbers of 4 bytes.
//! 预测：对 4 字节的数，每次请求 16 个扇区，请求数降到四分之一。
//! Costs: registers for the numbers under way; the host adds two sums per multiprocessor.
//! 代价：在途的数要占寄存器；主机要为每个流多处理器加两个和。

use super::clock::note_time;
use super::warp_shuffle::block_sum;
use super::{Numbers, Summand};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Wide loads that a thread has under way.
const LOADS: u32 = 8;

#[kernel]
fn several_loads<E: Summand, const V: usize>(
    src: &[E],
    sums: &mut [E::Sum],
    clocks: &mut [u64],
    #[constant] threads: u32,
) {
    let began = clock64();
    let sum = thread_sum::<E, V>(src, threads);
    let total = block_sum::<E>(sum, threads);
    if thread_idx.x == 0 {
        sums[block_idx.x] = total;
    }
    note_time(clocks, began);
}

/// The sum of the squares of this thread's share of all numbers.
#[device]
pub(super) fn thread_sum<E: Summand, const V: usize>(
    src: &[E],
    #[constant] threads: u32,
) -> E::Sum {
    let v = V as u32;
    let n = src.len() as u32;
    let vectors = n / v;
    let mut sums = [E::ZERO; V];

    let round = threads * LOADS; // vectors that a block takes at a time
    let rounds = vectors / round;
    for r in (block_idx.x..rounds).step_by(grid_dim.x) {
        let first = (r * round + thread_idx.x) as u64 * V as u64;
        #[unroll]
        for k in 0..LOADS {
            let numbers = src.load_vec_nc::<V>(first + (k * threads) as u64 * V as u64);
            #[unroll]
            for j in 0..V {
                let x = numbers[j] as E::Sum;
                sums[j] += x * x;
            }
        }
    }

    // What is less than a round: single vectors, then single numbers.
    let thread = block_idx.x * threads + thread_idx.x;
    for i in (rounds * round + thread..vectors).step_by(grid_dim.x * threads) {
        let numbers = src.load_vec_nc::<V>(i * v);
        #[unroll]
        for j in 0..V {
            let x = numbers[j] as E::Sum;
            sums[j] += x * x;
        }
    }
    if vectors * v + thread < n {
        let x = src[vectors * v + thread] as E::Sum;
        sums[0] += x * x;
    }

    let mut sum = sums[0];
    #[unroll]
    for j in 1..V {
        sum += sums[j];
    }
    sum
}

/// Blocks and threads that keep the memory of `device` busy without waiting for a second wave.
pub(super) fn shape<E: Summand>(n: &Numbers<E>, device: &Device) -> (u32, u32) {
    let processors = device.info().multiprocessors;
    let (blocks, threads) =
        if n.bytes() < SMALL { (processors, 256) } else { (2 * processors, 512) };
    let share = 16 * u64::from(threads); // bytes that a block reads at a time
    (n.bytes().div_ceil(share).clamp(1, blocks.into()) as u32, threads)
}

/// Bytes under which fewer and smaller blocks finish earlier.
const SMALL: u64 = 16 << 20;

pub(super) fn prepare<'a, E: Summand>(
    n: &'a mut Numbers<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let (blocks, threads) = shape(n, device);
    n.make_room(device, blocks, blocks)?;
    let (src, sums, clocks) = (&n.src, &mut n.sums, &mut n.clocks);
    let launch = match size_of::<E>() {
        8 => several_loads::<E, 2>(src, sums, clocks, threads),
        _ => several_loads::<E, 4>(src, sums, clocks, threads),
    };
    // SAFETY: a vector under `vectors` ends within `src`, which starts at a multiple of 16 bytes;
    // single numbers are guarded. There is room for a sum of each block.
    unsafe { launch.grid(blocks).block(threads).prepare_unchecked(device) }
}
