//! Transpose rung: `row-order`.
//!
//! Idea: the thread index x selects the row and y selects the column, as a C programmer would index a matrix, but the
//! threads of a warp differ in x.
//! 思路：线程下标 x 选择行、y 选择列，与 C 语言矩阵的下标一样，而一个 warp 的线程不同的却是 x。
//! Predicts: 32 sectors per request of 4-byte elements, for loads and stores; no bank conflicts.
//! 预测：4 字节元素：加载和存储每个请求都是 32 个扇区；没有 bank 冲突。
//! Costs: a warp accesses a column of global memory twice: when it loads the tile and when it stores it.
//! 代价：warp 两次按列访问全局内存：加载 tile 时，以及存储 tile 时。

use super::Matrices;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn row_order<E: Element>(src: &[E], dst: &mut [E], rows: u32, cols: u32, #[constant] t: u32) {
    let tile = shared::<E>([t, t + 1]);
    let (i, j) = (thread_idx.x, thread_idx.y);
    let (x, y) = (block_idx.x * t + j, block_idx.y * t + i);
    if x < cols && y < rows {
        tile[[i, j]] = src[y * cols + x];
    }
    sync_threads();
    let (x, y) = (block_idx.y * t + j, block_idx.x * t + i);
    if x < rows && y < cols {
        dst[y * rows + x] = tile[[j, i]];
    }
}

pub(super) fn prepare<'a, E: Element>(
    m: &'a mut Matrices<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let grid = m.grid(m.block)?;
    let launch = row_order(&m.src, &mut m.dst, m.rows, m.cols, m.block);
    // SAFETY: each access is guarded by the extents of its matrix, and the block is t x t, so both
    // thread indices are under t.
    unsafe { launch.grid(grid).block((m.block, m.block)).prepare_unchecked(device) }
}
