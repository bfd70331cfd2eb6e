//! Tensor-core rung: `pipelined`.
//!
//! Idea: four buffers instead of one: while one tile is multiplied, the next three are in flight (`cp.async`).
//! Predicts: the same sectors as `block-tile`; half of its barriers.
//! Costs: 64 KiB of shared memory; every thread computes addresses and starts copies between its products.
//! 思路：用四个缓冲区代替一个：计算一个 tile 时，接下来的三个 tile 已经在途（`cp.async`）。
//! 预测：扇区数与 `block-tile` 相同；屏障次数减半。
//! 代价：64 KiB 共享内存；每个线程都要在乘法之间计算地址、发起拷贝。

use super::Operands;
use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of a block's tile of results, and steps along K per copy.
const EDGE: u32 = 128;
const DEPTH: u32 = 32;
/// Buffers.
const STAGES: u32 = 4;
type Buffers = SharedTiles<bf16, EDGE, DEPTH, Swizzle64>;

#[kernel(block = 128)]
fn pipelined(a: &[bf16], b: &[bf16], c: &mut [f32], n: u32, k: u32) {
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
    let launch = pipelined(&x.a, &x.b, &mut x.c, n, k).grid((n / EDGE, m / EDGE)).block(128);
    // SAFETY: `Factors` pads extents to multiples of 256 and 64, so every tile is inside its matrix.
    unsafe { launch.shared_bytes(2 * STAGES * Buffers::STRIDE).prepare_unchecked(device) }
}
