//! Tensor-core rung: `block-tile`.
//!
//! Idea: a block copies 128 x 32-element tiles of A and B to shared memory for 128 x 128 results. Each of four warps has 64 x 64
//! of them, so 4 or 8 `mma` use each fragment in registers.
//! Predicts: a 24th of `one-warp`'s global load sectors; no bank conflicts, because the tiles are swizzled.
//! Costs: all warps wait for each tile; nothing is multiplied while it is copied.
//! 思路：线程块把 A 和 B 中 128 x 32 个元素的 tile 拷贝到共享内存，计算 128 x 128 个结果。四个 warp 各算 64 x 64 个，寄存器中的每个片段供 4 或 8 条 `mma` 使用。
//! 预测：全局加载扇区数是 `one-warp` 的二十四分之一；tile 经过 swizzle，没有 bank 冲突。
//! 代价：所有 warp 都要等待每个 tile；拷贝期间没有计算。

use super::Operands;
use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of a block's tile of results, and steps along K per copy.
const EDGE: u32 = 128;
const DEPTH: u32 = 32;

#[kernel(block = 128)]
fn block_tile(a: &[bf16], b: &[bf16], c: &mut [f32], n: u32, k: u32) {
    let tile_a = SharedTile::<bf16, EDGE, DEPTH, Swizzle64>::new();
    let tile_b = SharedTile::<bf16, EDGE, DEPTH, Swizzle64>::new();
    let pipe = CopyPipeline::<1>::new();
    let (row, column) = (block_idx.y * EDGE, block_idx.x * EDGE);
    let me = (thread_idx.x, 128);
    let warp = thread_idx.x / 32;
    let (down, across) = (warp / 2 * 64, warp % 2 * 64);
    let mut sums = [[FragmentC::<f32, 16, 8>::zero(); 8]; 4];
    for step in 0..k / DEPTH {
        pipe.copy_tile(tile_a, a.matrix(k), (row, step * DEPTH), me);
        pipe.copy_tile(tile_b, b.matrix(k), (column, step * DEPTH), me);
        pipe.commit();
        pipe.wait();
        sync_threads();
        #[unroll]
        for at in (0..DEPTH).step_by(16) {
            let left = [
                FragmentA::<bf16, 16, 16>::load(tile_a, down, at),
                FragmentA::<bf16, 16, 16>::load(tile_a, down + 16, at),
                FragmentA::<bf16, 16, 16>::load(tile_a, down + 32, at),
                FragmentA::<bf16, 16, 16>::load(tile_a, down + 48, at),
            ];
            #[unroll]
            for j in 0..8u32 {
                let right = FragmentB::<bf16, 16, 8>::load(tile_b.t(), at, across + 8 * j);
                #[unroll]
                for i in 0..4 {
                    sums[i][j].mma(left[i], right);
                }
            }
        }
        sync_threads(); // all threads have read the tile before the next one is copied
    }
    #[unroll]
    for i in 0..4u32 {
        #[unroll]
        for j in 0..8u32 {
            sums[i][j].store(c.matrix(n), row + down + 16 * i, column + across + 8 * j);
        }
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (m, n, k) = x.sizes();
    let launch = block_tile(&x.a, &x.b, &mut x.c, n, k).grid((n / EDGE, m / EDGE)).block(128);
    // SAFETY: `Factors` pads extents to multiples of 256 and 64, so every tile is inside its matrix.
    unsafe { launch.prepare_unchecked(device) }
}
