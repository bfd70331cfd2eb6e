//! Long rows, each held by several blocks that exchange their statistics through memory.
//!
//! The launch is cooperative: all blocks are resident, so the blocks of a row may wait for each other. Each block
//! publishes its part's statistics with the round number, and combines those of all parts in order of position (Chan,
//! Golub and LeVeque 1983 for means and squares; exponential sums are rescaled to the row's largest element), so every
//! block gets the same bits, regardless of timing. Consecutive rounds use different cells: when a block writes a
//! round's cells, it has seen that all blocks had read those of the round before last.

use super::exchange::{WARPS, of_warps, statistics};
use super::kernels::{NONE, RowConfig, RowOperation, RowPart, columns, read, write};
use super::statistics::{exponential, factors, merged, of_lanes};
use crate::vectors::Widened;
use lanework::prelude::*;

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
