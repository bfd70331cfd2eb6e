//! Attention rung: `flash`.
//!
//! Idea: four warps share tiles of 64 keys and values in shared memory. `cp.async` copies the next tiles during the computation,
//! and `ldmatrix` loads fragments.
//! 思路：四个 warp 共用共享内存中各含 64 个键或值的 tile。计算期间由 `cp.async` 拷贝后面的 tile，片段用 `ldmatrix` 加载。
//! Predicts: a quarter of `one-warp`'s global loads, in 16-byte pieces; no bank conflicts in swizzled tiles.
//! 预测：全局加载降到 `one-warp` 的四分之一，每次 16 字节；经过 swizzle 的 tile 没有 bank 冲突。
//! Costs: 64 KB of dynamic shared memory; a warp alternates between softmax and products.
//! 代价：64 KB 动态共享内存；同一个 warp 交替进行 softmax 和乘法。

use super::heads::{HEAD, Heads};
use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Queries per block, 16 per warp, and keys per iteration.
const ROWS: u32 = 64;

#[kernel(block = 128)]
fn flash(q: &[bf16], k: &[bf16], v: &[bf16], out: &mut [bf16], length: u32, scale: f32) {
    let tiles_k = SharedTiles::<bf16, ROWS, HEAD>::dynamic(2);
    let tiles_v = SharedTiles::<bf16, ROWS, HEAD>::dynamic(2);
    let pipe = CopyPipeline::<2>::new();
    let me = (thread_idx.x, 128);
    let row = block_idx.x * ROWS + thread_idx.x / 32 * 16;
    let of_head = block_idx.x * ROWS / length * length;
    pipe.copy_tile(tiles_k[0], k.matrix(HEAD), (of_head, 0), me);
    pipe.copy_tile(tiles_v[0], v.matrix(HEAD), (of_head, 0), me);
    pipe.commit();
    let mut queries = [FragmentA::<bf16, 16, 16>::zero(); 8];
    #[unroll]
    for at in 0..8u32 {
        queries[at] = FragmentA::<bf16, 16, 16>::load(q.matrix(HEAD), row, 16 * at);
    }
    let mut sums = [FragmentC::<f32, 16, 8>::zero(); 16];
    let mut most = [f32::NEG_INFINITY; 2];
    let mut total = [0.0f32; 2];
    let steps = length / ROWS;
    for step in 0..steps {
        pipe.wait();
        sync_threads();
        if step + 1 < steps {
            let (next, key) = ((step + 1) % 2, of_head + (step + 1) * ROWS);
            pipe.copy_tile(tiles_k[next], k.matrix(HEAD), (key, 0), me);
            pipe.copy_tile(tiles_v[next], v.matrix(HEAD), (key, 0), me);
        }
        pipe.commit();
        let (tile_k, tile_v) = (tiles_k[step % 2], tiles_v[step % 2]);
        let mut scores = [FragmentC::<f32, 16, 8>::zero(); 8];
        #[unroll]
        for at in 0..8u32 {
            #[unroll]
            for pair in 0..4u32 {
                let right = FragmentB::<bf16, 16, 8>::load_pair(tile_k.t(), 16 * at, 16 * pair);
                scores[2 * pair].mma(queries[at], right[0]);
                scores[2 * pair + 1].mma(queries[at], right[1]);
            }
        }
        let high = FragmentC::row_max_of(scores);
        let mut fade = [0.0f32; 2];
        #[unroll]
        for line in 0..2 {
            let now = most[line].max(high[line] * scale);
            fade[line] = fast::exp2(most[line] - now);
            most[line] = now;
        }
        #[unroll]
        for j in 0..8 {
            #[unroll]
            for i in 0..4 {
                let line = FragmentC::<f32, 16, 8>::row_of(i);
                scores[j][i] = fast::exp2(scores[j][i] * scale - most[line]);
                sums[j][i] *= fade[line];
                sums[j + 8][i] *= fade[line];
            }
        }
        let weights = FragmentC::row_sum_of(scores);
        #[unroll]
        for line in 0..2 {
            total[line] = total[line] * fade[line] + weights[line];
        }
        #[unroll]
        for at in 0..4u32 {
            let pair = [scores[2 * at].to::<bf16>(), scores[2 * at + 1].to::<bf16>()];
            let left = FragmentA::<bf16, 16, 16>::from_sums(pair);
            #[unroll]
            for pair in 0..8u32 {
                let right = FragmentB::<bf16, 16, 8>::load_pair(tile_v, 16 * at, 16 * pair);
                sums[2 * pair].mma(left, right[0]);
                sums[2 * pair + 1].mma(left, right[1]);
            }
        }
    }
    #[unroll]
    for j in 0..16u32 {
        #[unroll]
        for i in 0..4 {
            sums[j][i] = sums[j][i] / total[FragmentC::<f32, 16, 8>::row_of(i)];
        }
        sums[j].to::<bf16>().store(out.matrix(HEAD), row, 8 * j);
    }
}

pub(super) fn prepare<'a>(x: &'a mut Heads, device: &Device) -> Result<Prepared<'a>> {
    let bytes = 4 * SharedTiles::<bf16, ROWS, HEAD>::STRIDE;
    let launch = flash(&x.q, &x.k, &x.v, &mut x.out, x.length, Heads::scale());
    let launch = launch.grid(x.heads * x.length / ROWS).block(128).shared_bytes(bytes);
    // SAFETY: the rows of a head are a multiple of a block's rows, so every index is under heads * length rows.
    unsafe { launch.prepare_unchecked(device) }
}
