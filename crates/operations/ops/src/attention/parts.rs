//! Decides whether and how the Hopper kernel divides the keys of its tiles: when there are fewer query tiles than multiprocessors,
//! or when the last wave of tiles leaves most of them idle.

use super::problem::Work;
use super::split::Sizes;

/// Division of the keys of each tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Multiplying warpgroups of a block.
    pub groups: u32,
    /// Key blocks per part.
    pub each: u32,
    /// Parts per tile.
    pub parts: u32,
}

// Nanoseconds, fitted to an H200.
/// Both launches, plus the prologue and epilogue of a tile.
const LAUNCHES: f64 = 6500.0;
const TILE: f64 = 600.0;
/// Bandwidth of storing and re-reading the parts, in bytes per nanosecond.
const RATE: f64 = 8000.0;
/// Per key of a tile: 128 rows of 64 elements, 192 rows of 64, 128 rows of 128.
const OF_KEY: [f64; 3] = [9.3, 11.5, 11.5];

/// Number of keys from which 160-key blocks beat 128-key blocks on an H200, for heads of 128 elements.
const LONG: usize = 4096;

/// The most parts that a warp combines.
const MOST: usize = 32;

impl Parts {
    /// Keys per key block.
    pub(super) const fn keys(head: usize, keys: usize) -> usize {
        if head == 128 && keys >= LONG { 160 } else { 128 }
    }

    /// Nanoseconds with `groups` warpgroups and undivided keys.
    pub(super) fn whole(sizes: Sizes, groups: u32) -> f64 {
        Parts::time(sizes, groups, 1).1
    }

    /// A division into at most `parts` parts, and its nanoseconds without launches.
    pub(super) fn time(sizes: Sizes, groups: u32, parts: usize) -> (Parts, f64) {
        let heads = sizes.heads * sizes.share;
        let tiles = heads * sizes.queries.div_ceil(64 * groups as usize);
        let per_block = Parts::keys(sizes.head, sizes.keys);
        let blocks = sizes.keys.div_ceil(per_block).max(1);
        let each = blocks.div_ceil(parts);
        let parts = blocks.div_ceil(each);
        let of_key = OF_KEY[if sizes.head == 128 { 2 } else { groups as usize - 2 }];
        let rounds = (tiles * parts).div_ceil(sizes.multiprocessors);
        // Queries that see fewer keys: the longest tiles go first.
        let shorter = sizes.queries.min(sizes.keys) as f64 / (2 * sizes.keys.max(1)) as f64;
        let seen = if sizes.causal { 1.0 - shorter } else { 1.0 };
        let multiplied = (rounds as f64 * seen).max(1.0) * (each * per_block) as f64 * of_key;
        let parted = Parts { groups, each: each as u32, parts: parts as u32 };
        (parted, multiplied + rounds as f64 * TILE)
    }

    /// The fastest division and its nanoseconds.
    pub(super) fn best(sizes: Sizes) -> Option<(Parts, f64)> {
        let rows = sizes.heads * sizes.share * sizes.queries;
        let of = |groups, parts| {
            let (parts, time) = Parts::time(sizes, groups, parts);
            let stored = 8 * parts.parts as usize * rows * sizes.head;
            (parts, time + LAUNCHES + stored as f64 / RATE)
        };
        let groups = if sizes.head == 128 { 2..3 } else { 2..4 };
        let all = groups.flat_map(|groups| (2..=MOST).map(move |parts| of(groups, parts)));
        let divided = all.filter(|(parts, _)| parts.parts > 1);
        divided.min_by(|x, y| x.1.total_cmp(&y.1))
    }

    /// The launch parameters with divided keys.
    pub(super) fn of(self, work: Work) -> Work {
        Work { each: self.each, parts: self.parts, tiles: work.tiles * self.parts, ..work }
    }
}
