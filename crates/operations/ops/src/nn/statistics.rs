//! Statistics of the elements that a warp holds in registers.
//!
//! Two passes over registers: the maximum, then the sum of exponentials; or the mean, then the sum of squared differences. If all
//! threads have the same number of elements, each thread does both passes alone, and means and squares are combined pairwise (Chan,
//! Golub and LeVeque 1983), which halves the exchanges. The reduction trees depend only on the row's length, so results are bitwise
//! reproducible.

use super::kernels::{RowConfig, RowOperation, RowPart, SLOTS, is_inside, slots};
use lanework::prelude::*;

/// The sum or maximum over the lanes of a warp that belong to one group of `threads`, returned in each of these lanes.
#[device]
pub(super) fn of_lanes(
    value: f32,
    #[constant] threads: u32,
    #[constant] most: bool,
    #[constant] reduces: bool,
) -> f32 {
    let mut all = value;
    if most && reduces && threads >= 32 {
        // Floats compare like their bits as integers if the negative ones are reversed.
        let bits = value.to_bits() as i32;
        let ordered = reduce_max_sync(FULL_MASK, bits ^ ((bits >> 31) & 0x7fff_ffff));
        all = f32_from_bits((ordered ^ ((ordered >> 31) & 0x7fff_ffff)) as u32);
    } else {
        #[unroll]
        for bits in [16u32, 8, 4, 2, 1] {
            if bits < threads {
                let other = shfl_xor_sync(FULL_MASK, all, bits);
                all = if most { all.max(other) } else { all + other };
            }
        }
    }
    all
}

/// e^x for x <= 0, by the hardware's `ex2`.
#[device]
pub(super) fn exponential(difference: f32) -> f32 {
    fast::exp2(difference * std::f32::consts::LOG2_E)
}

/// The number of elements of a group within a warp, if every thread has all its vectors.
fn of_full<const V: usize>(config: RowConfig) -> f32 {
    (config.threads.min(32) as usize * config.vectors * V) as f32
}

/// The number of elements of a group's threads within a warp, if it matters.
#[device]
pub(super) fn numbers_of_warp<const V: usize>(
    span: RowPart,
    me: u32,
    #[constant] config: RowConfig,
) -> f32 {
    let all = const { of_full::<V>(config) };
    let mut numbers = 0.0f32;
    if config.full {
        numbers += all;
    } else if config.kind == RowOperation::LayerNorm {
        #[unroll]
        for k in 0..const { slots(config) } {
            #[unroll]
            for j in 0..V {
                if k < config.vectors || j == 0 {
                    numbers += select(is_inside::<V>(span, me, k, j, config), 1.0f32, 0.0);
                }
            }
        }
        numbers = of_lanes(numbers, config.threads, false, false);
    }
    numbers
}

