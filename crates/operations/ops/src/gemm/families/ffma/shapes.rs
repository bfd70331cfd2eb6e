//! Selects tile and factor copies by a cost model, fitted to measurements of many shapes on an H200.
//!
//! If the last wave of tiles does not fill the device, a second launch computes it: clusters whose blocks divide the k steps
//! (split-K of the last wave). It begins when every block of the first has begun (programmatic dependent launch), and its blocks
//! take slots that become free during the first launch's last wave. Both launches read only data from before the first one: its
//! blocks wait for the previous launch before they let the second one begin. The second launch does not wait for the first, because
//! it neither reads nor writes its results. Its last block exits after the first launch has ended, so waiting for the second launch
//! waits for both.

use super::config::{FfmaConfig, LaunchPosition, Load, Tile};
use crate::gemm::problem::Extents;
use lanework::prelude::*;

const fn candidate(rows: u32, cols: u32, wide: u32, blocks: u32, stages: u32) -> Tile {
    Tile { rows, cols, wide, blocks, splits: 1, depth: 16, stages, parts: 1 }
}

/// Candidate tiles: large ones minimize loads, small ones balance the load, tall ones suit products with few columns.
pub(crate) const TILES: [Tile; 8] = [
    candidate(128, 128, 8, 2, 6),
    candidate(128, 64, 8, 3, 4),
    candidate(64, 64, 8, 4, 4),
    candidate(64, 64, 4, 4, 4),
    candidate(64, 32, 4, 4, 4),
    candidate(256, 32, 8, 2, 4),
    candidate(256, 16, 4, 2, 4),
    candidate(128, 32, 4, 4, 4),
];

/// Per tile: its speed relative to [`SPEED`] with all multiprocessors busy and TMA loads, and the resident blocks per
/// multiprocessor (one more for the second tile if TMA loads A).
const SPEEDS: [(f64, usize); 8] =
    [(1.0, 2), (0.97, 3), (0.93, 5), (0.92, 5), (0.74, 8), (0.79, 2), (0.57, 3), (0.76, 4)];

/// Multiply-adds per microsecond and multiprocessor.
const SPEED: f64 = 204_500.0;

/// Number of warps that saturate a multiprocessor; with fewer, speed falls with this power of the ratio.
const FULL: (f64, f64) = (5.7, 0.45);

/// Cost of a word copied by a thread, in multiply-adds: of words along k, of words of a step, and the extra cost if
/// threads copy both factors.
const WORDS: f64 = 12.0;
const LINES: f64 = 9.0;
const BOTH: f64 = 6.0;

/// Microseconds: a launch; a block's epilogue per 8192 results, and its extra cost without float4 stores.
const LAUNCH: f64 = 2.3;
const ENDS: (f64, f64) = (0.39, 2.7);

/// Microseconds per doubling of the cluster, and the extra cost per further block on a multiprocessor.
const CLUSTER: (f64, f64) = (0.8, 0.084);

/// Microseconds of the split-K reduction kernel and its bytes per microsecond; the same for a copy kernel.
const ADDING: (f64, f64) = (0.76, 5.7e6);
const COPYING: (f64, f64) = (1.7, 3.0e6);

/// Memory bandwidth in bytes per microsecond. In a block with several stages and all steps, warps hide part of each
/// other's memory latency; a single warp takes twice as long.
const MEMORY: f64 = 3.0e6;

/// Maximum number of steps for which stages hold 8 steps instead of 16.
const FEW_STEPS: usize = 24;

/// Maximum number of steps for which undivided products use fewer stages: filling more delays the first product.
const FEW_STAGES: (usize, u32) = (128, 4);

/// Candidate numbers of split-K parts.
const PARTS: [u32; 15] = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 128];

/// Selected configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FfmaChoice {
    pub tile: Tile,
    /// Whether A and B are first copied into TMA's layout.
    pub copied: (bool, bool),
}

/// Resident blocks per multiprocessor, for a load method of A.
pub(super) fn held(tile: Tile, of_a: Load) -> usize {
    let same =
        |other: &Tile| (other.rows, other.cols, other.wide) == (tile.rows, tile.cols, tile.wide);
    let index = TILES.iter().position(same).unwrap_or(0);
    SPEEDS[index].1 + usize::from(index == 1 && of_a == Load::Map)
}

