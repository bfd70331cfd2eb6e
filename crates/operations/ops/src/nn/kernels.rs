//! What the kernels of softmax and of norms share: where the numbers of a row are, and what becomes of a number.
//!
//! A row is held in registers by a group of threads: a part of a warp, a warp, a block, or several blocks.

use crate::vectors::{Widened, load, load_apart, load_written, store};
use lanework::prelude::*;

/// The most vectors of 16 bytes that a thread holds; of halves, half as many.
pub(super) const MOST: usize = 8;
/// Those, and a place for an element outside of vectors.
pub(super) const SLOTS: usize = MOST + 1;
/// The most vectors of a thread whose gamma and beta are loaded with the row, and not when its statistics are known.
pub(super) const AHEAD: usize = 2;
/// No place in a row.
pub(super) const NONE: u64 = u64::MAX;

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
    /// Whether every thread has all its vectors.
    pub full: bool,
    /// Whether rows of vectors begin and end with elements outside of them: input and output lie alike between multiples of 16 bytes.
    pub peeled: bool,
    /// From the last multiple of 16 bytes to the first row, in elements, where that matters.
    pub phase: u64,
    /// Whether gamma and beta are loaded with the row, and not when its statistics are known.
    pub ahead: bool,
    /// Vectors of a thread.
    pub vectors: usize,
    /// Threads of a row, or of the part of one that a block has.
    pub threads: u32,
    /// Threads of a block.
    pub block: u32,
    /// Blocks that a multiprocessor is to hold.
    pub resident: u32,
    /// Whether it may begin before the launch before it has ended (sm_90).
    pub overlaps: bool,
    /// Whether L2 fetches rows before the launch before it has ended: where so few blocks run that their latency is all that counts.
    pub fetches: bool,
    /// Parts of rows in shared memory, where they are copied ahead.
    pub stages: u32,
    /// Rows between the one whose statistics are computed and the one whose results are.
    pub delay: u32,
    /// Whether a warp finds its largest number by one instruction (sm_80).
    pub reduces: bool,
}

impl How {
    /// Whether a thread loads its columns' factors and summands before it knows the row's statistics.
    fn is_ahead(&self) -> bool {
        self.wide && self.ahead
    }
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
    /// From a thread's vector to its next one, in elements.
    pub next: u64,
    /// The thread's element outside of vectors, or [`NONE`].
    pub extra: u64,
}

/// The place in the row of a thread's number `j` of vector `k`: in a vector, or as far apart as the group has threads.
#[device]
fn place<const V: usize>(span: RowPart, me: u32, k: usize, j: usize, #[constant] how: How) -> u64 {
    if how.wide {
        span.first + (me * V as u32) as u64 + k as u64 * span.next + j as u64
    } else {
        span.first + me as u64 + ((k * V + j) as u32 * how.threads) as u64
    }
}

/// Whether the row has this number; vectors are whole.
#[device]
pub(super) fn is_inside<const V: usize>(
    span: RowPart,
    me: u32,
    k: usize,
    j: usize,
    #[constant] how: How,
) -> bool {
    let mut inside = true;
    if how.peeled && k == how.vectors {
        inside = j == 0 && span.extra != NONE;
    } else if !how.full {
        inside = place::<V>(span, me, k, if how.wide { 0 } else { j }, how) < span.end;
    }
    inside
}

/// How many slots a thread has for numbers: its vectors, and one for an element outside of them.
pub(super) const fn slots(how: How) -> usize {
    how.vectors + how.peeled as usize
}

/// Has L2 fetch what thread `me` will read, wherever it is written before.
#[device]
pub(super) fn fetch<E: Widened<Wide = f32>, const V: usize>(
    x: &[E],
    span: RowPart,
    me: u32,
    #[constant] how: How,
) {
    #[unroll]
    for k in 0..how.vectors {
        if is_inside::<V>(span, me, k, 0, how) {
            prefetch_l2(&x[span.x + place::<V>(span, me, k, 0, how)]);
        }
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
) -> [[f32; V]; SLOTS] {
    let mut values = [[fill; V]; SLOTS];
    #[unroll]
    for k in 0..how.vectors {
        if how.wide {
            let at = place::<V>(span, me, k, 0, how);
            if is_inside::<V>(span, me, k, 0, how) {
                values[k] = load_written::<E, V>(x, span.x + at);
            }
        } else {
            #[unroll]
            for j in 0..V {
                let at = place::<V>(span, me, k, j, how);
                if at < span.end {
                    values[k][j] = x[span.x + at * span.x_step] as f32;
                }
            }
        }
    }
    if how.peeled && span.extra != NONE {
        values[how.vectors][0] = x[span.x + span.extra] as f32;
    }
    values
}

/// The factors and the summands of the columns of thread `me`, where they are loaded ahead; else ones and zeros.
#[device]
pub(super) fn columns<E: Widened<Wide = f32>, const V: usize>(
    gamma: &[E],
    beta: &[E],
    span: RowPart,
    me: u32,
    #[constant] how: How,
) -> [[[f32; V]; 2]; AHEAD] {
    let mut columns = [[[1.0f32; V], [0.0f32; V]]; AHEAD];
    if how.is_ahead() {
        #[unroll]
        for k in 0..how.vectors {
            let at = place::<V>(span, me, k, 0, how);
            if is_inside::<V>(span, me, k, 0, how) {
                if how.gamma {
                    columns[k][0] = load_written::<E, V>(gamma, at);
                }
                if how.beta {
                    columns[k][1] = load_written::<E, V>(beta, at);
                }
            }
        }
    }
    columns
}

/// What thread `me` has, as the row's results: `(x - shift) * scale`, then times gamma and plus beta.
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
    #[constant] how: How,
) {
    #[unroll]
    for k in 0..how.vectors {
        let at = place::<V>(span, me, k, 0, how);
        if how.wide {
            if is_inside::<V>(span, me, k, 0, how) {
                let mut results = [0.0f32; V];
                let mut factors = [1.0f32; V];
                let mut summands = [0.0f32; V];
                if how.is_ahead() {
                    factors = columns[k][0];
                    summands = columns[k][1];
                } else {
                    if how.gamma {
                        factors = of_columns::<E, V>(gamma, at, span.end, how);
                    }
                    if how.beta {
                        summands = of_columns::<E, V>(beta, at, span.end, how);
                    }
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
    if how.peeled && span.extra != NONE {
        let at = span.extra;
        let mut factor = 1.0f32;
        let mut summand = 0.0f32;
        if how.gamma {
            factor = gamma[at] as f32;
        }
        if how.beta {
            summand = beta[at] as f32;
        }
        let value = values[how.vectors][0];
        y[span.y + at] = result(value, (shift, scale), (factor, summand), how) as E;
    }
}

/// The factors or summands of the columns from `at` on, of which there are at least `end`.
#[device]
fn of_columns<E: Widened<Wide = f32>, const V: usize>(
    columns: &[E],
    at: u64,
    end: u64,
    #[constant] how: How,
) -> [f32; V] {
    let mut values = [0.0f32; V];
    // Vectors of halves would be too many loads one by one.
    if how.peeled && V < 8 {
        #[unroll]
        for j in 0..V {
            values[j] = columns[at + j as u64] as f32;
        }
    } else if how.peeled {
        values = load_apart::<E, V>(columns, at, end);
    } else {
        values = load::<E, V>(columns, at);
    }
    values
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

/// In a launch that began before the one before it had ended: waits for that, and lets the next one begin.
#[device]
pub(super) fn begin(#[constant] how: How) {
    if how.overlaps {
        launch_dependents();
        wait_for_dependencies();
    }
}
