//! Column reductions of small elements: neighboring threads have neighboring results. Each thread loads 8 bytes and
//! has a result per element in them; loading one element would leave too few bytes in flight.

use super::config::{F16, ReductionConfig};
use super::dense::{LOADS, begin};
use super::general::DIMENSIONS;
use super::numbers::{element_of, with};
use super::partials::{of_blocks, of_group, write};
use half::f16;
use lanework::prelude::*;

/// Bytes per load.
pub(super) const BYTES: usize = 8;

/// Results per thread.
const fn results_of_thread(config: ReductionConfig) -> usize {
    config.per_vector as usize / 2
}

/// Element `c` of two words.
#[device]
fn of_pair<A: Number>(
    pair: [u32; 2],
    #[constant] c: usize,
    #[constant] config: ReductionConfig,
) -> A {
    let mut halves = [f16::ZERO; 8];
    if config.element == F16 {
        let (low, high) = ptx!("mov.b32 {{{}, {}}}, {};", out(f16), out(f16), in(pair[c / 2]));
        halves[c] = if c % 2 == 0 { low } else { high };
    }
    element_of::<A>([pair[0], pair[1], 0u32, 0u32], halves, c, config)
}

/// As `general` on an array of 8-byte units, which strides and extents refer to; only `step`, the stride from one result to the
/// next, counts elements.
#[kernel(max_threads = config.sharing.threads, min_blocks = config.sharing.resident)]
pub(super) fn columns<A: Element>(
    x: &[u32],
    units: u32,
    width: u32,
    splits: u32,
    inner: [u64; 2],
    outer: [[u64; 3]; DIMENSIONS],
    kept: [[u64; 4]; DIMENSIONS],
    step: u64,
    out_halves: &mut [f16],
    out_shorts: &mut [u16],
    out_words: &mut [u32],
    out_longs: &mut [u64],
    slots: &mut [u64],
    #[constant] config: ReductionConfig,
) {
    begin(config);
    let (lane, column) = (thread_idx.x / config.tile, thread_idx.x % config.tile);
    let (tile, split) = (block_idx.x / splits, block_idx.x % splits);
    let unit = tile * config.tile + column;
    let is_one = unit < units;

    // The offset of the unit's elements, and of its first result.
    let (mut base, mut out) = (0u64, 0u64);
    let mut rest = unit;
    #[unroll]
    for d in (0..config.sharing.kept as usize).rev() {
        let extent = kept[d][0] as u32;
        let at = (rest % extent) as u64;
        rest = rest / extent;
        base += at * kept[d][1];
        out += at * kept[d][3];
    }

    let mut partials = [(A::ZERO, A::ZERO, 0u32); 4];
    if !config.adds && is_one {
        let pair = x.load_vec::<2>(2 * base);
        #[unroll]
        for c in 0..const { results_of_thread(config) } {
            partials[c].0 = of_pair::<A>(pair, c, config);
        }
    }
    let neutral = partials;
    let length = inner[0] as u32;
    let each = config.sharing.loads * width;
    let segments = (length + (each - 1)) / each;
    let mut pieces = segments;
    #[unroll]
    for d in 0..config.sharing.outer as usize {
        pieces *= outer[d][0] as u32;
    }
    let parts = config.sharing.group / width;
    let mut piece = split * parts + lane / width;
    if !is_one {
        piece = pieces;
    }
    while piece < pieces {
        let mut start = base;
        let mut rest = piece / segments;
        let row = rest;
        #[unroll]
        for d in (0..config.sharing.outer as usize).rev() {
            let extent = outer[d][0] as u32;
            let at = (rest % extent) as u64;
            rest = rest / extent;
            start += at * outer[d][1];
        }
        let first = (piece % segments) * each + lane % width;
        let mut pairs = [[0u32; 2]; LOADS];
        #[unroll]
        for k in 0..config.sharing.loads {
            let i = first + k * width;
            if i < length {
                pairs[k as usize] = x.load_vec::<2>(2 * (start + i as u64 * inner[1]));
            }
        }
        #[unroll]
        for k in 0..config.sharing.loads {
            let i = first + k * width;
            if i < length {
                let at = row * length + i;
                #[unroll]
                for c in 0..const { results_of_thread(config) } {
                    let number = of_pair::<A>(pairs[k as usize], c, config);
                    partials[c] = with::<A>(partials[c], number, number, at, config);
                }
            }
        }
        piece += splits * parts;
    }

    #[unroll]
    for c in 0..const { results_of_thread(config) } {
        let of_block = of_group::<A>(partials[c], config);
        let place = (tile * const { results_of_thread(config) as u32 } + c as u32, split, splits);
        let member = (lane, column);
        let (has_result, all) = of_blocks::<A>(slots, of_block, neutral[c], member, place, config);
        if has_result && is_one && lane == 0 {
            let to = out + c as u64 * step;
            write::<A>(out_halves, out_shorts, out_words, out_longs, to, all, config);
        }
    }
}
