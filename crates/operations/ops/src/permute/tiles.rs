//! Transposes through tiles in shared memory.
//!
//! A block moves a tile of `down` rows by `across` columns of the source. It reads tile rows, 16 bytes per access if rows are
//! aligned, and writes tile columns, which are output rows. The shared-memory tile is an array of cells: an element of 4, 8 or 16
//! bytes, or the 2 or 4 elements of one column and successive rows that fill a word, combined in registers by byte permutations. A
//! row has an odd number of cells, and a warp accesses 8 chunks of 16 bytes by 4 rows of cells at a time, so no two lanes of a pass
//! share a bank in either direction. If a chunk has more than 4 cells, 4 padding cells after every 32 have the same effect.
//!
//! If output rows are not aligned to 32-byte sectors, each row is divided at sectors instead of at the tile's edges: a block's
//! window of a row begins up to 7 elements of 4 bytes before the tile, the block also reads these rows, and every sector is written
//! whole by one warp.

use super::axes::{Digit, Plane, part_of};
use lanework::prelude::*;

/// Tile configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    /// Rows of the source in a tile.
    pub down: u32,
    /// Columns of the source in a tile.
    pub across: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Whether rows of the source are aligned to, and multiples of, 16 bytes.
    pub wide_loads: bool,
    /// Whether rows of the output are aligned to, and multiples of, 16 bytes.
    pub wide_stores: bool,
    /// Whether the output is divided at sectors.
    pub shifted: bool,
    /// Tile columns that are processed together: blocks go across these first, then down.
    pub beside: u32,
}

impl Tile {
    /// Rows per cell.
    pub fn group(&self) -> u32 {
        (4 / self.bytes).max(1)
    }

    /// Words per cell.
    pub fn words(&self) -> u32 {
        (self.bytes / 4).max(1)
    }

    /// Elements per 16 bytes.
    pub fn chunk(&self) -> u32 {
        16 / self.bytes
    }

    /// Rows before the tile that a shifted window may reach.
    pub fn lead(&self) -> u32 {
        if self.shifted { 32 / self.bytes - 1 } else { 0 }
    }

    /// Cell rows that are read.
    pub fn cells_down(&self) -> u32 {
        (self.down + self.lead()) / self.group()
    }

    /// Cell row stride: odd.
    pub fn pitch(&self) -> u32 {
        let padding = if self.group() > 1 { 4 * ((self.across - 1) / 32) } else { 0 };
        (self.across + padding) | 1
    }

    /// Number of lanes of a warp that access the `chunks` chunks of one row.
    pub fn lanes(chunks: u32) -> u32 {
        chunks.min(8)
    }

    /// Warps that share the chunks of a row, and rows per iteration of all warps.
    pub fn warps(&self, chunks: u32) -> (u32, u32) {
        let lanes = Tile::lanes(chunks);
        let beside = chunks / lanes;
        (beside, 32 / lanes * (self.threads / 32 / beside))
    }

    /// Words of shared memory.
    pub fn shared_words(&self) -> u32 {
        self.cells_down() * self.pitch() * self.words()
    }
}

/// Selects bytes of two words by `selector` (`prmt`).
#[device]
pub(super) fn bytes_of(low: u32, high: u32, #[constant] selector: u32) -> u32 {
    ptx!("prmt.b32 {}, {}, {}, {};", out(u32), in(low), in(high), in(selector))
}

/// An element of 1, 2 or 4 words of the source, zero-extended.
#[device]
fn cell_at(src: &[u32], i: usize, #[constant] words: u32, #[constant] unchanged: bool) -> [u32; 4] {
    if words == 4 {
        return four(src, i, unchanged);
    }
    let mut cell = [0u32; 4];
    if words == 2 {
        let pair = if unchanged { src.load2_nc(i) } else { src.load2(i) };
        cell[0] = pair[0];
        cell[1] = pair[1];
    } else {
        cell[0] = if unchanged { load_nc(&src[i]) } else { src[i] };
    }
    cell
}

/// Loads 16 bytes of the source.
#[device]
fn four(src: &[u32], i: usize, #[constant] unchanged: bool) -> [u32; 4] {
    if unchanged { src.load4_nc(i) } else { src.load4(i) }
}

