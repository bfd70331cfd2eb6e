//! Selects the kernel and builds the launch for a list of axes: staged parts, tiles, windows of unaligned rows, or units.

use super::axes::{Axes, Matrices};
use super::choose::{TiledKernel, choose};
use crate::permute::axes::{Digit, MOST, SECTOR, WORD, gapless, too_large};
use crate::permute::narrow::{Narrow, narrow};
use crate::permute::squares::{Squares, squares};
use crate::permute::staged::StagedPart;
use crate::permute::tiles::{Tile, tiles};
use crate::permute::untiled::{RowsArguments, gather, rows};
use crate::permute::{staged, untiled};
use lanework::lang::Element;
use lanework::{Device, Launch, Prepared, Result, View, ViewMut};

/// The launch that moves `axes`; both views begin at the first element. If `overlaps`, it may begin before the previous launch has
/// ended (except the `staged` kernel).
pub(super) fn launch<'a>(
    device: &Device,
    src: View<'a, u8>,
    dst: ViewMut<'a, u8>,
    axes: &Axes,
    overlaps: bool,
) -> Result<Prepared<'a>> {
    let (from, to) = (src.address(), dst.address());
    let matrices = Matrices::new(axes).filter(Matrices::countable);
    let chosen = matrices.and_then(|matrices| {
        choose(&matrices, from, to, &device.info()).map(|choice| (choice, matrices))
    });
    match chosen {
        Some((TiledKernel::Squares(tile), matrices)) => {
            squared(device, src, dst, &matrices, tile, overlaps)
        }
        Some((TiledKernel::Tiles(tile), matrices)) => {
            tiled(device, src, dst, &matrices, tile, overlaps)
        }
        Some((TiledKernel::Narrow(tile), matrices)) => narrowed(device, src, dst, &matrices, tile),
        None => match part_of(axes) {
            Some(part) => in_parts(device, src, dst, axes, &part),
            None => match windows(device, axes) {
                Some(windows) => shifted(device, src, dst, axes, windows, overlaps),
                None => gathered(device, src, dst, axes, overlaps),
            },
        },
    }
}

/// The part of each block, if accesses through shared memory would be wider.
fn part_of(axes: &Axes) -> Option<StagedPart> {
    let alike = axes.axes.windows(2).all(|pair| pair[0].from >= pair[1].from);
    let run = axes.axes.last().filter(|axis| axis.from == 1 && axis.to == 1);
    let long = run.is_some_and(|axis| axis.extent * axes.unit >= SECTOR);
    if alike || long {
        return None;
    }
    let part = staged::part(&axes.axes, 128 / axes.unit.clamp(2, 8), staged::most(axes.unit))?;
    let countable = axes.axes.iter().all(|axis| axis.extent <= MOST);
    countable.then_some(part)
}

