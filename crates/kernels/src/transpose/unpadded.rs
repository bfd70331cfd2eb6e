//! Transpose rung: `unpadded`, after `direct`, before `padded`.
//!
//! Idea: swap blocks, then swap within the tile, so that both warps run along rows of memory.
//! Predicts: 4 sectors per request of 4-byte elements both ways; 31 shared-load conflicts at a tile of 32.
//! Costs: a tile of shared memory and a barrier; its columns fall into one bank.

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
