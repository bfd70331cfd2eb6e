//! Decides whether and how the sm_80 kernel divides long keys among blocks (split-KV).
//!
//! With one query tile of one head per block, decoding (few queries, few heads) leaves most of a device idle and re-reads keys for
//! every head that shares them. Split-KV reads them once, in enough parts to saturate memory, at the cost of a second launch.

use super::warps::KEYS;

/// Division of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Rows of a tile: 16, 32 or 64.
    pub rows: u32,
    /// Key blocks per part.
    pub each: u32,
    /// Parts.
    pub parts: u32,
}

/// Problem sizes that determine the division.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Key heads of all batches, and query heads per key head.
    pub heads: usize,
    pub share: usize,
    /// Queries and keys per head.
    pub queries: usize,
    pub keys: usize,
    /// Elements per row.
    pub head: usize,
    /// Causal mask.
    pub causal: bool,
    pub multiprocessors: usize,
}

// Nanoseconds, fitted to an H200.
/// Both launches.
const LAUNCH: f64 = 3500.0;
/// Prologue of a block.
const START: f64 = 1500.0;
/// Per key block and row element, for tiles of `rows` rows, when multiprocessors share the memory bandwidth.
const fn of_block(rows: u32) -> f64 {
    if rows == 64 { 10.0 } else { 8.0 }
}
/// Combining 32 partial results of a row.
const COMBINE: f64 = 500.0;
/// Launch of the undivided kernel.
const WHOLE: f64 = 4500.0;

/// Bandwidth of storing and re-reading the parts, in bytes per nanosecond.
const RATE: f64 = 3000.0;
/// Blocks per multiprocessor that saturate its share of the memory bandwidth.
const BUSY: usize = 2;
/// Maximum number of waves of blocks if keys are divided.
const ROUNDS: usize = 4;
/// Minimum speedup that justifies dividing.
const GAIN: f64 = 1.15;

impl Split {
    /// Number of warps that divide a key block.
    pub const fn ways(self) -> u32 {
        64 / self.rows
    }

    /// Partial results per row.
    pub const fn count(self) -> usize {
        self.parts as usize * self.ways() as usize
    }

    /// Number of resident blocks per multiprocessor, limited by registers and shared memory.
    const fn resident(rows: u32, head: usize) -> usize {
        match (head, rows) {
            (64, 16 | 32) => 4,
            (64, _) | (_, 16 | 32) => 3,
            _ => 2,
        }
    }

    /// The fastest division and its predicted nanoseconds.
    fn best(sizes: Sizes) -> (Split, f64) {
        let height = sizes.share * sizes.queries;
        let rows = if height <= 16 {
            16
        } else if height <= 32 {
            32
        } else {
            64
        };
        let tiles = sizes.heads * height.div_ceil(rows as usize);
        let (blocks, busy) = (sizes.keys.div_ceil(KEYS as usize).max(1), sizes.multiprocessors);
        let resident = Split::resident(rows, sizes.head);
        let of = |parts: usize| {
            let each = blocks.div_ceil(parts);
            let parts = blocks.div_ceil(each);
            let split = Split { rows, each: each as u32, parts: parts as u32 };
            let together = (tiles * parts).div_ceil(busy);
            // Per multiprocessor: the number of waves, and of blocks per wave (or as many as saturate memory).
            let rounds = together.div_ceil(resident);
            let round = together.min(resident).max(BUSY);
            let stored = 8 * split.count() * sizes.heads * height * sizes.head;
            let time = (rounds * round * each * sizes.head) as f64 * of_block(rows)
                + rounds as f64 * START
                + split.count().div_ceil(32) as f64 * COMBINE
                + stored as f64 / RATE;
            (split, time + LAUNCH)
        };
        // More parts than fill a few waves gain nothing.
        let most = (ROUNDS * resident * busy).div_ceil(tiles).min(blocks);
        let all = (1..=most).map(of);
        all.min_by(|x, y| x.1.total_cmp(&y.1)).unwrap_or_else(|| of(1))
    }

