//! Transpose rung: `naive`.
//!
//! Idea: one thread moves one element; a warp reads along a row and writes along a column.
//! 思路：每个线程搬一个元素；一个 warp 沿行读、沿列写。
//! Predicts: 4 sectors per load request of 4-byte elements, and 32 per store request.
//! 预测：4 字节元素：每个加载请求 4 个扇区，每个存储请求 32 个扇区。
//! Costs: each written 32-byte sector holds one element.
//! 代价：写出的每个 32 字节扇区只有一个元素。

use super::Matrices;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn naive<E: Element>(src: &[E], dst: &mut [E], rows: u32, cols: u32) {
    let x = block_idx.x * block_dim.x + thread_idx.x;
    let y = block_idx.y * block_dim.y + thread_idx.y;
    if x < cols && y < rows {
        dst[x * rows + y] = src[y * cols + x];
    }
}

pub(super) fn prepare<'a, E: Element>(
    m: &'a mut Matrices<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let grid = m.grid(m.block)?;
    let launch = naive(&m.src, &mut m.dst, m.rows, m.cols);
    // SAFETY: y < rows and x < cols, so both indices are under rows * cols, the length of both.
    unsafe { launch.grid(grid).block((m.block, m.block)).prepare_unchecked(device) }
}
