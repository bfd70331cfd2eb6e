//! Transpose rung: `direct`.
//!
//! Idea: load the tile into shared memory, but store each element directly at its transposed
//! position.
//! 思路：先把 tile 加载到共享内存，但把每个元素直接写到转置后的位置。
//! Predicts: 4 sectors per load request of 4-byte elements; still 32 per store request; no bank
//! conflicts.
//! 预测：4 字节元素：每个加载请求 4 个扇区；每个存储请求仍是 32 个扇区；没有 bank 冲突。
//! Costs: a tile of shared memory and a barrier without benefit: the stores still go along a
//! column.
//! 代价：占用一个 tile 的共享内存和一次屏障，却没有好处：存储依旧沿着列进行。

use super::Matrices;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn direct<E: Element>(src: &[E], dst: &mut [E], rows: u32, cols: u32, #[constant] t: u32) {
    let tile = shared::<E>([t, t + 1]);
    let (x, y) = (block_idx.x * t + thread_idx.x, block_idx.y * t + thread_idx.y);
    if x < cols && y < rows {
        tile[[thread_idx.y, thread_idx.x]] = src[y * cols + x];
    }
    sync_threads();
    if x < cols && y < rows {
        dst[x * rows + y] = tile[[thread_idx.y, thread_idx.x]];
    }
}

pub(super) fn prepare<'a, E: Element>(
    m: &'a mut Matrices<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let grid = m.grid(m.block)?;
    let launch = direct(&m.src, &mut m.dst, m.rows, m.cols, m.block);
    // SAFETY: each access is guarded by the extents of its matrix, and the block is t x t, so both
    // thread indices are under t.
    unsafe { launch.grid(grid).block((m.block, m.block)).prepare_unchecked(device) }
}
