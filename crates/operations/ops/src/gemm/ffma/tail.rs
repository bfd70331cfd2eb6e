//! The last tiles of a product, too few to keep all multiprocessors busy for as long as a tile takes: a launch of their own, of clusters
//! whose blocks divide the steps along k (split-K of the last wave).
//!
//! That launch begins when every block of the first one has begun (programmatic dependent launch): its blocks take the places that become
//! free while the first one's last tiles are computed. What both read was there before, since a block of the first launch waits for the
//! launch before it and only then lets the second one begin; that does not wait for the first one, whose results it neither reads nor
//! writes. Its last block ends after the first launch has, so that whoever waits for the second one waits for both.

use super::form::{Form, Part, Tile};
use super::shapes::alone;
use lanework::prelude::*;

/// The last tiles that are a launch of their own, and the blocks of a cluster that divides one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    pub tiles: usize,
    pub splits: u32,
}

/// Results of a tile, and rounds of tiles, below which products have no such launch: with 128 x 64 it gained nothing on an H200.
const RESULTS: u32 = 128 * 128;
const ROUNDS: usize = 4;
/// Steps of a block at least, and microseconds that such a launch has to save.
const STEPS: usize = 64;
const SAVED: f64 = 10.0;

impl Tail {
    /// The division of the last of `tiles` tiles that saves most time, if one does.
    pub fn of(tiles: usize, k: usize, tile: Tile, processors: usize) -> Option<Tail> {
        let rest = tiles % processors;
        let few = tile.rows * tile.cols < RESULTS || tiles < ROUNDS * processors;
        if few || rest == 0 || tile.splits * tile.parts > 1 {
            return None;
        }
        // Of the time of a tile, which the last tiles take when they are not divided.
        let time =
            |splits: u32| (rest * splits as usize).div_ceil(processors) as f64 / f64::from(splits);
        // Of ways that take as long, more blocks are faster: by 1 % at 4097 on an H200.
        let mut best = Tail { tiles: rest, splits: 1 };
        for splits in [2, 4, 8] {
            if k >= STEPS * splits as usize && time(splits) <= time(best.splits) {
                best.splits = splits;
            }
        }
        ((1.0 - time(best.splits)) * alone(tile, k) > SAVED).then_some(best)
    }
}

/// Waits for the launch before this one where that has to be waited for, and lets the next one begin.
#[device]
pub(super) fn begin(#[constant] form: Form) {
    if form.part != Part::First {
        launch_dependents();
    }
    if form.overlaps && form.part != Part::Last {
        wait_for_dependencies();
    }
    if form.part == Part::First {
        launch_dependents();
    }
}

/// Keeps the launch of the last tiles from ending before that of the first ones.
#[device]
pub(super) fn end(#[constant] form: Form) {
    if form.part == Part::Last {
        if block_idx.x == grid_dim.x - 1 {
            wait_for_dependencies();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::shapes::TILES;
    use super::*;

    fn of(tiles: usize, k: usize) -> Option<Tail> {
        Tail::of(tiles, k, TILES[0], 132)
    }

    #[test]
    fn the_last_tiles_are_divided_where_that_saves_time() {
        // 4096, 8192 and 16384, all square; 4097.
        assert_eq!(of(32 * 32, 4096), Some(Tail { tiles: 100, splits: 8 }));
        assert_eq!(of(64 * 64, 8192), Some(Tail { tiles: 4, splits: 8 }));
        assert_eq!(of(128 * 128, 16384), Some(Tail { tiles: 16, splits: 8 }));
        assert_eq!(of(33 * 33, 4097), Some(Tail { tiles: 33, splits: 8 }));
    }

    #[test]
    fn others_are_one_launch() {
        assert_eq!(of(16 * 16, 2048), None); // fewer than four rounds
        assert_eq!(of(8 * 132, 4096), None); // whole rounds
        assert_eq!(of(4 * 132 + 131, 4096), None); // nearly
        assert_eq!(of(4 * 132 + 1, 64), None); // nothing to divide
        let divided = Tile { splits: 2, ..TILES[0] };
        assert_eq!(Tail::of(33 * 33, 4097, divided, 132), None);
        assert_eq!(Tail::of(33 * 65, 4097, TILES[1], 132), None);
    }
}