/// The launch for parts of many axes.
fn in_parts<'a>(
    device: &Device,
    src: View<'a, u8>,
    dst: ViewMut<'a, u8>,
    axes: &Axes,
    part: &StagedPart,
) -> Result<Prepared<'a>> {
    let words = (axes.unit / WORD).max(1);
    let tiles = |i: usize| axes.axes[i].extent.div_ceil(part.extents[i]);
    let step = |i: usize| {
        [axes.axes[i].from, axes.axes[i].to].map(|stride| stride * part.extents[i] * words)
    };
    let none = Digit::new(1, 0, 0);
    let (mut blocks, mut reads, mut writes) = ([none; 8], [none; 8], [none; 8]);
    let (mut extents, mut sizes) = ([1; 2], [1; 2]);
    let mut places = [[u32::MAX; 2]; 2];
    for (d, &i) in part.divided.iter().enumerate() {
        (extents[d], sizes[d]) = (axes.axes[i].extent as u32, part.extents[i] as u32);
        let place = |order: &[usize]| {
            order.iter().position(|axis| *axis == i).map_or(u32::MAX, |at| at as u32)
        };
        (places[0][d], places[1][d]) = (place(&part.source), place(&part.output));
        blocks[d] = Digit::new(tiles(i) as u32, step(i)[0], step(i)[1]);
    }
    let others = (0..axes.axes.len()).rev().filter(|i| !part.divided.contains(i) && tiles(*i) > 1);
    let mut outer = 2;
    for (place, i) in blocks[2..].iter_mut().zip(others) {
        *place = Digit::new(tiles(i) as u32, step(i)[0], step(i)[1]);
        outer += 1;
    }
    let mut cell = vec![0; axes.axes.len()];
    let mut total = 1;
    for (place, &i) in reads.iter_mut().zip(&part.source) {
        *place = Digit::new(part.extents[i] as u32, axes.axes[i].from * words, 0);
        cell[i] = total;
        total *= part.extents[i];
    }
    for (place, &i) in writes.iter_mut().zip(&part.output) {
        *place = Digit::new(part.extents[i] as u32, cell[i], axes.axes[i].to * words);
    }
    let counts = [outer, part.source.len() as u32, part.output.len() as u32];
    let grid = (0..axes.axes.len()).map(tiles).fold(1, u64::saturating_mul);
    if grid > MOST {
        return Err(too_large());
    }
    let (total, words) = (total as u32, words as u32);
    let arguments = (blocks, reads, writes, extents, sizes);
    let launch = match axes.unit {
        1 => launch_parts::<u8>(src, dst, arguments, total, counts, places, words),
        2 => launch_parts::<u16>(src.cast(), dst.cast(), arguments, total, counts, places, words),
        _ => launch_parts::<u32>(src.cast(), dst.cast(), arguments, total, counts, places, words),
    };
    // SAFETY: each index is below its axis's extent: the kernel compares indices of divided axes with the remaining extent, and
    // other axes are whole. Cells are below `total`, which is at most `staged::most`.
    unsafe { launch.grid(grid as u32).block(staged::THREADS).prepare_unchecked(device) }
}

/// Digits of blocks, reads and writes; extents and sizes of the divided axes.
type PartArguments = ([Digit; 8], [Digit; 8], [Digit; 8], [u32; 2], [u32; 2]);

fn launch_parts<'a, E: Element>(
    src: View<'a, E>,
    dst: ViewMut<'a, E>,
    (blocks, reads, writes, extents, sizes): PartArguments,
    total: u32,
    counts: [u32; 3],
    places: [[u32; 2]; 2],
    words: u32,
) -> Launch<'a> {
    staged::staged::<E>(
        src, dst, blocks, reads, writes, extents, sizes, total, counts, places, words,
    )
}

/// Builds the launch for tiles of cells in shared memory.
pub fn tiled<'a>(
    device: &Device,
    src: View<'a, u8>,
    dst: ViewMut<'a, u8>,
    matrices: &Matrices,
    tile: Tile,
    overlaps: bool,
) -> Result<Prepared<'a>> {
    let down = (matrices.rows.extent + u64::from(tile.lead())).div_ceil(u64::from(tile.down));
    let across = matrices.cols.extent.div_ceil(u64::from(tile.across));
    let groups = across.div_ceil(tile.beside.into());
    let (digits, lines) = matrices.blocks(down, groups, WORD)?;
    let blocks = lines.checked_mul(tile.beside).ok_or_else(too_large)?;
    let plane = matrices.plane(WORD, dst.address());
    let (src, dst) = (src.cast::<u32>(), dst.cast::<u32>());
    let launch = tiles(src, dst, plane, digits, tile, matrices.count(), overlaps);
    let launch = if overlaps { launch.programmatic() } else { launch };
    // SAFETY: the kernel compares rows and columns with the matrix's extents before each access, uses wide accesses only if rows
    // are whole chunks at aligned addresses, and divides the outer axes by their extents, so every index is in its array. A cell's
    // row is below `cells_down` and its column below `across`, which `shared_words` covers.
    unsafe { launch.grid(blocks).block(tile.threads).prepare_unchecked(device) }
}

