//! Rows held by at most one block: several rows at once, with one exchange within a block.

use super::exchange::{WARPS, statistics};
use super::kernels::{NONE, RowConfig, RowOperation, RowPart, begin, columns, fetch, read, write};
use super::statistics::{exponential, factors};
use crate::vectors::Widened;
use lanework::prelude::*;

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
