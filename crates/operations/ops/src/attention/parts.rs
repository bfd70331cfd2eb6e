//! Whether the keys of the tiles of Hopper's kernel are divided into parts, and how: where there are fewer tiles of queries than
//! multiprocessors, or a last round of tiles leaves most of them idle.

use super::problem::Work;
use super::split::Sizes;

/// How the keys of tiles are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Warpgroups of a block that multiply.
    pub groups: u32,
    /// Blocks of keys of a part.
    pub each: u32,
    /// Parts.
    pub parts: u32,
}

// Nanoseconds, fitted to an H200.
/// Of both launches, and of the start and the end of a tile.
const LAUNCHES: f64 = 6500.0;
const TILE: f64 = 600.0;
/// Bytes per nanosecond that parts are stored and read again with.
const RATE: f64 = 8000.0;
/// Of a tile for a key: of 128 rows of 64 elements, of 192 of them, of 128 rows of 128.
const OF_KEY: [f64; 3] = [9.3, 11.5, 11.5];

/// Keys from which on blocks of 160 are faster than blocks of 128 on an H200, for heads of 128 elements.
const LONG: usize = 4096;

/// As many parts as a warp combines.
const MOST: usize = 32;

impl Parts {
    /// The keys of a block of keys.
    pub(super) const fn keys(head: usize, keys: usize) -> usize {
        if head == 128 && keys >= LONG { 160 } else { 128 }
    }

    /// Nanoseconds of tiles of `groups` warpgroups whose keys are together.
    pub(super) fn whole(sizes: Sizes, groups: u32) -> f64 {
        Parts::time(sizes, groups, 1).1
    }

    /// So many parts, or fewer, and their nanoseconds without launches.
    pub(super) fn time(sizes: Sizes, groups: u32, parts: usize) -> (Parts, f64) {
        let heads = sizes.heads * sizes.share;
        let tiles = heads * sizes.queries.div_ceil(64 * groups as usize);
        let per_block = Parts::keys(sizes.head, sizes.keys);
        let blocks = sizes.keys.div_ceil(per_block).max(1);
        let each = blocks.div_ceil(parts);
        let parts = blocks.div_ceil(each);
        let of_key = OF_KEY[if sizes.head == 128 { 2 } else { groups as usize - 2 }];
        let rounds = (tiles * parts).div_ceil(sizes.multiprocessors);
        // Of queries that see fewer keys, the longest tiles go first.
        let shorter = sizes.queries.min(sizes.keys) as f64 / (2 * sizes.keys.max(1)) as f64;
        let seen = if sizes.causal { 1.0 - shorter } else { 1.0 };
        let multiplied = (rounds as f64 * seen).max(1.0) * (each * per_block) as f64 * of_key;
        let parted = Parts { groups, each: each as u32, parts: parts as u32 };
        (parted, multiplied + rounds as f64 * TILE)
    }

    /// The fastest division, and its nanoseconds.
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

    /// A launch's work with its keys divided.
    pub(super) fn of(self, work: Work) -> Work {
        Work { each: self.each, parts: self.parts, tiles: work.tiles * self.parts, ..work }
    }
}
