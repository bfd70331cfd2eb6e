//! Attention on the tensor cores of sm_80 and later: `cp.async` copies, and four warps that multiply 16 rows each by `mma`.
//!
//! The scores of 64 keys at a time stay in `mma` accumulator fragments, where the softmax is computed (Dao 2023,
//! "FlashAttention-2"), while the next 64 keys and values are copied.
//!
//! With few queries, the queries of all heads that share keys are rows of one tile, several warps divide the keys of a tile, and
//! blocks divide the keys of a head (Dao et al. 2023, "Flash-Decoding"). Each warp then passes its sums, largest score and sum of
//! weights to `combine`.

use super::problem::{AttentionWork, Half, KernelOptions, TensorStrides};
use lanework::prelude::*;

/// Queries of a block, 16 per warp.
pub(super) const QUERIES: u32 = 64;
/// Keys processed per step.
pub(super) const KEYS: u32 = 64;

/// Dynamic shared memory of a block: `stages` key and value tiles, and `rows` queries.
pub(super) const fn shared_bytes(head: u32, rows: u32, stages: u32) -> u32 {
    2 * head * (2 * stages * KEYS + rows)
}

/// Starts copying up to 64 keys and values from key `first` on.
#[device]
fn copy_keys<T: Half, const HEAD: u32, const STAGES: u32>(
    pipe: CopyPipeline<STAGES>,
    tile_k: SharedTile<T, KEYS, HEAD>,
    tile_v: SharedTile<T, KEYS, HEAD>,
    k: &[T],
    v: &[T],
    of_k: TensorStrides,
    of_v: TensorStrides,
    keys_at: u64,
    values_at: u64,
    first: u32,
    keys: u32,
) {
    let (line, chunk) = (thread_idx.x / (HEAD / 8), thread_idx.x % (HEAD / 8) * 8);
    #[unroll]
    for row in (0..KEYS).step_by(const { 128 * 8 / HEAD as usize }) {
        let have = if first + line + row < keys { 16 } else { 0u32 };
        let down = (first + row) as u64;
        let from = if have > 0 { keys_at + down * of_k.row } else { 0u64 };
        pipe.copy16_filled(&mut tile_k[[line + row, chunk]], &k[from], have);
        let from = if have > 0 { values_at + down * of_v.row } else { 0u64 };
        pipe.copy16_filled(&mut tile_v[[line + row, chunk]], &v[from], have);
    }
}

/// `out = softmax(scale * q * transpose(k)) * v` for every batch and head, in tiles of `ROWS` rows. `STEPS` is `HEAD` / 16,
/// `ACROSS` is `HEAD` / 8, `SCORES` the keys per warp / 8.
///
/// With divided keys, `out` holds each warp's sums and `log_sums` its largest score and sum of weights.
#[kernel(block = 128)]
pub(super) fn attention_warps<
    T: Half,
    const HEAD: u32,
    const ROWS: u32,
    const STAGES: u32,
    const STEPS: usize,
    const ACROSS: usize,
    const SCORES: usize,
