//! Transpose rung: `padded`.
//!
//! Idea: one unused column per tile row puts a column's 32 words into 32 different banks.
//! 思路：tile 每行多留一个不用的列，使一列的 32 个字落在 32 个不同的 bank。
//! Predicts: shared-load conflicts 31 per request -> 0; global sectors unchanged.
//! 预测：共享内存加载的冲突从每个请求 31 次降到 0；全局扇区数不变。
//! Costs: one word of shared memory per tile row.
//! 代价：tile 的每行多占一个字的共享内存。

use super::Matrices;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn padded<E: Element>(src: &[E], dst: &mut [E], rows: u32, cols: u32, #[constant] t: u32) {
    let tile = shared::<E>([t, t + 1]);
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
    let launch = padded(&m.src, &mut m.dst, m.rows, m.cols, m.block);
    // SAFETY: each access is guarded by the extents of its matrix, and the block is t x t, so both
    // thread indices are under t.
    unsafe { launch.grid(grid).block((m.block, m.block)).prepare_unchecked(device) }
}
