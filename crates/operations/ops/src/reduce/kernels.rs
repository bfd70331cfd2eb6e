//! Shared parts of the reduction kernels: the start of a launch, and loading and accumulating a vector.

use super::config::ReductionConfig;
use super::numbers::{element_of, with};
use half::f16;
use lanework::prelude::*;

/// The most loads in flight per thread.
pub(super) const LOADS: usize = 8;

/// Waits for the previous launch, which this one's start overlaps, and lets the next one start.
#[device]
pub(super) fn begin(#[constant] config: ReductionConfig) {
    if config.overlaps {
        wait_for_dependencies();
        launch_dependents();
    }
}

/// Loads 16 bytes of an array, as words or as 16-bit elements. Not by non-coherent loads (`.nc`), which ptxas may move before the
/// wait for a launch that writes the array.
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
