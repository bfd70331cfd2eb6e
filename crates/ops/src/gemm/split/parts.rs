//! Factors taken apart: every row along k is multiplied by a power of two that brings its largest element to 2^14..2^15, and its
//! elements become sums of two f16 or three bf16 numbers. What the rows look like is judged in passing.
//!
//! An f16 pair holds an element to 2^-22 of itself down to 2^-3, and to 2^-25 below. So a product of rows whose elements are
//! 2^-17 of the largest ones could be wrong by more than FP32 makes it, if they met large elements in the other factor. Each row
//! says whether it has such *low* elements, and whether it is *thin*: fewer than 17 of 32 elements reach 2^9. If no row is thin,
//! then in any product of two rows large elements meet in every sixteenth place, and their sum is 2^22 times the error of the low
//! ones; if there are no low elements, there is nothing to fear. Otherwise three bf16 parts are multiplied, which hold every bit;
//! and where numbers are not finite, or so far apart that parts of products would be subnormal, the product is by FFMA.

pub mod columns;
pub mod rows;

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
/// Groups of four elements that a thread of [`rows::split_rows`] holds at most.
pub(super) const HELD: usize = 16;
/// Rows of a block of [`columns::largest`].
pub(super) const WIDTH: u32 = 128;

/// Numbers below this, 2^-85, are too small for bf16 parts, whose products would be subnormal.
const SMALLEST: f32 = f32::from_bits((127 - 85) << 23);
/// By which power of two bf16 parts are larger than f16 ones: both factors' large elements are then far from what overflows, and
/// their small ones from what underflows.
pub(super) const RAISED: i32 = 35;
pub(super) const RAISE: f32 = (1u64 << RAISED) as f32;

/// The exponent of the power of two that brings a number to 2^14..2^15, and [`OUTSIDE`] if it is one that the tensor cores
/// cannot do with; of the number's bits without the sign.
#[device]
fn exponent_of(largest: u32) -> (i32, u32) {
    let exponent = (largest >> 23) as i32 - 127;
    if largest == 0 {
        (0, 0)
    } else if exponent.abs() > 100 {
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

/// Which product is right for factors on which there are these verdicts: one block.
#[kernel(block = 1024)]
pub(super) fn decide(verdicts: &[u32], choice: &mut [u32], count: u32) {
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
