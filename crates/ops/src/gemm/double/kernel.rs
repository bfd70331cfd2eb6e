//! The kernel of FP64 products.

use super::super::finish::{Finish, finished};
use lanework::lang::tensor_cores::Product;
use lanework::prelude::*;

/// Edge of a block's tile of results.
pub const TILE: u32 = 128;
/// Columns of the factors in a stage.
const DEPTH: u32 = 16;
/// Stages of the ring.
const STAGES: u32 = 4;
pub const THREADS: u32 = 256;
/// Elements from one k to the next where rows are adjacent: padded, so that the four k of a load lie in different banks.
const PITCH: u32 = TILE + 2;
/// Elements of a factor in a stage.
const STAGE: u32 = DEPTH * PITCH;
/// Dynamic shared memory of a block.
pub const SHARED_BYTES: u32 = 2 * STAGES * STAGE * 8;

/// How a factor lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lie {
    /// Whether elements along k are adjacent; else those of a row of A or a column of B may be.
    pub along: bool,
    /// Whether two elements are one access.
    pub wide: bool,
}

/// The place in a stage of the element of a row (of A; of B, a column) at `k`.
#[device]
fn place(row: u32, k: u32, #[constant] along: bool) -> u32 {
    if along { row * DEPTH + (k ^ (row % 2 * 8)) } else { k * PITCH + row }
}

/// Starts copying a stage of a factor; zeros where it ends.
#[device]
fn copy(
    pipe: CopyPipeline<STAGES>,
    to: Shared<f64, 1>,
    at: u32,
    x: &[f64],
    batch: u64,
    (first, rows): (u32, u32),
    (start, k): (u32, u32),
    strides: [u64; 3],
    #[constant] lie: Lie,
) {
    #[unroll]
    for pass in 0..TILE * DEPTH / THREADS / (1 + lie.wide as u32) {
        let i = (pass * THREADS + thread_idx.x) * const { 1 + lie.wide as u32 };
        let (row, column) = if lie.along { (i / DEPTH, i % DEPTH) } else { (i % TILE, i / TILE) };
        let (from_row, from_k) = (first + row, start + column);
        let mut have = 0u32;
        let mut from = 0u64;
        if from_row < rows && from_k < k {
            from = batch * strides[0] + from_row as u64 * strides[1] + from_k as u64 * strides[2];
            have = 8;
            if lie.wide {
                let next = if lie.along { from_k + 1 < k } else { from_row + 1 < rows };
                if next {
                    have = 16;
                }
            }
        }
        let place = at + place(row, column, lie.along);
        if lie.wide {
            pipe.copy16_filled(&mut to[place], &x[from], have);
        } else {
            pipe.copy8_filled(&mut to[place], &x[from], have);
        }
    }
}

/// Rows of tiles whose blocks start before those of the next column of tiles: what they share stays in the L2 cache.
const TOGETHER: u32 = 8;

/// The row and the column of tiles of tile `tile`, of `down` rows and `across` columns of them.
#[device]
fn corner(tile: u32, down: u32, across: u32) -> (u32, u32) {
    let first = tile / (TOGETHER * across) * TOGETHER;
    let height = (down - first).min(TOGETHER);
    let within = tile % (TOGETHER * across);
    (first + within % height, within / height)
}

/// Where in a stage this lane's elements of a row begin, for slots 0 and 2; `row` is the first of its rows, the others are multiples
/// of 8 apart.
#[device]
fn begin(row: u32, #[constant] along: bool) -> [u32; 2] {
    let k = thread_idx.x % 4 * 2;
    [place(row, k, along), place(row, k + 8, along)]
}

/// The two elements from there on, `down` rows further.
#[device]
fn two(x: Shared<f64, 1>, at: u32, #[constant] down: u32, #[constant] along: bool) -> [f64; 2] {
    if along { x.load2((at + down * DEPTH,)) } else { [x[at + down], x[at + (down + PITCH)]] }
}

