//! What the kernels of softmax and of norms share: where the numbers of a row are, statistics, and what becomes of a number.
//!
//! A row is held in registers by a group of threads: a part of a warp, a warp, a block, or several blocks. Statistics are computed
//! in `f32` from registers, in two passes: the largest number, then the sum of the exponentials; the mean, then the sum of the squared
//! differences from it. Each is a tree whose shape depends on the row's length alone, so that results have the same bits in every run.

use crate::vectors::{Widened, load, store};
use lanework::prelude::*;

/// The most vectors of 16 bytes that a thread holds; of halves, half as many.
pub(super) const MOST: usize = 8;
/// The most warps of a block.
pub(super) const WARPS: u32 = 32;

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Softmax,
    LayerNorm,
    RmsNorm,
}

/// What a kernel is compiled for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct How {
    pub kind: Kind,
    pub gamma: bool,
    pub beta: bool,
    /// Whether vectors of 16 bytes are loaded and stored; else single elements, which may lie apart.
    pub wide: bool,
    /// Vectors of a thread.
    pub vectors: usize,
    /// Threads of a row, or of the part of one that a block has.
    pub threads: u32,
    /// Threads of a block.
    pub block: u32,
}

/// Where a row is: its first element in the input and in the output, the steps between its elements, and the part that a group has.
#[device]
#[derive(Clone, Copy)]
pub(super) struct RowPart {
    pub x: u64,
    pub y: u64,
    pub x_step: u64,
    pub y_step: u64,
    /// The first element of the part.
    pub first: u64,
    /// Where the row ends.
    pub end: u64,
}

/// The place in the row of a thread's number `j` of vector `k`: in a vector, or as far apart as the group has threads.
#[device]
fn place<const V: usize>(span: RowPart, me: u32, k: usize, j: usize, #[constant] how: How) -> u64 {
    if how.wide {
        span.first + (me * V as u32) as u64 + (k as u32 * how.threads * V as u32) as u64 + j as u64
    } else {
        span.first + me as u64 + ((k * V + j) as u32 * how.threads) as u64
    }
}

/// The numbers of thread `me` of the group, and `fill` where the row has none.
#[device]
pub(super) fn read<E: Widened<Wide = f32>, const V: usize>(
    x: &[E],
    span: RowPart,
    me: u32,
    fill: f32,
    #[constant] how: How,
) -> [[f32; V]; MOST] {
    let mut values = [[fill; V]; MOST];
    #[unroll]
    for k in 0..how.vectors {
        if how.wide {
            let at = place::<V>(span, me, k, 0, how);
            if at < span.end {
                values[k] = load::<E, V>(x, span.x + at);
            }
        } else {
            #[unroll]
            for j in 0..V {
                let at = place::<V>(span, me, k, j, how);
                if at < span.end {
                    values[k][j] = load_nc(&x[span.x + at * span.x_step]) as f32;
                }
            }
        }
    }
    values
}

/// What thread `me` has, as the row's results: `(x - shift) * scale`, then times gamma and plus beta.
#[device]
pub(super) fn write<E: Widened<Wide = f32>, const V: usize>(
    y: &mut [E],
    gamma: &[E],
    beta: &[E],
    values: [[f32; V]; MOST],
    (shift, scale): (f32, f32),
    span: RowPart,
    me: u32,
    #[constant] how: How,
) {
    #[unroll]
    for k in 0..how.vectors {
        let at = place::<V>(span, me, k, 0, how);
        if how.wide {
            if at < span.end {
                let mut results = [0.0f32; V];
                let mut factors = [1.0f32; V];
                let mut summands = [0.0f32; V];
                if how.gamma {
                    factors = load::<E, V>(gamma, at);
                }
                if how.beta {
                    summands = load::<E, V>(beta, at);
                }
                #[unroll]
                for j in 0..V {
                    results[j] =
                        result(values[k][j], (shift, scale), (factors[j], summands[j]), how);
                }
                store::<E, V>(y, span.y + at, results);
            }
        } else {
            #[unroll]
            for j in 0..V {
                let at = place::<V>(span, me, k, j, how);
                if at < span.end {
                    let mut factor = 1.0f32;
                    let mut summand = 0.0f32;
                    if how.gamma {
                        factor = load_nc(&gamma[at]) as f32;
                    }
                    if how.beta {
                        summand = load_nc(&beta[at]) as f32;
                    }
                    let result = result(values[k][j], (shift, scale), (factor, summand), how);
                    y[span.y + at * span.y_step] = result as E;
                }
            }
        }
    }
}

/// One result.
#[device]
pub(super) fn result(
    x: f32,
    (shift, scale): (f32, f32),
    (gamma, beta): (f32, f32),
    #[constant] how: How,
) -> f32 {
    let mut y = x;
    if how.kind == Kind::LayerNorm {
        y -= shift;
    }
    y *= scale;
    if how.gamma {
        y *= gamma;
    }
    if how.beta {
        y += beta;
    }
    y
}

