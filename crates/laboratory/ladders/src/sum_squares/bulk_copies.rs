//! Sum-of-squares rung: `bulk-copies`.
//!
//! Idea: the copy engine (`cp.async.bulk`) fills a ring of buffers in shared memory. One thread requests 16 KB at a
//! time, so 128 KB per multiprocessor are in flight without registers or address arithmetic.
//! 思路：由拷贝引擎（`cp.async.bulk`）填充共享内存中的环形缓冲区。一个线程每次请求 16 KB，使每个多处理器有 128 KB 在途，既不占寄存器，也不需要地址运算。
//! Predicts: threads issue global load requests only for numbers that do not fill a 16 KB piece; every number passes
//! through shared memory once.
//! 预测：线程只为凑不满 16 KB 一块的数发出全局加载请求；每个数经过共享内存一次。
//! Costs: shared memory, and two barriers in shared memory (mbarriers) per buffer: one signals that the data have
//! arrived, the other that the buffer is free; needs compute capability 9.0. Measured on an H200, it does not pay: 1 GB
//! at 3,547 GB/s, where plain loads reach 4,622. Numbers that are used once gain nothing from a detour through shared
//! memory to the registers.
//! 代价：占用共享内存；每个缓冲区要两个 mbarrier（共享内存中的屏障），一个表示数据已到，一个表示缓冲区已空；需要计算能力 9.0。H200 实测得不偿失：1 GB 只有 3,547 GB/s，而普通加载达到 4,622 GB/s。只用一次的数，绕道共享内存再进寄存器没有好处。

use super::clock::note_time;
use super::warp_shuffle::block_sum;
use super::{Numbers, Summand};
use lanework::prelude::*;
use lanework::{Error, Prepared, Result};

/// Threads that add; one extra warp requests the copies.
const THREADS: u32 = 512;
/// Stages of the ring.
const STAGES: u32 = 8;
/// Bytes per stage.
const BYTES: u32 = 16 << 10;

#[kernel(block = (THREADS + 32, 1, 1))]
fn bulk_copies<E: Summand, const V: usize>(
    src: &[E],
    sums: &mut [E::Sum],
    clocks: &mut [u64],
    blocks: &mut [E::Sum],
    ticket: &mut [u32],
    #[constant] each: u32,
) {
    let began = clock64();
    let (t, v) = (thread_idx.x, V as u32);
    let ring = shared_dynamic::<E>([STAGES, each]);
    let pipe = pipeline(STAGES, 1, THREADS / 32);
    let last = shared::<u32>(1);
    let n = src.len() as u32;
    let pieces = n / each; // each fills a stage
    let mut sums_of = [E::Sum::ZERO; V];
    if t == THREADS {
        let producer = pipe.producer();
        for piece in (block_idx.x..pieces).step_by(grid_dim.x) {
            let slot = producer.acquire_for(BYTES);
            bulk_load(ring.slab(slot.index), src.span(piece * each, each), slot);
        }
    }
    if t < THREADS {
        let consumer = pipe.consumer();
        for _ in (block_idx.x..pieces).step_by(grid_dim.x) {
            let slot = consumer.wait();
            #[unroll]
            for k in 0..each / (THREADS * V as u32) {
                let numbers = ring.load_vec::<V>((slot.index, (k * THREADS + t) * v));
                #[unroll]
                for j in 0..V {
                    let x = numbers[j] as E::Sum;
                    sums_of[j] += x * x;
                }
            }
            sync_warp(FULL_MASK);
            if t % 32 == 0 {
                slot.release();
            }
        }
        // The remainder.
        for i in (pieces * each + block_idx.x * THREADS + t..n).step_by(grid_dim.x * THREADS) {
            let x = src[i] as E::Sum;
            sums_of[0] += x * x;
        }
    }
    let mut sum = sums_of[0];
    #[unroll]
    for j in 1..V {
        sum += sums_of[j];
    }
    let of_block = block_sum::<E>(sum, THREADS + 32);
    if t == 0 {
        blocks[block_idx.x] = of_block;
        threadfence();
        last[0] = atomic_inc(&mut ticket[0], grid_dim.x - 1);
    }
    sync_threads();
    if last[0] == grid_dim.x - 1 {
        let mut sum = E::Sum::ZERO;
        for block in (t..grid_dim.x).step_by(THREADS + 32) {
            sum += load_volatile(&blocks[block]);
        }
        let total = block_sum::<E>(sum, THREADS + 32);
        if t == 0 {
            sums[0] = total;
        }
    }
    note_time(clocks, began);
}

pub(super) fn prepare<'a, E: Summand>(
    n: &'a mut Numbers<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let info = device.info();
    if info.compute_capability < (9, 0) {
        let help = "use the rung `announced`";
        return Err(Error::Unsupported { what: "a bulk copy", device: info.name, help });
    }
    let most = u64::from(info.multiprocessors);
    let grid = n.bytes().div_ceil(BYTES.into()).clamp(1, most) as u32;
    n.make_room(device, grid, 1)?;
    let Numbers { src, sums, clocks, blocks, ticket, .. } = n;
    let src = &*src;
    let each = BYTES / size_of::<E>() as u32;
    let launch = match size_of::<E>() {
        8 => bulk_copies::<E, 2>(src, sums, clocks, blocks, ticket, each),
        _ => bulk_copies::<E, 4>(src, sums, clocks, blocks, ticket, each),
    };
    let launch = launch.grid(grid).block(THREADS + 32).shared_bytes(STAGES * BYTES);
    // SAFETY: each piece with an index under `pieces` ends within `src`, which starts at a multiple of 16 bytes;
    // indices of single numbers are under its length. There is room for one sum per block.
    unsafe { launch.prepare_unchecked(device) }
}