/// Copies the tile at row `top` and column `left` into `cells`; `base` is the matrix's first word.
#[device]
pub(super) fn load_tile(
    src: &[u32],
    cells: Shared<u32>,
    base: usize,
    top: u32,
    left: u32,
    plane: Plane,
    #[constant] tile: Tile,
    #[constant] unchanged: bool,
) {
    let (group, words) = (const { tile.group() }, const { tile.words() });
    let (lead, pitch) = (const { tile.lead() }, const { tile.pitch() });
    let height = const { tile.cells_down() };
    let first = top - lead;
    if const { tile.wide_loads } {
        let chunk = const { tile.chunk() };
        let lanes = const { Tile::lanes(tile.across / tile.chunk()) };
        let (beside, step) = const { tile.warps(tile.across / tile.chunk()) };
        let (lane, warp) = (thread_idx.x % 32, thread_idx.x / 32);
        let place = lane % lanes + warp % beside * lanes;
        let line = lane / lanes + warp / beside * (const { 32 / lanes });
        let x = left + place * chunk;
        let start = base + (x / chunk * 4) as usize;
        let passes = const { height.div_ceil(step) };
        let held = registers(0u32, [const { passes * group }, 4]);
        #[unroll]
        for k in 0..passes {
            #[unroll]
            for j in 0..group {
                let y = first + (line + k * step) * group + j;
                if x < plane.cols && y < plane.rows {
                    let row = four(src, start + y as usize * plane.from as usize, unchanged);
                    #[unroll]
                    for i in 0..4u32 {
                        held[[k * group + j, i]] = row[i];
                    }
                }
            }
        }
        #[unroll]
        for k in 0..passes {
            let p = line + k * step;
            if const { height.is_multiple_of(step) } || p < height {
                let column = place * chunk;
                let padded = if group > 1 { column + column / 32 * 4 } else { column };
                let at = (p * pitch + padded) * words;
                if group == 1 {
                    if words == 1 {
                        #[unroll]
                        for i in 0..4u32 {
                            cells[at + i] = held[[k, i]];
                        }
                    } else if words == 2 {
                        cells.store2((at,), [held[[k, 0]], held[[k, 1]]]);
                        cells.store2((at + 2,), [held[[k, 2]], held[[k, 3]]]);
                    } else {
                        cells.store4(
                            (at,),
                            [held[[k, 0]], held[[k, 1]], held[[k, 2]], held[[k, 3]]],
                        );
                    }
                } else if group == 2 {
                    #[unroll]
                    for i in 0..4u32 {
                        let (a, b) = (held[[2 * k, i]], held[[2 * k + 1, i]]);
                        cells[at + 2 * i] = bytes_of(a, b, 0x5410);
                        cells[at + 2 * i + 1] = bytes_of(a, b, 0x7632);
                    }
                } else {
                    #[unroll]
                    for i in 0..4u32 {
                        let (a, b) = (held[[4 * k, i]], held[[4 * k + 1, i]]);
                        let (c, d) = (held[[4 * k + 2, i]], held[[4 * k + 3, i]]);
                        let (low, high) = (bytes_of(a, b, 0x5140), bytes_of(a, b, 0x7362));
                        let (low2, high2) = (bytes_of(c, d, 0x5140), bytes_of(c, d, 0x7362));
                        cells[at + 4 * i] = bytes_of(low, low2, 0x5410);
                        cells[at + 4 * i + 1] = bytes_of(low, low2, 0x7632);
                        cells[at + 4 * i + 2] = bytes_of(high, high2, 0x5410);
                        cells[at + 4 * i + 3] = bytes_of(high, high2, 0x7632);
                    }
                }
            }
        }
    } else {
        let across = const { tile.across };
        let step = const { tile.threads / tile.across };
        let (column, line) = (thread_idx.x % across, thread_idx.x / across);
        let x = left + column;
        let start = base + x as usize * (words as usize);
        let passes = const { height.div_ceil(step) };
        let held = registers(0u32, [passes, words]);
        #[unroll]
        for k in 0..passes {
            let y = first + line + k * step;
            if x < plane.cols && y < plane.rows {
                let at = start + y as usize * plane.from as usize;
                let element = cell_at(src, at, words, unchanged);
                #[unroll]
                for i in 0..words {
                    held[[k, i]] = element[i];
                }
            }
        }
        #[unroll]
        for k in 0..passes {
            let p = line + k * step;
            if const { height.is_multiple_of(step) } || p < height {
                let at = (p * pitch + column) * words;
                if words == 4 {
                    let four = [held[[k, 0]], held[[k, 1]], held[[k, 2]], held[[k, 3]]];
                    cells.store4((at,), four);
                } else if words == 2 {
                    cells.store2((at,), [held[[k, 0]], held[[k, 1]]]);
                } else {
                    cells[at] = held[[k, 0]];
                }
            }
        }
    }
}

