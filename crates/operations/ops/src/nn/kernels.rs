//! Shared parts of the softmax and norm kernels: the position of a row's elements, loads, and results.
//!
//! A row is held in registers by a group of threads: part of a warp, a warp, a block, or several blocks.

use crate::vectors::{Widened, load, load_apart, load_written, store};
use lanework::prelude::*;

/// Maximum number of 16-byte vectors per thread; half as many for 16-bit types.
pub(super) const MOST: usize = 8;
/// Vectors plus one slot for an element outside of vectors.
pub(super) const SLOTS: usize = MOST + 1;
/// Maximum vectors per thread for which gamma and beta are loaded with the row instead of after its statistics.
pub(super) const AHEAD: usize = 2;
/// Sentinel: no element.
pub(super) const NONE: u64 = u64::MAX;

/// The operation of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOperation {
    Softmax,
    LayerNorm,
    RmsNorm,
}

/// Compile-time configuration of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowConfig {
    pub kind: RowOperation,
    pub gamma: bool,
    pub beta: bool,
    /// Whether loads and stores are 16-byte vectors; otherwise single elements with any stride.
    pub wide: bool,
    /// Whether every thread has all its vectors.
    pub full: bool,
    /// Whether rows begin and end with elements outside of vectors; input and output then have the same 16-byte phase.
    pub peeled: bool,
    /// Element offset of the first row from a 16-byte boundary, if it matters.
    pub phase: u64,
    /// Whether gamma and beta are loaded with the row instead of after its statistics.
    pub ahead: bool,
    /// Vectors per thread.
    pub vectors: usize,
    /// Threads per row, or per block's part of a row.
    pub threads: u32,
    /// Threads of a block.
    pub block: u32,
    /// Minimum resident blocks per multiprocessor.
    pub resident: u32,
    /// Whether the kernel may begin before the previous launch has ended (sm_90).
    pub overlaps: bool,
    /// Whether to prefetch rows into L2 before the previous launch has ended: if so few blocks are bound by latency.
    pub fetches: bool,
    /// Number of shared-memory stages for rows copied ahead.
    pub stages: u32,
    /// Number of rows between computing a row's statistics and its results.
    pub delay: u32,
    /// Whether a warp computes its maximum in one instruction (sm_80).
    pub reduces: bool,
}

impl RowConfig {
    /// Whether a thread loads gamma and beta before it knows the row's statistics.
    fn is_ahead(&self) -> bool {
        self.wide && self.ahead
    }
}

/// Position of a row: first elements in input and output, element strides, and the group's part.
#[device]
#[derive(Clone, Copy)]
pub(super) struct RowPart {
    pub x: u64,
    pub y: u64,
    pub x_step: u64,
    pub y_step: u64,
    /// The first element of the part.
    pub first: u64,
    /// End of the row.
    pub end: u64,
    /// Stride between a thread's vectors, in elements.
    pub next: u64,
    /// The thread's element outside of vectors, or [`NONE`].
    pub extra: u64,
}

/// Index in the row of a thread's element `j` of vector `k`: adjacent in a vector, otherwise strided by the number of threads of
/// the group.
#[device]
fn place<const V: usize>(
    span: RowPart,
    me: u32,
    k: usize,
    j: usize,
    #[constant] config: RowConfig,
) -> u64 {
    if config.wide {
        span.first + (me * V as u32) as u64 + k as u64 * span.next + j as u64
    } else {
        span.first + me as u64 + ((k * V + j) as u32 * config.threads) as u64
    }
}

/// Whether the row has this element; vectors are whole.
#[device]
pub(super) fn is_inside<const V: usize>(
    span: RowPart,
    me: u32,
    k: usize,
    j: usize,
    #[constant] config: RowConfig,
) -> bool {
    let mut inside = true;
    if config.peeled && k == config.vectors {
        inside = j == 0 && span.extra != NONE;
    } else if !config.full {
        inside = place::<V>(span, me, k, if config.wide { 0 } else { j }, config) < span.end;
    }
    inside
}

/// Slots per thread: its vectors, and one for an element outside of them.
pub(super) const fn slots(config: RowConfig) -> usize {
    config.vectors + config.peeled as usize
}

/// Prefetches into L2 the elements that thread `me` will read. L2 is coherent, so the previous launch may still write them.
#[device]
pub(super) fn fetch<E: Widened<Wide = f32>, const V: usize>(
    x: &[E],
    span: RowPart,
    me: u32,
    #[constant] config: RowConfig,
) {
    #[unroll]
    for k in 0..config.vectors {
        if is_inside::<V>(span, me, k, 0, config) {
            prefetch_l2(&x[span.x + place::<V>(span, me, k, 0, config)]);
        }
    }
}

