//! Transpose rung: `registers`.
//!
//! Idea: a thread reads a square of 4 x 4 elements (2 x 2 of 8 bytes), 16 bytes of each row. It transposes the square in its
//! registers at no cost and accesses shared memory 16 bytes at a time both ways.
//! 思路：一个线程读取 4 x 4 个元素的方块（8 字节元素为 2 x 2），每行 16 字节，在寄存器里转置（没有代价），读写共享内存都用 16 字节的访问。
//! Predicts: a quarter of the shared requests of `swizzled` when the tile is read, and fewer instructions; no bank conflicts with 4-byte elements.
//! 预测：读 tile 时，共享内存请求数是 `swizzled` 的四分之一，指令也更少；4 字节元素没有 bank 冲突。
//! Costs: 16 registers of data at a time; rows that are not a whole number of chunks are moved element by element.
//! 代价：同时占用 16 个寄存器存放数据；行长不是块（chunk）的整数倍时逐个元素搬运。

use super::Matrices;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of the tile.
const T: u32 = 64;

/// Chunk `k` of line `c` of the tile, a column of the source, is stored at `k ^ c / V`. Lanes that write one chunk of
/// successive lines, and lanes that read the chunks of one line, use different banks.
#[kernel]
fn in_registers<E: Element, const V: usize>(
    src: &[E],
    dst: &mut [E],
    rows: u32,
    cols: u32,
    #[constant] wide_loads: bool,
    #[constant] wide_stores: bool,
) {
    let v = V as u32;
    let chunks = T / v;
    let tile = shared::<E>([T, T]);
    let (top, left) = (block_idx.x * T, block_idx.y * T);
    let (chunk, line) = (thread_idx.x % chunks, thread_idx.x / chunks);

    let square = registers(E::ZERO, [V, V]);
    let (x, y) = (left + chunk * v, top + line * v);
    #[unroll]
    for i in 0..V {
        if wide_loads {
            if x < cols && y + (i as u32) < rows {
                let row = src.load_vec_nc::<V>((y + i as u32) * cols + x);
                #[unroll]
                for j in 0..V {
                    square[[i, j]] = row[j];
                }
            }
        } else {
            #[unroll]
            for j in 0..V {
                if x + (j as u32) < cols && y + (i as u32) < rows {
                    square[[i, j]] = src[(y + i as u32) * cols + x + j as u32];
                }
            }
        }
    }
    #[unroll]
    for j in 0..V {
        let mut column = [square[[0, j]]; V];
        #[unroll]
        for i in 1..V {
            column[i] = square[[i, j]];
        }
        tile.store_vec((chunk * v + j as u32, (line ^ chunk) * v), column);
    }
    sync_threads();

    #[unroll]
    for k in 0..v {
        let c = line + k * chunks;
        let column = tile.load_vec::<V>((c, (chunk ^ (c / v)) * v));
        let (x, y) = (top + chunk * v, left + c);
        if wide_stores {
            if x < rows && y < cols {
                dst.store_vec(y * rows + x, column);
            }
        } else {
            #[unroll]
            for i in 0..V {
                if x + (i as u32) < rows && y < cols {
                    dst[y * rows + x + i as u32] = column[i];
                }
            }
        }
    }
}

pub(super) fn prepare<'a, E: Element>(
    m: &'a mut Matrices<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let grid = m.grid_down_rows(T)?;
    let v = if size_of::<E>() == 8 { 2 } else { 4 };
    let (wide_loads, wide_stores) = (m.cols.is_multiple_of(v), m.rows.is_multiple_of(v));
    let (src, dst, rows, cols) = (&m.src, &mut m.dst, m.rows, m.cols);
    let launch = match v {
        2 => in_registers::<E, 2>(src, dst, rows, cols, wide_loads, wide_stores),
        _ => in_registers::<E, 4>(src, dst, rows, cols, wide_loads, wide_stores),
    };
    // SAFETY: the kernel checks global accesses against the extents; it uses wide accesses only if the row length is
    // a multiple of their width. Chunks and lines are under T / v, a power of two, and so are their exclusive ors.
    unsafe { launch.grid(grid).block((T / v) * (T / v)).prepare_unchecked(device) }
}
