//! Which kernel moves what: launches for a list of axes.

use super::axes::Axes;
use super::choose::{Choice, choose};
use super::digits::Digit;
use super::gather::{self, gather};
use super::matrices::{MOST, Matrices, SECTOR, gapless, too_large};
use super::narrow::{Narrow, narrow};
use super::rows::{self, Rows, rows};
use super::square::{EDGE, square, square_narrow, swap};
use super::squares::{Squares, squares};
use super::staged::{self, Part};
use super::tile::Tile;
use super::tiles::tiles;
use lanework::lang::Element;
use lanework::{Device, Launch, Prepared, Result, View, ViewMut};

/// Bytes of what the kernels of tiles index.
const WORD: u64 = 4;

/// The launch that moves what `axes` say; both views begin at the first element. One that `overlaps` may begin before the launch before it
/// has ended (of many short axes: it does not).
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
        Some((Choice::Squares(tile), matrices)) => {
            squared(device, src, dst, &matrices, tile, overlaps)
        }
        Some((Choice::Tiles(tile), matrices)) => tiled(device, src, dst, &matrices, tile, overlaps),
        Some((Choice::Narrow(tile), matrices)) => narrowed(device, src, dst, &matrices, tile),
        None => match part_of(axes) {
            Some(part) => in_parts(device, src, dst, axes, &part),
            None => match windows(device, axes) {
                Some(windows) => shifted(device, src, dst, axes, windows, overlaps),
                None => gathered(device, src, dst, axes, overlaps),
            },
        },
    }
}

/// The part of each block, where going through shared memory makes accesses wider.
fn part_of(axes: &Axes) -> Option<Part> {
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

/// By parts of many axes.
fn in_parts<'a>(
    device: &Device,
    src: View<'a, u8>,
    dst: ViewMut<'a, u8>,
    axes: &Axes,
    part: &Part,
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
    // SAFETY: each index is under its axis's extent: those of divided axes are compared with what is left of them, the others are whole. Cells
    // are under `total`, which is at most `staged::most`.
    unsafe { launch.grid(grid as u32).block(staged::THREADS).prepare_unchecked(device) }
}

/// Digits of blocks, reads and writes; extents and sizes of what is divided.
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

/// By tiles of cells.
pub(super) fn tiled<'a>(
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
    // SAFETY: rows and columns are compared with the matrix's extents before each access, a wide access is used where rows are whole chunks
    // at aligned places, and the axes outside are divided by their extents, so that every place is one of the arrays'. A cell's
    // row is under `cells_down` and its column under `across`, which `shared_words` covers.
    unsafe { launch.grid(blocks).block(tile.threads).prepare_unchecked(device) }
}

/// By squares in registers.
pub(super) fn squared<'a>(
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
    // SAFETY: rows and columns are compared with the matrix's extents. Aligned accesses around a row are within the source where the
    // block has compared its first and last ones, and single bytes are the row's own; 16 bytes are stored where all of them are the
    // row's. Places in the tile are under its extents.
    unsafe {
        launch
            .grid(blocks)
            .block(tile.threads())
            .shared_bytes(tile.shared())
            .prepare_unchecked(device)
    }
}

/// By tiles of elements under a word.
pub(super) fn narrowed<'a>(
    device: &Device,
    src: View<'a, u8>,
    dst: ViewMut<'a, u8>,
    matrices: &Matrices,
    tile: Narrow,
) -> Result<Prepared<'a>> {
    // A window may end one row's width after the last row.
    let down = (matrices.rows.extent + u64::from(tile.lead())).div_ceil(tile.down.into());
    let across = matrices.cols.extent.div_ceil(tile.across.into());
    let (digits, blocks) = matrices.blocks(down, across, 1)?;
    let mut plane = matrices.plane(1, 0);
    plane.skew = (dst.address() % SECTOR) as u32;
    let skew = (src.address() % SECTOR) as u32;
    let launch = narrow(src, dst, plane, skew, digits, tile, matrices.count());
    // SAFETY: single elements are accessed where their row and column are under the matrix's extents; words where all of the tile is,
    // and the words around it are within the source. Places in the tile are under its extents.
    unsafe { launch.grid(blocks).block(tile.threads).prepare_unchecked(device) }
}

