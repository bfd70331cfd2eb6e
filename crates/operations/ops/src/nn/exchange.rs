//! Combines the statistics of the warps of a block in one exchange, and of the blocks that share a row.
//!
//! Every warp combines the statistics of all warps in the same order (Chan, Golub and LeVeque 1983 for means and squares;
//! exponential sums are rescaled to the largest element), so a single barrier suffices.
//!
//! One warp combines the statistics that a row's blocks have published ([`collected`]). Each lane polls several parts
//! together, until all are there. Waiting for the parts one by one would take a trip to L2 per late part: on an H200,
//! a softmax of 256 rows of 2^20 took 26 % longer, an RMS norm 19 %.

use super::kernels::{RowConfig, RowOperation, RowPart, SLOTS};
use super::statistics::{exponential, merged, numbers_of_warp, of_warp};
use lanework::prelude::*;

/// Maximum number of warps of a block.
pub(super) const WARPS: u32 = 32;
/// With at most this many warps, each thread reads all statistics; with more, each lane reads one, and lanes reduce.
const FEW: u32 = 8;

/// The statistics of a group's `count` elements, and the reference that this warp's exponentials are relative to.
#[device]
pub(super) fn statistics<const V: usize>(
    values: &mut [[f32; V]; SLOTS],
    span: RowPart,
    me: u32,
    count: f32,
    space: Shared<f32, 2>,
    #[constant] config: RowConfig,
) -> ((f32, f32), f32) {
    let numbers = numbers_of_warp::<V>(span, me, config);
    let (first, second) = of_warp::<V>(&mut values, span, me, numbers, config);
    let mut all = (first, second);
    if config.threads > 32 {
        all = of_warps((first, second), numbers, count, space, 0, config);
    }
    (all, first)
}

/// Combines the statistics of a block's warps: `count` elements in all, `numbers` of them in this thread's warp.
/// Consecutive calls in a kernel use different parts of `space`, so one barrier per call suffices.
#[device]
pub(super) fn of_warps(
    (first, second): (f32, f32),
    numbers: f32,
    count: f32,
    space: Shared<f32, 2>,
    #[constant] part: u32,
    #[constant] config: RowConfig,
) -> (f32, f32) {
    let warps = const { config.threads / 32 };
    let (lane, warp) = (thread_idx.x % 32, thread_idx.x / 32);
    // Whether all warps have the same number of elements.
    let equal = const { config.full && part == 0 };
    let part = const { 3 * part };
    if lane == 0 {
        space[[part, warp]] = second;
        if config.kind != RowOperation::RmsNorm {
            space[[part + 1, warp]] = first;
        }
        if config.kind == RowOperation::LayerNorm {
            space[[part + 2, warp]] = numbers;
        }
    }
    sync_threads();
    let mut all = (0.0f32, 0.0f32);
    if warps <= FEW {
        let mut seconds = of_each(space, part, warps);
        let mut firsts = seconds;
        if config.kind != RowOperation::RmsNorm {
            firsts = of_each(space, part + 1, warps);
        }
        let mut shares = seconds;
        if config.kind == RowOperation::LayerNorm {
            shares = of_each(space, part + 2, warps);
        }
        if config.kind == RowOperation::Softmax {
            all.0 = of_few(firsts, warps, true);
        }
        if config.kind == RowOperation::LayerNorm {
            if equal {
                all.0 = of_few(firsts, warps, false) * const { 32.0 / config.threads as f32 };
            } else {
                #[unroll]
                for w in 0..warps as usize {
                    all.0 += firsts[w] * shares[w];
                }
                all.0 = all.0 / count;
            }
        }
        #[unroll]
        for w in 0..warps as usize {
            let mut second = seconds[w];
            if config.kind == RowOperation::Softmax {
                second *= exponential(firsts[w] - all.0);
            }
            if config.kind == RowOperation::LayerNorm {
                let off = firsts[w] - all.0;
                second += shares[w] * off * off;
            }
            seconds[w] = second;
        }
        all.1 = of_few(seconds, warps, false);
    } else {
        let mut mine = (0.0f32, 0.0f32);
        let mut share = 0.0f32;
        if config.kind == RowOperation::Softmax {
            mine.0 = f32::MIN;
        }
        if lane < warps {
            mine.1 = space[[part, lane]];
            if config.kind != RowOperation::RmsNorm {
                mine.0 = space[[part + 1, lane]];
            }
            if config.kind == RowOperation::LayerNorm {
                share = space[[part + 2, lane]];
            }
        }
        all = merged(mine, share, count, config);
    }
    all
}

/// The sum or maximum over a few warps, pairwise.
#[device]
fn of_few(values: [f32; FEW as usize], #[constant] warps: u32, #[constant] most: bool) -> f32 {
    let mut all = values;
    #[unroll]
    for half in [4usize, 2, 1] {
        #[unroll]
        for w in 0..half {
            if (w + half) < warps as usize {
                let other = all[w + half];
                all[w] = if most { all[w].max(other) } else { all[w] + other };
            }
        }
    }
    all[0]
}

/// Reads one value of each of a few warps.
#[device]
fn of_each(space: Shared<f32, 2>, row: u32, #[constant] warps: u32) -> [f32; FEW as usize] {
    let mut all = [0.0f32; FEW as usize];
    if warps % 4 == 0 {
        #[unroll]
        for i in 0..warps / 4 {
            let four = space.load_vec::<4>((row, 4 * i));
            #[unroll]
            for j in 0..4usize {
                all[4 * i as usize + j] = four[j];
            }
        }
    } else {
        #[unroll]
        for w in 0..warps {
            all[w as usize] = space[[row, w]];
        }
    }
    all
}

