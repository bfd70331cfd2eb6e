//! An attention request: type-erased extents and strides with their checks, the operands with their tensor maps, and whether the
//! sm_80 kernel divides long keys among blocks (split-KV).
//!
//! With one query tile of one head per block, decoding (few queries, few heads) leaves most of a device idle and re-reads keys for
//! every head that shares them. Split-KV reads them once, in enough parts to saturate memory, at the cost of a second launch.

use super::problem::{AttentionWork, Half, TensorStrides};
use super::warps::KEYS;
use crate::{Tensor, TensorMut};
use lanework::lang::tensor_cores::SwizzleMode;
use lanework::prelude::*;
use lanework::{Error, Result, ViewMut};

/// The part of a request that is independent of the element types.
pub(super) struct AttentionRequest {
    pub q: ([usize; 4], [usize; 4]),
    pub k: ([usize; 4], [usize; 4]),
    pub v: ([usize; 4], [usize; 4]),
    pub out: ([usize; 4], [usize; 4]),
    pub log_sums: Option<([usize; 3], [usize; 3])>,
    pub scale: Option<f32>,
}

/// Bytes of keys and values assumed to stay in L2.
const CACHED: usize = 24 << 20;
/// Minimum key and value bytes per head for which its tiles count as long.
const FAR: usize = 2 << 20;

fn refuse<T>(why: String, help: &str) -> Result<T> {
    Err(Error::Request { why, help: help.to_owned() })
}

/// Converts strides for the kernels.
pub(super) fn strides([batch, head, row, _]: [usize; 4]) -> TensorStrides {
    TensorStrides { batch: batch as u64, head: head as u64, row: row as u64 }
}

impl AttentionRequest {
    /// Rejects operands whose shapes do not match.
    pub fn check(&self) -> Result<()> {
        let ([batch, heads, rows, head], _) = self.q;
        if ![64, 128].contains(&head) {
            return refuse(
                format!("attention on heads of {head} elements, `q` has the shape {:?}", self.q.0),
                "heads of 64 and 128 elements are supported: pad `q`, `k` and `v` with zeros to one of them, and say `scale`",
            );
        }
        let [of_keys, kv_heads, keys, of_head] = self.k.0;
        if of_keys != batch || of_head != head {
            return refuse(
                format!("`q` has the shape {:?}, `k` {:?}", self.q.0, self.k.0),
                "both are [batch, heads, sequence, head dimension], with the same batches and head dimension",
            );
        }
        if self.v.0 != self.k.0 {
            return refuse(
                format!("`k` has the shape {:?}, `v` {:?}", self.k.0, self.v.0),
                "every key has a value: give both the same shape",
            );
        }
        if heads > 0 && (kv_heads == 0 || !heads.is_multiple_of(kv_heads)) {
            return refuse(
                format!("{heads} heads of queries do not share {kv_heads} heads of keys"),
                "the heads of `q` are a multiple of those of `k` and `v`",
            );
        }
        if self.out.0 != self.q.0 {
            return refuse(
                format!("`q` has the shape {:?}, the output {:?}", self.q.0, self.out.0),
                "there is a result for every element of `q`: give both the same shape",
            );
        }
        if let Some((shape, _)) = self.log_sums
            && shape != [batch, heads, rows]
        {
            return refuse(
                format!("`q` has the shape {:?}, the logarithms of the sums {shape:?}", self.q.0),
                "there is one for every query: [batch, heads, sequence]",
            );
        }
        for (name, (_, strides)) in [("q", self.q), ("k", self.k), ("v", self.v), ("out", self.out)]
        {
            if strides[3] != 1 {
                return refuse(
                    format!("the elements of a head of `{name}` are {} apart", strides[3]),
                    "the last dimension's stride has to be 1: the elements of a head are adjacent",
                );
            }
        }
        for (what, extent) in
            [("rows of queries", batch * heads * rows), ("keys", keys), ("heads", batch * heads)]
        {
            if extent >= 1 << 31 {
                return refuse(format!("{extent} {what} exceed 2^31 - 1"), "split the problem");
            }
        }
        match self.scale {
            Some(scale) if !(scale > 0.0 && scale.is_finite()) => refuse(
                format!("the scale of the scores is {scale}"),
                "give a positive number, or none for the reciprocal square root of the head dimension",
            ),
            _ => Ok(()),
        }
    }

