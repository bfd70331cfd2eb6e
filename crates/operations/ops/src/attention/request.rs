//! An attention request: type-erased extents and strides with their checks, and the operands with their tensor maps.

use super::problem::{AttentionWork, Half, TensorStrides};
use super::split::Split;
use crate::{Tensor, TensorMut};
use lanework::lang::tensor_cores::SwizzleMode;
use lanework::prelude::*;
use lanework::{Error, Result, ViewMut};

/// The part of a request that does not depend on the element types.
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
