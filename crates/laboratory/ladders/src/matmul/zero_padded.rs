//! Matrix product rung: `zero-padded`.
//!
//! Idea: matrices padded with zeros to multiples of the tile need no edge tests, and zeros change
//! no sum.
//! Predicts: no divergence, and fewer instructions per step than `blocked`; the same loads where no
//! tile crosses an edge.
//! Costs: memory and work for up to 15 extra rows and columns.
//! 思路：用零把矩阵填充到 tile 的整数倍，就不必判断边界，而零不改变任何和。
//! 预测：没有分化的分支，每步的指令数少于 `blocked`；没有 tile 越过边界时，加载相同。
//! 代价：最多要为多出的 15 行和 15 列付出内存和计算。

use super::Matrices;
use super::matrices::TILE;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = (TILE, TILE))]
fn zero_padded(a: &[f32], b: &[f32], c: &mut [f32], a_pitch: u32, pitch: u32) {
    let a_tile = shared::<f32>([TILE, TILE]);
    let b_tile = shared::<f32>([TILE, TILE]);
    let (x, y) = (thread_idx.x, thread_idx.y);
    let (row, col) = (block_idx.y * TILE + y, block_idx.x * TILE + x);
    let (mut sum, mut rest) = (0.0f32, 0.0f32);
    for p in (0..a_pitch).step_by(TILE) {
        a_tile[[y, x]] = a[row * a_pitch + p + x];
        b_tile[[y, x]] = b[(p + y) * pitch + col];
        sync_threads();
        #[unroll]
        for i in 0..TILE {
            let term = a_tile[[y, i]].mul_add(b_tile[[i, x]], rest);
            let next = sum + term;
            rest = term - (next - sum);
            sum = next;
        }
        sync_threads();
    }
    c[row * pitch + col] = sum;
}

pub(super) fn prepare<'a>(x: &'a mut Matrices, device: &Device) -> Result<Prepared<'a>> {
    let (grid, a_pitch, pitch) = (x.tiles(device, TILE)?, x.a.pitch, x.b.pitch);
    let launch = zero_padded(&x.a.buffer, &x.b.buffer, &mut x.c.buffer, a_pitch, pitch);
    // SAFETY: rows and pitches of all three matrices are multiples of the tile. The grid covers C's tiles, and p runs
    // over the tiles along A's columns and B's rows. The block is TILE x TILE.
    unsafe { launch.grid(grid).block((TILE, TILE)).prepare_unchecked(device) }
}
