//! Combines the statistics of the warps of a block in one exchange.
//!
//! Every warp combines the statistics of all warps in the same order (Chan, Golub and LeVeque 1983 for means and squares;
//! exponential sums are rescaled to the largest element), so a single barrier suffices.

use super::kernels::{How, Kind, RowPart, SLOTS};
use super::statistics::{exponential, merged, numbers_of_warp, of_warp};
use lanework::prelude::*;

/// The most warps of a block.
pub(super) const WARPS: u32 = 32;
/// Up to this many warps, each thread reads the statistics of all; with more, lanes read one each and reduce.
const FEW: u32 = 8;

/// The statistics of a group's `count` elements, and the reference that this warp's exponentials are relative to.
#[device]
pub(super) fn statistics<const V: usize>(
    values: &mut [[f32; V]; SLOTS],
    span: RowPart,
    me: u32,
    count: f32,
    space: Shared<f32, 2>,
    #[constant] how: How,
) -> ((f32, f32), f32) {
    let numbers = numbers_of_warp::<V>(span, me, how);
    let (first, second) = of_warp::<V>(&mut values, span, me, numbers, how);
    let mut all = (first, second);
    if how.threads > 32 {
        all = of_warps((first, second), numbers, count, space, 0, how);
    }
    (all, first)
}

/// Combines the statistics of a block's warps: `count` elements in all, of which this thread's warp has `numbers`. Consecutive
/// calls of a kernel use different parts of `space`, so one barrier per call suffices.
#[device]
pub(super) fn of_warps(
    (first, second): (f32, f32),
    numbers: f32,
    count: f32,
    space: Shared<f32, 2>,
    #[constant] part: u32,
    #[constant] how: How,
) -> (f32, f32) {
    let warps = const { how.threads / 32 };
    let (lane, warp) = (thread_idx.x % 32, thread_idx.x / 32);
    // Whether all warps have the same number of elements.
    let equal = const { how.full && part == 0 };
    let part = const { 3 * part };
    if lane == 0 {
        space[[part, warp]] = second;
        if how.kind != Kind::RmsNorm {
            space[[part + 1, warp]] = first;
        }
        if how.kind == Kind::LayerNorm {
            space[[part + 2, warp]] = numbers;
        }
    }
    sync_threads();
    let mut all = (0.0f32, 0.0f32);
    if warps <= FEW {
        let mut seconds = of_each(space, part, warps);
        let mut firsts = seconds;
        if how.kind != Kind::RmsNorm {
            firsts = of_each(space, part + 1, warps);
        }
        let mut shares = seconds;
        if how.kind == Kind::LayerNorm {
            shares = of_each(space, part + 2, warps);
        }
        if how.kind == Kind::Softmax {
            all.0 = of_few(firsts, warps, true);
        }
        if how.kind == Kind::LayerNorm {
            if equal {
                all.0 = of_few(firsts, warps, false) * const { 32.0 / how.threads as f32 };
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
            if how.kind == Kind::Softmax {
                second *= exponential(firsts[w] - all.0);
            }
            if how.kind == Kind::LayerNorm {
                let off = firsts[w] - all.0;
                second += shares[w] * off * off;
            }
            seconds[w] = second;
        }
        all.1 = of_few(seconds, warps, false);
    } else {
        let mut mine = (0.0f32, 0.0f32);
        let mut share = 0.0f32;
        if how.kind == Kind::Softmax {
            mine.0 = f32::MIN;
        }
        if lane < warps {
            mine.1 = space[[part, lane]];
            if how.kind != Kind::RmsNorm {
                mine.0 = space[[part + 1, lane]];
            }
            if how.kind == Kind::LayerNorm {
                share = space[[part + 2, lane]];
            }
        }
        all = merged(mine, share, count, how);
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