/// The elements of thread `me` of the group; `fill` past the row's end.
#[device]
pub(super) fn read<E: Widened<Wide = f32>, const V: usize>(
    x: &[E],
    span: RowPart,
    me: u32,
    fill: f32,
    #[constant] config: RowConfig,
) -> [[f32; V]; SLOTS] {
    let mut values = [[fill; V]; SLOTS];
    #[unroll]
    for k in 0..config.vectors {
        if config.wide {
            let at = place::<V>(span, me, k, 0, config);
            if is_inside::<V>(span, me, k, 0, config) {
                values[k] = load_written::<E, V>(x, span.x + at);
            }
        } else {
            #[unroll]
            for j in 0..V {
                let at = place::<V>(span, me, k, j, config);
                if at < span.end {
                    values[k][j] = x[span.x + at * span.x_step] as f32;
                }
            }
        }
    }
    if config.peeled && span.extra != NONE {
        values[config.vectors][0] = x[span.x + span.extra] as f32;
    }
    values
}

/// The gammas and betas of thread `me` if they are loaded ahead; otherwise ones and zeros.
#[device]
pub(super) fn columns<E: Widened<Wide = f32>, const V: usize>(
    gamma: &[E],
    beta: &[E],
    span: RowPart,
    me: u32,
    #[constant] config: RowConfig,
) -> [[[f32; V]; 2]; AHEAD] {
    let mut columns = [[[1.0f32; V], [0.0f32; V]]; AHEAD];
    if config.is_ahead() {
        #[unroll]
        for k in 0..config.vectors {
            let at = place::<V>(span, me, k, 0, config);
            if is_inside::<V>(span, me, k, 0, config) {
                if config.gamma {
                    columns[k][0] = load_written::<E, V>(gamma, at);
                }
                if config.beta {
                    columns[k][1] = load_written::<E, V>(beta, at);
                }
            }
        }
    }
    columns
}

/// Writes the results of thread `me`: `(x - shift) * scale`, times gamma, plus beta.
#[device]
pub(super) fn write<E: Widened<Wide = f32>, const V: usize>(
    y: &mut [E],
    gamma: &[E],
    beta: &[E],
    values: [[f32; V]; SLOTS],
    columns: [[[f32; V]; 2]; AHEAD],
    (shift, scale): (f32, f32),
    span: RowPart,
    me: u32,
    #[constant] config: RowConfig,
) {
    #[unroll]
    for k in 0..config.vectors {
        let at = place::<V>(span, me, k, 0, config);
        if config.wide {
            if is_inside::<V>(span, me, k, 0, config) {
                let mut results = [0.0f32; V];
                let mut factors = [1.0f32; V];
                let mut summands = [0.0f32; V];
                if config.is_ahead() {
                    factors = columns[k][0];
                    summands = columns[k][1];
                } else {
                    if config.gamma {
                        factors = of_columns::<E, V>(gamma, at, span.end, config);
                    }
                    if config.beta {
                        summands = of_columns::<E, V>(beta, at, span.end, config);
                    }
                }
                #[unroll]
                for j in 0..V {
                    results[j] =
                        result(values[k][j], (shift, scale), (factors[j], summands[j]), config);
                }
                store::<E, V>(y, span.y + at, results);
            }
        } else {
            #[unroll]
            for j in 0..V {
                let at = place::<V>(span, me, k, j, config);
                if at < span.end {
                    let mut factor = 1.0f32;
                    let mut summand = 0.0f32;
                    if config.gamma {
                        factor = load_nc(&gamma[at]) as f32;
                    }
                    if config.beta {
                        summand = load_nc(&beta[at]) as f32;
                    }
                    let result = result(values[k][j], (shift, scale), (factor, summand), config);
                    y[span.y + at * span.y_step] = result as E;
                }
            }
        }
    }
    if config.peeled && span.extra != NONE {
        let at = span.extra;
        let mut factor = 1.0f32;
        let mut summand = 0.0f32;
        if config.gamma {
            factor = gamma[at] as f32;
        }
        if config.beta {
            summand = beta[at] as f32;
        }
        let value = values[config.vectors][0];
        y[span.y + at] = result(value, (shift, scale), (factor, summand), config) as E;
    }
}

/// The gammas or betas of the columns from `at` on.
#[device]
fn of_columns<E: Widened<Wide = f32>, const V: usize>(
    columns: &[E],
    at: u64,
    end: u64,
    #[constant] config: RowConfig,
) -> [f32; V] {
    let mut values = [0.0f32; V];
    // With 16-bit vectors there would be too many single loads.
    if config.peeled && V < 8 {
        #[unroll]
        for j in 0..V {
            values[j] = columns[at + j as u64] as f32;
        }
    } else if config.peeled {
        values = load_apart::<E, V>(columns, at, end);
    } else {
        values = load::<E, V>(columns, at);
    }
    values
}

/// Computes one result.
#[device]
pub(super) fn result(
    x: f32,
    (shift, scale): (f32, f32),
    (gamma, beta): (f32, f32),
    #[constant] config: RowConfig,
) -> f32 {
    let mut y = x;
    if config.kind == RowOperation::LayerNorm {
        y -= shift;
    }
    y *= scale;
    if config.gamma {
        y *= gamma;
    }
    if config.beta {
        y += beta;
    }
    y
}

/// If this launch began before the previous one ended, waits for its end, and lets the next one begin.
#[device]
pub(super) fn begin(#[constant] config: RowConfig) {
    if config.overlaps {
        launch_dependents();
        wait_for_dependencies();
    }
}
