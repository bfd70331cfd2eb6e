//! Permutations of many short axes through shared memory: a block reads its part of the array in source order and writes it in
//! output order.
//!
//! A part contains as many adjacent axes of the source, and of the output, as are needed for runs of whole sectors on
//! both sides; the last axis of either side may be divided. Shared memory holds elements in source order, with a
//! padding word after every 32, so that power-of-two strides hit different banks.

use super::axes::{Digit, MemoryAxis, quotient};
use lanework::prelude::*;

/// Threads of a block.
pub(super) const THREADS: u32 = 256;
/// Number of elements that a thread loads together.
const TOGETHER: u32 = 8;

/// Maximum number of elements of a part, of `unit` bytes each.
pub(super) const fn most(unit: u64) -> u64 {
    4096 * 4 / if unit < 4 { 4 } else { unit }
}

/// A block's part of each axis, and the axis order of both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StagedPart {
    /// Elements of each axis in a part.
    pub extents: Vec<u64>,
    /// Axes with more than one element in a part, innermost first in the source, and in the output.
    pub source: Vec<usize>,
    pub output: Vec<usize>,
    /// The divided axes, of the output's run and of the source's.
    pub divided: Vec<usize>,
}

/// The part for runs of at least `run` elements; `None` if it would exceed `most` elements.
pub(super) fn part(axes: &[MemoryAxis], run: u64, most: u64) -> Option<StagedPart> {
    let order = |stride: fn(&MemoryAxis) -> u64| {
        let mut order: Vec<usize> = (0..axes.len()).filter(|i| stride(&axes[*i]) > 0).collect();
        order.sort_by_key(|i| stride(&axes[*i]));
        order
    };
    let (by_source, by_output) = (order(|axis| axis.from), order(|axis| axis.to));
    let mut extents = vec![1u64; axes.len()];
    for order in [&by_output, &by_source] {
        let mut length = 1;
        for &i in order {
            let whole = axes[i].extent;
            let needed = run.div_ceil(length);
            // If the whole axis is only slightly more than needed, take all of it.
            let taken = if whole * 2 <= needed * 3 { whole } else { needed };
            extents[i] = extents[i].max(taken);
            length *= extents[i];
            if length >= run {
                break;
            }
        }
    }
    // Extend the part along the output, then along the source.
    for &i in by_output.iter().chain(&by_source) {
        let total: u64 = extents.iter().product();
        let more = (most / 2 / total).max(1);
        extents[i] = (extents[i] * more).min(axes[i].extent);
    }
    let within =
        |order: &[usize]| order.iter().copied().filter(|i| extents[*i] > 1).collect::<Vec<_>>();
    let (source, output) = (within(&by_source), within(&by_output));
    let divided: Vec<usize> =
        output.iter().copied().filter(|i| extents[*i] < axes[*i].extent).collect();
    let total: u64 = extents.iter().product();
    // Axes with source stride 0 have no position in its order.
    let repeated = axes.iter().zip(&extents).any(|(axis, extent)| axis.from == 0 && *extent > 1);
    let good = total <= most && divided.len() <= 2 && !repeated;
    good.then_some(StagedPart { extents, source, output, divided })
}

