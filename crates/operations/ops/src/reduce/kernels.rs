//! What the two kernels of reductions share: how a launch begins, and how a vector of elements is loaded and added.

use super::how::How;
use super::numbers::{element_of, with};
use half::f16;
use lanework::prelude::*;

/// Loads that a thread has in flight at most.
pub(super) const LOADS: usize = 8;

/// Waits for the launch before this one, of which this one's start was not to wait, and lets the next one start.
#[device]
pub(super) fn begin(#[constant] how: How) {
    if how.overlaps {
        wait_for_dependencies();
        launch_dependents();
    }
}

/// 16 bytes of an array, as words or as halves. Not by loads of what is never written (`.nc`), which ptxas may move before the wait for a
/// launch that writes it.
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

/// The partial results with the elements of a vector, the first of which is at `at`.
#[device]
pub(super) fn with_vector<A: Number>(
    partials: [(A, A, u32); 4],
    x: ([u32; 4], [f16; 8]),
    y: ([u32; 4], [f16; 8]),
    at: u32,
    #[constant] how: How,
) -> [(A, A, u32); 4] {
    let mut all = partials;
    #[unroll]
    for j in 0..how.per_vector as usize {
        let first = element_of::<A>(x.0, x.1, j, how);
        let mut second = first;
        if how.dot {
            second = element_of::<A>(y.0, y.1, j, how);
        }
        all[j % 4] = with::<A>(all[j % 4], first, second, at + j as u32, how);
    }
    all
}
