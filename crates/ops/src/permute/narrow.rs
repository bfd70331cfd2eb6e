//! Transposes of elements of one or two bytes whose rows are not aligned to words: element by element, through a padded tile.

use super::digits::{Digit, quotient};
use super::tiles::Plane;
use lanework::prelude::*;

/// Edge of a tile.
pub(super) const EDGE: u32 = 32;
/// Rows of a tile that a block moves at a time.
pub(super) const LINES: u32 = 8;

/// Transposes matrices: `digits` count the tiles down, the tiles across, and what lies outside of them; strides are in elements.
#[kernel(block = (EDGE, LINES, 1))]
pub(super) fn narrow<E: Element>(
    src: &[E],
    dst: &mut [E],
    plane: Plane,
    digits: [Digit; 8],
    #[constant] outer: u32,
) {
    let tile = shared::<E>([EDGE, EDGE + 1]);
    let rest = quotient(block_idx.x, digits[0]);
    let top = (block_idx.x - rest * digits[0].extent) * EDGE;
    let mut rest_outer = quotient(rest, digits[1]);
    let left = (rest - rest_outer * digits[1].extent) * EDGE;
    let (mut from, mut to) = (0usize, 0usize);
    #[unroll]
    for i in 0..outer {
        let digit = digits[2 + i];
        let next = quotient(rest_outer, digit);
        let index = (rest_outer - next * digit.extent) as usize;
        from += index * digit.from as usize;
        to += index * digit.to as usize;
        rest_outer = next;
    }
    #[unroll]
    for k in (0..EDGE).step_by(LINES as usize) {
        let line = thread_idx.y + k;
        let (x, y) = (left + thread_idx.x, top + line);
        if x < plane.cols && y < plane.rows {
            tile[[line, thread_idx.x]] = src[from + y as usize * plane.from as usize + x as usize];
        }
    }
    sync_threads();
    #[unroll]
    for k in (0..EDGE).step_by(LINES as usize) {
        let line = thread_idx.y + k;
        let (x, y) = (left + line, top + thread_idx.x);
        if x < plane.cols && y < plane.rows {
            dst[to + x as usize * plane.to as usize + y as usize] = tile[[thread_idx.x, line]];
        }
    }
}
