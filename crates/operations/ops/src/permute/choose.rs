//! Selects kernel and tile for a matrix, from measurements on an H200.

use super::axes::{Matrices, SECTOR};
use super::narrow::Narrow;
use super::squares::Squares;
use super::tiles::Tile;
use lanework::DeviceInfo;

/// A kernel and its tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TiledKernel {
    Squares(Squares),
    Tiles(Tile),
    Narrow(Narrow),
}

/// Up to this number of rows or columns, a tile contains all of them.
const FEW: u64 = 24;
/// Minimum extent of the other dimension for such a tile.
const LONG: u64 = 128;

/// Sizes and alignments that determine the kernel.
struct TransposeProblem<'a> {
    matrices: &'a Matrices,
    bytes: u32,
    /// Whether rows of the source, and of the output, start at multiples of 16 bytes and have whole 16-byte chunks.
    wide: [bool; 2],
    /// Whether rows of the output start at a sector and have whole sectors.
    sectors: bool,
    multiprocessors: u64,
    /// Whether loads may prefetch into L2 (sm_80).
    fetches: bool,
}

/// The kernel for matrices at these addresses; `None` if tiles would be nearly empty.
pub(super) fn choose(
    matrices: &Matrices,
    src: u64,
    dst: u64,
    device: &DeviceInfo,
) -> Option<TiledKernel> {
    let problem = TransposeProblem {
        matrices,
        bytes: matrices.unit as u32,
        wide: [matrices.aligned(16, src, false), matrices.aligned(16, dst, true)],
        sectors: matrices.aligned(SECTOR, dst, true),
        multiprocessors: device.multiprocessors.into(),
        fetches: device.compute_capability >= (8, 0),
    };
    let (rows, cols) = (matrices.rows.extent, matrices.cols.extent);
    if rows.min(cols) >= FEW {
        return Some(problem.square());
    }
    if rows.max(cols) >= LONG { problem.skinny() } else { None }
}

impl TransposeProblem<'_> {
    /// Matrices of few rows or columns.
    fn skinny(&self) -> Option<TiledKernel> {
        let (rows, cols) = (self.matrices.rows.extent as u32, self.matrices.cols.extent as u32);
        if self.wide == [true, true] {
            let chunk = 16 / self.bytes;
            let few = rows.min(cols).next_multiple_of(chunk);
            // A thread moves one 16-byte element; a block has at most 1024 threads.
            let long = if self.bytes == 16 && few > 16 { 32 } else { 1024 / self.bytes };
            let (down, across) = if rows < cols { (few, long) } else { (long, few) };
            return Some(self.squares(down, across, 0));
        }
        if self.bytes < 4 {
            return None;
        }
        let fewer = |extent: u32| extent.next_power_of_two().max(4);
        let long = 1024 / self.bytes;
        let (down, across) = if rows < cols { (fewer(rows), long) } else { (long, fewer(cols)) };
        Some(TiledKernel::Tiles(Tile {
            threads: long,
            wide_loads: false,
            wide_stores: false,
            shifted: !self.sectors,
            ..self.tile(down, across)
        }))
    }

    /// All other matrices.
    fn square(&self) -> TiledKernel {
        let tiles = |down, across| self.matrices.tiles(down, across);
        let [wide_loads, wide_stores] = self.wide;
        match self.bytes {
            16 => TiledKernel::Tiles(self.tile(32, 32)),
            8 if wide_loads && wide_stores => match tiles(64, 32) < 4 * self.multiprocessors {
                true => self.squares(32, 32, 0),
                false => self.squares(64, 32, 0),
            },
            4 if wide_loads && self.sectors && tiles(64, 64) < 4 * self.multiprocessors => {
                TiledKernel::Tiles(Tile { threads: 128, ..self.tile(32, 32) })
            }
            4 if wide_loads && self.sectors && tiles(64, 64) < 12 * self.multiprocessors => {
                TiledKernel::Tiles(Tile { threads: 128, ..self.tile(64, 32) })
            }
            // Rows of whole output tiles share only their first and last sectors with other tiles.
            4 if wide_loads && wide_stores && !self.sectors && self.matrices.rows.extent <= 128 => {
                self.squares(128, 64, 0)
            }
            4 if wide_loads && self.sectors => {
                // Wider tiles cross fewer cache lines of unaligned rows, and each fetched line serves two tiles.
                let line = |stride: u64| (stride * 4).is_multiple_of(256);
                if !line(self.matrices.rows.from) {
                    self.squares_around(128, 64)
                } else if !line(self.matrices.cols.to) {
                    self.squares(128, 64, 0)
                } else {
                    self.squares(64, 64, 0)
                }
            }
            4 | 8 => TiledKernel::Tiles(self.tile(64, 64)),
            _ if !wide_loads && !self.matrices.gapless() => {
                // Gaps between rows are not read.
                let bytes = self.bytes;
                TiledKernel::Narrow(Narrow {
                    bytes,
                    down: 128,
                    across: 64,
                    threads: 256,
                    window: 4,
                })
            }
            2 => match tiles(128, 128) < 2 * self.multiprocessors {
                true => self.squares(64, 64, 32),
                false => self.squares(128, 128, 32),
            },
            _ => {
                let aligned = wide_loads && wide_stores && self.sectors;
                if tiles(128, 256) < 2 * self.multiprocessors {
                    self.squares(128, 128, 32)
                } else if aligned && tiles(256, 256) >= 8 * self.multiprocessors {
                    self.squares(256, 256, 0)
                } else {
                    self.squares(128, 256, 32)
                }
            }
        }
    }

    /// Squares in registers, with output windows of this many bytes if needed.
    fn squares(&self, down: u32, across: u32, window: u32) -> TiledKernel {
        let window = if self.wide[1] && (self.sectors || window == 0) { 0 } else { window };
        let shifted_loads = !self.wide[0];
        TiledKernel::Squares(Squares {
            bytes: self.bytes,
            down,
            across,
            shifted_loads,
            window,
            around: false,
        })
    }

    /// Squares in registers whose loads prefetch neighboring data into L2 if supported.
    fn squares_around(&self, down: u32, across: u32) -> TiledKernel {
        match self.squares(down, across, 0) {
            TiledKernel::Squares(tile) => {
                TiledKernel::Squares(Squares { around: self.fetches, ..tile })
            }
            other => other,
        }
    }

    /// Cells in shared memory.
    fn tile(&self, down: u32, across: u32) -> Tile {
        let [wide_loads, wide_stores] = self.wide;
        Tile {
            bytes: self.bytes,
            down,
            across,
            threads: 512,
            wide_loads,
            wide_stores,
            shifted: !wide_stores,
            beside: 1,
        }
    }
}
