//! The `cp.async` kernel for FP64 products.

use super::fragments::store;
use crate::gemm::finish::Finish;
use lanework::lang::tensor_cores::Product;
use lanework::prelude::*;

/// Edge of a block's result tile.
pub const TILE: u32 = 128;
/// k per stage.
const DEPTH: u32 = 16;
/// Stages in the ring.
const STAGES: u32 = 4;
/// Element stride along k for row-adjacent factors, padded so that the four k of a load hit different banks.
const PITCH: u32 = TILE + 4;
/// Elements of a factor per stage.
const STAGE: u32 = DEPTH * PITCH;
/// Dynamic shared memory of a block.
pub const SHARED_BYTES: u32 = 2 * STAGES * STAGE * 8;

/// Memory layout of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lie {
    /// Whether elements along k are adjacent; otherwise the elements along a row of A or a column of B may be.
    pub along: bool,
    /// Whether one access covers two elements.
    pub wide: bool,
}

/// Index in a stage of row (for B: column) `row` and `k`. If k is adjacent, a row's groups of four elements are swizzled by the row
/// number, so that four k of four rows hit different banks.
#[device]
fn place(row: u32, k: u32, #[constant] along: bool) -> u32 {
    if along { row * DEPTH + (k ^ (row % 4 * 4)) } else { k * PITCH + row }
}

