//! Rows that exceed the registers: two launches, in which as many blocks as fit share each row.
//!
//! The first launch stores the statistics of every part of a row. A thread combines the statistics of the elements just read with
//! the statistics so far (for exponentials, online softmax, Milakov and Gimelshein 2018; for means and squares, Chan, Golub and
//! LeVeque 1983). In the second launch every block combines its row's parts in order and writes its part, starting with the
//! elements read last, some of which are still in L2.

use super::exchange::{WARPS, of_part, of_warps};
use super::kernels::{
    NONE, RowConfig, RowOperation, RowPart, SLOTS, begin, columns, is_inside, read, slots, write,
};
use super::statistics::{exponential, factors, merged, of_lanes};
use crate::vectors::Widened;
use lanework::prelude::*;

/// Threads of a block; also the maximum number of parts per row.
pub(super) const THREADS: u32 = 512;
/// Resident blocks per multiprocessor.
pub(super) const RESIDENT: u32 = 2;
/// Number of vectors that a thread loads together.
pub(super) const VECTORS: usize = 4;

/// Elements that a block reads together (a tile). Tiles are assigned to the parts round-robin.
pub(super) const fn tile(vector: usize) -> usize {
    THREADS as usize * VECTORS * vector
}

/// The range of a row's elements that is divided into tiles: all elements, or those in vectors.
#[device]
fn in_tiles<const V: usize>(
    row: u64,
    n: u64,
    x_row: u64,
    #[constant] config: RowConfig,
) -> (u64, u64) {
    let mut first = 0u64;
    let mut count = n;
    if config.peeled {
        let size = V as u64;
        first = (size - (config.phase + row * x_row) % size) % size;
        count = (n - first) / size * size;
    }
    (first, count)
}

/// Number of tiles of a part, if `count` elements of the row are in tiles.
#[device]
fn tiles_of<const V: usize>(part: u32, parts: u32, count: u64) -> u64 {
    let size = const { tile(V) as u64 };
    let tiles = count.div_ceil(size);
    (tiles + (parts - 1 - part) as u64) / parts as u64
}

/// Number of elements of a part; the first part also has those outside of vectors.
#[device]
fn numbers_of<const V: usize>(part: u32, parts: u32, n: u64, count: u64) -> f32 {
    let outside = select(part == 0, (n - count) as u32, 0);
    let size = const { tile(V) as u64 };
    (of_part(part, parts, count, size) + outside) as f32
}

/// Position of tile `i` of a part.
#[device]
fn tile_of<const V: usize>(
    (row, part, i): (u64, u32, u64),
    (n, parts): (u64, u32),
    (start, count): (u64, u64),
    (x_row, y_row): (u64, u64),
    (x_step, y_step): (u64, u64),
    #[constant] config: RowConfig,
) -> RowPart {
    let first = start + (part as u64 + i * parts as u64) * const { tile(V) as u64 };
    let (next, end) = (const { THREADS as u64 * V as u64 }, start + count);
    let mut extra = NONE;
    if config.peeled && first == start {
        // The elements before the first multiple of 16 bytes, and those after the last one.
        let me = thread_idx.x;
        let mut at = me as u64;
        let mut is_there = at < start;
        if me >= V as u32 {
            at = end + (me - V as u32) as u64;
            is_there = at < n;
        }
        extra = select(is_there, at, NONE);
    }
    RowPart { x: row * x_row, y: row * y_row, x_step, y_step, first, end, next, extra }
}

/// Updates a thread's statistics with its elements of
/// a tile, and returns the number of these elements.
#[device]
fn with_tile<const V: usize>(
    (first, second): (f32, f32),
    numbers: f32,
    values: [[f32; V]; SLOTS],
    span: RowPart,
    #[constant] config: RowConfig,
) -> ((f32, f32), f32) {
    let me = thread_idx.x;
    let mut all = (first, second);
    let mut count = numbers;
    if config.kind == RowOperation::Softmax {
        #[unroll]
        for k in 0..const { slots(config) } {
            #[unroll]
            for j in 0..V {
                all.0 = all.0.max(values[k][j]);
            }
        }
        all.1 = second * exponential(first - all.0);
    }
    let mut more = 0.0f32;
    let mut mean = 0.0f32;
    if config.kind == RowOperation::LayerNorm {
        #[unroll]
        for k in 0..const { slots(config) } {
            #[unroll]
            for j in 0..V {
                // Elements out of range are 0.
                mean += values[k][j];
                more += select(is_inside::<V>(span, me, k, j, config), 1.0f32, 0.0);
            }
        }
        mean = mean / more.max(1.0);
    }
    let mut sums = [0.0f32; V];
    #[unroll]
    for k in 0..const { slots(config) } {
        #[unroll]
        for j in 0..V {
            let x = values[k][j];
            if config.kind == RowOperation::Softmax {
                sums[j] += exponential(x - all.0);
            }
            if config.kind == RowOperation::LayerNorm {
                let difference = select(is_inside::<V>(span, me, k, j, config), x - mean, 0.0f32);
                sums[j] += difference * difference;
            }
            if config.kind == RowOperation::RmsNorm {
                sums[j] += x * x;
            }
        }
    }
    #[unroll]
    for j in 0..V {
        all.1 += sums[j];
    }
    if config.kind == RowOperation::LayerNorm {
        count += more;
        let (off, share) = (mean - first, more / count.max(1.0));
        all.0 += off * share;
        all.1 += off * off * share * numbers;
    }
    (all, count)
}