/// Builds the launch for squares in registers.
pub fn squared<'a>(
    device: &Device,
    src: View<'a, u8>,
    dst: ViewMut<'a, u8>,
    matrices: &Matrices,
    tile: Squares,
    overlaps: bool,
) -> Result<Prepared<'a>> {
    let down = (matrices.rows.extent + u64::from(tile.lead())).div_ceil(tile.down.into());
    let across = matrices.cols.extent.div_ceil(tile.across.into());
    let (digits, blocks) = matrices.blocks(down, across, 1)?;
    let mut plane = matrices.plane(1, 0);
    plane.skew = (dst.address() % SECTOR) as u32;
    let skew = (src.address() % SECTOR) as u32;
    let launch = squares(src, dst, plane, skew, digits, tile, matrices.count(), overlaps);
    let launch = if overlaps { launch.programmatic() } else { launch };
    // SAFETY: the kernel compares rows and columns with the matrix's extents. It uses aligned accesses around a row only if the
    // block's first and last ones are within the source, and otherwise single bytes of the row; it stores 16 bytes only if all of
    // them belong to the row. Tile indices are below the tile's extents.
    unsafe {
        launch
            .grid(blocks)
            .block(tile.threads())
            .shared_bytes(tile.shared())
            .prepare_unchecked(device)
    }
}

/// Builds the launch for tiles of elements smaller than a word.
pub fn narrowed<'a>(
    device: &Device,
    src: View<'a, u8>,
    dst: ViewMut<'a, u8>,
    matrices: &Matrices,
    tile: Narrow,
) -> Result<Prepared<'a>> {
    // A window may end one row's width past the last row.
    let down = (matrices.rows.extent + u64::from(tile.lead())).div_ceil(tile.down.into());
    let across = matrices.cols.extent.div_ceil(tile.across.into());
    let (digits, blocks) = matrices.blocks(down, across, 1)?;
    let mut plane = matrices.plane(1, 0);
    plane.skew = (dst.address() % SECTOR) as u32;
    let skew = (src.address() % SECTOR) as u32;
    let launch = narrow(src, dst, plane, skew, digits, tile, matrices.count());
    // SAFETY: the kernel accesses single elements only if their row and column are below the matrix's extents, and words only if
    // the whole tile is, with the surrounding words within the source. Tile indices are below the tile's extents.
    unsafe { launch.grid(blocks).block(tile.threads).prepare_unchecked(device) }
}

/// The thread axes for moving unit by unit, innermost first, with strides in units; the number of units and of blocks.
pub(super) fn units(axes: &Axes) -> Result<([Digit; 8], u64, u32)> {
    let total: u64 = axes.axes.iter().map(|axis| axis.extent).product();
    let blocks = total.div_ceil(untiled::THREADS.into());
    if blocks > MOST || axes.axes.iter().skip(1).any(|axis| axis.extent > MOST) {
        return Err(too_large());
    }
    let words = (axes.unit / WORD).max(1);
    let mut digits = [Digit::new(1, 0, 0); 8];
    for (place, axis) in digits.iter_mut().zip(axes.axes.iter().rev()) {
        // The outermost axis needs no division, so it may be longer than a digit.
        *place = Digit::new(axis.extent.min(MOST) as u32, axis.from * words, axis.to * words);
    }
    Ok((digits, total, blocks as u32))
}

