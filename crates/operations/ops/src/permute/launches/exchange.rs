//! Launches of in-place transposes.

use super::units::units;
use crate::permute::axes::{Axes, Matrices, WORD};
use crate::permute::in_place::{EDGE, square, square_narrow, swap};
use crate::permute::tiles::Tile;
use crate::permute::untiled;
use lanework::{Device, Prepared, Result, ViewMut};

/// The launch that transposes `axes` in place: two of them are exchanged, and so are their strides.
pub fn in_place<'a>(device: &Device, data: ViewMut<'a, u8>, axes: &Axes) -> Result<Prepared<'a>> {
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
    unsafe { launch.grid(blocks).block(untiled::THREADS).prepare_unchecked(device) }
}

/// In place, by tiles.
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

/// In place, for elements smaller than a word with unaligned rows.
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
    unsafe { launch.grid(blocks).block(untiled::THREADS).prepare_unchecked(device) }
}
