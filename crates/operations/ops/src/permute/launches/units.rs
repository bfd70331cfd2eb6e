//! Untiled launches: by windows of unaligned rows, and unit by unit.

use crate::permute::axes::{Axes, Digit, MOST, WORD, gapless, too_large};
use crate::permute::untiled::{self, RowsArguments, gather, rows};
use lanework::{Device, Prepared, Result, View, ViewMut};

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

/// The 16-byte windows per row, and of all rows, if rows of the source are rows of the output, long enough, and unaligned with
/// units below 16 bytes. A small number of words is faster one by one.
pub(super) fn windows(device: &Device, axes: &Axes) -> Option<(u64, u64)> {
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

/// By windows of unaligned rows.
pub(super) fn shifted<'a>(
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

/// Unit by unit.
pub(super) fn gathered<'a>(
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
