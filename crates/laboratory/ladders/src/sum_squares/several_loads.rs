//! Sum-of-squares rung: `several-loads`.
//!
//! Idea: enough blocks to fill the device; each thread issues four 16-byte loads before it uses the first, so enough loads are in
//! flight.
//! 思路：用足够多的线程块占满设备；每个线程先发出 4 次 16 字节的加载，再使用第一个结果，使足够多的加载同时在途。
//! Predicts: 16 sectors per request and a quarter of the requests for 4-byte numbers.
//! 预测：对 4 字节的数，每个请求 16 个扇区，请求数降到四分之一。
//! Costs: registers for the loads in flight; the host adds up to 3 sums per multiprocessor.
//! 代价：在途的加载要占寄存器；主机要为每个多处理器加最多 3 个和。

use super::clock::note_time;
use super::warp_shuffle::block_sum;
use super::{Numbers, Summand};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Threads of a block.
pub(super) const THREADS: u32 = 512;
/// Blocks that run on a multiprocessor at the same time. With [`LOADS`], 96 KB are in flight there.
pub(super) const RESIDENT: u32 = 3;
/// Vector loads in flight per thread.
const LOADS: usize = 4;

#[kernel(block = (THREADS, 1, 1), min_blocks = RESIDENT)]
fn several_loads<E: Summand, const V: usize>(src: &[E], sums: &mut [E::Sum], clocks: &mut [u64]) {
    let began = clock64();
    let sum = thread_sum::<E, V>(src);
    let total = block_sum::<E>(sum, THREADS);
    if thread_idx.x == 0 {
        sums[block_idx.x] = total;
    }
    note_time(clocks, began);
}

/// The sum of the squares of this thread's share of all numbers, read `V` at a time.
#[device]
pub(super) fn thread_sum<E: Summand, const V: usize>(src: &[E]) -> E::Sum {
    let (v, loads) = (V as u32, LOADS as u32);
    let n = src.len() as u32;
    let vectors = n / v;
    let mut sums = [E::Sum::ZERO; V];

    let round = loads * THREADS; // vectors that a block loads per iteration
    let rounds = vectors / round;
    for r in (block_idx.x..rounds).step_by(grid_dim.x) {
        let first = (r * round + thread_idx.x) as u64 * V as u64;
        let mut numbers = [src.load_vec_nc::<V>(first); LOADS];
        #[unroll]
        for k in 1..LOADS {
            numbers[k] = src.load_vec_nc::<V>(first + k as u64 * (THREADS * v) as u64);
        }
        #[unroll]
        for k in 0..LOADS {
            #[unroll]
            for j in 0..V {
                let x = numbers[k][j] as E::Sum;
                sums[j] += x * x;
            }
        }
    }

    // The remainder: single vectors, then single numbers.
    let thread = block_idx.x * THREADS + thread_idx.x;
    for i in (rounds * round + thread..vectors).step_by(grid_dim.x * THREADS) {
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

/// Enough blocks to saturate the memory of `device`, all resident at once; fewer if there is less than one iteration
/// of vector loads per block.
pub(super) fn blocks<E: Summand>(n: &Numbers<E>, device: &Device) -> u32 {
    let round = 16 * LOADS as u64 * u64::from(THREADS); // bytes that a block loads per iteration
    let most = RESIDENT * device.info().multiprocessors;
    n.bytes().div_ceil(round).clamp(1, most.into()) as u32
}

pub(super) fn prepare<'a, E: Summand>(
    n: &'a mut Numbers<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let blocks = blocks(n, device);
    n.make_room(device, blocks, blocks)?;
    let (src, sums, clocks) = (&n.src, &mut n.sums, &mut n.clocks);
    let launch = match size_of::<E>() {
        8 => several_loads::<E, 2>(src, sums, clocks),
        _ => several_loads::<E, 4>(src, sums, clocks),
    };
    // SAFETY: a vector under `vectors` ends within `src`, which starts at a multiple of 16 bytes;
    // single numbers are guarded. There is room for a sum of each block.
    unsafe { launch.grid(blocks).block(THREADS).prepare_unchecked(device) }
}
