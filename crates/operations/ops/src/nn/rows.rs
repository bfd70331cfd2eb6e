//! Rows that threads hold in registers: one or more rows per block ([`held`]), or one row in several blocks ([`spread`]); and the
//! launches of all row kernels for each element type.
//!
//! The launch of `spread` is cooperative: all blocks are resident, so the blocks of a row may wait for each other. Each block
//! publishes its part's statistics with the round number, and combines those of all parts in order of position (Chan,
//! Golub and LeVeque 1983 for means and squares; exponential sums are rescaled to the row's largest element), so every
//! block gets the same bits, regardless of timing. Consecutive rounds use different cells: when a block writes a
//! round's cells, it has seen that all blocks had read those of the round before last.

use super::exchange::{WARPS, of_warps, statistics};
use super::kernels::{NONE, RowConfig, RowOperation, RowPart, begin, columns, fetch, read, write};
use super::passes::{parts, results};
use super::ring::ring;
use super::statistics::{exponential, factors, merged, of_lanes};
use crate::vectors::Widened;
use half::{bf16, f16};
use lanework::prelude::*;
use lanework::{Element, Launch, View, ViewMut};

/// Rows of `n` elements, each held by `config.threads` threads.
#[kernel(block = config.block, min_blocks = config.resident)]
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
    #[constant] config: RowConfig,
) {
    let space = shared::<f32>([3, WARPS]);
    let (group, me) = (thread_idx.x / config.threads, thread_idx.x % config.threads);
    let row = block_idx.x as u64 * const { config.block / config.threads } as u64 + group as u64;
    // Groups without a row still participate in their warp's exchange.
    let end = select(row < rows, n, 0);
    let next = const { config.threads as u64 * V as u64 };
    let mut span = RowPart {
        x: row * x_row,
        y: row * y_row,
        x_step,
        y_step,
        first: 0,
        end,
        next,
        extra: NONE,
    };
    if config.peeled && row < rows {
        // The elements before the first multiple of 16 bytes, the vectors, and the elements after the last one.
        let size = V as u64;
        span.first = (size - (config.phase + row * x_row) % size) % size;
        span.end = span.first + (n - span.first) / size * size;
        if me < V as u32 {
            span.extra = select((me as u64) < span.first, me as u64, NONE);
        } else {
            let behind = span.end + (me - V as u32) as u64;
            span.extra = select(behind < n, behind, NONE);
        }
    }
    let fill = const { if config.kind == RowOperation::Softmax { f32::NEG_INFINITY } else { 0.0 } };
    let mut share = 0.0f32;
    if config.kind != RowOperation::Softmax {
        share = 1.0 / n as f32;
    }
    // Work that does not depend on the previous launch comes before the wait for it.
    if config.fetches {
        fetch::<E, V>(x, span, me, config);
    }
    begin(config);
    let mut values = read::<E, V>(x, span, me, fill, config);
    let columns = columns::<E, V>(gamma, beta, span, me, config);
    let (of_row, base) = statistics::<V>(&mut values, span, me, n as f32, space, config);
    let (shift, scale) = factors(of_row, share, eps, config);
    let mut adapted = scale;
    if config.kind == RowOperation::Softmax && config.threads > 32 {
        adapted *= exponential(base - shift);
    }
    write::<E, V>(y, gamma, beta, values, columns, (shift, adapted), span, me, config);
}

/// Threads of a block; also the maximum number of parts.
pub(super) const THREADS: u32 = 512;
/// Resident blocks per multiprocessor.
pub(super) const RESIDENT: u32 = 2;

/// The value that a part's block published in a round.
#[device]
fn published(cells: &mut [u64], at: u32, round: u32) -> f32 {
    let mut word = load_relaxed(&cells[at], Scope::Device);
    while (word >> 32) as u32 != round {
        word = load_relaxed(&cells[at], Scope::Device);
    }
    f32_from_bits(word as u32)
}

#[device]
fn publish(cells: &mut [u64], at: u32, round: u32, value: f32) {
    let word = (round as u64) << 32 | value.to_bits() as u64;
    store_relaxed(&mut cells[at], word, Scope::Device);
}

