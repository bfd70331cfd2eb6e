//! Reduction kernels for strided arrays: any strides along any subset of dimensions ([`general`]), and sums of columns of small
//! elements ([`columns`]).

use super::config::{F16, ReductionConfig, element, element_of, joined, with};
use super::dense::{LOADS, begin, vector, with_vector};
use super::partials::{of_blocks, of_group, write};
use half::f16;
use lanework::prelude::*;

/// Maximum number of dimensions of results, and of reduced dimensions besides the innermost one.
pub(super) const DIMENSIONS: usize = 6;

/// Reduces an array of any strides. The reduced dimensions are an innermost one of `inner` elements or vectors
/// (`[extent, step in x, step in y]`) and `outer` others. Segments of the innermost one, with `loads` per thread, are
/// assigned round-robin to the `width`-thread parts of all groups that share a result.
#[kernel(max_threads = config.sharing.threads, min_blocks = config.sharing.resident)]
pub(super) fn general<A: Element>(
    x_halves: &[f16],
    x_shorts: &[u16],
    x_words: &[u32],
    x_longs: &[u64],
    y_halves: &[f16],
    y_shorts: &[u16],
    y_words: &[u32],
    y_longs: &[u64],
    results: u32,
    width: u32,
    splits: u32,
    inner: [u64; 3],
    outer: [[u64; 3]; DIMENSIONS],
    kept: [[u64; 4]; DIMENSIONS],
    out_halves: &mut [f16],
    out_shorts: &mut [u16],
    out_words: &mut [u32],
    out_longs: &mut [u64],
    slots: &mut [u64],
    #[constant] config: ReductionConfig,
) {
    begin(config);
    let t = thread_idx.x;
    let mut member = (t % config.sharing.group, t / config.sharing.group);
    if config.sharing.columns {
        member = (t / config.tile, t % config.tile);
    }
    let (lane, column) = member;
    let (tile, split) = (block_idx.x / splits, block_idx.x % splits);
    let result = tile * config.tile + column;
    let is_one = result < results;

    // The offset of the result's elements, and of the result.
    let (mut x_base, mut y_base, mut out) = (0u64, 0u64, 0u64);
    let mut rest = result;
    #[unroll]
    for d in (0..config.sharing.kept as usize).rev() {
        let extent = kept[d][0] as u32;
        let at = (rest % extent) as u64;
        rest = rest / extent;
        x_base += at * kept[d][1];
        y_base += at * kept[d][2];
        out += at * kept[d][3];
    }

    let mut seed = A::ZERO;
    if !config.adds && is_one {
        seed = element::<A>(x_halves, x_shorts, x_words, x_longs, x_base, config);
    }
    let neutral = (seed, A::ZERO, 0u32);
    let mut partials = [neutral; 4];
    // A separate accumulator if positions matter: elements outside of vectors do not come in order of position.
    let mut edge = neutral;
    let length = inner[0] as u32;
    let each = config.sharing.loads * width; // elements or vectors per segment
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
        let (mut x_first, mut y_first) = (x_base, y_base);
        let mut rest = piece / segments;
        let row = rest;
        #[unroll]
        for d in (0..config.sharing.outer as usize).rev() {
            let extent = outer[d][0] as u32;
            let at = (rest % extent) as u64;
            rest = rest / extent;
            x_first += at * outer[d][1];
            y_first += at * outer[d][2];
        }
        let first = (piece % segments) * each + lane % width;
        if config.sharing.vectors {
            let (v, of_halves) = (config.per_vector, config.element == F16);
            let mut whole = length;
            let mut elements = length as u64 * v as u64;
            let mut skipped = 0u64;
            if config.sharing.peeled {
                elements = inner[1];
                skipped = (v as u64 - x_first % v as u64) % v as u64;
                whole = ((elements - skipped) / v as u64) as u32;
            }
            let (x_start, y_start) = ((x_first + skipped) / v as u64, y_first / v as u64);
            let mut xs = [([0u32; 4], [f16::ZERO; 8]); LOADS];
            let mut ys = [([0u32; 4], [f16::ZERO; 8]); LOADS];
            #[unroll]
            for k in 0..config.sharing.loads {
                let i = first + k * width;
                if i < whole {
                    xs[k as usize] = vector(x_halves, x_words, x_start + i as u64, of_halves);
                    if config.dot {
                        ys[k as usize] = vector(y_halves, y_words, y_start + i as u64, of_halves);
                    }
                }
            }
            let begin = row * elements as u32 + skipped as u32;
            if config.sharing.peeled && piece % segments == 0 {
                // The elements before the first vector and after the last one.
                for other in (lane % width..2 * v).step_by(width) {
                    let mut i = other as u64;
                    let mut is_there = i < skipped;
                    if other >= v {
                        i = skipped + whole as u64 * v as u64 + (other - v) as u64;
                        is_there = i < elements;
                    }
                    if is_there {
                        let x =
                            element::<A>(x_halves, x_shorts, x_words, x_longs, x_first + i, config);
                        let at = row * elements as u32 + i as u32;
                        let one = with::<A>(neutral, x, x, at, config);
                        if config.finds {
                            edge = joined::<A>(edge, one, config);
                        } else {
                            partials[0] = joined::<A>(partials[0], one, config);
                        }
                    }
                }
            }
            #[unroll]
            for k in 0..config.sharing.loads {
                let i = first + k * width;
                if i < whole {
                    let at = begin + i * v;
                    partials =
                        with_vector::<A>(partials, xs[k as usize], ys[k as usize], at, config);
                }
            }
        } else {
            let mut xs = [A::ZERO; LOADS];
            let mut ys = [A::ZERO; LOADS];
            #[unroll]
            for k in 0..config.sharing.loads {
                let i = first + k * width;
                if i < length {
                    let at = x_first + i as u64 * inner[1];
                    xs[k as usize] = element::<A>(x_halves, x_shorts, x_words, x_longs, at, config);
                    if config.dot {
                        let at = y_first + i as u64 * inner[2];
                        ys[k as usize] =
                            element::<A>(y_halves, y_shorts, y_words, y_longs, at, config);
                    }
                }
            }
            #[unroll]
            for k in 0..config.sharing.loads {
                let i = first + k * width;
                if i < length {
                    let mut y = xs[k as usize];
                    if config.dot {
                        y = ys[k as usize];
                    }
                    let (a, at) = (k as usize % 4, row * length + i);
                    partials[a] = with::<A>(partials[a], xs[k as usize], y, at, config);
                }
            }
        }
        piece += splits * parts;
    }

    let low = joined::<A>(partials[0], partials[1], config);
    let mut all = joined::<A>(low, joined::<A>(partials[2], partials[3], config), config);
    if config.finds && config.sharing.peeled {
        all = joined::<A>(all, edge, config);
    }
    let of_block = of_group::<A>(all, config);
    let place = (tile, split, splits);
    let (has_result, all) = of_blocks::<A>(slots, of_block, neutral, member, place, config);
    if has_result && is_one && lane == 0 {
        write::<A>(out_halves, out_shorts, out_words, out_longs, out, all, config);
    }
}

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