/// Microseconds of one tile on an otherwise idle multiprocessor, and at full speed.
pub(super) fn alone(tile: Tile, k: usize) -> f64 {
    f64::from(tile.rows * tile.cols) * k as f64 / SPEED
}

/// Predicted microseconds: the time of the multiprocessor that gets the most blocks.
fn time(
    extents: Extents,
    (of_a, of_b): (Load, Load),
    float4s: bool,
    multiprocessors: usize,
    index: usize,
    tile: Tile,
) -> f64 {
    let Extents { batch, m, n, k } = extents;
    let (speed, held) = (SPEEDS[index].0, held(tile, of_a));
    let Tile { rows, cols, wide, splits, parts, depth, .. } = tile;
    let tiles = batch * m.div_ceil(rows as usize) * n.div_ceil(cols as usize);
    let shares = (splits * parts) as usize;
    let blocks = (tiles * shares).div_ceil(multiprocessors);
    let warps = rows / 64 * cols / (4 * wide);
    let resident = warps as usize * blocks.min(held);
    let busy = (resident as f64 / FULL.0).min(1.0).powf(FULL.1);
    let steps = k.div_ceil(depth as usize).div_ceil(shares) * depth as usize;
    // Per thread and k step: multiply-adds and copied words.
    let each = |load: Load| match load {
        Load::Map | Load::Rows => 0.0,
        Load::Words => WORDS,
        Load::Lines => LINES,
    };
    let (of_a, of_b) = (each(of_a.of_a(tile)), each(of_b.of_b()));
    let both = if of_a > 0.0 && of_b > 0.0 { BOTH / 2.0 } else { 0.0 };
    let copies = (of_a + both) * f64::from(rows) + (of_b + both) * f64::from(cols);
    let copying = 1.0 + copies / f64::from(32 * warps * 8 * wide);
    let results = f64::from(rows * cols);
    let blocks = blocks as f64;
    let multiplying = blocks * results * steps as f64 * copying / (SPEED * speed * busy);
    let bytes = 4.0 * batch as f64 * (m * k + k * n + m * n) as f64;
    let ends = ENDS.0 * blocks * results / 8192.0 * if float4s { 1.0 } else { ENDS.1 };
    let doubled = f64::from(splits).log2();
    let clusters = CLUSTER.0 * doubled * (1.0 + CLUSTER.1 * (blocks - 1.0));
    let added = 4.0 * f64::from(parts) * (batch * m * n) as f64;
    let adding = if parts > 1 { ADDING.0 + added / ADDING.1 } else { 0.0 };
    let waits = if shares == 1 && steps > depth as usize { 1.0 / resident as f64 } else { 0.0 };
    let moving = bytes / MEMORY * (1.0 + waits);
    LAUNCH + ends + clusters + adding + multiplying.max(moving)
}

/// The fastest configuration for the given copies.
fn fastest(
    extents: Extents,
    loads: (Load, Load),
    float4s: bool,
    multiprocessors: usize,
    adds: bool,
) -> (f64, Tile) {
    let Extents { batch, m, n, k } = extents;
    let mut best = (f64::INFINITY, TILES[0]);
    for (index, tile) in TILES.into_iter().enumerate() {
        let (rows, cols) = (tile.rows as usize, tile.cols as usize);
        let tiles = batch.saturating_mul(m.div_ceil(rows) * n.div_ceil(cols));
        let many = tiles >= 4 * multiprocessors;
        let results = batch.saturating_mul(m * n);
        for (splits, parts) in
            [(2, 1), (4, 1), (8, 1)].into_iter().chain(PARTS.map(|parts| (1, parts)))
        {
            // Each block needs a minimum number of steps, and the partial results must stay small.
            let shares = (splits * parts) as usize;
            let large = results.saturating_mul(parts as usize) > 1 << 26;
            if shares > 1 && (k < 16 * shares || many || large) || parts > 1 && !adds {
                continue;
            }
            let depth = if k <= FEW_STEPS { 8 } else { tile.depth };
            let stages = if k <= FEW_STAGES.0 && shares == 1 { FEW_STAGES.1 } else { tile.stages };
            let stages = stages.min(tile.stages);
            let tile = Tile { splits, parts, depth, stages, ..tile };
            let time = time(extents, loads, float4s || parts > 1, multiprocessors, index, tile);
            if time < best.0 {
                best = (time, tile);
            }
        }
    }
    best
}