/// The product, a tile of results per block, for batches `block_idx.y`, `block_idx.y + grid_dim.y` and so on; by `mma` of
/// `M` x 8 x `K`, `TALL` of which make 64 rows and `PARTS` a stage's columns.
#[kernel(block = THREADS)]
#[allow(clippy::too_many_arguments)]
pub fn double<const M: u32, const K: u32, const TALL: usize, const PARTS: usize>(
    a: &[f64],
    b: &[f64],
    c: &mut [f64],
    bias: &[f64],
    scale_a: &[f32],
    scale_b: &[f32],
    extents: [u32; 4],
    strides_a: [u64; 3],
    strides_b: [u64; 3],
    strides_c: [u64; 3],
    alpha: f64,
    beta: f64,
    #[constant] lie_a: Lie,
    #[constant] lie_b: Lie,
    #[constant] paired: bool,
    #[constant] finish: Finish,
) where
    f64: Product<f64, f64, M, 8, K>,
{
    let tiles = shared_dynamic::<f64>(2 * STAGES * STAGE);
    let [batches, m, n, k] = extents;
    let pipe = CopyPipeline::<STAGES>::new();
    let (down, across) = (m.div_ceil(TILE), n.div_ceil(TILE));
    let (top, first) = corner(block_idx.x, down, across);
    let (top, first) = (top * TILE, first * TILE);
    let (warp, lane) = (thread_idx.x / 32, thread_idx.x % 32);
    let (row, column) = (warp / 4 * 64 + lane / 4, warp % 4 * 32 + lane / 4);
    let (of_a, of_b) = (begin(row, lie_a.along), begin(column, lie_b.along));
    let steps = k.div_ceil(DEPTH);
    for batch in (block_idx.y..batches).step_by(grid_dim.y) {
        let of = batch as u64;
        #[unroll]
        for stage in 0..STAGES - 1 {
            let at = (2 * stage * STAGE, (2 * stage + 1) * STAGE);
            if stage < steps {
                copy(pipe, tiles, at.0, a, of, (top, m), (stage * DEPTH, k), strides_a, lie_a);
                copy(pipe, tiles, at.1, b, of, (first, n), (stage * DEPTH, k), strides_b, lie_b);
            }
            pipe.commit();
        }
        let mut sums = [[FragmentC::<f64, M, 8>::zero(); 4]; TALL];
        for step in 0..steps {
            pipe.wait();
            sync_threads();
            let next = step + STAGES - 1;
            if next < steps {
                let at = 2 * (next % STAGES) * STAGE;
                copy(pipe, tiles, at, a, of, (top, m), (next * DEPTH, k), strides_a, lie_a);
                let at = at + STAGE;
                copy(pipe, tiles, at, b, of, (first, n), (next * DEPTH, k), strides_b, lie_b);
            }
            pipe.commit();
            let at = 2 * (step % STAGES) * STAGE;
            let mut right = [[FragmentB::<f64, K, 8>::zero(); 4]; PARTS];
            #[unroll]
            for pair in 0..2u32 {
                #[unroll]
                for j in 0..4u32 {
                    let values = two(tiles, at + STAGE + of_b[pair], 8 * j, lie_b.along);
                    #[unroll]
                    for i in 0..2u32 {
                        let slot = 2 * pair + i;
                        right[slot * 4 / K][j][slot % const { K / 4 }] = values[i];
                    }
                }
            }
            #[unroll]
            for i in 0..const { 64 / M } {
                let mut left = [FragmentA::<f64, M, K>::zero(); PARTS];
                #[unroll]
                for half in 0..const { M / 8 } {
                    #[unroll]
                    for pair in 0..2u32 {
                        let values = two(tiles, at + of_a[pair], M * i + 8 * half, lie_a.along);
                        #[unroll]
                        for e in 0..2u32 {
                            let slot = 2 * pair + e;
                            let element = slot % const { K / 4 } * const { M / 8 } + half;
                            left[slot * 4 / K][element] = values[e];
                        }
                    }
                }
                #[unroll]
                for part in 0..const { 16 / K } {
                    #[unroll]
                    for j in 0..4 {
                        sums[i][j].mma(left[part], right[part][j]);
                    }
                }
            }
        }
        pipe.wait_all();
        sync_threads();
        #[unroll]
        for i in 0..const { 64 / M } {
            #[unroll]
            for j in 0..4u32 {
                #[unroll]
                for half in 0..const { M / 8 } {
                    let y = top + row + M * i + 8 * half;
                    let x = first + warp % 4 * 32 + 8 * j + lane % 4 * 2;
                    let at = of * strides_c[0] + y as u64 * strides_c[1] + x as u64 * strides_c[2];
                    let mut values = [0.0f64; 2];
                    #[unroll]
                    for e in 0..2u32 {
                        if y < m && x + e < n {
                            let mut before = 0.0f64;
                            if finish.reads_c {
                                before = c[at + e as u64 * strides_c[2]];
                            }
                            values[e] = finished(
                                sums[i][j][2 * half + e],
                                before,
                                (y, x + e),
                                (alpha, beta),
                                bias,
                                (scale_a, scale_b),
                                finish,
                            );
                        }
                    }
                    if y < m && x < n {
                        if paired && x + 1 < n {
                            c.store2(at, values);
                        } else {
                            c[at] = values[0];
                            if x + 1 < n {
                                c[at + strides_c[2]] = values[1];
                            }
                        }
                    }
                }
            }
        }
    }
}