    /// The division, if its predicted time is below `other` nanoseconds.
    pub(super) fn faster(sizes: Sizes, other: f64) -> Option<Split> {
        if other < GAIN * LAUNCH {
            return None;
        }
        let (split, time) = Split::best(sizes);
        (time * GAIN < other).then_some(split)
    }

    /// The division, if it beats tiles of 64 queries per head.
    pub fn than_whole(sizes: Sizes) -> Option<Split> {
        let each = Sizes { heads: sizes.heads * sizes.share, share: 1, ..sizes };
        let tiles = each.heads * each.queries.div_ceil(64);
        let resident = Split::resident(64, sizes.head);
        let together = tiles.div_ceil(sizes.multiprocessors);
        let (rounds, round) = (together.div_ceil(resident), together.min(resident).max(BUSY));
        let blocks = sizes.keys.div_ceil(KEYS as usize);
        let time = (rounds * round * blocks * sizes.head) as f64 * of_block(64);
        Split::faster(sizes, time + WHOLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::choice::{self, KeyParts};

    /// The sizes `[batch, query heads, key heads, queries, keys, row elements]`, on an H200.
    fn sizes([batch, heads, kv_heads, queries, keys, head]: [usize; 6]) -> Sizes {
        let share = heads / kv_heads;
        Sizes {
            heads: batch * kv_heads,
            share,
            queries,
            keys,
            head,
            causal: false,
            multiprocessors: 132,
        }
    }

    /// The division, if it beats the Hopper kernel with `groups` warpgroups.
    fn than_hopper(sizes: Sizes, groups: u32) -> Option<Split> {
        Split::faster(sizes, KeyParts::whole(sizes, groups) + choice::WHOLE)
    }

    #[test]
    fn few_queries_of_long_keys_are_divided() {
        for shape in [
            [64, 32, 8, 1, 8192, 64],
            [1, 32, 32, 1, 16384, 64],
            [16, 32, 8, 4, 4096, 128],
            [1, 8, 8, 128, 16384, 64],
            [1, 8, 8, 128, 16384, 128],
            [1, 32, 8, 1, 1 << 20, 128],
        ] {
            let split = than_hopper(sizes(shape), 2).expect("divided");
            let [batch, heads, kv_heads, queries, keys, _] = shape;
            let tiles =
                batch * kv_heads * (heads / kv_heads * queries).div_ceil(split.rows as usize);
            assert!(tiles * split.parts as usize >= 132 * 3 / 2, "{shape:?}: {split:?}");
            let blocks = keys.div_ceil(KEYS as usize) as u32;
            assert_eq!(split.parts, blocks.div_ceil(split.each), "{shape:?}: {split:?}");
            assert!(Split::than_whole(sizes(shape)).is_some(), "{shape:?}");
        }
    }

    #[test]
    fn others_are_not() {
        for shape in [
            [2, 16, 16, 4096, 4096, 64],
            [4, 16, 16, 1000, 1000, 128],
            [128, 16, 16, 77, 77, 64],
            [1, 8, 8, 1, 100, 64],
            [1, 1, 1, 1, 1, 128],
        ] {
            assert_eq!(than_hopper(sizes(shape), 3), None, "{shape:?}");
            assert_eq!(Split::than_whole(sizes(shape)), None, "{shape:?}");
        }
    }

    #[test]
    fn rows_of_tiles_are_the_queries_of_all_heads_that_share_keys() {
        for (heads, queries, rows) in
            [(8, 1, 16), (32, 4, 16), (40, 4, 32), (64, 4, 32), (64, 5, 64)]
        {
            let split = than_hopper(sizes([1, heads, 8, queries, 8192, 64]), 3);
            assert_eq!(split.map(|split| split.rows), Some(rows), "{heads} {queries}");
        }
    }
}
