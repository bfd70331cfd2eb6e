//! Splits factors: scales every row along k by a power of two that brings its largest element to 2^14..2^15, and represents its
//! elements as sums of two f16 or three bf16 numbers. The same pass classifies the rows. [`split_rows`] splits rows whose elements
//! are adjacent, [`columns`] all others.
//!
//! An f16 pair represents an element with relative error 2^-22 down to 2^-3, and absolute error 2^-25 below. So a product of rows
//! with elements of 2^-17 of the largest could be less accurate than in FP32, if these meet large elements of the other factor.
//! Each row reports whether it has such *low* elements, and whether it is *thin*: less than 17/32 of them reach 2^9. If no row
//! is thin, then in any product of two rows at least one pair of elements in sixteen has two large ones, and their sum is 2^22
//! times the error of the low ones. Without low elements the pair is always accurate. Otherwise three bf16 parts, which hold every
//! bit, are multiplied; and FFMA is used if numbers are not finite, or so far apart that products of parts would be subnormal.
//!
//! Rows rounded to one f16 have TF32's 11 bits down to 2^-14, and absolute error at most 2^-25 below. If no row is thin, the sum of
//! magnitudes of any product is at least 2^14 k, and low elements add 2^-10 k to its error: negligible against TF32's 2^-11.

pub mod columns;

use self::kept as kept_of;
use crate::workspace::{Scratch, WorkspacePart};
use lanework::prelude::*;
use lanework::{Prepared, Result, View};

/// An f16 pair does not represent some elements to 2^-22.
pub(crate) const LOW: u32 = 1;
/// Too few large elements.
pub(crate) const THIN: u32 = 2;
/// Some elements are not zero.
const FILLED: u32 = 8;
/// Numbers are not finite, or too large, too small or too far apart for the tensor cores.
pub(crate) const OUTSIDE: u32 = 4;

/// Representation of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Representation {
    /// Sums of two f16.
    Pairs,
    /// Sums of three bf16.
    Triples,
    /// One f16 each: 11 bits, like TF32.
    Rounded,
}

impl Representation {
    /// Maximum number of parts that need memory.
    pub fn most_parts(self) -> usize {
        match self {
            Representation::Pairs | Representation::Triples => 3,
            Representation::Rounded => 1,
        }
    }

    /// The smallest element that is not [`LOW`]: the smallest one that an f16, or a pair, represents with all its bits.
    fn least(self) -> f32 {
        match self {
            Representation::Rounded => f32::from_bits((127 - 14) << 23),
            Representation::Pairs | Representation::Triples => 0.125,
        }
    }

    /// Maximum exponent of a row's scale; for one f16, limited by the product of two scales.
    fn most_exponent(self) -> i32 {
        match self {
            Representation::Rounded => 48,
            Representation::Pairs | Representation::Triples => 100,
        }
    }
}

/// [`decide`] selected f16 pairs, or factors rounded to f16.
pub(crate) const PAIRS: u32 = 0;
/// [`decide`] selected bf16 triples, or factors that are not rounded to f16.
pub(crate) const TRIPLES: u32 = 1;
/// [`decide`] selected FFMA.
pub(crate) const PLAIN: u32 = 2;

/// Threads of a block.
pub(crate) const THREADS: u32 = 256;
/// Edge of a transposed tile.
pub(crate) const TILE: u32 = 64;
/// Minimum number of columns along k that are classified together when transposing.
pub(crate) const CHUNK: u32 = 256;

/// Maximum number of groups of four elements that a thread of [`split_rows`] keeps.
pub(crate) const HELD: usize = 16;
/// Rows of a block of [`columns::largest`].
pub(crate) const WIDTH: u32 = 128;

/// Numbers below 2^-85 are too small for bf16 parts: their products would be subnormal.
const SMALLEST: f32 = f32::from_bits((127 - 85) << 23);
/// Extra exponent of bf16 parts over f16 ones, which keeps large elements of both factors from overflow and small ones from
/// underflow.
pub(crate) const RAISED: i32 = 35;
pub(crate) const RAISE: f32 = (1u64 << RAISED) as f32;

/// The exponent of the power of two that brings a number to 2^14..2^15, or [`OUTSIDE`] if the tensor cores cannot
/// handle it. Takes the number's bits without the sign.
#[device]
fn exponent_of(largest: u32, #[constant] representation: Representation) -> (i32, u32) {
    let exponent = (largest >> 23) as i32 - 127;
    if largest == 0 {
        (0, 0)
    } else if exponent.abs() > representation.most_exponent() {
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

/// Accumulates one more element into the statistics: the number of large elements, and [`LOW`], [`OUTSIDE`] and [`FILLED`].
#[device]
fn look(x: f32, seen: (u32, u32), #[constant] representation: Representation) -> (u32, u32) {
    let size = x.abs();
    let (mut large, mut flags) = seen;
    if size >= 512.0 {
        large += 1;
    }
    if size > 0.0 {
        flags |= FILLED;
        if size < representation.least() {
            flags |= LOW;
        }
        if representation == Representation::Pairs && size < SMALLEST {
            flags |= OUTSIDE;
        }
    }
    (large, flags)
}

/// Classifies a row from the statistics of its `count` elements.
#[device]
fn verdict(large: u32, flags: u32, count: u32) -> u32 {
    let mut all = flags & (LOW | OUTSIDE);
    if flags & FILLED != 0 && 32 * (large as u64) < 17 * (count as u64) {
        all |= THIN;
    }
    all
}

/// Two numbers rounded to f16, packed in a word.
#[device]
fn half_words(x: f32, y: f32) -> u32 {
    ptx!("cvt.rn.f16x2.f32 {}, {}, {};", out(u32), in(y), in(x))
}

/// The stored scale of a row: the exponent, or the bits of the f32 factor that undoes it.
#[device]
fn kept(exponent: i32, #[constant] representation: Representation) -> i32 {
    if representation == Representation::Rounded {
        power(-exponent).to_bits() as i32
    } else {
        exponent
    }
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

/// Two numbers rounded to bf16 (packed in a word), and the exact remainders.
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

/// One block selects the product that is accurate for factors with these verdicts (row classifications).
#[kernel(block = 1024)]
fn decide(
    verdicts: &[u32],
    choice: &mut [u32],
    count: u32,
    #[constant] representation: Representation,
) {
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
                best = if representation == Representation::Rounded { TRIPLES } else { PLAIN };
            } else if all & (LOW | THIN) == LOW | THIN {
                best = TRIPLES;
            }
            choice[0] = best;
        }
    }
}

/// The launch of [`decide`].
pub(crate) fn decided<'a>(
    device: &Device,
    scratch: &Scratch,
    (verdicts, count): (WorkspacePart<u32>, usize),
    choice: WorkspacePart<u32>,
    representation: Representation,
) -> Result<Prepared<'a>> {
    let verdicts = View::from(scratch.view(verdicts));
    let launch = decide(verdicts, scratch.view(choice), count as u32, representation);
    // SAFETY: the kernel reads `count` verdicts, which the layout reserved, and writes one word (the choice).
    unsafe { launch.grid(1).block(1024).prepare_unchecked(device) }
}

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
