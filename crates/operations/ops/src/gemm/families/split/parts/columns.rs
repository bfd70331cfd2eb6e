//! Splits rows whose elements are not adjacent, and transposes them in the same pass.

use super::{
    CHUNK, RAISE, Representation, THREADS, TILE, TRIPLES, WIDTH, exponent_of, half_words, halves,
    kept, look, power, thirds, verdict,
};
use lanework::prelude::*;

/// The end column along k of chunk `chunk` of `chunks`.
#[device]
fn chunk_end(chunk: u32, chunks: u32, k: u32) -> u32 {
    if chunk + 1 == chunks { k } else { (chunk + 1) * CHUNK }
}

/// Bits of the largest magnitude of each row, for rows whose elements are not adjacent (elements of a column may be).
/// One block per 128 rows and chunk along k; its results form a row of `found`.
#[kernel(block = THREADS)]
pub fn largest(
    x: &[f32],
    found: &mut [u32],
    rows: u32,
    k: u32,
    strides: (usize, usize),
    #[constant] wide: bool,
) {
    let of_warps = shared::<u32>([THREADS / 32, WIDTH]);
    let (warp, lane) = (thread_idx.x / 32, thread_idx.x % 32);
    let chunks = (k / CHUNK).max(1);
    let tiles = rows.div_ceil(WIDTH);
    let (first, chunk) = (block_idx.x % tiles * WIDTH, block_idx.x / tiles);
    let mut largest = [0u32; 4];
    for at in (chunk * CHUNK + warp..chunk_end(chunk, chunks, k)).step_by(THREADS / 32) {
        let start = at as usize * strides.1;
        if wide {
            if first + 4 * lane < rows {
                let values = x.load4(start + (first + 4 * lane) as usize);
                #[unroll]
                for i in 0..4 {
                    largest[i] = largest[i].max(values[i].to_bits() & 0x7fff_ffff);
                }
            }
        } else {
            #[unroll]
            for i in 0..4u32 {
                let row = first + 32 * i + lane;
                if row < rows {
                    let bits = x[start + row as usize * strides.0].to_bits();
                    largest[i] = largest[i].max(bits & 0x7fff_ffff);
                }
            }
        }
    }
    #[unroll]
    for i in 0..4u32 {
        if wide {
            of_warps[[warp, 4 * lane + i]] = largest[i];
        } else {
            of_warps[[warp, 32 * i + lane]] = largest[i];
        }
    }
    sync_threads();
    let t = thread_idx.x;
    if t < WIDTH && first + t < rows {
        let mut all = 0u32;
        #[unroll]
        for warp in 0..THREADS / 32 {
            all = all.max(of_warps[[warp, t]]);
        }
        found[chunk as usize * rows as usize + (first + t) as usize] = all;
    }
}

/// This thread's 1/16 of a tile of 64 columns along k, from `at` on, and 64 rows, from `first` on; zeros past the end.
#[device]
fn fetch(
    x: &[f32],
    (first, rows): (u32, u32),
    (at, end): (u32, u32),
    strides: (usize, usize),
    #[constant] wide: bool,
) -> [f32; 16] {
    let t = thread_idx.x;
    let mut values = [0.0f32; 16];
    if wide {
        #[unroll]
        for pass in 0..4u32 {
            let (column, row) = (at + 16 * pass + t / 16, first + t % 16 * 4);
            if column < end && row < rows {
                let four = x.load4(column as usize * strides.1 + row as usize);
                #[unroll]
                for i in 0..4u32 {
                    values[4 * pass + i] = four[i];
                }
            }
        }
    } else {
        #[unroll]
        for pass in 0..16u32 {
            let (column, row) = (at + 4 * pass + t / 64, first + t % 64);
            if column < end && row < rows {
                values[pass] = x[column as usize * strides.1 + row as usize * strides.0];
            }
        }
    }
    values
}

