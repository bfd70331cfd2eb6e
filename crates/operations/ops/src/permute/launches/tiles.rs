//! Launches of tiled transposes.

use crate::permute::axes::{Matrices, SECTOR, WORD, too_large};
use crate::permute::narrow::{Narrow, narrow};
use crate::permute::squares::{Squares, squares};
use crate::permute::tiles::{Tile, tiles};
use lanework::{Device, Prepared, Result, View, ViewMut};

/// Tiles of cells in shared memory.
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

/// Squares in registers.
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

/// Tiles of elements smaller than a word.
pub fn narrowed<'a>(
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
    // SAFETY: the kernel accesses single elements only if their row and column are below the matrix's extents, and words only if
    // the whole tile is, with the surrounding words within the source. Tile indices are below the tile's extents.
    unsafe { launch.grid(blocks).block(tile.threads).prepare_unchecked(device) }
}
