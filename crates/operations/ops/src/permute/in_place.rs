//! Transposes of square matrices in place. A block exchanges a tile and its mirror image.
//!
//! A matrix of n by n tiles, n even, has n (n + 1) / 2 pairs (i, j) with i <= j. The triangle is folded into n / 2
//! rows of n + 1 slots: row a holds the pairs of tile row a right of the diagonal, and those of tile row n - 1 - a. An
//! odd n is rounded up; blocks without a tile exit.

use super::launches::units;
use crate::permute::axes::{Axes, Digit, Matrices, Plane, WORD, part_of, places};
use crate::permute::tiles::{Tile, load_tile, store_tile};
use crate::permute::untiled::THREADS;
use crate::{Plan, TensorMut};
use lanework::lang::Storable;
use lanework::prelude::*;
use lanework::{Device, Error, Prepared, Result, ViewMut};

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
        Ok(Plan::new(vec![in_place(&device, data, &axes)?], []))
    }
}

/// The launch that transposes `axes` in place: two of the axes are exchanged, and so are their strides.
fn in_place<'a>(device: &Device, data: ViewMut<'a, u8>, axes: &Axes) -> Result<Prepared<'a>> {
    if let Some(matrices) = Matrices::new(axes).filter(Matrices::countable) {
        let wide = matrices.aligned(16, data.address(), true);
        if wide || matrices.unit >= WORD {
            let bytes = matrices.unit as u32;
            let edge = [128, 64, 64, 32, 32][bytes.trailing_zeros() as usize];
            let tile = Tile {
                bytes,
                down: edge,
                across: edge,
                threads: 256,
                wide_loads: wide,
                wide_stores: wide,
                shifted: false,
                beside: 1,
            };
            return exchanged(device, data, &matrices, tile);
        }
        return exchanged_narrow(device, data, &matrices);
    }
    let (digits, total, blocks) = units(axes)?;
    let (count, total, words) =
        (axes.axes.len() as u32, total as usize, (axes.unit / WORD).max(1) as u32);
    let launch = match axes.unit {
        1 => swap::<u8>(data, total, digits, count, words),
        2 => swap::<u16>(data.cast(), total, digits, count, words),
        _ => swap::<u32>(data.cast(), total, digits, count, words),
    };
    // SAFETY: offsets are in range as in `gathered`, and belong to one array; each pair of positions is exchanged by one thread.
    unsafe { launch.grid(blocks).block(THREADS).prepare_unchecked(device) }
}

/// Transposes in place, by tiles.
fn exchanged<'a>(
    device: &Device,
    data: ViewMut<'a, u8>,
    matrices: &Matrices,
    tile: Tile,
) -> Result<Prepared<'a>> {
    let tiles = matrices.rows.extent.div_ceil(tile.down.into()).next_multiple_of(2);
    let (digits, blocks) = matrices.blocks(tiles + 1, tiles / 2, WORD)?;
    let plane = matrices.plane(WORD, 0);
    let launch = square(data.cast::<u32>(), plane, digits, tile, matrices.count());
    // SAFETY: indices are in range as in `tiled`; blocks have disjoint tiles, and a block reads its tiles before it writes.
    unsafe { launch.grid(blocks).block(tile.threads).prepare_unchecked(device) }
}

/// Transposes in place, for elements smaller than a word with unaligned rows.
fn exchanged_narrow<'a>(
    device: &Device,
    data: ViewMut<'a, u8>,
    matrices: &Matrices,
) -> Result<Prepared<'a>> {
    let tiles = matrices.rows.extent.div_ceil(EDGE.into()).next_multiple_of(2);
    let (digits, blocks) = matrices.blocks(tiles + 1, tiles / 2, matrices.unit)?;
    let (plane, outer) = (matrices.plane(matrices.unit, 0), matrices.count());
    let launch = match matrices.unit {
        1 => square_narrow::<u8>(data, plane, digits, outer),
        _ => square_narrow::<u16>(data.cast(), plane, digits, outer),
    };
    // SAFETY: the kernel compares rows and columns with the matrix's extent; blocks have disjoint tiles, and a block reads its
    // tiles before it writes.
    unsafe { launch.grid(blocks).block(THREADS).prepare_unchecked(device) }
}

/// Transposes square matrices in place. `digits` count the slots of a folded row, the folded rows, and the outer axes.
#[kernel]
fn square(
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

/// The pair of tiles at a slot of the folded triangle, whose rows have `width` slots.
#[device]
fn pair((place, fold): (u32, u32), places: u32) -> (u32, u32) {
    let last = places - 2;
    if place > fold { (fold, place - 1) } else { (last - fold, last - place) }
}

/// Edge of a tile of elements smaller than a word.
const EDGE: u32 = 64;
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
fn square_narrow<E: Element>(
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
fn swap<E: Element>(
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
