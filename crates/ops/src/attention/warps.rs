//! Attention on the tensor cores of sm_80 and later: `cp.async` copies, four warps multiply by `mma`, each 16 queries.
//!
//! The scores of 64 keys at a time stay in the fragments that `mma` left them in, and their softmax is taken there (Dao 2023,
//! "FlashAttention-2"); the next 64 keys and values are copied meanwhile.

use super::elements::Half;
use super::problem::{Options, Strides, Work};
use lanework::prelude::*;

/// Queries of a block, 16 per warp.
pub(super) const QUERIES: u32 = 64;
/// Keys at a time.
const KEYS: u32 = 64;

/// Dynamic shared memory of a block: two tiles of keys and of values, and the queries.
pub(super) const fn shared_bytes(head: u32) -> u32 {
    2 * head * (4 * KEYS + QUERIES)
}

/// `out = softmax(scale * q * transpose(k)) * v` for every batch and head. `STEPS` is `HEAD` / 16, `ACROSS` is `HEAD` / 8.
#[kernel(block = 128)]
pub(super) fn attention_warps<T: Half, const HEAD: u32, const STEPS: usize, const ACROSS: usize>(
    q: &[T],
    k: &[T],
    v: &[T],
    out: &mut [u32],
    log_sums: &mut [f32],
    of_q: Strides,
    of_k: Strides,
    of_v: Strides,
    work: Work,
    scale: f32,
    #[constant] options: Options,
) {
    let tiles_k = SharedTiles::<T, KEYS, HEAD>::dynamic(2);
    let tiles_v = SharedTiles::<T, KEYS, HEAD>::dynamic(2);
    let tile_q = SharedTile::<T, QUERIES, HEAD>::dynamic();
    let pipe = CopyPipeline::<2>::new();
    // Each thread copies 16 bytes at a time of rows `step` apart.
    let step = const { 128 * 8 / HEAD };
    let (line, chunk) = (thread_idx.x / (HEAD / 8), thread_idx.x % (HEAD / 8) * 8);
    let first = (work.down - 1 - block_idx.x) * QUERIES; // those that see the most keys first
    for pair in (block_idx.y..work.pairs).step_by(grid_dim.y) {
        let (batch, at_head) = (pair / work.heads, pair % work.heads);
        let (blocks, full) = work.blocks::<KEYS>(first, QUERIES, options.causal);
        let keys_at = of_k.at(batch, at_head / work.share, line) + chunk as u64;
        let values_at = of_v.at(batch, at_head / work.share, line) + chunk as u64;
        let queries_at = of_q.at(batch, at_head, first + line) + chunk as u64;
        sync_threads(); // nothing is read of the tiles any more
        #[unroll]
        for row in (0..QUERIES).step_by(step as usize) {
            let have = if first + line + row < work.rows { 16 } else { 0u32 };
            let from = if have > 0 { queries_at + row as u64 * of_q.row } else { 0u64 };
            pipe.copy16_filled(&mut tile_q[[line + row, chunk]], &q[from], have);
        }
        #[unroll]
        for row in (0..KEYS).step_by(step as usize) {
            let have = if line + row < work.keys { 16 } else { 0u32 };
            let (key, value) = (row as u64 * of_k.row, row as u64 * of_v.row);
            let from = if have > 0 { keys_at + key } else { 0u64 };
            pipe.copy16_filled(&mut tiles_k[0][[line + row, chunk]], &k[from], have);
            let from = if have > 0 { values_at + value } else { 0u64 };
            pipe.copy16_filled(&mut tiles_v[0][[line + row, chunk]], &v[from], have);
        }
        pipe.commit();
        let mut queries = [FragmentA::<T, 16, 16>::zero(); STEPS];
        let mut sums = [FragmentC::<f32, 16, 8>::zero(); ACROSS];
        let row = first + thread_idx.x / 32 * 16 + thread_idx.x % 32 / 4;
        let column = 2 * (thread_idx.x % 4);
        // Of the two rows that a lane has elements of: the keys that it sees, the largest score so far, and the sum of the
        // weights in this lane.
        let seen = [
            work.seen(row, options.causal) - column as i32,
            work.seen(row + 8, options.causal) - column as i32,
        ];
        let mut most = [f32::NEG_INFINITY; 2];
        let mut total = [0.0f32; 2];
        for block in 0..blocks {
            pipe.wait();
            sync_threads();
            if block == 0 {
                #[unroll]
                for at in 0..STEPS {
                    let from = thread_idx.x / 32 * 16;
                    queries[at] = FragmentA::<T, 16, 16>::load(tile_q, from, 16 * at as u32);
                }
            }
            if block + 1 < blocks {
                let next = (block + 1) * KEYS + line;
                let (key, value) = (keys_at, values_at);
                #[unroll]
                for row in (0..KEYS).step_by(step as usize) {
                    let have = if next + row < work.keys { 16 } else { 0u32 };
                    let down = (next + row - line) as u64;
                    let from = if have > 0 { key + down * of_k.row } else { 0u64 };
                    let to = &mut tiles_k[(block + 1) % 2][[line + row, chunk]];
                    pipe.copy16_filled(to, &k[from], have);
                    let from = if have > 0 { value + down * of_v.row } else { 0u64 };
                    let to = &mut tiles_v[(block + 1) % 2][[line + row, chunk]];
                    pipe.copy16_filled(to, &v[from], have);
                }
            }
            pipe.commit();
            let (tile_k, tile_v) = (tiles_k[block % 2], tiles_v[block % 2]);
            let mut scores = [FragmentC::<f32, 16, 8>::zero(); { KEYS as usize / 8 }];
            #[unroll]
            for at in 0..STEPS {
                #[unroll]
                for pair in 0..KEYS / 16 {
                    let right =
                        FragmentB::<T, 16, 8>::load_pair(tile_k.t(), 16 * at as u32, 16 * pair);
                    scores[2 * pair].mma(queries[at], right[0]);
                    scores[2 * pair + 1].mma(queries[at], right[1]);
                }
            }
            if block >= full {
                #[unroll]
                for j in 0..KEYS / 8 {
                    #[unroll]
                    for i in 0..4u32 {
                        let line = FragmentC::<f32, 16, 8>::row_of(i);
                        let at = (block * KEYS + 8 * j + i % 2) as i32;
                        scores[j][i] = select(at < seen[line], scores[j][i], f32::NEG_INFINITY);
                    }
                }
            }
            let high = FragmentC::row_max_of(scores);
            let mut fade = [0.0f32; 2];
            let mut base = [0.0f32; 2];
            #[unroll]
            for line in 0..2 {
                let now = most[line].max(high[line]);
                base[line] = select(now == f32::NEG_INFINITY, 0.0, now * scale);
                fade[line] = fast::exp2_ftz(most[line] * scale - base[line]);
                most[line] = now;
                total[line] *= fade[line];
            }
            #[unroll]
            for j in 0..KEYS / 8 {
                #[unroll]
                for i in 0..4u32 {
                    let line = FragmentC::<f32, 16, 8>::row_of(i);
                    scores[j][i] = fast::exp2_ftz(fma(scores[j][i], scale, -base[line]));
                    total[line] += scores[j][i];
                }
            }
            #[unroll]
            for j in 0..ACROSS {
                #[unroll]
                for i in 0..4u32 {
                    sums[j][i] *= fade[FragmentC::<f32, 16, 8>::row_of(i)];
                }
            }
            #[unroll]
            for at in 0..KEYS / 16 {
                let pair = [scores[2 * at].to::<T>(), scores[2 * at + 1].to::<T>()];
                let left = FragmentA::<T, 16, 16>::from_sums(pair);
                #[unroll]
                for pair in 0..HEAD / 16 {
                    let right = FragmentB::<T, 16, 8>::load_pair(tile_v, 16 * at, 16 * pair);
                    sums[2 * pair].mma(left, right[0]);
                    sums[2 * pair + 1].mma(left, right[1]);
                }
            }
        }
        pipe.wait_all();
        #[unroll]
        for line in 0..2u32 {
            #[unroll]
            for bits in [1u32, 2] {
                total[line] += shfl_xor_sync(FULL_MASK, total[line], bits);
            }
        }
        #[unroll]
        for line in 0..2u32 {
            let row = row + 8 * line;
            let inverse = select(total[line] == 0.0, 0.0, 1.0 / total[line]);
            if row < work.rows {
                let first = work.out.at(batch, at_head, row) + column as u64;
                #[unroll]
                for j in 0..ACROSS {
                    let at = first + (8 * j) as u64;
                    let mut results = FragmentC::<f32, 16, 8>::zero();
                    results[2 * line] = sums[j][2 * line] * inverse;
                    results[2 * line + 1] = sums[j][2 * line + 1] * inverse;
                    if options.wide {
                        let pair = [results.word(2 * line), results.word(2 * line + 1)];
                        out.store2(at, pair);
                    } else {
                        out[at / 2] = results.to::<T>().word(line);
                    }
                }
                if options.log_sums && column == 0 {
                    let log = most[line] * (scale * std::f32::consts::LN_2) + total[line].ln();
                    log_sums[work.log_sums.at(batch, at_head, row)] = log;
                }
            }
        }
    }
}