/// Rows of `n` elements, each in `parts` parts, one per block; `groups` concurrent rows. `cells` holds 4 zeros per
/// block, `done` is a zero; the kernel leaves both zero.
#[kernel(block = THREADS, min_blocks = RESIDENT)]
pub(super) fn spread<E: Widened<Wide = f32>, const V: usize>(
    x: &[E],
    y: &mut [E],
    gamma: &[E],
    beta: &[E],
    cells: &mut [u64],
    done: &mut [u32],
    rows: u64,
    n: u64,
    (x_row, y_row): (u64, u64),
    (parts, groups): (u32, u32),
    eps: f32,
    #[constant] config: RowConfig,
) {
    let space = shared::<f32>([6, WARPS]);
    let last = shared::<u32>(1);
    let t = thread_idx.x;
    let (group, part) = (block_idx.x / parts, block_idx.x % parts);
    let size = const { THREADS as u64 * V as u64 * config.vectors as u64 };
    let first = part as u64 * size;
    let fill = const { if config.kind == RowOperation::Softmax { f32::NEG_INFINITY } else { 0.0 } };
    let share = 1.0 / n as f32;
    let mut round = 0u32;
    for row in (group as u64..rows).step_by(groups) {
        round += 1;
        let (from, to) = (row * x_row, row * y_row);
        let next = const { THREADS as u64 * V as u64 };
        let span =
            RowPart { x: from, y: to, x_step: 1, y_step: 1, first, end: n, next, extra: NONE };
        let mut values = read::<E, V>(x, span, t, fill, config);
        let count = (n - first).min(size) as f32;
        let of_columns = columns::<E, V>(gamma, beta, span, t, config);
        let ((mine, sum), base) = statistics::<V>(&mut values, span, t, count, space, config);
        let row_cells = (round % 2 * groups + group) * parts;
        if t == 0 {
            if config.kind != RowOperation::RmsNorm {
                publish(cells, 2 * (row_cells + part), round, mine);
            }
            publish(cells, 2 * (row_cells + part) + 1, round, sum);
        }
        let mut of_part = (0.0f32, 0.0f32);
        let mut numbers = 0.0f32;
        if config.kind == RowOperation::Softmax {
            of_part.0 = f32::MIN;
        }
        if t < parts {
            if config.kind != RowOperation::RmsNorm {
                of_part.0 = published(cells, 2 * (row_cells + t), round);
            }
            of_part.1 = published(cells, 2 * (row_cells + t) + 1, round);
            numbers = (n - t as u64 * size).min(size) as f32;
        }
        let of_warp = of_lanes(numbers, 32, false, false);
        let of_part = merged(of_part, numbers, of_warp.max(1.0), config);
        let of_row = of_warps(of_part, of_warp, n as f32, space, 1, config);
        let (shift, scale) = factors(of_row, share, eps, config);
        let mut adapted = scale;
        if config.kind == RowOperation::Softmax {
            adapted *= exponential(base - shift);
        }
        write::<E, V>(y, gamma, beta, values, of_columns, (shift, adapted), span, t, config);
    }
    // The last block to finish resets the cells to zero.
    sync_threads();
    if t == 0 {
        last[0] = atomic(&mut done[0], Order::AcqRel, Scope::Device).add(1);
    }
    sync_threads();
    if last[0] == grid_dim.x - 1 {
        for cell in (t..cells.len() as u32).step_by(THREADS) {
            cells[cell] = 0;
        }
        if t == 0 {
            done[0] = 0;
        }
    }
}

/// Rows in memory.
#[derive(Clone, Copy, Debug)]
pub struct RowLayout {
    pub rows: usize,
    /// Elements of a row.
    pub n: usize,
    /// Row strides of the input and of the output, in elements.
    pub row: (usize, usize),
    /// Element strides of the input and of the output.
    pub step: (usize, usize),
    pub eps: f32,
}

/// Kernel operands. Missing gamma or beta refer to dummy memory that the kernel does not read.
pub struct RowOperands<'a, T: Element> {
    pub x: View<'a, T>,
    pub y: ViewMut<'a, T>,
    pub gamma: View<'a, T>,
    pub beta: View<'a, T>,
}