/// Writes the columns of a tile loaded by [`load_tile`] as output rows; `base` is the output matrix's first word.
#[device]
pub(super) fn store_tile(
    dst: &mut [u32],
    cells: Shared<u32>,
    base: usize,
    top: u32,
    left: u32,
    plane: Plane,
    #[constant] tile: Tile,
) {
    let (group, words) = (const { tile.group() }, const { tile.words() });
    let (lead, pitch) = (const { tile.lead() }, const { tile.pitch() });
    if const { tile.wide_stores } {
        // Cells per chunk, and rows.
        let count = const { 4 / tile.words() };
        let chunk = const { tile.chunk() };
        let lanes = const { Tile::lanes(tile.down / tile.chunk()) };
        let (beside, step) = const { tile.warps(tile.down / tile.chunk()) };
        let (lane, warp) = (thread_idx.x % 32, thread_idx.x / 32);
        let place = lane % lanes + warp % beside * lanes;
        let line = lane / lanes + warp / beside * (const { 32 / lanes });
        let y = top + place * chunk;
        let start = base + (y / chunk * 4) as usize;
        let passes = const { tile.across.div_ceil(step) };
        let whole = const { tile.across.is_multiple_of(step) };
        let held = registers(0u32, [passes, 4]);
        #[unroll]
        for k in 0..passes {
            let column = line + k * step;
            if whole || column < const { tile.across } {
                let padded = if group > 1 { column + column / 32 * 4 } else { column };
                let at = (place * count * pitch + padded) * words;
                #[unroll]
                for i in 0..count {
                    let from = at + i * pitch * words;
                    if words == 1 {
                        held[[k, i]] = cells[from];
                    } else if words == 2 {
                        let pair = cells.load2((from,));
                        held[[k, 2 * i]] = pair[0];
                        held[[k, 2 * i + 1]] = pair[1];
                    } else {
                        let four = cells.load4((from,));
                        #[unroll]
                        for j in 0..4u32 {
                            held[[k, j]] = four[j];
                        }
                    }
                }
            }
        }
        #[unroll]
        for k in 0..passes {
            let column = line + k * step;
            let x = left + column;
            if x < plane.cols && y < plane.rows && (whole || column < const { tile.across }) {
                let row = [held[[k, 0]], held[[k, 1]], held[[k, 2]], held[[k, 3]]];
                dst.store4(start + x as usize * plane.to as usize, row);
            }
        }
    } else {
        let down = const { tile.down };
        let step = const { tile.threads / tile.down };
        let (within, line) = (thread_idx.x % down, thread_idx.x / down);
        let every = const { 32 / tile.bytes };
        #[unroll]
        for k in 0..(const { tile.across / (tile.threads / tile.down) }) {
            let column = line + k * step;
            let x = left + column;
            let mut shift = 0;
            if const { tile.shifted } {
                shift = (plane.skew + x * (plane.to as u32 / words)) % every;
            }
            let y = top + within - shift;
            if x < plane.cols && y < plane.rows {
                let from = ((within + lead - shift) * pitch + column) * words;
                let to = base + x as usize * plane.to as usize + (y * words) as usize;
                if words == 4 {
                    dst.store4(to, cells.load4((from,)));
                } else if words == 2 {
                    dst.store2(to, cells.load2((from,)));
                } else {
                    dst[to] = cells[from];
                }
            }
        }
    }
}

/// Transposes matrices. `digits` count the tiles down, the groups of tiles across, and the outer axes.
#[kernel]
pub(super) fn tiles(
    src: &[u32],
    dst: &mut [u32],
    plane: Plane,
    digits: [Digit; 8],
    #[constant] tile: Tile,
    #[constant] outer: u32,
    #[constant] overlaps: bool,
) {
    if overlaps {
        launch_dependents();
        wait_for_dependencies();
    }
    let cells = shared::<u32>(const { tile.shared_words() });
    let beside = const { tile.beside };
    let ((down, group), (from, to)) = part_of(block_idx.x / beside, digits, outer);
    let top = down * (const { tile.down });
    let left = (group * beside + block_idx.x % beside) * (const { tile.across });
    let mut plane = plane;
    if const { tile.shifted } {
        plane.skew += (to as u32) / (const { tile.words() });
    }
    load_tile(src, cells, from, top, left, plane, tile, true);
    sync_threads();
    store_tile(dst, cells, to, top, left, plane, tile);
}
