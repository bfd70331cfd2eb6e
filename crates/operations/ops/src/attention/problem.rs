//! What one launch of attention works on: extents, strides, and which block does what.

use lanework::prelude::*;

/// Elements from one batch, head and row to the next.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Strides {
    pub batch: u64,
    pub head: u64,
    pub row: u64,
}

#[device]
impl Strides {
    /// The first element of a row.
    pub fn at(self, batch: u32, head: u32, row: u32) -> u64 {
        batch as u64 * self.batch + head as u64 * self.head + row as u64 * self.row
    }
}

/// Extents and strides as kernels take them.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Work {
    /// Rows of a tile's column of tiles: the queries of a head, or of `group` heads, one query of each after the other.
    pub rows: u32,
    pub group: u32,
    /// Queries and keys of a head.
    pub queries: u32,
    pub keys: u32,
    /// Heads of queries, or groups of them, and how many of these share a head of keys.
    pub heads: u32,
    pub share: u32,
    /// Heads of all batches, and how many of them are worked on together.
    pub pairs: u32,
    pub together: u32,
    /// Tiles of queries in a head, and in all.
    pub down: u32,
    pub tiles: u32,
    /// Blocks of keys of a part, and parts.
    pub each: u32,
    pub parts: u32,
    /// Of the results, and of the logarithms of the sums.
    pub out: Strides,
    pub log_sums: Strides,
}

/// A row of queries.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub batch: u32,
    pub head: u32,
    pub row: u32,
}

#[device]
impl Work {
    /// The first row of tile `tile`, of `height` rows: the lowest tiles of some heads first, which see the most keys.
    pub fn place(self, tile: u32, #[constant] height: u32) -> Place {
        let section = tile / (self.down * self.together);
        let within = tile % (self.down * self.together);
        let width = (self.pairs - section * self.together).min(self.together);
        let pair = section * self.together + within % width;
        let row = (self.down - 1 - within / width) * height;
        Place { batch: pair / self.heads, head: pair % self.heads, row }
    }

    /// The keys that a query sees, from the first one on.
    pub fn seen(self, query: u32, #[constant] causal: bool) -> i32 {
        let keys = self.keys as i32;
        if causal { (query as i32 + 1 + keys - self.queries as i32).max(0).min(keys) } else { keys }
    }

    /// The blocks of `KEYS` keys that some query from `first` to `last` sees, at least one, and how many of them each of the queries
    /// sees in full; `last` may lie beyond the last query.
    pub fn blocks<const KEYS: u32>(
        self,
        first: u32,
        last: u32,
        #[constant] causal: bool,
    ) -> (u32, u32) {
        let most = self.seen(last.min(self.queries - 1), causal) as u32;
        let least = self.seen(first, causal) as u32;
        (most.div_ceil(KEYS).max(1), least / KEYS)
    }
}

/// What a launch leaves out or does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Options {
    /// Queries see no later keys.
    pub causal: bool,
    /// Results are f32 instead of rounded.
    pub wide: bool,
    /// The logarithms of the sums are stored.
    pub log_sums: bool,
    /// Keys are divided into parts, whose results another launch combines.
    pub split: bool,
    /// That launch begins before the first one has ended (sm_90).
    pub overlaps: bool,
}
