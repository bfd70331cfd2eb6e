//! Whether few queries of long keys are divided along the keys, and how.
//!
//! The kernels of one tile of queries and one head per block leave most of a device idle where there are few of both, as in
//! decoding, and read keys again for every head that shares them. The other way reads them once, in as many parts as keep the
//! memory busy, and costs a second launch.

/// Keys of a block of keys, as of the kernel.
use super::warps::KEYS;

/// How keys are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Rows of a tile: 16, 32 or 64.
    pub rows: u32,
    /// Blocks of keys of a part.
    pub each: u32,
    /// Parts.
    pub parts: u32,
}

/// What the choice depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Heads of keys in all batches, and heads of queries that share one.
    pub heads: usize,
    pub share: usize,
    /// Queries and keys of a head.
    pub queries: usize,
    pub keys: usize,
    /// Elements of a row.
    pub head: usize,
    pub multiprocessors: usize,
}

/// Nanoseconds, on an H200: of a launch that combines parts, of the start of a block, of a block of keys per element of a row
/// while a multiprocessor has its share of the memory's bandwidth.
const LAUNCH: f64 = 3000.0;
const START: f64 = 1500.0;
const BLOCK: f64 = 8.0;
/// Blocks of a multiprocessor that it takes to keep its share of the memory busy.
const BUSY: usize = 3;
/// Bytes per nanosecond that parts are stored and read again with.
const RATE: f64 = 3000.0;
/// Nanoseconds of a tile of the kernel of Hopper for a key.
const HOPPER: f64 = 11.5;
/// What the other way has to be faster by.
const GAIN: f64 = 1.2;

impl Split {
    /// Warps that divide a block of keys.
    pub const fn ways(self) -> u32 {
        64 / self.rows
    }

    /// Results of a row that are combined.
    pub const fn count(self) -> usize {
        self.parts as usize * self.ways() as usize
    }

    /// Blocks that a multiprocessor holds at once.
    const fn resident(rows: u32, head: usize) -> usize {
        let shared = super::warps::shared_bytes(head as u32, rows, super::warps::STAGES) as usize;
        (227 * 1024) / (shared + 1024)
    }

    /// The fastest division, and its nanoseconds.
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
            // Of a multiprocessor: rounds, and the blocks of a round, or as many as would keep the memory busy.
            let rounds = together.div_ceil(resident);
            let round = together.min(resident).max(BUSY);
            let stored = 8 * split.count() * sizes.heads * height * sizes.head;
            let time = (rounds * round * each * sizes.head) as f64 * BLOCK
                + rounds as f64 * START
                + stored as f64 / RATE;
            (split, time + LAUNCH)
        };
        let most = blocks.min(resident * busy).max(1);
        let all = (1..=most).map(of);
        all.min_by(|x, y| x.1.total_cmp(&y.1)).unwrap_or_else(|| of(1))
    }

    /// The division where it is faster than `other` nanoseconds.
    fn faster(sizes: Sizes, other: f64) -> Option<Split> {
        let (split, time) = Split::best(sizes);
        (time * GAIN < other).then_some(split)
    }

    /// The division that is faster than the kernel of Hopper with tiles of `height` queries, if one is.
    pub fn than_hopper(sizes: Sizes, height: usize) -> Option<Split> {
        let tiles = sizes.heads * sizes.share * sizes.queries.div_ceil(height);
        let rounds = tiles.div_ceil(sizes.multiprocessors);
        Split::faster(sizes, (rounds * sizes.keys) as f64 * HOPPER)
    }

    /// The division that is faster than tiles of 64 queries of each head, if one is.
    pub fn than_whole(sizes: Sizes) -> Option<Split> {
        let each = Sizes { heads: sizes.heads * sizes.share, share: 1, ..sizes };
        let tiles = each.heads * each.queries.div_ceil(64);
        let resident = Split::resident(64, sizes.head);
        let together = tiles.div_ceil(sizes.multiprocessors);
        let (rounds, round) = (together.div_ceil(resident), together.min(resident).max(BUSY));
        let blocks = sizes.keys.div_ceil(KEYS as usize);
        Split::faster(sizes, (rounds * round * blocks * sizes.head) as f64 * BLOCK)
    }
}
