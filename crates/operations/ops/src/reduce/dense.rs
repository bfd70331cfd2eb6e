//! The reduction kernel from a dense array to one result, and code shared with the other reduction kernels.

use super::config::{F16, ReductionConfig, element, element_of, joined, with};
use super::partials::{of_blocks, of_group, write};
use half::f16;
use lanework::prelude::*;

/// Accumulates `loads` vectors at stride `step`. Issues all loads before it uses the first. `whole` asserts that none
/// is past the array's end.
#[device]
fn with_round<A: Element>(
    partials: [(A, A, u32); 4],
    x_halves: &[f16],
    x_words: &[u32],
    y_halves: &[f16],
    y_words: &[u32],
    (first, step, vectors): (u64, u64, u64),
    #[constant] whole: bool,
    #[constant] config: ReductionConfig,
) -> [(A, A, u32); 4] {
    let of_halves = config.element == F16;
    let mut all = partials;
    let mut xs = [([0u32; 4], [f16::ZERO; 8]); LOADS];
    let mut ys = [([0u32; 4], [f16::ZERO; 8]); LOADS];
    #[unroll]
    for k in 0..config.sharing.loads {
        let mut i = first + k as u64 * step;
        if !whole {
            // Threads past the end load the last vector and ignore it.
            i = i.min(vectors - 1);
        }
        xs[k as usize] = vector(x_halves, x_words, i, of_halves);
        if config.dot {
            ys[k as usize] = vector(y_halves, y_words, i, of_halves);
        }
    }
    #[unroll]
    for k in 0..config.sharing.loads {
        let i = first + k as u64 * step;
        if whole || i < vectors {
            let at = i as u32 * config.per_vector;
            all = with_vector::<A>(all, xs[k as usize], ys[k as usize], at, config);
        }
    }
    all
}

/// Prefetches into L2 the first eighth of this block's first round while the previous launch ends. This keeps memory
/// busy after that launch has ended, while other threads wait for their first vectors. On an H200, 2^24 `f32` take 4 %
/// more time if the whole round is prefetched, and 2 % less with an eighth.
#[device]
fn fetch(halves: &[f16], words: &[u32], n: u64, #[constant] config: ReductionConfig) {
    // Elements, and words.
    let count = const { config.sharing.loads * config.sharing.threads * config.per_vector / 8 };
    let width = const { config.sharing.loads * config.sharing.threads / 2 };
    if (8 * block_idx.x + 1) as u64 * count as u64 <= n {
        if config.element == F16 {
            bulk_prefetch(halves.span((8 * block_idx.x) as u64 * count as u64, count));
        } else {
            bulk_prefetch(words.span((8 * block_idx.x) as u64 * width as u64, width));
        }
    }
}

/// Reduces `n` adjacent elements, aligned to 16 bytes, to one result. A block loads `loads` vectors per thread
/// together, all before it uses the first.
#[kernel(max_threads = config.sharing.threads, min_blocks = config.sharing.resident)]
pub(super) fn dense<A: Element>(
    x_halves: &[f16],
    x_shorts: &[u16],
    x_words: &[u32],
    x_longs: &[u64],
    y_halves: &[f16],
    y_shorts: &[u16],
    y_words: &[u32],
    y_longs: &[u64],
    n: u64,
    out_halves: &mut [f16],
    out_shorts: &mut [u16],
    out_words: &mut [u32],
    out_longs: &mut [u64],
    slots: &mut [u64],
    #[constant] config: ReductionConfig,
) {
    let (v, t) = (config.per_vector, thread_idx.x);
    if config.fetches && t == 0 {
        fetch(x_halves, x_words, n, config);
    }
    begin(config);
    let mut seed = A::ZERO;
    if !config.adds {
        seed = element::<A>(x_halves, x_shorts, x_words, x_longs, 0u64, config);
    }
    let neutral = (seed, A::ZERO, 0u32);
    let mut partials = [neutral; 4];

    // Every block takes equally many whole rounds of adjacent vectors; the rest (less than a round) is divided evenly.
    let vectors = n / v as u64;
    let round = config.sharing.loads * config.sharing.threads; // vectors per round of a block
    let all = grid_dim.x as u64 * round as u64;
    let mut start = 0u64;
    while start + all <= vectors {
        let mine = start + (block_idx.x as u64 * round as u64 + t as u64);
        let places = (mine, config.sharing.threads as u64, vectors);
        partials =
            with_round::<A>(partials, x_halves, x_words, y_halves, y_words, places, true, config);
        start += all;
    }
    if start < vectors {
        let mine = start + (block_idx.x * config.sharing.threads + t) as u64;
        let places = (mine, (grid_dim.x * config.sharing.threads) as u64, vectors);
        partials =
            with_round::<A>(partials, x_halves, x_words, y_halves, y_words, places, false, config);
    }
    // Elements after the last vector.
    let i = vectors * v as u64 + t as u64;
    if block_idx.x == 0 && i < n {
        let x = element::<A>(x_halves, x_shorts, x_words, x_longs, i, config);
        let mut y = x;
        if config.dot {
            y = element::<A>(y_halves, y_shorts, y_words, y_longs, i, config);
        }
        partials[0] = with::<A>(partials[0], x, y, i as u32, config);
    }

    let low = joined::<A>(partials[0], partials[1], config);
    let all = joined::<A>(low, joined::<A>(partials[2], partials[3], config), config);
    let of_block = of_group::<A>(all, config);
    let place = (0u32, block_idx.x, grid_dim.x);
    let (has_result, all) = of_blocks::<A>(slots, of_block, neutral, (t, 0u32), place, config);
    if has_result && t == 0 {
        write::<A>(out_halves, out_shorts, out_words, out_longs, 0u64, all, config);
    }
}

/// Maximum number of loads in flight per thread.
pub(super) const LOADS: usize = 8;

/// Waits for the previous launch, which this launch overlaps, and lets the next one start.
#[device]
pub(super) fn begin(#[constant] config: ReductionConfig) {
    if config.overlaps {
        wait_for_dependencies();
        launch_dependents();
    }
}

/// Loads 16 bytes of an array, as words or as 16-bit elements. Avoids non-coherent loads (`.nc`), because ptxas may
/// move them before the wait for a launch that writes the array.
#[device]
pub(super) fn vector(
    halves: &[f16],
    words: &[u32],
    i: u64,
    #[constant] of_halves: bool,
) -> ([u32; 4], [f16; 8]) {
    let mut as_words = [0u32; 4];
    let mut as_halves = [f16::ZERO; 8];
    if of_halves {
        let low = halves.load_vec::<4>(8 * i);
        let high = halves.load_vec::<4>(8 * i + 4);
        #[unroll]
        for j in 0..4usize {
            as_halves[j] = low[j];
            as_halves[j + 4] = high[j];
        }
    } else {
        as_words = words.load_vec::<4>(4 * i);
    }
    (as_words, as_halves)
}

/// Accumulates the elements of a vector; the first one has position `at`.
#[device]
pub(super) fn with_vector<A: Number>(
    partials: [(A, A, u32); 4],
    x: ([u32; 4], [f16; 8]),
    y: ([u32; 4], [f16; 8]),
    at: u32,
    #[constant] config: ReductionConfig,
) -> [(A, A, u32); 4] {
    let mut all = partials;
    #[unroll]
    for j in 0..config.per_vector as usize {
        let first = element_of::<A>(x.0, x.1, j, config);
        let mut second = first;
        if config.dot {
            second = element_of::<A>(y.0, y.1, j, config);
        }
        all[j % 4] = with::<A>(all[j % 4], first, second, at + j as u32, config);
    }
    all
}
