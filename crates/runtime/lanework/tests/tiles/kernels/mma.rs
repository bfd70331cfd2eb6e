//! A product on tensor cores, from the plain way to the good one: bf16 factors, f32 sums.
//!
//! `plain` loads fragments from global memory, one warp per 16 x 8 results. `good` copies tiles to shared
//! memory by a pipeline of `cp.async`, loads fragments by `ldmatrix` and gives each warp 64 x 64 results.

use half::bf16;
use lanework::prelude::*;

/// `c = a * b` of row-major matrices, one warp per 16 x 8 results.
#[kernel(block = 32)]
pub fn plain(a: &[bf16], b: &[bf16], c: &mut [f32], n: u32, k: u32) {
    let (row, column) = (block_idx.y * 16, block_idx.x * 8);
    let mut sum = FragmentC::<f32, 16, 8>::zero();
    for at in (0..k).step_by(16) {
        let left = FragmentA::<bf16, 16, 16>::load(a.matrix(k), row, at);
        let right = FragmentB::<bf16, 16, 8>::load(b.matrix(n), at, column);
        sum.mma(left, right);
    }
    sum.store(c.matrix(n), row, column);
}

/// Rows and columns of the results of a block, and columns of A that are multiplied at a time.
pub const TILE: (u32, u32, u32) = (128, 128, 32);
const ROWS: u32 = TILE.0;
const COLUMNS: u32 = TILE.1;
const DEPTH: u32 = TILE.2;
/// Buffers of the pipeline.
const STAGES: u32 = 4;
/// Dynamic shared memory of a block.
pub const SHARED_BYTES: u32 = STAGES
    * (SharedTiles::<bf16, ROWS, DEPTH, Swizzle64>::STRIDE
        + SharedTiles::<bf16, DEPTH, COLUMNS>::STRIDE);

/// `c = a * b` of row-major matrices whose extents are multiples of the tile's: four warps, each with
/// 64 x 64 results.
#[kernel(block = 128)]
pub fn good(a: &[bf16], b: &[bf16], c: &mut [f32], n: u32, k: u32) {
    let tiles_a = SharedTiles::<bf16, ROWS, DEPTH, Swizzle64>::dynamic(STAGES);
    let tiles_b = SharedTiles::<bf16, DEPTH, COLUMNS>::dynamic(STAGES);
    let pipe = CopyPipeline::<STAGES>::new();
    let (row, column) = (block_idx.y * ROWS, block_idx.x * COLUMNS);
    let me = (thread_idx.x, 128);
    let steps = k / DEPTH;

    #[unroll]
    for stage in 0..STAGES - 1 {
        if stage < steps {
            pipe.copy_tile(tiles_a[stage], a.matrix(k), (row, stage * DEPTH), me);
            pipe.copy_tile(tiles_b[stage], b.matrix(n), (stage * DEPTH, column), me);
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
            pipe.copy_tile(tiles_b[stage], b.matrix(n), (next * DEPTH, column), me);
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
            for pair in 0..4u32 {
                let right = FragmentB::<bf16, 16, 8>::load_pair(tile_b, at, across + 16 * pair);
                #[unroll]
                for i in 0..4 {
                    sums[i][2 * pair].mma(left[i], right[0]);
                    sums[i][2 * pair + 1].mma(left[i], right[1]);
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
