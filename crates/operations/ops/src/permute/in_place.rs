//! Transposes of square matrices in place.
//!
//! A block exchanges a tile and its mirror image.
//!
//! A matrix of n by n tiles, n even, has n (n + 1) / 2 pairs (i, j) with i <= j. They are numbered by folding the triangle: row a
//! of n / 2 rows of n + 1 slots holds the pairs of tile row a right of the diagonal, and those of tile row n - 1 - a. An odd n is
//! rounded up; blocks without a tile exit.

use super::axes::{Axes, Digit, part_of, places};
use super::launches;
use super::tiles::{Plane, Tile, load_tile, store_tile};
use super::untiled::THREADS;
use crate::{Plan, TensorMut};
use lanework::lang::Storable;
use lanework::prelude::*;
use lanework::{Error, Result};

/// A transpose in place that has not run yet; made by [`transpose_in_place`].
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{TensorMut, TransposeInPlace, transpose_in_place};
///
/// let device = Device::best();
/// let mut x = device.upload(&[1u8, 2, 3, 4])?;
/// let turn: TransposeInPlace<u8, 2> = transpose_in_place(TensorMut::new(&mut x, [2, 2])?);
/// let mut plan = turn.prepare()?;
/// plan.launch()?;
/// plan.launch()?; // and back
/// drop(plan);
/// assert_eq!(x.download()?, [1, 2, 3, 4]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a transpose does nothing until `run` or `prepare`"]
pub struct TransposeInPlace<'a, T: Storable, const R: usize> {
    data: TensorMut<'a, T, R>,
}

/// Transposes a square matrix, or each matrix of an array, in place: exchanges the last two axes.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{TensorMut, transpose_in_place};
///
/// let device = Device::best();
/// let mut x = device.upload(&[1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])?;
/// transpose_in_place(TensorMut::new(&mut x, [2, 2, 2])?).run()?;
/// assert_eq!(x.download()?, [1.0, 3.0, 2.0, 4.0, 5.0, 7.0, 6.0, 8.0]);
/// assert!(transpose_in_place(TensorMut::new(&mut x, [2, 4])?).run().is_err());
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn transpose_in_place<'a, T: Storable, const R: usize>(
    data: impl Into<TensorMut<'a, T, R>>,
) -> TransposeInPlace<'a, T, R> {
    const { assert!(R >= 2, "a transpose has two axes or more") };
    TransposeInPlace { data: data.into() }
}

impl<'a, T: Storable, const R: usize> TransposeInPlace<'a, T, R> {
    /// Queues the operation.
    ///
    /// # Errors
    /// As [`TransposeInPlace::prepare`].
    pub fn run(self) -> Result<()> {
        self.prepare()?.launch()
    }

    /// Prepares the operation, to run any number of times; it needs no intermediate memory.
    ///
    /// # Errors
    /// [`Error::Request`] if the matrices are not square; errors of compiling the kernel.
    pub fn prepare(self) -> Result<Plan<'a>> {
        let (shape, from) = (self.data.shape(), self.data.strides());
        if shape[R - 2] != shape[R - 1] {
            return Err(Error::Request {
                why: format!(
                    "matrices of {} rows and {} columns cannot be transposed in place",
                    shape[R - 2],
                    shape[R - 1]
                ),
                help: "use `transpose` with another buffer for the result".to_owned(),
            });
        }
        if shape.contains(&0) {
            return Ok(Plan::new(Vec::new(), []));
        }
        let mut to = from;
        to.swap(R - 2, R - 1);
        let device = self.data.device().clone();
        let data = self.data.into_view().cast::<u8>();
        let axes = Axes::new(size_of::<T>(), &shape, &from, &to, &[data.address()]);
        Ok(Plan::new(vec![launches::in_place(&device, data, &axes)?], []))
    }
}

/// Transposes square matrices in place. `digits` count the slots of the fold's rows, the fold's rows, and the outer axes.
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
    let (place, (base, _)) = part_of(block_idx.x, digits, outer);
    let (i, j) = pair(place, digits[0].extent);
    let (top, left) = (i * (const { tile.down }), j * (const { tile.down }));
    load_tile(data, upper, base, top, left, plane, tile, false);
    load_tile(data, lower, base, left, top, plane, tile, false);
    sync_threads();
    store_tile(data, upper, base, top, left, plane, tile);
    if i != j {
        store_tile(data, lower, base, left, top, plane, tile);
    }
}

/// The tile pair at a slot of the fold, whose rows have `width` slots.
#[device]
fn pair((place, fold): (u32, u32), places: u32) -> (u32, u32) {
    let last = places - 2;
    if place > fold { (fold, place - 1) } else { (last - fold, last - place) }
}

/// Edge of a tile of elements smaller than a word.
pub(super) const EDGE: u32 = 64;
/// Tile rows per iteration of a block, and rows per thread.
const BESIDE: u32 = THREADS / EDGE;
const ROWS: u32 = EDGE / BESIDE;

/// Offset of an element of a matrix.
#[device]
fn element(base: usize, row: u32, column: u32, plane: Plane) -> usize {
    base + row as usize * plane.from as usize + column as usize
}

/// As [`square`], for unaligned elements smaller than a word, one by one. Strides are in elements.
#[kernel(block = (THREADS, 1, 1))]
pub(super) fn square_narrow<E: Element>(
    data: &mut [E],
    plane: Plane,
    digits: [Digit; 8],
    #[constant] outer: u32,
) {
    // An odd number of words per row, so a column's elements hit different banks.
    let pitch = const { EDGE + 4 / size_of::<E>() as u32 };
    let (upper, lower) = (shared::<E>([EDGE, pitch]), shared::<E>([EDGE, pitch]));
    let (place, (base, _)) = part_of(block_idx.x, digits, outer);
    let (i, j) = pair(place, digits[0].extent);
    let (top, left) = (i * EDGE, j * EDGE);
    let (x, y) = (thread_idx.x % EDGE, thread_idx.x / EDGE);
    let (above, below) = (registers(E::ZERO, ROWS), registers(E::ZERO, ROWS));
    #[unroll]
    for k in 0..ROWS {
        let row = y + k * BESIDE;
        if top + row < plane.rows && left + x < plane.rows {
            above[k] = data[element(base, top + row, left + x, plane)];
        }
        if left + row < plane.rows && top + x < plane.rows {
            below[k] = data[element(base, left + row, top + x, plane)];
        }
    }
    #[unroll]
    for k in 0..ROWS {
        upper[[y + k * BESIDE, x]] = above[k];
        lower[[y + k * BESIDE, x]] = below[k];
    }
    sync_threads();
    #[unroll]
    for k in 0..ROWS {
        let row = y + k * BESIDE;
        if left + row < plane.rows && top + x < plane.rows {
            data[element(base, left + row, top + x, plane)] = upper[[x, row]];
        }
        if i != j && top + row < plane.rows && left + x < plane.rows {
            data[element(base, top + row, left + x, plane)] = lower[[x, row]];
        }
    }
}

/// As [`square`], unit by unit. `digits` are the axes, innermost first, with original and exchanged strides in elements.
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
