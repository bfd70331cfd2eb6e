//! Launches of the `staged` kernel.

use crate::permute::axes::{Axes, Digit, MOST, SECTOR, WORD, too_large};
use crate::permute::staged::{self, StagedPart};
use lanework::lang::Element;
use lanework::{Device, Launch, Prepared, Result, View, ViewMut};

/// The part of each block, if going through shared memory makes accesses wider.
pub(super) fn part_of(axes: &Axes) -> Option<StagedPart> {
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
pub(super) fn in_parts<'a>(
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