/// The statistics of a group's `numbers` elements within a warp: the finite maximum and the sum of exponentials relative to it (the
/// exponentials replace the elements); the mean and the sum of squared differences; or 0 and the sum of squares.
#[device]
pub(super) fn of_warp<const V: usize>(
    values: &mut [[f32; V]; SLOTS],
    span: RowPart,
    me: u32,
    numbers: f32,
    #[constant] config: RowConfig,
) -> (f32, f32) {
    let threads = config.threads;
    let pairs = const { config.full && config.kind == RowOperation::LayerNorm };
    // Threads with equal counts: each contributes an equal share.
    let mut share = const { 1.0 / (config.vectors * V) as f32 };
    let lanes = if pairs { 1 } else { threads };
    if !pairs && config.kind == RowOperation::LayerNorm {
        share = 1.0 / numbers.max(1.0);
    }
    let mut first = 0.0f32;
    if config.kind == RowOperation::Softmax {
        let mut most = f32::MIN;
        #[unroll]
        for k in 0..const { slots(config) } {
            #[unroll]
            for j in 0..V {
                if k < config.vectors || j == 0 {
                    most = most.max(values[k][j]);
                }
            }
        }
        first = of_lanes(most, threads, true, config.reduces);
    }
    if config.kind == RowOperation::LayerNorm {
        let mut sums = [0.0f32; V];
        #[unroll]
        for k in 0..const { slots(config) } {
            #[unroll]
            for j in 0..V {
                if k < config.vectors || j == 0 {
                    sums[j] += values[k][j];
                }
            }
        }
        first = of_lanes(total::<V>(sums), lanes, false, false) * share;
    }
    let mut sums = [0.0f32; V];
    #[unroll]
    for k in 0..const { slots(config) } {
        #[unroll]
        for j in 0..V {
            if k < config.vectors || j == 0 {
                let x = values[k][j];
                if config.kind == RowOperation::Softmax {
                    values[k][j] = exponential(x - first);
                    sums[j] += values[k][j];
                }
                if config.kind == RowOperation::LayerNorm {
                    let mut difference = x - first;
                    if !config.full {
                        difference =
                            select(is_inside::<V>(span, me, k, j, config), difference, 0.0);
                    }
                    sums[j] += difference * difference;
                }
                if config.kind == RowOperation::RmsNorm {
                    sums[j] += x * x;
                }
            }
        }
    }
    let mut second = of_lanes(total::<V>(sums), lanes, false, false);
    if pairs {
        // Then combine pairs of pairs.
        #[unroll]
        for bits in [1u32, 2, 4, 8, 16] {
            if bits < threads {
                let other = shfl_xor_sync(FULL_MASK, first, bits);
                let more = shfl_xor_sync(FULL_MASK, second, bits);
                let off = other - first;
                let half = const { (config.vectors * V) as f32 * 0.5 } * bits as f32;
                second = (second + more) + off * off * half;
                first = (first + other) * 0.5;
            }
        }
    }
    (first, second)
}

/// The pairwise sum of a vector.
#[device]
fn total<const V: usize>(values: [f32; V]) -> f32 {
    let mut sums = values;
    #[unroll]
    for half in [4usize, 2, 1] {
        if half < V {
            #[unroll]
            for j in 0..half {
                sums[j] += sums[j + half];
            }
        }
    }
    sums[0]
}

/// Combines the statistics of the lanes of a warp: `count` elements in all, `numbers` in this lane.
#[device]
pub(super) fn merged(
    (first, second): (f32, f32),
    numbers: f32,
    count: f32,
    #[constant] config: RowConfig,
) -> (f32, f32) {
    let mut all = (0.0f32, 0.0f32);
    if config.kind == RowOperation::Softmax {
        all.0 = of_lanes(first, 32, true, config.reduces);
        all.1 = of_lanes(second * exponential(first - all.0), 32, false, false);
    }
    if config.kind == RowOperation::LayerNorm {
        all.0 = of_lanes(numbers * first, 32, false, false) / count;
        let off = first - all.0;
        all.1 = of_lanes(second + numbers * off * off, 32, false, false);
    }
    if config.kind == RowOperation::RmsNorm {
        all.1 = of_lanes(second, 32, false, false);
    }
    all
}

/// The shift and the scale of a row from its statistics; `share` is 1 / its length.
#[device]
pub(super) fn factors(
    (first, second): (f32, f32),
    share: f32,
    eps: f32,
    #[constant] config: RowConfig,
) -> (f32, f32) {
    let mut scale = second;
    if config.kind == RowOperation::Softmax {
        // The hardware's approximation plus a Newton step. For zero (all exponentials vanish) this gives NaN.
        let near = fast::recip(scale);
        scale = fma(fma(-second, near, 1.0), near, near);
    } else {
        let square = scale * share + eps;
        // The same, except for zero and infinity, where the Newton step would give NaN.
        let near = fast::rsqrt(square);
        let error = fma(-(square * near), near, 1.0);
        scale = select(error == error, fma(0.5 * near, error, near), near);
    }
    (first, scale)
}