/// The 16-byte windows per row, and of all rows, if rows of the source are rows of the output, long enough, and
/// unaligned with units below 16 bytes. For a small number of words, moving them one by one is faster.
fn windows(device: &Device, axes: &Axes) -> Option<(u64, u64)> {
    let run = axes.axes.last().filter(|axis| axis.from == 1 && axis.to == 1)?;
    let per = 16 / axes.unit;
    let windows = run.extent.div_ceil(per) + u64::from(per > 1);
    let total =
        axes.axes.iter().rev().skip(1).fold(windows, |all, axis| all.saturating_mul(axis.extent));
    let few = axes.unit >= WORD && total < resident(device);
    (per > 1 && run.extent >= SHORT * per && total <= MOST && !few).then_some((windows, total))
}

/// Resident threads of all multiprocessors.
fn resident(device: &Device) -> u64 {
    u64::from(device.info().multiprocessors) * u64::from(untiled::THREADS)
}

/// Rows with fewer windows are moved unit by unit.
const SHORT: u64 = 4;

/// Builds the launch that moves unaligned rows by windows.
fn shifted<'a>(
    device: &Device,
    src: View<'a, u8>,
    dst: ViewMut<'a, u8>,
    axes: &Axes,
    (windows, total): (u64, u64),
    overlaps: bool,
) -> Result<Prepared<'a>> {
    let (run, outer) = axes.axes.split_last().expect("a row");
    let size = axes.unit.min(WORD);
    let scale = axes.unit / size;
    let mut digits = [Digit::new(1, 0, 0); 8];
    digits[0] = Digit::new(windows as u32, 0, 0);
    for (place, axis) in digits[1..].iter_mut().zip(outer.iter().rev()) {
        *place = Digit::new(axis.extent as u32, axis.from * scale, axis.to * scale);
    }
    let before = |address: u64| (address % 16 / size) as u32;
    let task = RowsArguments {
        total: total as u32,
        length: (run.extent * scale) as u32,
        from: before(src.address()),
        to: before(dst.address()),
    };
    let gapless = gapless(axes.axes.iter());
    let count = axes.axes.len() as u32;
    // A small copy takes as long as one thread, so each thread moves one window.
    let small = total < resident(device) * u64::from(untiled::TOGETHER);
    let together = if small { 1 } else { untiled::TOGETHER };
    let launch = match size {
        1 => rows::<u8>(src, dst, task, digits, count, gapless, together, overlaps),
        2 => rows::<u16>(src.cast(), dst.cast(), task, digits, count, gapless, together, overlaps),
        _ => rows::<u32>(src.cast(), dst.cast(), task, digits, count, gapless, together, overlaps),
    };
    let launch = if overlaps { launch.programmatic() } else { launch };
    let blocks = total.div_ceil((untiled::THREADS * together).into()) as u32;
    // SAFETY: windows are below `total`, so each index is below its axis's extent. The kernel accesses single elements only in the
    // row, stores 16 bytes only if all of them are in the row, and loads 16 bytes only if all of them are in the row or in a
    // gapless source.
    unsafe { launch.grid(blocks).block(untiled::THREADS).prepare_unchecked(device) }
}

/// Builds the launch that moves data unit by unit.
fn gathered<'a>(
    device: &Device,
    src: View<'a, u8>,
    dst: ViewMut<'a, u8>,
    axes: &Axes,
    overlaps: bool,
) -> Result<Prepared<'a>> {
    let (digits, total, blocks) = units(axes)?;
    let (count, total, words) =
        (axes.axes.len() as u32, total as usize, (axes.unit / WORD).max(1) as u32);
    let launch = match axes.unit {
        1 => gather::<u8>(src, dst, total, digits, count, words, overlaps),
        2 => gather::<u16>(src.cast(), dst.cast(), total, digits, count, words, overlaps),
        _ => gather::<u32>(src.cast(), dst.cast(), total, digits, count, words, overlaps),
    };
    let launch = if overlaps { launch.programmatic() } else { launch };
    // SAFETY: units are below `total`, the product of the extents, so each index is below its axis's extent and every offset is in
    // its array; strides and addresses are multiples of the unit.
    unsafe { launch.grid(blocks).block(untiled::THREADS).prepare_unchecked(device) }
}
