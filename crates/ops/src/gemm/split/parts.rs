//! Factors taken apart: every row along k is multiplied by a power of two that brings its largest element to 2^14..2^15, and its
//! elements become sums of two f16 or three bf16 numbers. What the rows look like is judged in passing.
//!
//! An f16 pair holds an element to 2^-22 of itself down to 2^-3, and to 2^-25 below. So a product of rows whose elements are
//! 2^-17 of the largest ones could be wrong by more than FP32 makes it, if they met large elements in the other factor. Each row
//! says whether it has such *low* elements, and whether it is *thin*: fewer than 17 of 32 elements reach 2^9. If no row is thin,
//! then in any product of two rows large elements meet in every sixteenth place, and their sum is 2^22 times the error of the low
//! ones; if there are no low elements, there is nothing to fear. Otherwise three bf16 parts are multiplied, which hold every bit;
//! and where numbers are not finite, or so far apart that parts of products would be subnormal, the product is by FFMA.

use lanework::prelude::*;

/// There are elements that a pair of f16 does not hold to 2^-22.
pub(super) const LOW: u32 = 1;
/// Too few elements are large.
pub(super) const THIN: u32 = 2;
/// There are elements other than zero.
const FILLED: u32 = 8;
/// Numbers are not finite, or too large, too small or too far apart for the tensor cores.
pub(super) const OUTSIDE: u32 = 4;

/// The product of f16 pairs, [`decide`] says.
pub(super) const PAIRS: u32 = 0;
/// That of bf16 triples.
pub(super) const TRIPLES: u32 = 1;
/// That of FFMA.
pub(super) const PLAIN: u32 = 2;

/// Threads of a block.
pub(super) const THREADS: u32 = 256;
/// Rows and columns of a tile that is transposed.
pub(super) const TILE: u32 = 64;
/// Columns along k that are judged together, where they are transposed: at least.
pub(super) const CHUNK: u32 = 256;
/// Groups of four elements that a thread of [`split_rows`] holds at most.
pub(super) const HELD: usize = 16;
/// Rows of a block of [`largest`].
pub(super) const WIDTH: u32 = 128;

/// Numbers below this, 2^-85, are too small for bf16 parts, whose products would be subnormal.
const SMALLEST: f32 = f32::from_bits((127 - 85) << 23);
/// By which power of two bf16 parts are larger than f16 ones: both factors' large elements are then far from what overflows, and
/// their small ones from what underflows.
pub(super) const RAISED: i32 = 35;
const RAISE: f32 = (1u64 << RAISED) as f32;

/// Columns along k that chunk `chunk` of `chunks` ends at.
#[device]
fn chunk_end(chunk: u32, chunks: u32, k: u32) -> u32 {
    if chunk + 1 == chunks { k } else { (chunk + 1) * CHUNK }
}

/// The exponent of the power of two that brings a number to 2^14..2^15, and [`OUTSIDE`] if it is one that the tensor cores
/// cannot do with; of the number's bits without the sign.
#[device]
fn exponent_of(largest: u32) -> (i32, u32) {
    let exponent = (largest >> 23) as i32 - 127;
    if largest == 0 {
        (0, 0)
    } else if exponent < -100 || exponent > 100 {
        (0, OUTSIDE)
    } else {
        (14 - exponent, 0)
    }
}

/// 2^exponent.
#[device]
fn power(exponent: i32) -> f32 {
    f32_from_bits(((exponent + 127) << 23) as u32)
}

/// What was seen of some elements, and a further one: how many are large, and [`LOW`], [`OUTSIDE`] and [`FILLED`].
#[device]
fn look(x: f32, seen: (u32, u32)) -> (u32, u32) {
    let size = x.abs();
    let (mut large, mut flags) = seen;
    if size >= 512.0 {
        large += 1;
    }
    if size > 0.0 {
        flags |= FILLED;
        if size < 0.125 {
            flags |= LOW;
        }
        if size < SMALLEST {
            flags |= OUTSIDE;
        }
    }
    (large, flags)
}

/// What of `count` elements were large, and what else was seen, as the verdict on them.
#[device]
fn verdict(large: u32, flags: u32, count: u32) -> u32 {
    let mut all = flags & (LOW | OUTSIDE);
    if flags & FILLED != 0 && 32 * (large as u64) < 17 * (count as u64) {
        all |= THIN;
    }
    all
}

