//! Transpose rung: `windows`.
//!
//! Idea: where output rows are not a multiple of 32 bytes, divide each row at its own sector boundaries instead of at
//! the tile's edges. The window that a block writes begins up to 31 bytes before the tile; the block reads the
//! corresponding source rows, too.
//! 思路：输出的行长不是 32 字节的倍数时，每一行按自身的扇区边界划分，而不按 tile 的边界划分。线程块所写的窗口最多比 tile 提前 31 字节开始，它也多读源矩阵中相应的几行。
//! Predicts: full sectors in every store of a warp, whatever the shape, so no sector is written twice; up to 7 more
//! rows of 4-byte elements are read per tile, from the L2 cache, which all multiprocessors share.
//! 预测：无论形状如何，warp 的每次存储都写满扇区，没有扇区被写两次；对 4 字节元素，每个 tile 最多多读 7 行，来自所有多处理器共用的 L2 缓存。
//! Costs: single-element accesses; to compensate, 18 loads of 4-byte elements are in flight per thread; a tenth more loads.
//! 代价：每次访问只搬运一个元素；作为补偿，每个线程同时有 18 次 4 字节的加载在途；加载多出十分之一。

use super::Matrices;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of the tile.
const T: u32 = 64;
/// Threads per block.
const THREADS: u32 = 256;
/// Bytes of a sector.
const SECTOR: u32 = 32;

/// Column `c` of the source is written at `c * rows`; a sector begins `shift` elements before that.
#[kernel(block = (THREADS, 1, 1))]
fn windows<E: Element>(src: &[E], dst: &mut [E], rows: u32, cols: u32) {
    let every = const { SECTOR / size_of::<E>() as u32 };
    let lead = every - 1;
    let tile = shared::<E>([T + lead, T + 1]);
    let (top, left) = (block_idx.x * T, block_idx.y * T);
    let (place, line) = (thread_idx.x % T, thread_idx.x / T);
    let step = THREADS / T;
    let passes = (T + lead).div_ceil(step);
    let held = registers(E::ZERO, passes);
    let x = left + place;
    #[unroll]
    for k in 0..passes {
        let y = top + line + k * step - lead; // wraps above the first row
        if x < cols && y < rows {
            held[k] = load_nc(&src[y * cols + x]);
        }
    }
    #[unroll]
    for k in 0..passes {
        let r = line + k * step;
        if r < T + lead {
            tile[[r, place]] = held[k];
        }
    }
    sync_threads();
    #[unroll]
    for k in 0..T / step {
        let c = line + k * step;
        let y = left + c;
        let shift = (y * rows) % every;
        let x = top + place - shift; // wraps before the first element
        if x < rows && y < cols {
            dst[y * rows + x] = tile[[place + lead - shift, c]];
        }
    }
}

pub(super) fn prepare<'a, E: Element>(
    m: &'a mut Matrices<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    let lead = SECTOR / size_of::<E>() as u32 - 1;
    let grid = m.grid_down(m.rows.saturating_add(lead), T)?;
    let launch = windows(&m.src, &mut m.dst, m.rows, m.cols);
    // SAFETY: the kernel checks global accesses against the extents; indices that wrap exceed every extent. It checks
    // lines of the tile against its height, and `place + lead - shift` is under `T + lead`.
    unsafe { launch.grid(grid).block(THREADS).prepare_unchecked(device) }
}