/// As [`split_rows`], for rows whose elements are not adjacent: a block transposes tiles of 64 rows, one chunk along
/// k. `found` is the output of [`largest`].
#[kernel(block = THREADS)]
#[allow(clippy::too_many_arguments)]
pub fn split_columns(
    x: &[f32],
    found: &[u32],
    parts: &mut [u32],
    exponents: &mut [i32],
    verdicts: &mut [u32],
    choice: &[u32],
    rows: u32,
    k: u32,
    pitch: usize,
    strides: (usize, usize),
    #[constant] wide: bool,
    #[constant] representation: Representation,
) {
    if representation == Representation::Triples && choice[0] != TRIPLES {
        return;
    }
    let tile = shared::<f32>([TILE, TILE + 1]);
    let of_rows = shared::<i32>(TILE);
    let of_warps = shared::<u32>(THREADS / 32);
    let (t, warp, lane) = (thread_idx.x, thread_idx.x / 32, thread_idx.x % 32);
    let chunks = (k / CHUNK).max(1);
    let tiles = rows.div_ceil(TILE);
    // The last chunks first: `largest` has just read them, so they may still be in the L2 cache.
    let (first, chunk) = (block_idx.x % tiles * TILE, chunks - 1 - block_idx.x / tiles);
    let (begin, behind) = (chunk * CHUNK, chunk_end(chunk, chunks, k));
    let mut values = fetch(x, (first, rows), (begin, behind), strides, wide);
    let mut seen = (0u32, 0u32);
    if t < TILE && first + t < rows {
        if representation == Representation::Triples {
            of_rows[t] = exponents[first + t];
        } else {
            let mut largest = 0u32;
            for other in 0..chunks {
                largest = largest.max(found[other as usize * rows as usize + (first + t) as usize]);
            }
            let (exponent, outside) = exponent_of(largest, representation);
            seen.1 |= outside;
            of_rows[t] = exponent;
            if chunk == 0 {
                exponents[first + t] = kept(exponent, representation);
            }
        }
    }
    sync_threads();
    let mine = 8 * warp + lane / 4;
    let row = first + mine;
    let mut scale = 0.0f32;
    if row < rows {
        scale = power(of_rows[mine]);
    }
    for at in (begin..behind).step_by(TILE) {
        #[unroll]
        for i in 0..16u32 {
            if wide {
                tile[[16 * (i / 4) + t / 16, t % 16 * 4 + i % 4]] = values[i];
            } else {
                tile[[4 * i + t / 64, t % 64]] = values[i];
            }
        }
        sync_threads();
        // Prefetch the next tile while this one is split.
        values = fetch(x, (first, rows), (at + TILE, behind), strides, wide);
        #[unroll]
        for half in 0..2u32 {
            let column = 32 * half + 8 * (lane % 4);
            let mut scaled = [0.0f32; 8];
            #[unroll]
            for i in 0..8u32 {
                scaled[i] = tile[[column + i, mine]] * scale;
            }
            let to = row as usize * pitch + ((at + column) / 2) as usize;
            let part = rows as usize * pitch;
            let inside = row < rows && at + column < behind;
            if representation == Representation::Triples {
                let mut words = [[0u32; 4]; 3];
                #[unroll]
                for i in 0..4 {
                    let pair = (scaled[2 * i] * RAISE, scaled[2 * i + 1] * RAISE);
                    let (high, middle, low) = thirds(pair.0, pair.1);
                    words[0][i] = high;
                    words[1][i] = middle;
                    words[2][i] = low;
                }
                if inside {
                    parts.store4(to, words[0]);
                    parts.store4(to + part, words[1]);
                    parts.store4(to + 2 * part, words[2]);
                }
            } else if representation == Representation::Rounded {
                let mut words = [0u32; 4];
                #[unroll]
                for i in 0..4 {
                    words[i] = half_words(scaled[2 * i], scaled[2 * i + 1]);
                    seen = look(scaled[2 * i], seen, representation);
                    seen = look(scaled[2 * i + 1], seen, representation);
                }
                if inside {
                    parts.store4(to, words);
                }
            } else {
                let mut words = [[0u32; 4]; 2];
                #[unroll]
                for i in 0..4 {
                    let (high, low) = halves(scaled[2 * i], scaled[2 * i + 1]);
                    words[0][i] = high;
                    words[1][i] = low;
                    seen = look(scaled[2 * i], seen, representation);
                    seen = look(scaled[2 * i + 1], seen, representation);
                }
                if inside {
                    parts.store4(to, words[0]);
                    parts.store4(to + part, words[1]);
                }
            }
        }
        sync_threads();
    }
    if representation != Representation::Triples {
        // Reduce over the four lanes of a row, then the rows of a warp, then all warps.
        let (mut large, mut flags) = (seen.0, seen.1);
        #[unroll]
        for other in [1u32, 2] {
            large += shfl_xor_sync(FULL_MASK, large, other);
            flags |= shfl_xor_sync(FULL_MASK, flags, other);
        }
        let all = reduce_or_sync(FULL_MASK, verdict(large, flags, behind - begin));
        if lane == 0 {
            of_warps[warp] = all;
        }
        sync_threads();
        if t == 0 {
            let mut all = 0;
            #[unroll]
            for warp in 0..THREADS / 32 {
                all |= of_warps[warp];
            }
            verdicts[block_idx.x] = all;
        }
    }
}
