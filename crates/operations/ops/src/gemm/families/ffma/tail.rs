//! A separate launch for the last wave of tiles, if it does not fill the device: clusters whose blocks divide the k steps (split-K
//! of the last wave).
//!
//! The second launch begins when every block of the first has begun (programmatic dependent launch), and its blocks take slots that
//! become free during the first launch's last wave. Both launches read only data from before the first one: its blocks wait for the
//! previous launch before they let the second one begin. The second launch does not wait for the first, because it neither reads
//! nor writes its results. Its last block exits after the first launch has ended, so waiting for the second launch waits for both.

use super::config::{FfmaConfig, LaunchPosition, Tile};
use super::shapes::alone;
use lanework::prelude::*;

/// The number of tiles in the second launch, and the cluster blocks per tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    pub tiles: usize,
    pub splits: u32,
}

/// Minimum tile size and number of waves for a second launch: with 128 x 64 it gained nothing on an H200.
const RESULTS: u32 = 128 * 128;
const ROUNDS: usize = 4;
/// Minimum number of steps per block, and minimum gain in microseconds.
const STEPS: usize = 64;
const SAVED: f64 = 10.0;

impl Tail {
    /// The division of the last of `tiles` tiles that saves the most time, if any saves time.
    pub fn fastest(tiles: usize, k: usize, tile: Tile, processors: usize) -> Option<Tail> {
        let rest = tiles % processors;
        let few = tile.rows * tile.cols < RESULTS || tiles < ROUNDS * processors;
        if few || rest == 0 || tile.splits * tile.parts > 1 {
            return None;
        }
        // Relative to the time of an undivided tile.
        let time =
            |splits: u32| (rest * splits as usize).div_ceil(processors) as f64 / f64::from(splits);
        // At equal time, more blocks are faster: by 1 % at 4097 on an H200.
        let mut best = Tail { tiles: rest, splits: 1 };
        for splits in [2, 4, 8] {
            if k >= STEPS * splits as usize && time(splits) <= time(best.splits) {
                best.splits = splits;
            }
        }
        ((1.0 - time(best.splits)) * alone(tile, k) > SAVED).then_some(best)
    }
}

/// Waits for the previous launch if necessary, and lets the next one begin.
#[device]
pub(super) fn begin(#[constant] config: FfmaConfig) {
    if config.part != LaunchPosition::First {
        launch_dependents();
    }
    if config.overlaps && config.part != LaunchPosition::Last {
        wait_for_dependencies();
    }
    if config.part == LaunchPosition::First {
        launch_dependents();
    }
}

/// Keeps the second launch from ending before the first.
#[device]
pub(super) fn end(#[constant] config: FfmaConfig) {
    if config.part == LaunchPosition::Last {
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
        Tail::fastest(tiles, k, TILES[0], 132)
    }

    #[test]
    fn the_last_tiles_are_divided_where_that_saves_time() {
        // 4096, 8192 and 16384 square; 4097 square.
        assert_eq!(of(32 * 32, 4096), Some(Tail { tiles: 100, splits: 8 }));
        assert_eq!(of(64 * 64, 8192), Some(Tail { tiles: 4, splits: 8 }));
        assert_eq!(of(128 * 128, 16384), Some(Tail { tiles: 16, splits: 8 }));
        assert_eq!(of(33 * 33, 4097), Some(Tail { tiles: 33, splits: 8 }));
    }

    #[test]
    fn others_are_one_launch() {
        assert_eq!(of(16 * 16, 2048), None); // fewer than four waves
        assert_eq!(of(8 * 132, 4096), None); // full waves only
        assert_eq!(of(4 * 132 + 131, 4096), None); // almost full
        assert_eq!(of(4 * 132 + 1, 64), None); // too few steps to divide
        let divided = Tile { splits: 2, ..TILES[0] };
        assert_eq!(Tail::fastest(33 * 33, 4097, divided, 132), None);
        assert_eq!(Tail::fastest(33 * 65, 4097, TILES[1], 132), None);
    }
}
