//! Attention with the default dispatch, compared with figures from other processes.
//!
//! cuDNN 9.19.0 (91900) through PyTorch 2.11.0+cu130 on an H200: bf16, `scripts/attention_peers.py`, the better of two
//! runs for each shape. FlashAttention-3: Shah, Bikshandi, Zhang, Thakkar, Ramani and Dao, "FlashAttention-3", 2024
//! (arXiv 2407.08608), figure 5, FP16 on an H100 80GB SXM5. All use the paper's shapes: 16,384 tokens of 2,048
//! elements, with heads and batches to match, and normally distributed numbers. With a causal mask, only half of the
//! operations count.

use crate::contest::Arena;
use crate::row::Problem;
use half::bf16;
use lanework::{Buffer, Device, Result};
use lanework_bench::{Cache, Work};
use lanework_ops::{Plan, Tensor, TensorMut, attention};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;

/// Rows of all operands, and the elements of a token.
const TOKENS: usize = 16_384;
const WIDTH: usize = 2_048;
const LENGTHS: [usize; 5] = [1024, 2048, 4096, 8192, 16_384];

/// TFLOP/s of one kind of attention, for [`LENGTHS`].
struct Figures {
    head: usize,
    causal: bool,
    cudnn: [f64; 5],
    flash: [f64; 5],
}

const FIGURES: [Figures; 4] = [
    Figures {
        head: 128,
        causal: false,
        cudnn: [615.0, 635.0, 652.0, 665.0, 672.0],
        flash: [565.0, 625.0, 638.0, 646.0, 648.0],
    },
    Figures {
        head: 128,
        causal: true,
        cudnn: [445.0, 522.0, 562.0, 603.0, 624.0],
        flash: [423.0, 521.0, 579.0, 602.0, 616.0],
    },
    Figures {
        head: 64,
        causal: false,
        cudnn: [441.0, 457.0, 481.0, 488.0, 486.0],
        flash: [392.0, 460.0, 476.0, 496.0, 497.0],
    },
    Figures {
        head: 64,
        causal: true,
        cudnn: [345.0, 398.0, 433.0, 455.0, 469.0],
        flash: [265.0, 371.0, 420.0, 460.0, 473.0],
    },
];

/// Number of rows to verify.
const VERIFIED: usize = 64;

/// Operands and results on the device.
struct Heads {
    operands: [Buffer<bf16>; 3],
    out: Buffer<bf16>,
}

/// A problem: its shape, and whether it is causal.
#[derive(Clone, Copy)]
struct Kind {
    length: usize,
    head: usize,
    causal: bool,
}

impl Kind {
    /// `[batch, heads, length, head]`.
    fn shape(self) -> [usize; 4] {
        [TOKENS / self.length, WIDTH / self.head, self.length, self.head]
    }

