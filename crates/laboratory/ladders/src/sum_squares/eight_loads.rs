//! Sum-of-squares rung: `eight-loads`.
//!
//! Idea: each thread issues eight 16-byte loads, not four, before it uses the first. Up to 8 MB, each multiprocessor
//! has one block of 256 threads, and all blocks together read 4 MB per iteration. Above that, it has two blocks of 512
//! threads.
//! 思路：每个线程先发出 8 次（而不是 4 次）16 字节的加载，再使用第一个结果。数据不超过 8 MB 时，每个多处理器上有一个 256 线程的线程块，合起来每轮读 4 MB；更大时有两个 512 线程的线程块。
//! Predicts: the same sectors and requests; fewer blocks, so fewer tickets.
//! 预测：扇区数和请求数不变；线程块更少，因此取号更少。
//! Costs: 32 registers for the loads in flight. Measured on an H200, it gains nothing on its own: 0.93 times the speed
//! of `single-pass` for 4 MB of `f32` and the same speed for 1 GB, because three blocks with four loads each already
//! keep the memory busy. There are fewer sums to add at the end, which helps the next rung.
//! 代价：在途的加载要占 32 个寄存器。H200 实测，单独使用没有收益：4 MB 的 `f32` 为 `single-pass` 速度的 0.93 倍，1 GB 时速度相同，因为三个线程块各 4 次加载已使内存满载。但最后要相加的和更少，下一级会利用这一点。

use super::clock::note_time;
use super::warp_shuffle::block_sum;
use super::{Numbers, Summand};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Vector loads in flight per thread.
const LOADS: usize = 8;
/// Up to this many bytes, each multiprocessor has one small block.
const SMALL: u64 = 8 << 20;

#[kernel(max_threads = threads)]
fn eight_loads<E: Summand, const V: usize>(
    src: &[E],
    sums: &mut [E::Sum],
    clocks: &mut [u64],
    blocks: &mut [E::Sum],
    ticket: &mut [u32],
    #[constant] threads: u32,
) {
    let began = clock64();
    let last = shared::<u32>(1);
    let sum = thread_sum::<E, V>(src, threads);
    let of_block = block_sum::<E>(sum, threads);
    if thread_idx.x == 0 {
        blocks[block_idx.x] = of_block;
        threadfence();
        last[0] = atomic_inc(&mut ticket[0], grid_dim.x - 1);
    }
    sync_threads();
    if last[0] == grid_dim.x - 1 {
        let mut sum = E::Sum::ZERO;
        for block in (thread_idx.x..grid_dim.x).step_by(threads) {
            sum += load_volatile(&blocks[block]);
        }
        let total = block_sum::<E>(sum, threads);
        if thread_idx.x == 0 {
            sums[0] = total;
        }
    }
    note_time(clocks, began);
}

/// The sum of the squares of this thread's share of all numbers, eight vectors of `V` at a time.
#[device]
pub(super) fn thread_sum<E: Summand, const V: usize>(
    src: &[E],
    #[constant] threads: u32,
) -> E::Sum {
    let v = V as u32;
    let n = src.len() as u32;
    let vectors = n / v;
    let mut sums = [E::Sum::ZERO; V];

    let round = LOADS as u32 * threads; // vectors that a block loads per iteration
    let rounds = vectors / round;
    for r in (block_idx.x..rounds).step_by(grid_dim.x) {
        let first = (r * round + thread_idx.x) as u64 * V as u64;
        let mut numbers = [src.load_vec_nc::<V>(first); LOADS];
        #[unroll]
        for k in 1..LOADS {
            numbers[k] = src.load_vec_nc::<V>(first + k as u64 * (threads * v) as u64);
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

/// Number of blocks, and of threads per block.
pub(super) fn shape<E: Summand>(n: &Numbers<E>, device: &Device) -> (u32, u32) {
    let multiprocessors = device.info().multiprocessors;
    let (threads, most) =
        if n.bytes() <= SMALL { (256, multiprocessors) } else { (512, 2 * multiprocessors) };
    let round = 16 * LOADS as u64 * u64::from(threads); // bytes that a block loads per iteration
    (n.bytes().div_ceil(round).clamp(1, most.into()) as u32, threads)
}

pub(super) fn prepare<'a, E: Summand>(
    n: &'a mut Numbers<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let (grid, threads) = shape(n, device);
    n.make_room(device, grid, 1)?;
    let Numbers { src, sums, clocks, blocks, ticket, .. } = n;
    let src = &*src;
    let launch = match size_of::<E>() {
        8 => eight_loads::<E, 2>(src, sums, clocks, blocks, ticket, threads),
        _ => eight_loads::<E, 4>(src, sums, clocks, blocks, ticket, threads),
    };
    // SAFETY: a vector under `vectors` ends within `src`, which starts at a multiple of 16 bytes;
    // single numbers are guarded. There is room for a sum of each block.
    unsafe { launch.grid(grid).block(threads).prepare_unchecked(device) }
}