/// An element type of normalizations: `f32`, `f16` and `bf16`, with statistics in `f32`.
pub trait Normal: Widened<Wide = f32> {
    /// Rows held by at most one block.
    #[doc(hidden)]
    fn held<'a>(operands: RowOperands<'a, Self>, rows: &RowLayout, config: RowConfig)
    -> Launch<'a>;

    /// Rows held by several blocks: parts per row, and rows at a time.
    #[doc(hidden)]
    fn spread<'a>(
        operands: RowOperands<'a, Self>,
        space: (ViewMut<'a, u64>, ViewMut<'a, u32>),
        rows: &RowLayout,
        blocks: (u32, u32),
        config: RowConfig,
    ) -> Launch<'a>;

    /// As `spread`, with bulk copies.
    #[doc(hidden)]
    fn ring<'a>(
        operands: RowOperands<'a, Self>,
        space: (ViewMut<'a, u64>, ViewMut<'a, u32>),
        rows: &RowLayout,
        blocks: (u32, u32),
        config: RowConfig,
    ) -> Launch<'a>;

    /// The first pass: statistics of the parts of each row, two numbers per part.
    #[doc(hidden)]
    fn parts<'a>(
        x: View<'a, Self>,
        space: ViewMut<'a, f32>,
        rows: &RowLayout,
        parts: u32,
        config: RowConfig,
    ) -> Launch<'a>;

    /// The second pass: results from the parts' statistics.
    #[doc(hidden)]
    fn results<'a>(
        operands: RowOperands<'a, Self>,
        space: ViewMut<'a, f32>,
        rows: &RowLayout,
        parts: u32,
        config: RowConfig,
    ) -> Launch<'a>;
}

fn pair((x, y): (usize, usize)) -> (u64, u64) {
    (x as u64, y as u64)
}

macro_rules! normal {
    ($($element:ty)*) => {$(
        impl Normal for $element {
            fn held<'a>(operands: RowOperands<'a, Self>, rows: &RowLayout, config: RowConfig) -> Launch<'a> {
                let RowOperands { x, y, gamma, beta } = operands;
                let (count, n) = pair((rows.rows, rows.n));
                let (row, step) = (pair(rows.row), pair(rows.step));
                const V: usize = <$element>::VECTOR;
                held::<$element, V>(x, y, gamma, beta, count, n, row, step, rows.eps, config)
            }

            fn spread<'a>(
                operands: RowOperands<'a, Self>,
                (cells, done): (ViewMut<'a, u64>, ViewMut<'a, u32>),
                rows: &RowLayout,
                blocks: (u32, u32),
                config: RowConfig,
            ) -> Launch<'a> {
                let RowOperands { x, y, gamma, beta } = operands;
                let ((count, n), row) = (pair((rows.rows, rows.n)), pair(rows.row));
                const V: usize = <$element>::VECTOR;
                spread::<$element, V>(x, y, gamma, beta, cells, done, count, n, row, blocks, rows.eps, config)
            }

            fn ring<'a>(
                operands: RowOperands<'a, Self>,
                (cells, done): (ViewMut<'a, u64>, ViewMut<'a, u32>),
                rows: &RowLayout,
                blocks: (u32, u32),
                config: RowConfig,
            ) -> Launch<'a> {
                let RowOperands { x, y, gamma, beta } = operands;
                let ((count, n), row) = (pair((rows.rows, rows.n)), pair(rows.row));
                const V: usize = <$element>::VECTOR;
                // Rows of whole vectors.
                let (x, gamma, beta) = (x.cast::<u32>(), gamma.cast::<u32>(), beta.cast::<u32>());
                ring::<$element, V>(x, y, gamma, beta, cells, done, count, n, row, blocks, rows.eps, config)
            }

            fn parts<'a>(
                x: View<'a, Self>,
                space: ViewMut<'a, f32>,
                rows: &RowLayout,
                count: u32,
                config: RowConfig,
            ) -> Launch<'a> {
                const V: usize = <$element>::VECTOR;
                let (row, step) = (rows.row.0 as u64, rows.step.0 as u64);
                parts::<$element, V>(x, space, rows.n as u64, count, row, step, config)
            }

            fn results<'a>(
                operands: RowOperands<'a, Self>,
                space: ViewMut<'a, f32>,
                rows: &RowLayout,
                count: u32,
                config: RowConfig,
            ) -> Launch<'a> {
                let RowOperands { x, y, gamma, beta } = operands;
                let (n, row, step) = (rows.n as u64, pair(rows.row), pair(rows.step));
                const V: usize = <$element>::VECTOR;
                results::<$element, V>(x, y, gamma, beta, space, n, count, row, step, rows.eps, config)
            }
        }
    )*};
}

normal!(f32 f16 bf16);