/// Moves parts. `blocks` count the parts (divided axes first), with part strides; `reads` and `writes` count the elements of a part
/// in the order of each side, with strides there and in shared memory; `extents` are the extents of the divided axes.
#[kernel(block = (THREADS, 1, 1))]
pub(super) fn staged<E: Element>(
    src: &[E],
    dst: &mut [E],
    blocks: [Digit; 8],
    reads: [Digit; 8],
    writes: [Digit; 8],
    extents: [u32; 2],
    sizes: [u32; 2],
    total: u32,
    #[constant] counts: [u32; 3],
    #[constant] places: [[u32; 2]; 2],
    #[constant] words: u32,
) {
    let cells = shared::<E>(const { most(4 * u64::from(words)) as u32 / 32 * 33 * words });
    let (mut from, mut to) = (0usize, 0usize);
    let left = registers(0u32, 2);
    let mut rest = block_idx.x;
    #[unroll]
    for i in 0..(const { counts[0] }) {
        let digit = blocks[i];
        let next = quotient(rest, digit);
        let index = rest - next * digit.extent;
        if i < 2 {
            left[i] = extents[i] - index * sizes[i];
        }
        from += index as usize * digit.from as usize;
        to += index as usize * digit.to as usize;
        rest = next;
    }
    for begin in (0..total).step_by(THREADS * TOGETHER) {
        // All loads first, so they are in flight together.
        let held = registers(E::ZERO, [TOGETHER, words]);
        #[unroll]
        for k in 0..TOGETHER {
            let unit = begin + k * THREADS + thread_idx.x;
            let mut rest = unit;
            let mut at = from;
            let mut inside = unit < total;
            #[unroll]
            for i in 0..(const { counts[1] }) {
                let digit = reads[i];
                let next = quotient(rest, digit);
                let index = rest - next * digit.extent;
                #[unroll]
                for d in 0..2usize {
                    if const { places[0][d] == i } {
                        inside = inside && index < left[d];
                    }
                }
                at += index as usize * digit.from as usize;
                rest = next;
            }
            if inside {
                if words == 4 {
                    let four = src.load4_nc(at);
                    #[unroll]
                    for i in 0..4u32 {
                        held[[k, i]] = four[i];
                    }
                } else if words == 2 {
                    let pair = src.load2_nc(at);
                    held[[k, 0]] = pair[0];
                    held[[k, 1]] = pair[1];
                } else {
                    held[[k, 0]] = load_nc(&src[at]);
                }
            }
        }
        #[unroll]
        for k in 0..TOGETHER {
            let unit = begin + k * THREADS + thread_idx.x;
            if unit < total {
                let cell = (unit + unit / 32) * words;
                if words == 4 {
                    let four = [held[[k, 0]], held[[k, 1]], held[[k, 2]], held[[k, 3]]];
                    cells.store4((cell,), four);
                } else if words == 2 {
                    cells.store2((cell,), [held[[k, 0]], held[[k, 1]]]);
                } else {
                    cells[cell] = held[[k, 0]];
                }
            }
        }
    }
    sync_threads();
    for unit in (thread_idx.x..total).step_by(THREADS) {
        let mut rest = unit;
        let mut at = to;
        let mut cell = 0u32;
        let mut inside = true;
        #[unroll]
        for i in 0..(const { counts[2] }) {
            let digit = writes[i];
            let next = quotient(rest, digit);
            let index = rest - next * digit.extent;
            #[unroll]
            for d in 0..2usize {
                if const { places[1][d] == i } {
                    inside = inside && index < left[d];
                }
            }
            at += index as usize * digit.to as usize;
            cell += index * digit.from as u32;
            rest = next;
        }
        if inside {
            let place = (cell + cell / 32) * words;
            if words == 4 {
                dst.store4(at, cells.load4((place,)));
            } else if words == 2 {
                dst.store2(at, cells.load2((place,)));
            } else {
                dst[at] = cells[place];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(extent: u64, from: u64, to: u64) -> MemoryAxis {
        MemoryAxis { extent, from, to }
    }

    #[test]
    fn parts_have_runs_on_both_sides() {
        // Three-component points to three arrays.
        let points = part(&[axis(3, 1, 1000), axis(1000, 3, 1)], 32, 4096).expect("a part");
        assert_eq!(points.extents, [3, 672]);
        assert_eq!((points.source, points.output), (vec![0, 1], vec![1, 0]));
        assert_eq!(points.divided, [1]);
        // Many small matrices.
        let batch =
            part(&[axis(999, 64, 64), axis(8, 1, 8), axis(8, 8, 1)], 32, 4096).expect("a part");
        assert_eq!(batch.extents, [32, 8, 8]);
        assert_eq!(batch.divided, [0]);
        // One matrix.
        let matrix = part(&[axis(1000, 1, 500), axis(500, 1000, 1)], 32, 4096).expect("a part");
        assert_eq!(matrix.extents, [32, 64]);
        assert_eq!(matrix.divided, [1, 0]);
        // Another kernel handles repeated elements.
        assert_eq!(part(&[axis(4, 0, 8), axis(8, 1, 1)], 32, 4096), None);
    }
}
