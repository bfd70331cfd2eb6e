//! Launches that transpose by tiles.

use crate::permute::matrices::{Matrices, SECTOR, WORD, too_large};
use crate::permute::narrow::{Narrow, narrow};
use crate::permute::squares::{Squares, squares};
use crate::permute::tile::Tile;
use crate::permute::tiles::tiles;
use lanework::{Device, Prepared, Result, View, ViewMut};

/// By tiles of cells.
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
    // SAFETY: rows and columns are compared with the matrix's extents before each access, a wide access is used where rows are whole chunks
    // at aligned places, and the axes outside are divided by their extents, so that every place is one of the arrays'. A cell's
    // row is under `cells_down` and its column under `across`, which `shared_words` covers.
    unsafe { launch.grid(blocks).block(tile.threads).prepare_unchecked(device) }
}

/// By squares in registers.
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
    // SAFETY: single elements are accessed where their row and column are under the matrix's extents; words where all of the tile is,
    // and the words around it are within the source. Places in the tile are under its extents.
    unsafe { launch.grid(blocks).block(tile.threads).prepare_unchecked(device) }
}