>(
    q: &[T],
    k: &[T],
    v: &[T],
    out: &mut [u32],
    log_sums: &mut [f32],
    of_q: TensorStrides,
    of_k: TensorStrides,
    of_v: TensorStrides,
    work: AttentionWork,
    scale: f32,
    #[constant] options: KernelOptions,
) {
    let tiles_k = SharedTiles::<T, KEYS, HEAD>::dynamic(STAGES);
    let tiles_v = SharedTiles::<T, KEYS, HEAD>::dynamic(STAGES);
    let tile_q = SharedTile::<T, ROWS, HEAD>::dynamic();
    let pipe = CopyPipeline::<STAGES>::new();
    if options.overlaps {
        launch_dependents();
    }
    // Warps that divide the keys of a tile, and this warp's rows and keys.
    let ways = const { QUERIES / ROWS };
    let of_rows = thread_idx.x / 32 / ways * 16;
    let of_keys = thread_idx.x / 32 % ways * const { KEYS * ROWS / QUERIES };
    // Each thread copies 16 bytes at a time, in rows `step` apart.
    let step = const { 128 * 8 / HEAD };
    let (line, chunk) = (thread_idx.x / (HEAD / 8), thread_idx.x % (HEAD / 8) * 8);
    let first = (work.down - 1 - block_idx.x) * ROWS; // longest first: the last rows see the most keys
    for pair in (block_idx.y..work.pairs).step_by(grid_dim.y) {
        let (batch, at_head) = (pair / work.heads, pair % work.heads);
        let group = if options.split { work.group } else { 1u32 };
        let last = first + (ROWS - 1);
        let (mut blocks, full) = work.blocks::<KEYS>(first / group, last / group, options.causal);
        let mut begin = 0u32;
        if options.split {
            begin = block_idx.z * work.each;
            blocks = blocks.min(begin + work.each);
        }
        let keys_at = of_k.at(batch, at_head / work.share, line) + chunk as u64;
        let values_at = of_v.at(batch, at_head / work.share, line) + chunk as u64;
        sync_threads(); // all reads of the tiles have finished
        #[unroll]
        for row in (0..ROWS).step_by(step as usize) {
            let at = first + line + row;
            let have = if at < work.rows { 16 } else { 0u32 };
            let place = of_q.at(batch, at_head * group + at % group, at / group);
            let from = if have > 0 { place + chunk as u64 } else { 0u64 };
            pipe.copy16_filled(&mut tile_q[[line + row, chunk]], &q[from], have);
        }
        #[unroll]
        for stage in 0..STAGES - 1 {
            let next = begin + stage;
            if next < blocks {
                copy_keys::<T, HEAD, STAGES>(
                    pipe,
                    tiles_k[stage],
                    tiles_v[stage],
                    k,
                    v,
                    of_k,
                    of_v,
                    keys_at,
                    values_at,
                    next * KEYS,
                    work.keys,
                );
            }
            pipe.commit();
        }
        let mut queries = [FragmentA::<T, 16, 16>::zero(); STEPS];
        let mut sums = [FragmentC::<f32, 16, 8>::zero(); ACROSS];
        let row = first + of_rows + thread_idx.x % 32 / 4;
        let column = 2 * (thread_idx.x % 4);
        // For each of the two rows of a lane: the number of visible keys, the largest score so far, and this lane's partial sum of
        // weights.
        let from = (column + of_keys) as i32;
        let seen = [
            work.seen(row / group, options.causal) - from,
            work.seen((row + 8) / group, options.causal) - from,
        ];
        let mut most = [f32::NEG_INFINITY; 2];
        let mut total = [0.0f32; 2];
        let mut stage = 0u32;
        for block in begin..blocks {
            pipe.wait();
            sync_threads();
            if block == begin {
                #[unroll]
                for at in 0..STEPS {
                    queries[at] = FragmentA::<T, 16, 16>::load(tile_q, of_rows, 16 * at as u32);
                }
            }
            let next = block + (STAGES - 1);
            if next < blocks {
                let to = select(stage == 0, STAGES - 1, stage - 1);
                copy_keys::<T, HEAD, STAGES>(
                    pipe,
                    tiles_k[to],
                    tiles_v[to],
                    k,
                    v,
                    of_k,
                    of_v,
                    keys_at,
                    values_at,
                    next * KEYS,
                    work.keys,
                );
            }
            pipe.commit();
            let (tile_k, tile_v) = (tiles_k[stage], tiles_v[stage]);
            stage = select(stage == STAGES - 1, 0, stage + 1);
            let mut scores = [FragmentC::<f32, 16, 8>::zero(); SCORES];
            #[unroll]
            for at in 0..STEPS {
                #[unroll]
                for pair in 0..SCORES / 2 {
                    let keys = of_keys + 16 * pair as u32;
                    let right = FragmentB::<T, 16, 8>::load_pair(tile_k.t(), 16 * at as u32, keys);
                    scores[2 * pair].mma(queries[at], right[0]);
                    scores[2 * pair + 1].mma(queries[at], right[1]);
                }
            }
            if block >= full {
                #[unroll]
                for j in 0..SCORES {
                    #[unroll]
                    for i in 0..4u32 {
                        let line = FragmentC::<f32, 16, 8>::row_of(i);
                        let at = (block * KEYS + 8 * j as u32 + i % 2) as i32;
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
            for j in 0..SCORES {
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
            for at in 0..SCORES / 2 {
                let pair = [scores[2 * at].to::<T>(), scores[2 * at + 1].to::<T>()];
                let left = FragmentA::<T, 16, 16>::from_sums(pair);
                #[unroll]
                for pair in 0..HEAD / 16 {
                    let keys = of_keys + 16 * at as u32;
                    let right = FragmentB::<T, 16, 8>::load_pair(tile_v, keys, 16 * pair);
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
            if options.split {
                if row < work.rows {
                    // The parts of a row are consecutive, and within them the warps.
                    let part = block_idx.z * ways + thread_idx.x / 32 % ways;
                    let parts = (work.parts * ways) as u64;
                    let place = (pair as u64 * work.rows as u64 + row as u64) * parts + part as u64;
                    let first = place * HEAD as u64 + column as u64;
                    #[unroll]
                    for j in 0..ACROSS {
                        let pair = [sums[j].word(2 * line), sums[j].word(2 * line + 1)];
                        out.store2(first + (8 * j) as u64, pair);
                    }
                    if column == 0 {
                        log_sums.store2(2 * place, [most[line], total[line]]);
                    }
                }
            } else if row < work.rows {
                let inverse = select(total[line] == 0.0, 0.0, 1.0 / total[line]);
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
