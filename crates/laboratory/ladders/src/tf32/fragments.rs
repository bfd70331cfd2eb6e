//! TF32 rung: `fragments`.
//!
//! Idea: `hgemm`'s `pipelined` with 4-byte elements: `mma` reads the upper 19 bits of each f32 as TF32; `cp.async` fills four
//! buffers while one is multiplied.
//! 思路：采用 `hgemm` 中 `pipelined` 的方法，元素为 4 字节：`mma` 把每个 f32 的高 19 位当作 TF32；四个缓冲区由 `cp.async` 填充，同时计算其中一个。
//! Predicts: twice the bytes of bf16 factors; 16-byte accesses; no bank conflicts.
//! 预测：字节数是 bf16 因子的两倍；每次访问 16 字节；没有 bank 冲突。
//! Costs: the bits below the upper 19 are truncated, not rounded; half the rate of 16-bit factors. On an H200: 7,220 us at
//! 8192.
//! 代价：高 19 位以下的部分被截断，而不是舍入；速率是 16 位因子的一半。H200 上 8192 时为 7,220 us。

use super::Operands;
use lanework::prelude::*;
use lanework::{Job, Result};

/// Edge of a block's tile of results, and steps along K per copy.
const EDGE: u32 = 128;
const DEPTH: u32 = 16;
/// Buffers.
const STAGES: u32 = 4;
type Buffers = SharedTiles<Tf32, EDGE, DEPTH, Swizzle64>;

#[kernel(block = 128)]
fn fragments(a: &[f32], b: &[f32], c: &mut [f32], n: u32, k: u32) {
    let tiles_a = Buffers::dynamic(STAGES);
    let tiles_b = Buffers::dynamic(STAGES);
    let pipe = CopyPipeline::<STAGES>::new();
    let (row, column) = (block_idx.y * EDGE, block_idx.x * EDGE);
    let me = (thread_idx.x, 128);
    let steps = k / DEPTH;
    #[unroll]
    for stage in 0..STAGES - 1 {
        if stage < steps {
            pipe.copy_tile(tiles_a[stage], a.matrix(k), (row, stage * DEPTH), me);
            pipe.copy_tile(tiles_b[stage], b.matrix(k), (column, stage * DEPTH), me);
        }
        pipe.commit();
    }
    let warp = thread_idx.x / 32;
    let (down, across) = (warp / 2 * 64, warp % 2 * 64);
    let mut sums = [[FragmentC::<f32, 16, 8>::zero(); 8]; 4];
    for step in 0..steps {
        pipe.wait();
        sync_threads();
        let next = step + STAGES - 1;
        if next < steps {
            let stage = next % STAGES;
            pipe.copy_tile(tiles_a[stage], a.matrix(k), (row, next * DEPTH), me);
            pipe.copy_tile(tiles_b[stage], b.matrix(k), (column, next * DEPTH), me);
        }
        pipe.commit();
        let (tile_a, tile_b) = (tiles_a[step % STAGES], tiles_b[step % STAGES]);
        #[unroll]
        for at in (0..DEPTH).step_by(8) {
            let left = [
                FragmentA::<Tf32, 16, 8>::load(tile_a, down, at),
                FragmentA::<Tf32, 16, 8>::load(tile_a, down + 16, at),
                FragmentA::<Tf32, 16, 8>::load(tile_a, down + 32, at),
                FragmentA::<Tf32, 16, 8>::load(tile_a, down + 48, at),
            ];
            #[unroll]
            for j in 0..8u32 {
                let right = FragmentB::<Tf32, 8, 8>::load(tile_b.t(), at, across + 8 * j);
                #[unroll]
                for i in 0..4 {
                    sums[i][j].mma(left[i], right);
                }
            }
        }
    }
    #[unroll]
    for i in 0..4u32 {
        #[unroll]
        for j in 0..8u32 {
            sums[i][j].store(c.matrix(n), row + down + 16 * i, column + across + 8 * j);
        }
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Job<'a>> {
    let (m, n, k) = x.sizes();
    let launch = fragments(&x.a, &x.b, &mut x.c, n, k).grid((n / EDGE, m / EDGE)).block(128);
    // SAFETY: `Factors` pads extents to multiples of 256 and 32, so every tile is inside its matrix.
    let launch =
        unsafe { launch.shared_bytes(2 * STAGES * Buffers::STRIDE).prepare_unchecked(device) };
    Ok(launch?.into())
}
