//! Transpose rung: `vectorized`.
//!
//! Idea: each thread moves four elements per global access (two if an element has 8 bytes), which is 16 bytes for floats.
//! 思路：每个线程一次全局访问搬运四个元素（8 字节元素为两个）：对 float 来说是 16 字节。
//! Predicts: a quarter of the global requests, of 16 sectors each; still no bank conflicts.
//! 预测：全局请求数降到四分之一，每个请求 16 个扇区；仍然没有 bank 冲突。
//! Costs: rows must start at multiples of 16 bytes; a matrix whose rows do not is accessed element by element.
//! 代价：每行必须从 16 字节的倍数处开始；不满足的那个矩阵逐个元素访问。

use super::Matrices;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of the tile.
const T: u32 = 32;

#[kernel]
fn vectorized<E: Element, const V: usize>(
    src: &[E],
    dst: &mut [E],
    rows: u32,
    cols: u32,
    #[constant] wide_loads: bool,
    #[constant] wide_stores: bool,
) {
    let v = V as u32;
    let tile = shared::<E>([T, T + 1]);
    let (chunk, line) = (thread_idx.x * v, thread_idx.y);
    let (x, y) = (block_idx.x * T + chunk, block_idx.y * T + line);
    if wide_loads {
        if x < cols && y < rows {
            let row = src.load_vec::<V>(y * cols + x);
            #[unroll]
            for i in 0..V {
                tile[[line, chunk + i as u32]] = row[i];
            }
        }
    } else {
        #[unroll]
        for i in 0..v {
            if x + i < cols && y < rows {
                tile[[line, chunk + i]] = src[y * cols + x + i];
            }
        }
    }
    sync_threads();
    let (x, y) = (block_idx.y * T + chunk, block_idx.x * T + line);
    if wide_stores {
        if x < rows && y < cols {
            let mut column = [tile[[chunk, line]]; V];
            #[unroll]
            for i in 1..V {
                column[i] = tile[[chunk + i as u32, line]];
            }
            dst.store_vec(y * rows + x, column);
        }
    } else {
        #[unroll]
        for i in 0..v {
            if x + i < rows && y < cols {
                dst[y * rows + x + i] = tile[[chunk + i, line]];
            }
        }
    }
}

pub(super) fn prepare<'a, E: Element>(
    m: &'a mut Matrices<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let grid = m.grid(T)?;
    let v = if size_of::<E>() == 8 { 2 } else { 4 };
    let (wide_loads, wide_stores) = (m.cols.is_multiple_of(v), m.rows.is_multiple_of(v));
    let (src, dst, rows, cols) = (&m.src, &mut m.dst, m.rows, m.cols);
    let launch = match v {
        2 => vectorized::<E, 2>(src, dst, rows, cols, wide_loads, wide_stores),
        _ => vectorized::<E, 4>(src, dst, rows, cols, wide_loads, wide_stores),
    };
    // SAFETY: each access is guarded by the extents of its matrix; a wide access is used only where
    // the row length is a multiple of its width, so it neither crosses a row's end nor is
    // misaligned; the block is T / v x T, so tile indices are under T.
    unsafe { launch.grid(grid).block((T / v, T)).prepare_unchecked(device) }
}