    /// Launch parameters for tiles of `height` queries. With causal masks (`unequal` is the number of multiprocessors)
    /// long tiles start first, but only the tiles of several heads: keys and values must stay in L2 for the next tiles.
    pub fn work(&self, height: u32, unequal: Option<u32>) -> AttentionWork {
        let ([batch, heads, rows, head], _) = self.q;
        let [_, kv_heads, keys, _] = self.k.0;
        let pairs = (batch * heads) as u32;
        let down = (rows as u32).div_ceil(height);
        let log_sums = self.log_sums.map_or([0; 3], |(_, strides)| strides);
        let together = unequal.map_or(1, |multiprocessors| {
            let share = (heads / kv_heads).max(1);
            let bytes = (4 * keys * head / share).max(1);
            // Enough tiles for every multiprocessor; more if a head's tiles are long.
            let tiles = multiprocessors.saturating_mul(if bytes >= FAR { 8 } else { 4 });
            tiles.div_ceil(down).max(u32::try_from(CACHED / bytes).unwrap_or(u32::MAX)).max(1)
        });
        AttentionWork {
            rows: rows as u32,
            group: 1,
            queries: rows as u32,
            keys: keys as u32,
            heads: heads as u32,
            share: (heads / kv_heads) as u32,
            pairs,
            together: together.min(pairs),
            down,
            tiles: down * pairs,
            each: u32::MAX,
            parts: 1,
            out: strides(self.out.1),
            log_sums: strides([log_sums[0], log_sums[1], log_sums[2], 1]),
        }
    }

    /// The launch parameters if the queries of all heads that share keys are rows of one tile, and the keys are divided.
    pub fn grouped(&self, split: Split) -> AttentionWork {
        let work = self.work(split.rows, None);
        let (heads, rows) = (work.heads / work.share, work.rows * work.share);
        let (pairs, down) = (work.pairs / work.share, rows.div_ceil(split.rows));
        AttentionWork {
            rows,
            group: work.share,
            heads,
            share: 1,
            pairs,
            together: 1,
            down,
            tiles: down * pairs,
            each: split.each,
            parts: split.parts,
            ..work
        }
    }
}

/// Operands of the attention kernels.
pub(super) struct AttentionOperands<'a, T: Half> {
    pub q: Tensor<'a, T, 4>,
    pub k: Tensor<'a, T, 4>,
    pub v: Tensor<'a, T, 4>,
    pub out: Results<'a, T>,
    pub log_sums: ViewMut<'a, f32>,
    pub counter: ViewMut<'a, u32>,
    /// Dummy memory for operands that are not used.
    pub unused: ViewMut<'a, u32>,
}

/// Destination of the results.
#[derive(Debug)]
pub struct Results<'a, T: Half> {
    pub(super) memory: Memory<'a, T>,
    pub(super) shape: [usize; 4],
    pub(super) strides: [usize; 4],
}

/// Result memory, rounded or f32.
#[derive(Debug)]
pub enum Memory<'a, T: Half> {
    Rounded(ViewMut<'a, T>),
    Wide(ViewMut<'a, f32>),
}

impl<'a, T: Half> Results<'a, T> {
    /// Rounded results.
    pub(super) fn narrow(out: TensorMut<'a, T, 4>) -> Self {
        let (shape, strides) = (out.shape(), out.strides());
        Results { memory: Memory::Rounded(out.into_view()), shape, strides }
    }

    /// Results as f32.
    pub(super) fn wide(out: TensorMut<'a, f32, 4>) -> Self {
        let (shape, strides) = (out.shape(), out.strides());
        Results { memory: Memory::Wide(out.into_view()), shape, strides }
    }

    /// Whether the tensor-core kernels can store to it: rounded results by TMA, f32 results in pairs.
    pub(super) fn fit(&self) -> bool {
        match &self.memory {
            Memory::Rounded(view) => tiled(view.address(), self.shape, self.strides, 8),
            Memory::Wide(view) => tiled(view.address(), self.shape, self.strides, 2),
        }
    }
}

/// Whether rows start at multiples of `unit` elements; with a `unit` of 8, whether TMA can copy them.
pub(super) fn tiled(address: u64, shape: [usize; 4], strides: [usize; 4], unit: usize) -> bool {
    let mut steps = strides.into_iter().zip(shape).take(3);
    address.is_multiple_of(if unit == 8 { 16 } else { 8 })
        && steps.all(|(stride, extent)| {
            extent == 1 || stride.is_multiple_of(unit) && (1..1 << 39).contains(&stride)
        })
}

/// A tensor map of tiles of `rows` rows, 64 columns at a time.
pub(super) fn tiles(shape: [usize; 4], mut strides: [usize; 4], rows: u32) -> Tiles<4> {
    for axis in 0..3 {
        if shape[axis] == 1 {
            strides[axis] = shape[3]; // any extent that TMA accepts
        }
    }
    Tiles::new(shape, [1, 1, rows, 64]).strides(strides).swizzle(Swizzle128::SWIZZLE)
}

/// The tensor map for loading tiles of `rows` rows.
pub(super) fn map<'a, T: Half>(tensor: Tensor<'a, T, 4>, rows: u32) -> Result<TensorMap<'a, T, 4>> {
    let tiles = tiles(tensor.shape(), tensor.strides(), rows);
    TensorMap::of_view(&tensor.device().clone(), tensor.into_view(), &tiles)
}

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
