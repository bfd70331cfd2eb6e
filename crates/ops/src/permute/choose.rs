//! Which tile moves which matrix.

use super::matrices::{Matrices, SECTOR};
use super::narrow::Narrow;
use super::squares::Squares;
use super::tile::Tile;

/// A kernel and its tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Squares(Squares),
    Tiles(Tile),
    Narrow(Narrow),
}

/// The kernel for matrices at these addresses, on a GPU of so many multiprocessors.
pub(super) fn choose(matrices: &Matrices, src: u64, dst: u64, multiprocessors: u32) -> Choice {
    let bytes = matrices.unit as u32;
    let wide_loads = matrices.aligned(16, src, false);
    if wide_loads || matrices.gapless() {
        let window = match matrices.aligned(SECTOR, dst, true) {
            true => 0,
            false => 16,
        };
        let (down, across) = match bytes {
            1 => (128, 128),
            2 => (64, 64),
            4 => (64, 64),
            8 => (32, 32),
            _ => (16, 32),
        };
        let squares = Squares { bytes, down, across, shifted_loads: !wide_loads, window };
        return Choice::Squares(squares.for_few(matrices, multiprocessors));
    }
    // What lies between rows is not read.
    if bytes < 4 {
        return Choice::Narrow(Narrow { bytes, down: 128, across: 64, threads: 256, window: 4 });
    }
    let (down, across) = match bytes {
        4 => (64, 64),
        8 => (64, 32),
        _ => (32, 32),
    };
    let wide_stores = matrices.aligned(16, dst, true);
    Choice::Tiles(Tile {
        bytes,
        down,
        across,
        threads: 512,
        wide_loads,
        wide_stores,
        shifted: !wide_stores,
        beside: 1,
    })
}

impl Squares {
    /// Smaller tiles where these would be too few to keep every multiprocessor busy.
    fn for_few(self, matrices: &Matrices, multiprocessors: u32) -> Squares {
        let tiles = matrices.tiles(self.down.into(), self.across.into());
        if tiles >= 4 * u64::from(multiprocessors) || self.bytes == 16 {
            return self;
        }
        Squares { down: self.down / 2, across: self.across / 2, ..self }
    }
}