/// Parts that a lane polls.
pub(super) const PARTS_OF_LANE: usize = 5;
/// Maximum number of parts of a row.
pub(super) const PARTS: usize = 32 * PARTS_OF_LANE;

/// Publishes statistics in a cell, with the round number in the upper halves of both words.
#[device]
pub(super) fn publish(
    space: &mut [u64],
    cell: u32,
    tag: u32,
    (first, second): (f32, f32),
    #[constant] config: RowConfig,
) {
    let tag = (tag as u64) << 32;
    let second = tag | second.to_bits() as u64;
    if config.kind == RowOperation::RmsNorm {
        store_relaxed(&mut space[2 * cell + 1], second, Scope::Device);
    } else {
        let first = tag | first.to_bits() as u64;
        ptx!("st.relaxed.gpu.global.v2.b64 {}, {{{}, {}}};", in(&mut space[2 * cell]), in(first), in(second));
    }
}

/// The current words of a cell; the upper half of each names the round that they belong to.
#[device]
fn look(space: &mut [u64], cell: u32, #[constant] config: RowConfig) -> (u64, u64) {
    if config.kind == RowOperation::RmsNorm {
        let second = load_relaxed(&space[2 * cell + 1], Scope::Device);
        (second, second)
    } else {
        ptx!("ld.relaxed.gpu.global.v2.b64 {{{}, {}}}, {};", out(u64), out(u64), in(&mut space[2 * cell]))
    }
}

/// The number of elements of each part that a lane polls, for rows of `n` elements. Pieces of `piece` elements are
/// assigned to the parts round-robin.
#[device]
pub(super) fn of_parts(parts: u32, n: u64, piece: u64) -> [f32; PARTS_OF_LANE] {
    let mut numbers = [0.0f32; PARTS_OF_LANE];
    #[unroll]
    for i in 0..PARTS_OF_LANE {
        let part = thread_idx.x % 32 + const { 32 * i as u32 };
        if part < parts {
            numbers[i] = of_part(part, parts, n, piece) as f32;
        }
    }
    numbers
}

/// The number of elements of a part.
#[device]
pub(super) fn of_part(part: u32, parts: u32, n: u64, piece: u64) -> u32 {
    let whole = (n / piece) as u32;
    let mut numbers = (whole + (parts - 1 - part)) / parts * piece as u32;
    if whole % parts == part {
        numbers += (n % piece) as u32;
    }
    numbers
}

/// The statistics of a row, once all blocks have published theirs with `tag`; this block's copy of its cells begins at `base`, and
/// `of_parts` holds the number of elements of each part.
#[device]
pub(super) fn collected(
    space: &mut [u64],
    base: u32,
    tag: u32,
    parts: u32,
    n: u64,
    of_parts: [f32; PARTS_OF_LANE],
    #[constant] config: RowConfig,
) -> (f32, f32) {
    let lane = thread_idx.x % 32;
    let least = const { if config.kind == RowOperation::Softmax { f32::MIN } else { 0.0 } };
    let mut words = [(0u64, 0u64); PARTS_OF_LANE];
    let mut waits = true;
    while waits {
        #[unroll]
        for i in 0..PARTS_OF_LANE {
            let part = lane + const { 32 * i as u32 };
            if part < parts {
                words[i] = look(space, base + part, config);
            }
        }
        waits = false;
        #[unroll]
        for i in 0..PARTS_OF_LANE {
            let part = lane + const { 32 * i as u32 };
            let (one, two) = words[i];
            let is_there = (one >> 32) as u32 == tag && (two >> 32) as u32 == tag;
            waits = waits || (part < parts && !is_there);
        }
        waits = any_sync(FULL_MASK, waits);
    }
    let mut firsts = [least; PARTS_OF_LANE];
    let mut seconds = [0.0f32; PARTS_OF_LANE];
    let mut numbers = [0.0f32; PARTS_OF_LANE];
    #[unroll]
    for i in 0..PARTS_OF_LANE {
        let part = lane + const { 32 * i as u32 };
        if part < parts {
            firsts[i] = f32_from_bits(words[i].0 as u32);
            seconds[i] = f32_from_bits(words[i].1 as u32);
            numbers[i] = of_parts[i];
        }
    }
    // Combine the lane's parts.
    let mut all = (least, 0.0f32);
    let mut count = 0.0f32;
    #[unroll]
    for i in 0..PARTS_OF_LANE {
        count += numbers[i];
        if config.kind == RowOperation::Softmax {
            all.0 = all.0.max(firsts[i]);
        }
        if config.kind == RowOperation::LayerNorm {
            all.0 += firsts[i] * numbers[i];
        }
    }
    if config.kind == RowOperation::LayerNorm {
        all.0 = all.0 / count.max(1.0);
    }
    #[unroll]
    for i in 0..PARTS_OF_LANE {
        let mut second = seconds[i];
        if config.kind == RowOperation::Softmax {
            second *= exponential(firsts[i] - all.0);
        }
        if config.kind == RowOperation::LayerNorm {
            let off = firsts[i] - all.0;
            second += numbers[i] * off * off;
        }
        all.1 += second;
    }
    merged(all, count, n as f32, config)
}
