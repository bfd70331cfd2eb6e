//! Transposes in place: a block exchanges a tile and its mirror image.
//!
//! A matrix of n by n tiles, n even, has n (n + 1) / 2 pairs (i, j) with i <= j. They are numbered by folding the triangle: row a of
//! n / 2 rows of n + 1 places holds the pairs of tile row a behind its diagonal, and those of tile row n - 1 - a before it. An odd n counts as one
//! more, and its blocks without a tile have nothing to do.

use super::digits::{Digit, part_of, places};
use super::gather::THREADS;
use super::tile::{Plane, Tile};
use super::tiles::{load_tile, store_tile};
use lanework::prelude::*;

/// Transposes square matrices in place: `digits` count the places of the fold's rows, the fold's rows, and what lies outside.
#[kernel]
pub(super) fn square(
    data: &mut [u32],
    plane: Plane,
    digits: [Digit; 8],
    #[constant] tile: Tile,
    #[constant] outer: u32,
) {
    let upper = shared::<u32>(const { tile.shared_words() });
    let lower = shared::<u32>(const { tile.shared_words() });
    let ((place, fold), (base, _)) = part_of(block_idx.x, digits, outer);
    let last = digits[0].extent - 2;
    let behind = place > fold;
    let i = if behind { fold } else { last - fold };
    let j = if behind { place - 1 } else { last - place };
    let (top, left) = (i * (const { tile.down }), j * (const { tile.down }));
    load_tile(data, upper, base, top, left, plane, tile, false);
    load_tile(data, lower, base, left, top, plane, tile, false);
    sync_threads();
    store_tile(data, upper, base, top, left, plane, tile);
    if i != j {
        store_tile(data, lower, base, left, top, plane, tile);
    }
}

/// As [`square`], unit by unit: `digits` are the axes, innermost first, with strides in elements, as they are and exchanged.
#[kernel(block = (THREADS, 1, 1))]
pub(super) fn swap<E: Element>(
    data: &mut [E],
    total: usize,
    digits: [Digit; 8],
    #[constant] axes: u32,
    #[constant] words: u32,
) {
    let unit = block_idx.x as usize * (THREADS as usize) + thread_idx.x as usize;
    if unit < total {
        let (from, to) = places(unit, total, digits, axes);
        // One of the two threads of a pair exchanges it.
        if from < to {
            #[unroll]
            for i in 0..words {
                let at = i as usize;
                let (a, b) = (data[from + at], data[to + at]);
                data[from + at] = b;
                data[to + at] = a;
            }
        }
    }
}
