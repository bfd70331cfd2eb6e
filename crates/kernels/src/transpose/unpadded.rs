//! Transpose rung: `unpadded`, after `direct`, before `padded`.
//!
//! Idea: swap blocks, then swap within the tile, so that both warps run along rows of memory.
//! 思路：块在网格里换位，块内也换位：两次全局访问都沿行进行，转置在共享内存的 tile 里完成。
//! Predicts: 4 sectors per request of 4-byte elements both ways; 31 shared-load conflicts at a tile of 32.
//! 预测：4 字节元素：读写每个请求都是 4 个扇区；共享内存读每请求 31 次冲突。
//! Costs: a tile of shared memory and a barrier; its columns fall into one bank.
//! 代价：按列读 tile 时 32 个字都在同一个 bank，要走 32 趟。

use super::Matrices;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn unpadded<E: Element>(src: &[E], dst: &mut [E], rows: u32, cols: u32, #[constant] t: u32) {
    let tile = shared::<E>([t, t]);
    let (x, y) = (block_idx.x * t + thread_idx.x, block_idx.y * t + thread_idx.y);
    if x < cols && y < rows {
        tile[[thread_idx.y, thread_idx.x]] = src[y * cols + x];
    }
    sync_threads();
    let (x, y) = (block_idx.y * t + thread_idx.x, block_idx.x * t + thread_idx.y);
    if x < rows && y < cols {
        dst[y * rows + x] = tile[[thread_idx.x, thread_idx.y]];
    }
}

pub(super) fn prepare<'a, E: Element>(
    m: &'a mut Matrices<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let grid = m.grid(m.block)?;
    let launch = unpadded(&m.src, &mut m.dst, m.rows, m.cols, m.block);
    // SAFETY: each access is guarded by the extents of its matrix, and the block is t x t, so both
    // thread indices are under t.
    unsafe { launch.grid(grid).block((m.block, m.block)).prepare_unchecked(device) }
}
