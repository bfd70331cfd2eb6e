//! Factors taken apart: every row along k is multiplied by a power of two that brings its largest element to 2^14..2^15, and its
//! elements become sums of two f16 or three bf16 numbers. What the rows look like is judged in passing.
//!
//! An f16 pair holds an element to 2^-22 of itself down to 2^-3, and to 2^-25 below. So a product of rows whose elements are
//! 2^-17 of the largest ones could be wrong by more than FP32 makes it, if they met large elements in the other factor. Each row
//! says whether it has such *low* elements, and whether it is *thin*: fewer than 17 of 32 elements reach 2^9. If no row is thin,
//! then in any product of two rows large elements meet in every sixteenth place, and their sum is 2^22 times the error of the low
//! ones; if there are no low elements, there is nothing to fear. Otherwise three bf16 parts are multiplied, which hold every bit;
//! and where numbers are not finite, or so far apart that parts of products would be subnormal, the product is by FFMA.
//!
//! Rows rounded to one f16 have the 11 bits of TF32 down to 2^-14, and below that an error of 2^-25 at most. If no row is thin, the
//! sum of sizes of any product is 2^14 k at least, and low elements add 2^-10 k to its error: nothing beside the 2^-11 of TF32.

pub mod columns;
pub mod rows;

use crate::workspace::{Part, Scratch};
use lanework::prelude::*;
use lanework::{Prepared, Result, View};

/// There are elements that a pair of f16 does not hold to 2^-22.
pub(crate) const LOW: u32 = 1;
/// Too few elements are large.
pub(crate) const THIN: u32 = 2;
/// There are elements other than zero.
const FILLED: u32 = 8;
/// Numbers are not finite, or too large, too small or too far apart for the tensor cores.
pub(crate) const OUTSIDE: u32 = 4;

/// What rows become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// Sums of two f16.
    Pairs,
    /// Sums of three bf16.
    Triples,
    /// One f16 each: 11 bits, as TF32 has.
    Rounded,
}

impl How {
    /// Parts that memory has to be kept for.
    pub fn most_parts(self) -> usize {
        match self {
            How::Pairs | How::Triples => 3,
            How::Rounded => 1,
        }
    }

    /// The smallest element that is not [`LOW`]: what one f16 holds to all of its bits, or a pair.
    fn least(self) -> f32 {
        match self {
            How::Rounded => f32::from_bits((127 - 14) << 23),
            How::Pairs | How::Triples => 0.125,
        }
    }

    /// The largest size of exponents of rows: for one f16, as large as the product of two scales may be.
    fn most_exponent(self) -> i32 {
        match self {
            How::Rounded => 48,
            How::Pairs | How::Triples => 100,
        }
    }
}

/// The product of f16 pairs, or of factors rounded to f16, [`decide`] says.
pub(crate) const PAIRS: u32 = 0;
/// That of bf16 triples, or of factors that are not rounded to f16.
pub(crate) const TRIPLES: u32 = 1;
/// That of FFMA.
pub(crate) const PLAIN: u32 = 2;

/// Threads of a block.
pub(crate) const THREADS: u32 = 256;
/// Rows and columns of a tile that is transposed.
pub(crate) const TILE: u32 = 64;
/// Columns along k that are judged together, where they are transposed: at least.
pub(crate) const CHUNK: u32 = 256;
/// Groups of four elements that a thread of [`rows::split_rows`] holds at most.
pub(crate) const HELD: usize = 16;
/// Rows of a block of [`columns::largest`].
pub(crate) const WIDTH: u32 = 128;

/// Numbers below this, 2^-85, are too small for bf16 parts, whose products would be subnormal.
const SMALLEST: f32 = f32::from_bits((127 - 85) << 23);
/// By which power of two bf16 parts are larger than f16 ones: both factors' large elements are then far from what overflows, and
/// their small ones from what underflows.
pub(crate) const RAISED: i32 = 35;
pub(crate) const RAISE: f32 = (1u64 << RAISED) as f32;

/// The exponent of the power of two that brings a number to 2^14..2^15, and [`OUTSIDE`] if it is one that the tensor cores
/// cannot do with; of the number's bits without the sign.
#[device]
fn exponent_of(largest: u32, #[constant] how: How) -> (i32, u32) {
    let exponent = (largest >> 23) as i32 - 127;
    if largest == 0 {
        (0, 0)
    } else if exponent.abs() > how.most_exponent() {
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
fn look(x: f32, seen: (u32, u32), #[constant] how: How) -> (u32, u32) {
    let size = x.abs();
    let (mut large, mut flags) = seen;
    if size >= 512.0 {
        large += 1;
    }
    if size > 0.0 {
        flags |= FILLED;
        if size < how.least() {
            flags |= LOW;
        }
        if how == How::Pairs && size < SMALLEST {
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

/// Two numbers rounded to f16: a word.
#[device]
fn half_words(x: f32, y: f32) -> u32 {
    ptx!("cvt.rn.f16x2.f32 {}, {}, {};", out(u32), in(y), in(x))
}

/// What is kept of a row's scale, 2^exponent: the exponent, or the bits of the f32 that undoes it.
#[device]
fn kept(exponent: i32, #[constant] how: How) -> i32 {
    if how == How::Rounded { power(-exponent).to_bits() as i32 } else { exponent }
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
fn decide(verdicts: &[u32], choice: &mut [u32], count: u32, #[constant] how: How) {
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
                best = if how == How::Rounded { TRIPLES } else { PLAIN };
            } else if all & (LOW | THIN) == LOW | THIN {
                best = TRIPLES;
            }
            choice[0] = best;
        }
    }
}

/// The launch that decides.
pub(crate) fn decided<'a>(
    device: &Device,
    scratch: &Scratch,
    (verdicts, count): (Part<u32>, usize),
    choice: Part<u32>,
    how: How,
) -> Result<Prepared<'a>> {
    let verdicts = View::from(scratch.view(verdicts));
    let launch = decide(verdicts, scratch.view(choice), count as u32, how);
    // SAFETY: there are `count` verdicts, and one word for the choice.
    unsafe { launch.grid(1).block(1024).prepare_unchecked(device) }
}
