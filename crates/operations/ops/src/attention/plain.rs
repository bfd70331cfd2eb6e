//! Attention kernels on CUDA cores: portable attention for any device and any strides, one warp per query; and the second launch of
//! split-KV, which combines the results of the key parts in a fixed order.

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

/// Warps of a block; parts are distributed over them round-robin.
pub(super) const COMBINE_WARPS: u32 = 8;

/// Number of parts whose loads a warp issues together.
const LOADS: u32 = 4;

/// Combines `count` parts of each row: the weighted sums divided by the sums of the weights. `PER` is `HEAD` / 32.
///
/// `sums` holds the sums of each part of a row consecutively; `weights` holds each part's largest score and sum of weights.
#[kernel(block = 32 * COMBINE_WARPS)]
pub(super) fn combine_parts<T: Half, const HEAD: u32, const PER: usize>(
    sums: &[f32],
    weights: &[f32],
    out: &mut [T],
    wide: &mut [f32],
    log_sums: &mut [f32],
    work: AttentionWork,
    count: u32,
    scale: f32,
    #[constant] options: KernelOptions,
) {
    let of_warps = shared::<f32>([COMBINE_WARPS, HEAD]);
    let totals = shared::<f32>([COMBINE_WARPS]);
    let (warp, lane) = (thread_idx.x / 32, thread_idx.x % 32);
    let row = block_idx.x % work.rows;
    let pair = block_idx.x / work.rows;
    let first = block_idx.x as u64 * count as u64;
    if options.overlaps {
        wait_for_dependencies();
    }
    let mut most = f32::NEG_INFINITY;
    for part in (lane..count).step_by(32) {
        most = most.max(weights[2 * (first + part as u64)]);
    }
    #[unroll]
    for bits in [16u32, 8, 4, 2, 1] {
        most = most.max(shfl_xor_sync(FULL_MASK, most, bits));
    }
    let base = select(most == f32::NEG_INFINITY, 0.0, most * scale);
    let mut total = 0.0f32;
    let mut results = [0.0f32; PER];
    for start in (warp..count).step_by(const { (COMBINE_WARPS * LOADS) as usize }) {
        #[unroll]
        for i in 0..LOADS {
            let part = start + i * COMBINE_WARPS;
            let here = part < count;
            let at = first + select(here, part, start) as u64;
            let of_part = weights.load_vec::<2>(2 * at);
            let values = sums.load_vec::<PER>(at * HEAD as u64 + (lane * PER as u32) as u64);
            let fade = fast::exp2_ftz(of_part[0] * scale - base);
            total += select(here, fade * of_part[1], 0.0);
            #[unroll]
            for c in 0..PER {
                results[c] += select(here, fade * values[c], 0.0);
            }
        }
    }
    #[unroll]
    for c in 0..PER {
        of_warps[[warp, lane * PER as u32 + c as u32]] = results[c];
    }
    if lane == 0 {
        totals[warp] = total;
    }
    sync_threads();
    if thread_idx.x < HEAD {
        let (mut total, mut result) = (0.0f32, 0.0f32);
        #[unroll]
        for warp in 0..COMBINE_WARPS {
            total += totals[warp];
            result += of_warps[[warp, thread_idx.x]];
        }
        let result = select(total == 0.0, 0.0, result / total);
        let (batch, query) = (pair / work.heads, row / work.group);
        let head = pair % work.heads * work.group + row % work.group;
        let at = work.out.at(batch, head, query) + thread_idx.x as u64;
        if options.wide {
            wide[at] = result;
        } else {
            out[at] = result as T;
        }
        if options.log_sums && thread_idx.x == 0 {
            let log = most * (scale * std::f32::consts::LN_2) + total.ln();
            log_sums[work.log_sums.at(batch, head, query)] = log;
        }
    }
}

/// Variant for at most 32 parts of the Hopper kernel: one warp per row, one part's weight per lane.
#[kernel(block = 32 * COMBINE_WARPS)]
pub(super) fn combine_rows<T: Half, const HEAD: u32, const PER: usize>(
    sums: &[f32],
    weights: &[f32],
    out: &mut [T],
    wide: &mut [f32],
    log_sums: &mut [f32],
    work: AttentionWork,
    scale: f32,
    #[constant] options: KernelOptions,
) {
    let (warp, lane) = (thread_idx.x / 32, thread_idx.x % 32);
    let index = block_idx.x * COMBINE_WARPS + warp;
    let (pair, row) = (index / work.rows, index % work.rows);
    if options.overlaps {
        wait_for_dependencies();
    }
    if pair < work.pairs {
        let first = index as u64 * work.parts as u64;
        let mut of_part = [f32::NEG_INFINITY, 0.0];
        if lane < work.parts {
            of_part = weights.load_vec::<2>(2 * (first + lane as u64));
        }
        let mut most = of_part[0];
        #[unroll]
        for bits in [16u32, 8, 4, 2, 1] {
            most = most.max(shfl_xor_sync(FULL_MASK, most, bits));
        }
        let base = select(most == f32::NEG_INFINITY, 0.0, most * scale);
        let fade = fast::exp2_ftz(of_part[0] * scale - base);
        let mut total = fade * of_part[1];
        #[unroll]
        for bits in [16u32, 8, 4, 2, 1] {
            total += shfl_xor_sync(FULL_MASK, total, bits);
        }
        let mut results = [0.0f32; PER];
        for start in (0..work.parts).step_by(LOADS as usize) {
            #[unroll]
            for i in 0..LOADS {
                let part = start + i;
                let at = first + part.min(work.parts - 1) as u64;
                let values = sums.load_vec::<PER>(at * HEAD as u64 + (lane * PER as u32) as u64);
                let weight = shfl_sync(FULL_MASK, fade, part);
                #[unroll]
                for c in 0..PER {
                    results[c] += select(part < work.parts, weight * values[c], 0.0);
                }
            }
        }
        let inverse = select(total == 0.0, 0.0, 1.0 / total);
        let at =
            work.out.at(pair / work.heads, pair % work.heads, row) + (lane * PER as u32) as u64;
        #[unroll]
        for c in 0..PER {
            let result = results[c] * inverse;
            if options.wide {
                wide[at + c as u64] = result;
            } else {
                out[at + c as u64] = result as T;
            }
        }
        if options.log_sums && lane == 0 {
            let log = most * (scale * std::f32::consts::LN_2) + total.ln();
            log_sums[work.log_sums.at(pair / work.heads, pair % work.heads, row)] = log;
        }
    }
}
