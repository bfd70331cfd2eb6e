//! Transpose rung: `swizzled`.
//!
//! Idea: the chunks of a tile row, 16 bytes each for floats, are stored at permuted positions (an XOR swizzle), so rows
//! are written and columns read without a padding column. Chunk `c` of row `r` is stored at position `c ^ (r / V) % 8`,
//! where `V` is the number of elements per chunk. Tiles are 64 x 64, and each thread has several 16-byte accesses in
//! flight.
//! 思路：tile 行中的块（chunk，float 为 16 字节）存放在置换后的位置（XOR swizzle），不用填充列也能按行写、按列读而没有冲突：第 `r` 行的第 `c` 块存放在位置 `c ^ (r / V) % 8`，`V` 是一块的元素个数。tile 为 64 x 64，每个线程同时有几次 16 字节的访问在途。
//! Predicts: 16 sectors per global request of 4-byte elements; fewer instructions per element; no
//! bank conflicts.
//! 预测：4 字节元素：每个全局请求 16 个扇区；每个元素的指令更少；没有 bank 冲突。
//! Costs: 16 KB of shared memory for floats; rows that are not a whole number of chunks are moved element by element.
//! 代价：float 占 16 KB 共享内存；行长不是块的整数倍时逐个元素搬运。

use super::Matrices;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of the tile.
const T: u32 = 64;
/// Threads per block.
const THREADS: u32 = 256;

/// `V` elements make a chunk, a tile row has `T / V` chunks, and chunk `c` of row `r` is stored at place `c ^ (r / V) %
/// 8`. A warp reads 8 chunk columns by 4 tile columns at a time: 32 banks. If rows are not a whole number of chunks, a
/// thread moves single elements, and a warp moves adjacent ones.
#[kernel(block = (THREADS, 1, 1))]
fn swizzled<E: Element, const V: usize>(
    src: &[E],
    dst: &mut [E],
    rows: u32,
    cols: u32,
    #[constant] wide_loads: bool,
    #[constant] wide_stores: bool,
) {
    let v = V as u32;
    let chunks = T / v;
    let step = THREADS / chunks; // lines of chunks that the block moves at a time
    let single_step = THREADS / T; // lines of single elements, likewise
    let tile = shared::<E>(T * T);
    let (top, left) = (block_idx.x * T, block_idx.y * T);
    let (column, row) = (thread_idx.x % T, thread_idx.x / T);

    if wide_loads {
        let (chunk, line) = (thread_idx.x % chunks, thread_idx.x / chunks);
        let x = left + chunk * v;
        #[unroll]
        for k in 0..T / step {
            let r = line + k * step;
            let y = top + r;
            if x < cols && y < rows {
                let place = r * T + (chunk ^ ((r / v) % 8)) * v;
                tile.store_vec((place,), src.load_vec::<V>(y * cols + x));
            }
        }
    } else {
        let x = left + column;
        #[unroll]
        for k in 0..T / single_step {
            let r = row + k * single_step;
            let y = top + r;
            if x < cols && y < rows {
                let place = r * T + ((column / v) ^ ((r / v) % 8)) * v + column % v;
                tile[place] = src[y * cols + x];
            }
        }
    }
    sync_threads();

    if wide_stores {
        let (lane, warp) = (thread_idx.x % 32, thread_idx.x / 32);
        let chunk = lane % 8 + warp % (chunks / 8) * 8;
        let line = lane / 8 + warp / (chunks / 8) * 4;
        let x = top + chunk * v;
        #[unroll]
        for k in 0..T / step {
            let j = line + k * step;
            let y = left + j;
            if x < rows && y < cols {
                let place = chunk * v * T + ((j / v) ^ (chunk % 8)) * v + j % v;
                let mut column = [tile[place]; V];
                #[unroll]
                for i in 1..V {
                    column[i] = tile[place + i as u32 * T];
                }
                dst.store_vec(y * rows + x, column);
            }
        }
    } else {
        let x = top + column;
        #[unroll]
        for k in 0..T / single_step {
            let j = row + k * single_step;
            let y = left + j;
            if x < rows && y < cols {
                let place = column * T + ((j / v) ^ ((column / v) % 8)) * v + j % v;
                dst[y * rows + x] = tile[place];
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
        2 => swizzled::<E, 2>(src, dst, rows, cols, wide_loads, wide_stores),
        _ => swizzled::<E, 4>(src, dst, rows, cols, wide_loads, wide_stores),
    };
    // SAFETY: each global access is guarded by the extents of its matrix; a wide access is used only
    // where the row length is a multiple of its width. Lines are under T, chunks under T / v and
    // the swizzle permutes the chunks of a row, so tile places are under T * T.
    unsafe { launch.grid(grid).block(THREADS).prepare_unchecked(device) }
}
