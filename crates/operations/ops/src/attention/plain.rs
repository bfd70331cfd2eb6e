//! Portable attention for any device and any strides: one warp per query, 32 keys at a time, in f32.

use super::problem::{AttentionWork, Half, KernelOptions, TensorStrides};
use lanework::prelude::*;

/// Warps of a block.
pub(super) const WARPS: u32 = 4;

/// `out = softmax(scale * q * transpose(k)) * v` for every batch and head; `out` holds the results' bits.
///
/// Each lane computes one key's score, then the weighted sum of every 32nd column of the values.
#[kernel(block = 32 * WARPS)]
pub(super) fn attention_plain<T: Half>(
    q: &[T],
    k: &[T],
    v: &[T],
    out: &mut [T],
    wide: &mut [f32],
    log_sums: &mut [f32],
    of_q: TensorStrides,
    of_k: TensorStrides,
    of_v: TensorStrides,
    work: AttentionWork,
    scale: f32,
    #[constant] head: u32,
    #[constant] options: KernelOptions,
) {
    let queries = shared::<f32>([WARPS, head]);
    let (warp, lane) = (thread_idx.x / 32, thread_idx.x % 32);
    let row = block_idx.x * WARPS + warp;
    for pair in (block_idx.y..work.pairs).step_by(grid_dim.y) {
        let (batch, at_head) = (pair / work.heads, pair % work.heads);
        let query = of_q.at(batch, at_head, row);
        if row < work.rows {
            #[unroll]
            for c in (0..head).step_by(32) {
                queries[[warp, lane + c]] = q[query + (lane + c) as u64] as f32;
            }
        }
        sync_warp(FULL_MASK);
        let seen = if row < work.rows { work.seen(row, options.causal) as u32 } else { 0 };
        let mut most = f32::NEG_INFINITY;
        let mut total = 0.0f32;
        let sums = registers(0.0f32, head / 32);
        for first in (0..seen).step_by(32) {
            let key = first + lane;
            let mut score = f32::NEG_INFINITY;
            if key < seen {
                let at = of_k.at(batch, at_head / work.share, key);
                score = 0.0;
                for c in 0..head {
                    score += queries[[warp, c]] * k[at + c as u64] as f32;
                }
            }
            let mut high = score;
            #[unroll]
            for bits in [16u32, 8, 4, 2, 1] {
                high = high.max(shfl_xor_sync(FULL_MASK, high, bits));
            }
            let now = most.max(high);
            let base = select(now == f32::NEG_INFINITY, 0.0, now * scale);
            let fade = fast::exp2_ftz(most * scale - base);
            let weight = fast::exp2_ftz(score * scale - base);
            most = now;
            total = total * fade + weight;
            #[unroll]
            for c in 0..head / 32 {
                sums[c] *= fade;
            }
            for j in 0..(seen - first).min(32) {
                let weight = shfl_sync(FULL_MASK, weight, j);
                let at = of_v.at(batch, at_head / work.share, first + j) + lane as u64;
                #[unroll]
                for c in 0..head / 32 {
                    sums[c] += weight * v[at + (32 * c) as u64] as f32;
                }
            }
        }
        #[unroll]
        for bits in [16u32, 8, 4, 2, 1] {
            total += shfl_xor_sync(FULL_MASK, total, bits);
        }
        sync_warp(FULL_MASK); // all lanes have read the queries
        if row < work.rows {
            let inverse = select(total == 0.0, 0.0, 1.0 / total);
            let at = work.out.at(batch, at_head, row) + lane as u64;
            #[unroll]
            for c in 0..head / 32 {
                let result = sums[c] * inverse;
                if options.wide {
                    wide[at + (32 * c) as u64] = result;
                } else {
                    out[at + (32 * c) as u64] = result as T;
                }
            }
            if options.log_sums && lane == 0 {
                let log = most * (scale * std::f32::consts::LN_2) + total.ln();
                log_sums[work.log_sums.at(batch, at_head, row)] = log;
            }
        }
    }
}