    fn plan(self, state: &mut Heads) -> Result<Plan<'_>> {
        let Heads { operands: [q, k, v], out } = state;
        let shape = self.shape();
        let this =
            attention(Tensor::new(q, shape)?, Tensor::new(k, shape)?, Tensor::new(v, shape)?);
        let this = if self.causal { this.causal() } else { this };
        this.prepare(TensorMut::new(out, shape)?)
    }

    /// A row of results of all heads in f64.
    fn row(self, [q, k, v]: [&[bf16]; 3], row: usize) -> Vec<f64> {
        let Kind { length, head, causal } = self;
        let first = row / length * length;
        let seen = if causal { row % length + 1 } else { length };
        let wide = |x: &[bf16], rows: std::ops::Range<usize>| -> Vec<f64> {
            x[rows.start * head..rows.end * head].iter().map(|x| x.to_f64()).collect()
        };
        let query = wide(q, row..row + 1);
        let (keys, values) = (wide(k, first..first + seen), wide(v, first..first + seen));
        let product = |key: &[f64]| query.iter().zip(key).map(|(x, y)| x * y).sum::<f64>();
        let scale = 1.0 / (head as f64).sqrt();
        let scores: Vec<f64> = keys.chunks_exact(head).map(|key| scale * product(key)).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let mut results = vec![0.0; head];
        for (weight, value) in weights.iter().zip(values.chunks_exact(head)) {
            results.iter_mut().zip(value).for_each(|(result, x)| *result += weight / sum * x);
        }
        results
    }

    /// Host references for some rows of all heads: the first, the last, and pseudo-random ones.
    fn rows(self, host: [&[bf16]; 3]) -> Vec<(usize, Vec<f64>)> {
        let rows = TOKENS * WIDTH / self.head;
        let row = |i: usize| if i == 0 { rows - 1 } else { (i - 1) * 1_048_573 % rows };
        (0..VERIFIED).into_par_iter().map(|i| (row(i), self.row(host, row(i)))).collect()
    }

    /// Compares the device results with these reference rows.
    fn verify(self, rows: &[(usize, Vec<f64>)], out: &Buffer<bf16>) -> Result<(), String> {
        let mut got = vec![bf16::ZERO; self.head];
        for (row, want) in rows {
            out.download_part(row * self.head, &mut got).map_err(|why| why.to_string())?;
            for (column, (got, want)) in got.iter().zip(want).enumerate() {
                // Weights and results are rounded to 8 bits.
                let off = (got.to_f64() - want).abs();
                if off.is_nan() || off > 1.0 / 256.0 + want.abs() / 128.0 {
                    return Err(format!("row {row}, column {column} is {got}, not {want}"));
                }
            }
        }
        Ok(())
    }
}

/// Approximately normally distributed numbers with variance 1: each is a sum of four uniform numbers.
fn normal(seed: u64) -> Vec<bf16> {
    const PART: usize = 1 << 16;
    let mut numbers = vec![bf16::ZERO; TOKENS * WIDTH];
    numbers.par_chunks_mut(PART).enumerate().for_each(|(part, numbers)| {
        let mut rng = StdRng::seed_from_u64(seed << 32 | part as u64);
        for number in numbers {
            let sum: f32 = (0..4).map(|_| rng.random_range(-0.5..0.5f32)).sum();
            *number = bf16::from_f32(sum * 3f32.sqrt());
        }
    });
    numbers
}

pub fn all(arena: &mut Arena, quick: bool) {
    let host = [11, 12, 13].map(|seed| std::cell::LazyCell::new(move || normal(seed)));
    for Figures { head, causal, cudnn, flash } in FIGURES {
        for (i, length) in LENGTHS.into_iter().enumerate() {
            if quick && i % 2 == 1 {
                continue;
            }
            let kind = Kind { length, head, causal };
            let all = 4 * (TOKENS * WIDTH * length) as u64;
            let flops = if causal { all / 2 } else { all };
            let seen = if causal { "causal" } else { "full" };
            let problem = Problem {
                group: "attention",
                title: format!("attention bf16 head {head} {seen} {length}"),
                peer: "",
                work: Work { bytes: 8 * (TOKENS * WIDTH) as u64, flops },
                cache: Cache::Cold,
                reach: 0.9,
            };
            // Converts TFLOP/s to nanoseconds.
            let time = |figure: f64| flops as f64 / figure / 1e3;
            let peers = [("cuDNN*", time(cudnn[i])), ("FA3*", time(flash[i]))];
            if !arena.wants(problem.group, &problem.title) {
                continue;
            }
            let operands = || host.each_ref().map(|x| x.as_slice());
            let setup = |device: &Device| {
                let [q, k, v] = operands().map(|x| device.upload(x));
                let mut out = device.uninit(TOKENS * WIDTH)?;
                out.fill_bytes(0xff)?;
                Ok(Heads { operands: [q?, k?, v?], out })
            };
            let rows = kind.rows(operands());
            arena.beside(
                problem,
                &peers,
                setup,
                |state| kind.plan(state),
                |state| kind.verify(&rows, &state.out),
            );
        }
    }
}