/// Two numbers as sums of two f16 each: words of the high and of the low parts.
#[device]
fn halves(x: f32, y: f32) -> (u32, u32) {
    ptx!(
        "{{ .reg .b16 l, h; .reg .f32 u, v;
        cvt.rn.f16x2.f32 {high}, {y}, {x};
        mov.b32 {{l, h}}, {high};
        cvt.f32.f16 u, l; cvt.f32.f16 v, h;
        sub.rn.f32 u, {x}, u; sub.rn.f32 v, {y}, v;
        cvt.rn.f16x2.f32 {low}, v, u; }}",
        high = out(u32),
        low = out(u32),
        x = in(x),
        y = in(y)
    )
}

/// Two numbers rounded to bf16, a word, and what that leaves of them: exact.
#[device]
fn rounded(x: f32, y: f32) -> (u32, f32, f32) {
    let word = ptx!("cvt.rn.bf16x2.f32 {}, {}, {};", out(u32), in(y), in(x));
    (word, x - f32_from_bits(word << 16), y - f32_from_bits(word & 0xffff_0000))
}

/// Two numbers as sums of three bf16 each.
#[device]
fn thirds(x: f32, y: f32) -> (u32, u32, u32) {
    let (high, x, y) = rounded(x, y);
    let (middle, x, y) = rounded(x, y);
    let (low, _, _) = rounded(x, y);
    (high, middle, low)
}

/// Four elements of a row from column `at` on, of `k`; zeros behind the end.
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

/// Scales four elements, looks at them and stores their parts, the high ones at `to`, the low ones `part` further.
#[device]
fn store_halves(
    values: [f32; 4],
    scale: f32,
    parts: &mut [u32],
    to: usize,
    part: usize,
    before: (u32, u32),
) -> (u32, u32) {
    let mut seen = before;
    let mut scaled = [0.0f32; 4];
    #[unroll]
    for i in 0..4 {
        scaled[i] = values[i] * scale;
        seen = look(scaled[i], seen);
    }
    let (a, c) = halves(scaled[0], scaled[1]);
    let (b, d) = halves(scaled[2], scaled[3]);
    parts.store2(to, [a, b]);
    parts.store2(to + part, [c, d]);
    seen
}

/// Rows whose elements are adjacent, taken apart: a block per row. `parts` are words of two elements, `pitch` of them from one row
/// to the next, `rows` rows of each part. Of a row, each
/// thread holds the first `4 * held` of its elements between finding the largest and splitting; it reads further ones twice. The
/// triples are made only if `choice` says so, with the exponents that the pairs had.
#[kernel(block = THREADS)]
#[allow(clippy::too_many_arguments)]
pub(super) fn split_rows(
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
    #[constant] triples: bool,
    #[constant] held: usize,
) {
    launch_dependents();
    wait_for_dependencies();
    let (t, row) = (thread_idx.x, block_idx.x);
    let start = row as usize * stride;
    if triples {
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
        let (exponent, outside) = exponent_of(largest);
        let scale = power(exponent);
        let mut seen = (0u32, outside);
        let start_of_parts = row as usize * pitch;
        let part = rows as usize * pitch;
        #[unroll]
        for turn in 0..held {
            let at = 4 * (t + turn as u32 * THREADS);
            if at < k {
                let to = start_of_parts + (at / 2) as usize;
                seen = store_halves(kept[turn], scale, parts, to, part, seen);
            }
        }
        for at in (4 * (t + held as u32 * THREADS)..k).step_by(4 * THREADS) {
            let values = four(x, start, at, k, wide);
            let to = start_of_parts + (at / 2) as usize;
            seen = store_halves(values, scale, parts, to, part, seen);
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
            exponents[row] = exponent;
            verdicts[row] = verdict(large, flags, k);
        }
    }
}

