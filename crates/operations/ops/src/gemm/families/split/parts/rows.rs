//! Splits rows whose elements are adjacent.

use super::{
    HELD, RAISE, Representation, THREADS, TRIPLES, exponent_of, half_words, halves,
    kept as kept_of, look, power, thirds, verdict,
};
use lanework::prelude::*;

/// Four elements of a row of `k` from column `at` on, zero-filled past the end.
#[device]
fn four(x: &[f32], start: usize, at: u32, k: u32, #[constant] wide: bool) -> [f32; 4] {
    let mut found = [0.0f32; 4];
    if wide && at + 4 <= k {
        found = x.load4(start + at as usize);
    } else {
        #[unroll]
        for i in 0..4u32 {
            if at + i < k {
                found[i] = x[start + (at + i) as usize];
            }
        }
    }
    found
}

/// Scales four elements, classifies them and stores their parts: the high ones at `to`, the low ones at `to + part`.
#[device]
fn store_halves(
    values: [f32; 4],
    scale: f32,
    parts: &mut [u32],
    to: usize,
    part: usize,
    before: (u32, u32),
    #[constant] representation: Representation,
) -> (u32, u32) {
    let mut seen = before;
    let mut scaled = [0.0f32; 4];
    #[unroll]
    for i in 0..4 {
        scaled[i] = values[i] * scale;
        seen = look(scaled[i], seen, representation);
    }
    if representation == Representation::Rounded {
        parts.store2(to, [half_words(scaled[0], scaled[1]), half_words(scaled[2], scaled[3])]);
    } else {
        let (a, c) = halves(scaled[0], scaled[1]);
        let (b, d) = halves(scaled[2], scaled[3]);
        parts.store2(to, [a, b]);
        parts.store2(to + part, [c, d]);
    }
    seen
}

/// Splits rows with adjacent elements, one block per row. `parts` are words of two elements, with row stride `pitch` and `rows`
/// rows per part. Each thread keeps the first `4 * held` of its elements in registers between finding the largest and splitting,
/// and reads further ones twice. Triples are made only if `choice` selects them, with the exponents of the pairs.
#[kernel(block = THREADS)]
#[allow(clippy::too_many_arguments)]
pub fn split_rows(
    x: &[f32],
    parts: &mut [u32],
    exponents: &mut [i32],
    verdicts: &mut [u32],
    choice: &[u32],
    rows: u32,
    k: u32,
    pitch: usize,
    stride: usize,
    #[constant] wide: bool,
    #[constant] representation: Representation,
    #[constant] held: usize,
) {
    let (t, row) = (thread_idx.x, block_idx.x);
    let start = row as usize * stride;
    if representation == Representation::Triples {
        if choice[0] != TRIPLES {
            return;
        }
        let scale = power(exponents[row]);
        for at in (4 * t..k).step_by(4 * THREADS) {
            let values = four(x, start, at, k, wide);
            let (a, b, c) = thirds(values[0] * scale * RAISE, values[1] * scale * RAISE);
            let (d, e, f) = thirds(values[2] * scale * RAISE, values[3] * scale * RAISE);
            let to = row as usize * pitch + (at / 2) as usize;
            let part = rows as usize * pitch;
            parts.store2(to, [a, d]);
            parts.store2(to + part, [b, e]);
            parts.store2(to + 2 * part, [c, f]);
        }
    } else {
        let of_warps = shared::<u32>([2, THREADS / 32]);
        let mut largest = 0u32;
        let mut kept = [[0.0f32; 4]; HELD];
        #[unroll]
        for turn in 0..held {
            kept[turn] = four(x, start, 4 * (t + turn as u32 * THREADS), k, wide);
        }
        #[unroll]
        for turn in 0..held {
            #[unroll]
            for i in 0..4 {
                largest = largest.max(kept[turn][i].to_bits() & 0x7fff_ffff);
            }
        }
        for at in (4 * (t + held as u32 * THREADS)..k).step_by(4 * THREADS) {
            let values = four(x, start, at, k, wide);
            #[unroll]
            for i in 0..4 {
                largest = largest.max(values[i].to_bits() & 0x7fff_ffff);
            }
        }
        largest = reduce_max_sync(FULL_MASK, largest);
        of_warps[[0, t / 32]] = largest;
        sync_threads();
        #[unroll]
        for warp in 0..THREADS / 32 {
            largest = largest.max(of_warps[[0, warp]]);
        }
        let (exponent, outside) = exponent_of(largest, representation);
        let scale = power(exponent);
        let mut seen = (0u32, outside);
        let start_of_parts = row as usize * pitch;
        let part = rows as usize * pitch;
        #[unroll]
        for turn in 0..held {
            let at = 4 * (t + turn as u32 * THREADS);
            if at < k {
                let to = start_of_parts + (at / 2) as usize;
                seen = store_halves(kept[turn], scale, parts, to, part, seen, representation);
            }
        }
        for at in (4 * (t + held as u32 * THREADS)..k).step_by(4 * THREADS) {
            let values = four(x, start, at, k, wide);
            let to = start_of_parts + (at / 2) as usize;
            seen = store_halves(values, scale, parts, to, part, seen, representation);
        }
        sync_threads();
        of_warps[[0, t / 32]] = reduce_add_sync(FULL_MASK, seen.0);
        of_warps[[1, t / 32]] = reduce_or_sync(FULL_MASK, seen.1);
        sync_threads();
        if t == 0 {
            let (mut large, mut flags) = (0, 0);
            #[unroll]
            for warp in 0..THREADS / 32 {
                large += of_warps[[0, warp]];
                flags |= of_warps[[1, warp]];
            }
            exponents[row] = kept_of(exponent, representation);
            verdicts[row] = verdict(large, flags, k);
        }
    }
}