/// The fastest configuration for factors with these load methods; `one_kernel` excludes copies and split-K.
pub(crate) fn choice(
    extents: Extents,
    loads: (Load, Load),
    float4s: bool,
    multiprocessors: u32,
    one_kernel: bool,
) -> FfmaChoice {
    let Extents { batch, m, n, k } = extents;
    let multiprocessors = multiprocessors.max(1) as usize;
    let mut best = (f64::INFINITY, FfmaChoice { tile: TILES[0], copied: (false, false) });
    for copied in [(false, false), (false, true), (true, false), (true, true)] {
        let pointless = |copied: bool, load: Load| copied && (load == Load::Map || one_kernel);
        if pointless(copied.0, loads.0) || pointless(copied.1, loads.1) {
            continue;
        }
        let after = |copied: bool, load: Load| if copied { Load::Map } else { load };
        let after = (after(copied.0, loads.0), after(copied.1, loads.1));
        let (time, tile) = fastest(extents, after, float4s, multiprocessors, !one_kernel);
        let copying = |copied: bool, lines: usize| {
            let bytes = 8.0 * batch as f64 * (lines * k) as f64;
            if copied { COPYING.0 + bytes / COPYING.1 } else { 0.0 }
        };
        let time = time + copying(copied.0, m) + copying(copied.1, n);
        if time < best.0 {
            best = (time, FfmaChoice { tile, copied });
        }
    }
    best.1
}

/// The tile for compensated sums, which need twice the registers and are never divided: they take 7 operations instead
/// of one, so arithmetic dominates.
pub(crate) fn compensated(extents: Extents, multiprocessors: u32) -> Tile {
    let Extents { batch, m, n, .. } = extents;
    let tiles = batch.saturating_mul(m.div_ceil(64)).saturating_mul(n.div_ceil(64));
    TILES[if tiles >= 2 * multiprocessors as usize { 3 } else { 4 }]
}

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
    use super::{TILES, *};

    fn chosen(m: usize, n: usize, k: usize, load: Load) -> FfmaChoice {
        let one = Extents { batch: 1, m, n, k };
        choice(one, (Load::Words, load), load == Load::Map, 132, false)
    }

    #[test]
    fn large_products_take_the_first_tile_and_small_ones_share_their_steps() {
        for size in [2048, 4096, 8192, 16384] {
            let FfmaChoice { tile, copied } = chosen(size, size, size, Load::Map);
            assert_eq!((tile, copied), (TILES[0], (true, false)), "at {size}");
        }
        for size in [128, 256, 512, 768, 1000] {
            let FfmaChoice { tile, copied } = chosen(size, size, size, Load::Map);
            assert!(tile.splits * tile.parts > 1 && copied == (false, false), "{size}: {tile:?}");
        }
    }

    #[test]
    fn memory_bound_products_use_small_tiles() {
        for (batch, m, n, k) in [(1000, 64, 64, 64), (1, 8191, 2049, 17)] {
            let load = if n % 4 == 0 { Load::Map } else { Load::Lines };
            let extents = Extents { batch, m, n, k };
            let FfmaChoice { tile, copied } =
                choice(extents, (Load::Words, load), load == Load::Map, 132, false);
            assert_eq!((tile.rows, tile.cols, tile.wide, copied), (64, 64, 4, (false, false)));
        }
    }

    #[test]
    fn one_factor_is_copied_where_threads_would_copy_words_of_both() {
        for (m, n, k) in [(1000, 1023, 4097), (4097, 255, 1000), (4097, 1023, 100)] {
            let FfmaChoice { copied, .. } = chosen(m, n, k, Load::Lines);
            assert!(copied.0 != copied.1, "{m} x {n} x {k}: {copied:?}");
        }
    }

    #[test]
    fn every_block_has_steps_and_one_kernel_is_one() {
        for (m, n, k) in [(1, 1, 1), (17, 4097, 8191), (64, 64, 16384), (8191, 255, 255)] {
            let FfmaChoice { tile, .. } = chosen(m, n, k, Load::Lines);
            assert!((tile.splits * tile.parts) as usize <= k.div_ceil(16), "{tile:?}");
            let one = Extents { batch: 1, m, n, k };
            let FfmaChoice { tile, copied } =
                choice(one, (Load::Words, Load::Lines), false, 132, true);
            assert!(tile.parts == 1 && copied == (false, false), "{tile:?}");
        }
    }

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