/// Combines the threads' statistics of `numbers` elements each into statistics of the block's `count` elements.
#[device]
fn of_block(
    mine: (f32, f32),
    numbers: f32,
    count: f32,
    space: Shared<f32, 2>,
    #[constant] config: RowConfig,
) -> (f32, f32) {
    let of_warp = of_lanes(numbers, 32, false, false);
    let mine = merged(mine, numbers, of_warp.max(1.0), config);
    of_warps(mine, of_warp, count, space, 0, config)
}

/// First pass: statistics of each of the `parts` parts of rows of `n` elements, two numbers per block in `space`.
#[kernel(block = THREADS, min_blocks = RESIDENT)]
pub(super) fn parts<E: Widened<Wide = f32>, const V: usize>(
    x: &[E],
    space: &mut [f32],
    n: u64,
    parts: u32,
    x_row: u64,
    x_step: u64,
    #[constant] config: RowConfig,
) {
    let warps = shared::<f32>([3, WARPS]);
    let (row, part) = ((block_idx.x / parts) as u64, block_idx.x % parts);
    let (start, inside) = in_tiles::<V>(row, n, x_row, config);
    let tiles = tiles_of::<V>(part, parts, inside);
    let fill = const { if config.kind == RowOperation::Softmax { f32::NEG_INFINITY } else { 0.0 } };
    let least = const { if config.kind == RowOperation::Softmax { f32::MIN } else { 0.0 } };
    begin(config);
    let mut mine = (least, 0.0f32);
    let mut numbers = 0.0f32;
    for i in 0..tiles {
        let (places, steps) = ((x_row, 0u64), (x_step, 0u64));
        let span = tile_of::<V>((row, part, i), (n, parts), (start, inside), places, steps, config);
        let values = read::<E, V>(x, span, thread_idx.x, fill, config);
        (mine, numbers) = with_tile::<V>(mine, numbers, values, span, config);
    }
    let count = numbers_of::<V>(part, parts, n, inside);
    let all = of_block(mine, numbers, count, warps, config);
    if thread_idx.x == 0 {
        space[2 * block_idx.x] = all.0;
        space[2 * block_idx.x + 1] = all.1;
    }
}

/// Second pass: results from the parts' statistics in `space`.
#[kernel(block = THREADS, min_blocks = RESIDENT)]
pub(super) fn results<E: Widened<Wide = f32>, const V: usize>(
    x: &[E],
    y: &mut [E],
    gamma: &[E],
    beta: &[E],
    space: &mut [f32],
    n: u64,
    parts: u32,
    (x_row, y_row): (u64, u64),
    (x_step, y_step): (u64, u64),
    eps: f32,
    #[constant] config: RowConfig,
) {
    let warps = shared::<f32>([3, WARPS]);
    let t = thread_idx.x;
    let (row, part) = ((block_idx.x / parts) as u64, block_idx.x % parts);
    let (start, inside) = in_tiles::<V>(row, n, x_row, config);
    let tiles = tiles_of::<V>(part, parts, inside);
    let least = const { if config.kind == RowOperation::Softmax { f32::MIN } else { 0.0 } };
    begin(config);
    let mut mine = (least, 0.0f32);
    let mut numbers = 0.0f32;
    if t < parts {
        let cell = 2 * (block_idx.x - part + t);
        mine = (space[cell], space[cell + 1]);
        numbers = numbers_of::<V>(t, parts, n, inside);
    }
    let of_row = of_block(mine, numbers, n as f32, warps, config);
    let (shift, scale) = factors(of_row, 1.0 / n as f32, eps, config);
    let mut left = tiles;
    while left > 0 {
        left -= 1;
        let (places, steps) = ((x_row, y_row), (x_step, y_step));
        let span =
            tile_of::<V>((row, part, left), (n, parts), (start, inside), places, steps, config);
        let mut values = read::<E, V>(x, span, t, 0.0, config);
        let of_columns = columns::<E, V>(gamma, beta, span, t, config);
        if config.kind == RowOperation::Softmax {
            #[unroll]
            for k in 0..const { slots(config) } {
                #[unroll]
                for j in 0..V {
                    values[k][j] = exponential(values[k][j] - shift);
                }
            }
        }
        write::<E, V>(y, gamma, beta, values, of_columns, (shift, scale), span, t, config);
    }
}