/// The largest element of each row, as bits without the sign, of rows whose elements are apart while those of a column may be
/// adjacent: a block for 128 rows and a chunk along k, whose result is a row of `found`.
#[kernel(block = THREADS)]
pub(super) fn largest(
    x: &[f32],
    found: &mut [u32],
    rows: u32,
    k: u32,
    strides: (usize, usize),
    #[constant] wide: bool,
) {
    launch_dependents();
    wait_for_dependencies();
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

/// This thread's sixteenth part of a tile of 64 columns along k, from `at` on, and 64 rows, from `first` on; zeros behind the end.
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

/// As [`split_rows`], for rows whose elements are apart: a block transposes tiles of 64 rows, a chunk along k. `found` is what
/// [`largest`] found.
#[kernel(block = THREADS)]
#[allow(clippy::too_many_arguments)]
pub(super) fn split_columns(
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
    #[constant] triples: bool,
) {
    launch_dependents();
    wait_for_dependencies();
    if triples && choice[0] != TRIPLES {
        return;
    }
    let tile = shared::<f32>([TILE, TILE + 1]);
    let of_rows = shared::<i32>(TILE);
    let of_warps = shared::<u32>(THREADS / 32);
    let (t, warp, lane) = (thread_idx.x, thread_idx.x / 32, thread_idx.x % 32);
    let chunks = (k / CHUNK).max(1);
    let tiles = rows.div_ceil(TILE);
    // The last chunks first: `largest` has read them just before, and they may still be in the L2 cache.
    let (first, chunk) = (block_idx.x % tiles * TILE, chunks - 1 - block_idx.x / tiles);
    let (begin, end) = (chunk * CHUNK, chunk_end(chunk, chunks, k));
    let mut values = fetch(x, (first, rows), (begin, end), strides, wide);
    let mut seen = (0u32, 0u32);
    if t < TILE && first + t < rows {
        if triples {
            of_rows[t] = exponents[first + t];
        } else {
            let mut largest = 0u32;
            for other in 0..chunks {
                largest = largest.max(found[other as usize * rows as usize + (first + t) as usize]);
            }
            let (exponent, outside) = exponent_of(largest);
            seen.1 |= outside;
            of_rows[t] = exponent;
            if chunk == 0 {
                exponents[first + t] = exponent;
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
    for at in (begin..end).step_by(TILE) {
        #[unroll]
        for i in 0..16u32 {
            if wide {
                tile[[16 * (i / 4) + t / 16, t % 16 * 4 + i % 4]] = values[i];
            } else {
                tile[[4 * i + t / 64, t % 64]] = values[i];
            }
        }
        sync_threads();
        // The next tile is on its way while this one is taken apart.
        values = fetch(x, (first, rows), (at + TILE, end), strides, wide);
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
            let inside = row < rows && at + column < end;
            if triples {
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
            } else {
                let mut words = [[0u32; 4]; 2];
                #[unroll]
                for i in 0..4 {
                    let (high, low) = halves(scaled[2 * i], scaled[2 * i + 1]);
                    words[0][i] = high;
                    words[1][i] = low;
                    seen = look(scaled[2 * i], seen);
                    seen = look(scaled[2 * i + 1], seen);
                }
                if inside {
                    parts.store4(to, words[0]);
                    parts.store4(to + part, words[1]);
                }
            }
        }
        sync_threads();
    }
    if !triples {
        // The four lanes of a row; then the rows of a warp, of all warps.
        let (mut large, mut flags) = (seen.0, seen.1);
        #[unroll]
        for other in [1u32, 2] {
            large += shfl_xor_sync(FULL_MASK, large, other);
            flags |= shfl_xor_sync(FULL_MASK, flags, other);
        }
        let all = reduce_or_sync(FULL_MASK, verdict(large, flags, end - begin));
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

/// Which product is right for factors on which there are these verdicts: one block.
#[kernel(block = 1024)]
pub(super) fn decide(verdicts: &[u32], choice: &mut [u32], count: u32) {
    launch_dependents();
    wait_for_dependencies();
    let of_warps = shared::<u32>(32);
    let t = thread_idx.x;
    let mut all = 0u32;
    for i in (t..count).step_by(1024) {
        all |= verdicts[i];
    }
    of_warps[t / 32] = reduce_or_sync(FULL_MASK, all);
    sync_threads();
    if t < 32 {
        let all = reduce_or_sync(FULL_MASK, of_warps[t]);
        if t == 0 {
            let mut best = PAIRS;
            if all & OUTSIDE != 0 {
                best = PLAIN;
            } else if all & (LOW | THIN) == LOW | THIN {
                best = TRIPLES;
            }
            choice[0] = best;
        }
    }
}
