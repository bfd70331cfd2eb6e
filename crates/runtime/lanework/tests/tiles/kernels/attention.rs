//! Attention as flash attention computes it, with `mma`: the scores of 64 keys at a time stay in
//! registers, where their softmax is taken along the rows of the fragments.

use half::bf16;
use lanework::prelude::*;

/// Elements of a head.
pub const HEAD: u32 = 64;
/// Queries of a block, 16 per warp.
pub const QUERIES: u32 = 64;
/// Keys at a time.
pub const KEYS: u32 = 64;

/// `out = softmax(scale * q * transpose(k)) * v` of one head; `q`, `k` and `v` have rows of `HEAD`
/// elements, and `keys` is a multiple of `KEYS`.
#[kernel(block = 128)]
pub fn attention(q: &[bf16], k: &[bf16], v: &[bf16], out: &mut [f32], keys: u32, scale: f32) {
    let tiles_k = SharedTiles::<bf16, KEYS, HEAD>::new(2);
    let tiles_v = SharedTiles::<bf16, KEYS, HEAD>::new(2);
    let pipe = CopyPipeline::<2>::new();
    let me = (thread_idx.x, 128);
    pipe.copy_tile(tiles_k[0], k.matrix(HEAD), (0, 0), me);
    pipe.copy_tile(tiles_v[0], v.matrix(HEAD), (0, 0), me);
    pipe.commit();

    let row = block_idx.x * QUERIES + thread_idx.x / 32 * 16;
    let queries = [
        FragmentA::<bf16, 16, 16>::load(q.matrix(HEAD), row, 0),
        FragmentA::<bf16, 16, 16>::load(q.matrix(HEAD), row, 16),
        FragmentA::<bf16, 16, 16>::load(q.matrix(HEAD), row, 32),
        FragmentA::<bf16, 16, 16>::load(q.matrix(HEAD), row, 48),
    ];
    let mut sums = [FragmentC::<f32, 16, 8>::zero(); 8];
    // For each of the lane's two rows: the largest score so far, and the sum of the weights.
    let mut most = [f32::NEG_INFINITY; 2];
    let mut total = [0.0f32; 2];
    let steps = keys / KEYS;
    for step in 0..steps {
        pipe.wait();
        sync_threads();
        if step + 1 < steps {
            let next = (step + 1) % 2;
            pipe.copy_tile(tiles_k[next], k.matrix(HEAD), ((step + 1) * KEYS, 0), me);
            pipe.copy_tile(tiles_v[next], v.matrix(HEAD), ((step + 1) * KEYS, 0), me);
        }
        pipe.commit();
        let (tile_k, tile_v) = (tiles_k[step % 2], tiles_v[step % 2]);

        let mut scores = [FragmentC::<f32, 16, 8>::zero(); 8];
        #[unroll]
        for at in 0..4u32 {
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
            fade[line] = fast::exp(most[line] - now);
            most[line] = now;
        }
        #[unroll]
        for j in 0..8 {
            #[unroll]
            for i in 0..4 {
                let line = FragmentC::<f32, 16, 8>::row_of(i);
                scores[j][i] = fast::exp(scores[j][i] * scale - most[line]);
                sums[j][i] *= fade[line];
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
            for pair in 0..4u32 {
                let right = FragmentB::<bf16, 16, 8>::load_pair(tile_v, 16 * at, 16 * pair);
                sums[2 * pair].mma(left, right[0]);
                sums[2 * pair + 1].mma(left, right[1]);
            }
        }
    }
    #[unroll]
    for j in 0..8u32 {
        #[unroll]
        for i in 0..4 {
            let line = FragmentC::<f32, 16, 8>::row_of(i);
            sums[j][i] = sums[j][i] / total[line];
        }
        sums[j].store(out.matrix(HEAD), row, 8 * j);
    }
}
