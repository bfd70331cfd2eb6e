//! Transpose rung: `unpadded`.
//!
//! Idea: transpose the order of the blocks, then the tile in shared memory, so both global accesses run along
//! rows.
//! 思路：先转置线程块的次序，再在共享内存的 tile 里转置，使两次全局访问都沿行进行。
//! Predicts: 4 sectors per request of 4-byte elements in both directions; 31 shared-load conflicts
//! per request at a tile of 32.
//! 预测：4 字节元素：加载和存储每个请求都是 4 个扇区；tile 边长 32 时共享内存加载每个请求 31 次冲突。
//! Costs: a tile of shared memory and a barrier; all elements of a tile column are in one bank.
//! 代价：一个 tile 的共享内存和一次屏障；tile 一列的所有元素都在同一个 bank。

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
