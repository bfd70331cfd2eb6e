//! Device-side description of an attention launch: element type, extents, strides, and the mapping of blocks to tiles.

use half::{bf16, f16};
use lanework::Element;
use lanework::lang::tensor_cores::{GroupProduct, Narrow, Product};
use lanework::prelude::*;

/// A 16-bit float: an operand of the tensor cores, and the type that f32 results are rounded to.
///
/// ```
/// use half::{bf16, f16};
/// use lanework_ops::Half;
///
/// fn bits<T: Half>() -> u32 {
///     T::BITS
/// }
/// assert_eq!((bits::<f16>(), bits::<bf16>()), (16, 16));
/// ```
pub trait Half:
    GroupProduct<Self, f32, Storage = Self> + Product<Self, f32, 16, 8, 16> + Narrow + Element
{
}

impl Half for f16 {}
impl Half for bf16 {}

/// Element strides of batch, head and row.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TensorStrides {
    pub batch: u64,
    pub head: u64,
    pub row: u64,
}

#[device]
impl TensorStrides {
    /// Index of the first element of a row.
    pub fn at(self, batch: u32, head: u32, row: u32) -> u64 {
        batch as u64 * self.batch + head as u64 * self.head + row as u64 * self.row
    }
}

/// Extents and strides passed to the kernels.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AttentionWork {
    /// Rows in a column of tiles: the queries of a head, or of `group` heads interleaved.
    pub rows: u32,
    pub group: u32,
    /// Queries and keys per head.
    pub queries: u32,
    pub keys: u32,
    /// Query heads (or groups of them), and the number that share a key head.
    pub heads: u32,
    pub share: u32,
    /// Heads of all batches, and the number processed together.
    pub pairs: u32,
    pub together: u32,
    /// Tiles per head, and in total.
    pub down: u32,
    pub tiles: u32,
    /// Key blocks per part, and parts.
    pub each: u32,
    pub parts: u32,
    /// Strides of the results and of the log-sum-exp.
    pub out: TensorStrides,
    pub log_sums: TensorStrides,
}

/// Position of a query row.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RowPosition {
    pub batch: u32,
    pub head: u32,
    pub row: u32,
}

#[device]
impl AttentionWork {
    /// The first row of tile `tile` of `height` rows. The lowest tiles of several heads, which see the most keys, come first.
    pub fn place(self, tile: u32, #[constant] height: u32) -> RowPosition {
        let section = tile / (self.down * self.together);
        let within = tile % (self.down * self.together);
        let width = (self.pairs - section * self.together).min(self.together);
        let pair = section * self.together + within % width;
        let row = (self.down - 1 - within / width) * height;
        RowPosition { batch: pair / self.heads, head: pair % self.heads, row }
    }

    /// The number of keys that a query sees.
    pub fn seen(self, query: u32, #[constant] causal: bool) -> i32 {
        let keys = self.keys as i32;
        if causal { (query as i32 + 1 + keys - self.queries as i32).max(0).min(keys) } else { keys }
    }

    /// The number of `KEYS`-key blocks that some query in `first..=last` sees (at least one), and how many of them every query sees
    /// in full. `last` may exceed the last query.
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

/// Compile-time options of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct KernelOptions {
    /// Causal mask.
    pub causal: bool,
    /// Results are f32 instead of rounded.
    pub wide: bool,
    /// Store the log-sum-exp.
    pub log_sums: bool,
    /// Keys are divided into parts that another launch combines.
    pub split: bool,
    /// Programmatic dependent launch: the combining launch begins before the first one has ended (sm_90).
    pub overlaps: bool,
}