/// Starts copying a stage of a factor, zero-filled past its end.
#[device]
fn copy<const THREADS: u32>(
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

/// Tile rows that are processed before the next tile column, so that their shared tiles stay in L2.
const TOGETHER: u32 = 8;

/// Row and column of tile number `tile` in a grid of `down` by `across` tiles.
#[device]
fn corner(tile: u32, down: u32, across: u32) -> (u32, u32) {
    let first = tile / (TOGETHER * across) * TOGETHER;
    let height = (down - first).min(TOGETHER);
    let within = tile % (TOGETHER * across);
    (first + within % height, within / height)
}

/// Index in a stage of this lane's element of a row, for each of the four groups of four k; other rows are multiples of 8 away.
#[device]
fn begin(row: u32, #[constant] along: bool) -> [u32; 4] {
    let mut places = [0u32; 4];
    #[unroll]
    for slot in 0..4u32 {
        places[slot] = place(row, thread_idx.x % 4 + 4 * slot, along);
    }
    places
}

/// The element `down` rows after `at`.
#[device]
fn below(x: Shared<f64, 1>, at: u32, #[constant] down: u32, #[constant] along: bool) -> f64 {
    x[at + down * const { if along { DEPTH } else { 1 } }]
}

/// The product: each block computes one result tile, for batches `block_idx.y`, `block_idx.y + grid_dim.y` and so on.
/// `mma` has the shape `M` x 8 x 4; `TALL` of them cover a warp's rows.
#[kernel(block = THREADS)]
#[allow(clippy::too_many_arguments)]
pub fn double<const M: u32, const TALL: usize, const THREADS: u32>(
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
    f64: Product<f64, f64, M, 8, 4>,
{
    let tiles = shared_dynamic::<f64>(2 * STAGES * STAGE);
    let [batches, m, n, k] = extents;
    let pipe = CopyPipeline::<STAGES>::new();
    let (down, across) = (m.div_ceil(TILE), n.div_ceil(TILE));
    let (top, first) = corner(block_idx.x, down, across);
    let (top, first) = (top * TILE, first * TILE);
    let (warp, lane) = (thread_idx.x / 32, thread_idx.x % 32);
    let (row, column) = (warp / 4 * const { M * TALL as u32 } + lane / 4, warp % 4 * 32 + lane / 4);
    let (of_a, of_b) = (begin(row, lie_a.along), begin(column, lie_b.along));
    let steps = k.div_ceil(DEPTH);
    for batch in (block_idx.y..batches).step_by(grid_dim.y) {
        let of = batch as u64;
        // Stages past the end are zeros, because fragments are also loaded from the stage after the last.
        #[unroll]
        for stage in 0..STAGES {
            let at = (2 * stage * STAGE, (2 * stage + 1) * STAGE);
            copy::<THREADS>(
                pipe,
                tiles,
                at.0,
                a,
                of,
                (top, m),
                (stage * DEPTH, k),
                strides_a,
                lie_a,
            );
            copy::<THREADS>(
                pipe,
                tiles,
                at.1,
                b,
                of,
                (first, n),
                (stage * DEPTH, k),
                strides_b,
                lie_b,
            );
            pipe.commit();
        }
        let mut sums = [[FragmentC::<f64, M, 8>::zero(); 4]; TALL];
        // Double-buffered fragments: one is multiplied while the other is loaded.
        let mut left = [[FragmentA::<f64, M, 4>::zero(); TALL]; 2];
        let mut right = [[FragmentB::<f64, 4, 8>::zero(); 4]; 2];
        pipe.wait();
        sync_threads();
        #[unroll]
        for i in 0..TALL as u32 {
            #[unroll]
            for half in 0..const { M / 8 } {
                left[0][i][half] = below(tiles, of_a[0], M * i + 8 * half, lie_a.along);
            }
        }
        #[unroll]
        for j in 0..4u32 {
            right[0][j][0] = below(tiles, STAGE + of_b[0], 8 * j, lie_b.along);
        }
        for step in 0..steps {
            #[unroll]
            for slot in 0..4u32 {
                let mut at = 2 * (step % STAGES) * STAGE;
                if slot == 3 {
                    // The next stage has arrived, and every warp has read the current one.
                    pipe.wait();
                    sync_threads();
                    let next = step + STAGES;
                    let free = (at, at + STAGE);
                    copy::<THREADS>(
                        pipe,
                        tiles,
                        free.0,
                        a,
                        of,
                        (top, m),
                        (next * DEPTH, k),
                        strides_a,
                        lie_a,
                    );
                    copy::<THREADS>(
                        pipe,
                        tiles,
                        free.1,
                        b,
                        of,
                        (first, n),
                        (next * DEPTH, k),
                        strides_b,
                        lie_b,
                    );
                    pipe.commit();
                    at = 2 * ((step + 1) % STAGES) * STAGE;
                }
                #[unroll]
                for i in 0..TALL as u32 {
                    #[unroll]
                    for half in 0..const { M / 8 } {
                        let from = at + of_a[(slot + 1) % 4];
                        left[(slot + 1) % 2][i][half] =
                            below(tiles, from, M * i + 8 * half, lie_a.along);
                    }
                }
                #[unroll]
                for j in 0..4u32 {
                    let from = at + STAGE + of_b[(slot + 1) % 4];
                    right[(slot + 1) % 2][j][0] = below(tiles, from, 8 * j, lie_b.along);
                }
                #[unroll]
                for i in 0..TALL {
                    #[unroll]
                    for j in 0..4 {
                        sums[i][j].mma(left[slot % 2][i], right[slot % 2][j]);
                    }
                }
            }
        }
        pipe.wait_all();
        sync_threads();
        #[unroll]
        for i in 0..TALL as u32 {
            #[unroll]
            for j in 0..4u32 {
                #[unroll]
                for half in 0..const { M / 8 } {
                    let y = top + row + M * i + 8 * half;
                    let x = first + warp % 4 * 32 + 8 * j + lane % 4 * 2;
                    let at = of * strides_c[0] + y as u64 * strides_c[1] + x as u64 * strides_c[2];
                    store(
                        c,
                        (at, strides_c[2]),
                        (y, x),
                        (m, n),
                        sums[i][j],
                        half,
                        (alpha, beta),
                        bias,
                        scale_a,
                        scale_b,
                        paired,
                        finish,
                    );
                }
            }
        }
    }
}
