//! Transpose rung: `tma`.
//!
//! Idea: the tensor memory accelerator (TMA), the copy engine of GPUs since Hopper (compute capability 9.0), copies
//! tiles in and out as boxes of 64 rows of 128 bytes, and swizzles the 16-byte chunks of each row. Threads only
//! transpose squares of 4 x 4 words, from one array in shared memory to another.
//! 思路：由 Hopper（计算能力 9.0）及以后 GPU 的拷贝引擎，即张量内存加速器（TMA），搬入和搬出 tile，每次一个 64 行 x 128 字节的 box，并对每一行的 16 字节块做 swizzle；线程只负责把 4 x 4 个字的方块从一个共享内存数组转置到另一个。
//! Predicts: threads issue no requests to global memory; no bank conflicts.
//! 预测：线程不发出全局内存请求；没有 bank 冲突。
//! Costs: it did not help: 0.96 of copy speed on an H200, behind `registers` (0.98). Needs compute capability 9.0,
//! 4-byte elements, and rows of whole 16-byte chunks.
//! 代价：没有帮助：H200 上为拷贝速度的 0.96 倍，低于 `registers`（0.98 倍）。需要计算能力 9.0、4 字节元素，且行长为 16 字节的整数倍。

use super::Matrices;
use lanework::prelude::*;
use lanework::{Error, Prepared, Result};

/// Edge of the tile.
const T: u32 = 64;
/// Words per row of a box: the span of a 128-byte swizzle.
const BOX: u32 = 32;
/// Threads per block: one per square.
const THREADS: u32 = 256;

/// Thread `t` has the squares in chunk `t % 8` of a box's rows. The squares of a quarter-warp are in different rows and
/// chunks, so the swizzle puts them in different banks in both arrays.
#[kernel(block = (THREADS, 1, 1))]
fn tma(src: &TensorMap<u32, 2>, dst: &mut TensorMapMut<u32, 2>) {
    let inward = shared::<u32>([T / BOX, T, BOX]);
    let outward = shared::<u32>([T / BOX, T, BOX]);
    let full = mbarrier(1);
    let filled = full.waiter();
    let (top, left) = (block_idx.x * T, block_idx.y * T);
    if thread_idx.x == 0 {
        full.arrive_expect(inward.bytes());
        #[unroll]
        for part in 0..T / BOX {
            let to = inward.slab(part).swizzled(Swizzle::B128);
            src.load(to, (top, left + part * BOX), &full);
        }
    }
    let t = thread_idx.x;
    let (half, chunk) = (t / 128, t % 8);
    let line = (chunk + t / 8) % 8 + t / 64 % 2 * 8;
    filled.wait();
    let square = registers(0u32, [4, 4]);
    #[unroll]
    for i in 0..4u32 {
        let r = 4 * line + i;
        let row = inward.load4((half, r, (chunk ^ (r % 8)) * 4));
        #[unroll]
        for j in 0..4u32 {
            square[[i, j]] = row[j];
        }
    }
    #[unroll]
    for j in 0..4u32 {
        let c = half * BOX + 4 * chunk + j;
        let column = [square[[0, j]], square[[1, j]], square[[2, j]], square[[3, j]]];
        outward.store4((line / 8, c, ((line % 8) ^ (c % 8)) * 4), column);
    }
    fence_proxy_async_shared();
    sync_threads();
    if thread_idx.x == 0 {
        #[unroll]
        for part in 0..T / BOX {
            let from = outward.slab(part).swizzled(Swizzle::B128);
            dst.store(from, (left, top + part * BOX));
        }
        bulk_commit();
        bulk_wait_read(0);
    }
}

/// Why the rung does not support these matrices, if so.
pub(super) fn refuses(device: &Device, bytes: usize, rows: u32, cols: u32) -> Option<String> {
    let capability = device.info().compute_capability;
    if capability < (9, 0) {
        return Some(format!(
            "tensor copies need compute capability 9.0, this device has {}.{}",
            capability.0, capability.1
        ));
    }
    if bytes != 4 {
        return Some(format!("it moves elements of 4 bytes, these have {bytes}"));
    }
    let ragged = !rows.is_multiple_of(4) || !cols.is_multiple_of(4);
    ragged.then(|| {
        format!("tensor copies need rows of whole chunks of 16 bytes; {rows}x{cols} has others")
    })
}

pub(super) fn prepare<'a, E: Element>(
    m: &'a mut Matrices<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    if let Some(why) = refuses(device, size_of::<E>(), m.rows, m.cols) {
        let help = "use another rung".to_owned();
        return Err(Error::Launch { kernel: "tma".to_owned(), why, help });
    }
    let grid = m.grid_down_rows(T)?;
    let tiles = |rows: u32, cols: u32| {
        Tiles::new([rows as usize, cols as usize], [T, BOX]).swizzle(Swizzle::B128)
    };
    let src = TensorMap::of_view(device, m.src.view(..).cast::<u32>(), &tiles(m.rows, m.cols))?;
    let dst =
        TensorMapMut::of_view(device, m.dst.view_mut(..).cast::<u32>(), &tiles(m.cols, m.rows))?;
    // SAFETY: tensor copies never leave their matrix; chunks of a box are under 8 and lines under 16.
    unsafe { tma(&src, dst).grid(grid).block(THREADS).prepare_unchecked(device) }
}
