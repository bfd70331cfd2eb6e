//! Attention as a problem: heads on a device, the tile size, and the reference on the host.

use half::bf16;
use lanework::prelude::*;
use lanework::{Error, Result};
use std::ops::Range;

/// Elements per row of a head.
pub const HEAD: u32 = 128;
/// Lengths are multiples of this: the largest tile of a rung.
pub const TILE: u32 = 128;

/// Queries, keys and values of some heads, each `length` rows of [`HEAD`] elements, and the results.
pub struct Heads {
    /// Number of heads.
    pub heads: u32,
    /// Number of queries and of keys per head.
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
    /// Uploads the inputs and poisons the results.
    ///
    /// # Errors
    /// If the length is not a multiple of [`TILE`], or the device has too little memory.
    pub fn place(
        device: &Device,
        heads: u32,
        length: u32,
        [q, k, v]: [&[bf16]; 3],
    ) -> Result<Heads> {
        if heads == 0 || length == 0 || !length.is_multiple_of(TILE) {
            return Err(Error::Launch {
                kernel: "attention".to_owned(),
                why: format!(
                    "{heads} heads of {length} rows do not form whole tiles of {TILE} rows"
                ),
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

    /// The scale of the scores times log2(e), which makes weights powers of two.
    pub(super) fn scale() -> f32 {
        std::f32::consts::LOG2_E / (HEAD as f32).sqrt()
    }
}

/// A tensor map of a matrix of `rows` rows of [`HEAD`] elements in tiles of `tile` rows.
pub(super) fn map(x: &Buffer<bf16>, rows: u32, tile: u32) -> Result<TensorMap<'_, bf16, 2>> {
    let tiles = Tiles::new([rows as usize, HEAD as usize], [tile, 64]);
    TensorMap::new(x, &tiles.swizzle(Swizzle::B128))
}

/// `softmax(q * transpose(k) / sqrt(HEAD)) * v` in f64: the results of some rows of all heads, each with the sum of
/// the absolute values of its terms, which bounds the rounding error.
pub fn on_host(length: usize, rows: Range<usize>, [q, k, v]: [&[bf16]; 3]) -> Vec<(f64, f64)> {
    let head = HEAD as usize;
    let wide = |x: &[bf16]| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
    let mut results = Vec::with_capacity(rows.len() * head);
    let mut row = rows.start;
    while row < rows.end {
        let of_head = row / length * length;
        let keys = wide(&k[of_head * head..][..length * head]);
        let values = wide(&v[of_head * head..][..length * head]);
        for row in row..rows.end.min(of_head + length) {
            let query = wide(&q[row * head..][..head]);
            let scores = keys.chunks_exact(head).map(|key| dot(&query, key));
            let scores: Vec<f64> = scores.map(|sum| sum / f64::from(HEAD).sqrt()).collect();
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
            let total: f64 = weights.iter().sum();
            let (mut sums, mut magnitudes) = (vec![0.0; head], vec![0.0; head]);
            for (weight, value) in weights.iter().zip(values.chunks_exact(head)) {
                for ((sum, magnitude), value) in sums.iter_mut().zip(&mut magnitudes).zip(value) {
                    *sum += weight * value;
                    *magnitude += weight * value.abs();
                }
            }
            results
                .extend(sums.iter().zip(magnitudes).map(|(sum, all)| (sum / total, all / total)));
        }
        row = of_head + length;
    }
    results
}

/// A dot product in eight partial sums, which the host's compiler can vectorize.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    for (x, y) in x.chunks_exact(8).zip(y.chunks_exact(8)) {
        for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            *sum += x * y;
        }
    }
    sums.iter().sum()
}