/// The sum, or the largest, of the values of a group's threads, in each of them. Every call of a block of several warps has a `part`
/// of `space` for itself, until there was another call.
#[device]
pub(super) fn of_group(
    value: f32,
    space: Shared<f32, 2>,
    #[constant] part: u32,
    #[constant] most: bool,
    #[constant] how: How,
) -> f32 {
    let mut all = value;
    #[unroll]
    for bits in [16u32, 8, 4, 2, 1] {
        if bits < how.threads {
            let other = shfl_xor_sync(FULL_MASK, all, bits);
            all = if most { all.max(other) } else { all + other };
        }
    }
    if how.threads > 32 {
        let warps = how.threads / 32;
        let (lane, warp) = (thread_idx.x % 32, thread_idx.x / 32);
        if lane == 0 {
            space[[part, warp]] = all;
        }
        sync_threads();
        all = if most { f32::NEG_INFINITY } else { 0.0 };
        if lane < warps {
            all = space[[part, lane]];
        }
        #[unroll]
        for bits in [16u32, 8, 4, 2, 1] {
            if bits < warps {
                let other = shfl_xor_sync(FULL_MASK, all, bits);
                all = if most { all.max(other) } else { all + other };
            }
        }
        // Lanes above a power of two that holds all warps have seen no warp.
        all = shfl_sync(FULL_MASK, all, 0);
    }
    all
}

/// e to the power of a difference that is not positive, by the hardware's power of 2.
#[device]
pub(super) fn exponential(difference: f32) -> f32 {
    fast::exp2(difference * std::f32::consts::LOG2_E)
}

/// The statistics of a group's numbers, `count` of them: the largest, finite, and the sum of the exponentials, which take the numbers'
/// places; the mean and the sum of the squared differences from it; or 0 and the sum of the squares.
#[device]
pub(super) fn statistics<const V: usize>(
    values: &mut [[f32; V]; MOST],
    span: RowPart,
    me: u32,
    count: f32,
    space: Shared<f32, 2>,
    #[constant] how: How,
) -> (f32, f32) {
    let mut first = 0.0f32;
    if how.kind == Kind::Softmax {
        let mut most = f32::MIN;
        #[unroll]
        for k in 0..how.vectors {
            #[unroll]
            for j in 0..V {
                most = most.max(values[k][j]);
            }
        }
        first = of_group(most, space, 0, true, how);
    }
    if how.kind == Kind::LayerNorm {
        let mut sum = 0.0f32;
        #[unroll]
        for k in 0..how.vectors {
            #[unroll]
            for j in 0..V {
                sum += values[k][j];
            }
        }
        first = of_group(sum, space, 0, false, how) / count;
    }
    let mut sums = [0.0f32; V];
    #[unroll]
    for k in 0..how.vectors {
        #[unroll]
        for j in 0..V {
            let x = values[k][j];
            if how.kind == Kind::Softmax {
                values[k][j] = exponential(x - first);
                sums[j] += values[k][j];
            }
            if how.kind == Kind::LayerNorm {
                let difference = select(place::<V>(span, me, k, j, how) < span.end, x - first, 0.0);
                sums[j] += difference * difference;
            }
            if how.kind == Kind::RmsNorm {
                sums[j] += x * x;
            }
        }
    }
    let mut sum = sums[0];
    #[unroll]
    for j in 1..V {
        sum += sums[j];
    }
    (first, of_group(sum, space, 1, false, how))
}

/// What is subtracted from the numbers of a row of `n`, and what they are multiplied with then, from its statistics.
#[device]
pub(super) fn factors(
    (first, second): (f32, f32),
    n: f32,
    eps: f32,
    #[constant] how: How,
) -> (f32, f32) {
    let mut scale = 1.0 / second;
    if how.kind != Kind::Softmax {
        scale = 1.0 / (second / n + eps).sqrt();
    }
    (first, scale)
}

/// Rows of `n` numbers, each held by `how.threads` threads.
#[kernel(block = how.block)]
pub(super) fn held<E: Widened<Wide = f32>, const V: usize>(
    x: &[E],
    y: &mut [E],
    gamma: &[E],
    beta: &[E],
    rows: u64,
    n: u64,
    (x_row, y_row): (u64, u64),
    (x_step, y_step): (u64, u64),
    eps: f32,
    #[constant] how: How,
) {
    let space = shared::<f32>([2, WARPS]);
    let (group, me) = (thread_idx.x / how.threads, thread_idx.x % how.threads);
    let row = block_idx.x as u64 * const { how.block / how.threads } as u64 + group as u64;
    // Groups without a row take part in the exchange of their warp.
    let end = select(row < rows, n, 0);
    let span = RowPart { x: row * x_row, y: row * y_row, x_step, y_step, first: 0, end };
    let fill = const { if how.kind == Kind::Softmax { f32::NEG_INFINITY } else { 0.0 } };
    let mut values = read::<E, V>(x, span, me, fill, how);
    let statistics = statistics::<V>(&mut values, span, me, n as f32, space, how);
    write::<E, V>(y, gamma, beta, values, factors(statistics, n as f32, eps, how), span, me, how);
}