/// The axes of threads that move unit by unit, innermost first, with strides in what they move; units and blocks.
fn units(axes: &Axes) -> Result<([Digit; 8], u64, u32)> {
    let total: u64 = axes.axes.iter().map(|axis| axis.extent).product();
    let blocks = total.div_ceil(gather::THREADS.into());
    if blocks > MOST || axes.axes.iter().skip(1).any(|axis| axis.extent > MOST) {
        return Err(too_large());
    }
    let words = (axes.unit / WORD).max(1);
    let mut digits = [Digit::new(1, 0, 0); 8];
    for (place, axis) in digits.iter_mut().zip(axes.axes.iter().rev()) {
        // The outermost axis, which may be longer than a digit, is not divided by.
        *place = Digit::new(axis.extent.min(MOST) as u32, axis.from * words, axis.to * words);
    }
    Ok((digits, total, blocks as u32))
}

/// The windows of 16 bytes of a row, where rows of the source are rows of the output, long enough, and begin where units are less than 16
/// bytes; and the windows of all rows. Few words are moved sooner one by one.
fn windows(device: &Device, axes: &Axes) -> Option<(u64, u64)> {
    let run = axes.axes.last().filter(|axis| axis.from == 1 && axis.to == 1)?;
    let per = 16 / axes.unit;
    let windows = run.extent.div_ceil(per) + u64::from(per > 1);
    let total =
        axes.axes.iter().rev().skip(1).fold(windows, |all, axis| all.saturating_mul(axis.extent));
    let few = axes.unit >= WORD && total < resident(device);
    (per > 1 && run.extent >= SHORT * per && total <= MOST && !few).then_some((windows, total))
}

/// The threads of a block on each multiprocessor.
fn resident(device: &Device) -> u64 {
    u64::from(device.info().multiprocessors) * u64::from(rows::THREADS)
}

/// Rows of fewer windows are moved unit by unit.
const SHORT: u64 = 4;

/// By windows of rows that begin anywhere.
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
    let task = Rows {
        total: total as u32,
        length: (run.extent * scale) as u32,
        from: before(src.address()),
        to: before(dst.address()),
    };
    let gapless = gapless(axes.axes.iter());
    let count = axes.axes.len() as u32;
    // A small copy takes as long as one thread does: each then moves one window.
    let small = total < resident(device) * u64::from(rows::TOGETHER);
    let together = if small { 1 } else { rows::TOGETHER };
    let launch = match size {
        1 => rows::<u8>(src, dst, task, digits, count, gapless, together, overlaps),
        2 => rows::<u16>(src.cast(), dst.cast(), task, digits, count, gapless, together, overlaps),
        _ => rows::<u32>(src.cast(), dst.cast(), task, digits, count, gapless, together, overlaps),
    };
    let launch = if overlaps { launch.programmatic() } else { launch };
    let blocks = total.div_ceil((rows::THREADS * together).into()) as u32;
    // SAFETY: windows are under `total`, so that each index is under its axis's extent; elements are accessed one by one where they are the
    // row's, 16 bytes are stored where all of them are, and loaded where all of them are the row's or, of a gapless source, in it.
    unsafe { launch.grid(blocks).block(rows::THREADS).prepare_unchecked(device) }
}

/// Unit by unit.
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
    // SAFETY: units are under `total`, the product of the extents, so that each index is under its axis's extent and every place one
    // of the arrays'; strides and addresses are multiples of the unit.
    unsafe { launch.grid(blocks).block(gather::THREADS).prepare_unchecked(device) }
}

/// The launch that exchanges, in place, what `axes` say: two of them are exchanged, and their strides as well.
pub(super) fn in_place<'a>(
    device: &Device,
    data: ViewMut<'a, u8>,
    axes: &Axes,
) -> Result<Prepared<'a>> {
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
    // SAFETY: places as in `gathered`, all within the one array; a pair of places is exchanged by one thread.
    unsafe { launch.grid(blocks).block(gather::THREADS).prepare_unchecked(device) }
}

/// In place by tiles.
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
    // SAFETY: as in `tiled`; two blocks have no tile in common, and a block writes only after it has read.
    unsafe { launch.grid(blocks).block(tile.threads).prepare_unchecked(device) }
}

/// The same of elements under a word whose rows begin anywhere.
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
    // SAFETY: rows and columns are compared with the matrix's extent; two blocks have no tile in common, and a block writes only after it
    // has read.
    unsafe { launch.grid(blocks).block(gather::THREADS).prepare_unchecked(device) }
}
