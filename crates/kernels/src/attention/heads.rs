//! Attention as a problem: heads on a device, what the tiles of rungs divide, and the host's result.

use half::bf16;
use lanework::prelude::*;
use lanework::{Error, Result};

/// Elements of a head.
pub const HEAD: u32 = 128;
/// What lengths are a multiple of: the largest tile of a rung.
pub const TILE: u32 = 128;

/// Queries, keys and values of some heads, each `length` rows of [`HEAD`] elements, and a place for the results.
pub struct Heads {
    /// Number of heads.
    pub heads: u32,
    /// Queries of a head, and keys.
    pub length: u32,
    /// Queries, head by head.
    pub q: Buffer<bf16>,
    /// Keys.
    pub k: Buffer<bf16>,
    /// Values.
    pub v: Buffer<bf16>,
    /// Results.
    pub out: Buffer<bf16>,
    /// The scores, for the rung that stores them.
    pub(super) scores: Option<Buffer<f32>>,
}

impl Heads {
    /// The inputs on a device, and poisoned results.
    ///
    /// # Errors
    /// When the length is not a multiple of [`TILE`], or the device has no memory.
    pub fn place(
        device: &Device,
        heads: u32,
        length: u32,
        [q, k, v]: [&[bf16]; 3],
    ) -> Result<Heads> {
        if heads == 0 || length == 0 || !length.is_multiple_of(TILE) {
            return Err(Error::Launch {
                kernel: "attention".to_owned(),
                why: format!("{heads} heads of {length} rows are not made of tiles of {TILE}"),
                help: format!(
                    "give at least one head, and a length that is a multiple of {TILE}; `lanework_ops::attention` takes any"
                ),
            });
        }
        let mut out = device.uninit_named(q.len(), "out")?;
        out.fill_bytes(0xCD)?;
        let [q, k, v] = [device.upload(q)?, device.upload(k)?, device.upload(v)?];
        Ok(Heads { heads, length, q, k, v, out, scores: None })
    }

    /// Multiplications and additions of both products.
    pub fn flops(heads: u32, length: u32) -> u64 {
        4 * u64::from(heads) * u64::from(length) * u64::from(length) * u64::from(HEAD)
    }

    /// Bytes of the inputs and the results.
    pub fn bytes(heads: u32, length: u32) -> u64 {
        8 * u64::from(heads) * u64::from(length) * u64::from(HEAD)
    }

    /// The scale of the scores times log2(e), so that weights are powers of two.
    pub(super) fn scale() -> f32 {
        std::f32::consts::LOG2_E / (HEAD as f32).sqrt()
    }
}

/// Maps of a matrix of `rows` rows of [`HEAD`] elements in tiles of `tile` rows.
pub(super) fn map(x: &Buffer<bf16>, rows: u32, tile: u32) -> Result<TensorMap<'_, bf16, 2>> {
    let tiles = Tiles::new([rows as usize, HEAD as usize], [tile, 64]);
    TensorMap::new(x, &tiles.swizzle(Swizzle::B128))
}

/// A result of `softmax(q * transpose(k) / sqrt(HEAD)) * v` in f64: row `row` of all heads, with its sums of absolute values,
/// which bound the error of rounding.
pub fn on_host(length: usize, row: usize, [q, k, v]: [&[bf16]; 3]) -> Vec<(f64, f64)> {
    let head = HEAD as usize;
    let first = row / length * length;
    let query = &q[row * head..][..head];
    let scores: Vec<f64> = (first..first + length)
        .map(|key| {
            let key = &k[key * head..][..head];
            let products = query.iter().zip(key).map(|(x, y)| x.to_f64() * y.to_f64());
            products.sum::<f64>() / f64::from(HEAD).sqrt()
        })
        .collect();
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let mut results = vec![(0.0, 0.0); head];
    for (weight, value) in weights.iter().zip(v[first * head..].chunks(head)) {
        for (result, value) in results.iter_mut().zip(value) {
            let part = weight / sum * value.to_f64();
            *result = (result.0 + part, result.1 + part.abs());
        }
    }
    results
}
