//! The FFMA fallback for numbers that tensor cores cannot handle: not finite, or extremely far apart. Tiles of 128 x 128 results, 8
//! x 8 per thread, for factors of any strides. It runs only if a word in memory selects it, so simplicity beats speed.

use super::parts::PLAIN;
use crate::gemm::finish::{Finish, finished};
use lanework::prelude::*;

/// Rows and columns of a block's tile.
pub(super) const TILE: u32 = 128;
/// Columns of the factors per load.
const DEPTH: u32 = 8;
/// Threads of a block.
pub(super) const THREADS: u32 = 256;

/// `c = alpha * a * transpose(b) + beta * c`, with strides along rows and along k. Blocks loop over tiles.
#[kernel(block = THREADS)]
#[allow(clippy::too_many_arguments)]
pub(super) fn plain(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    choice: &[u32],
    bias: &[f32],
    scales: &[f32],
    size: (u32, u32, u32),
    of_a: (usize, usize),
    of_b: (usize, usize),
    of_c: (usize, usize),
    scale: (f32, f32),
    #[constant] along: (bool, bool),
    #[constant] finish: Finish,
) {
    if choice[0] != PLAIN {
        return;
    }
    let a_tile = shared::<f32>([DEPTH, TILE]);
    let b_tile = shared::<f32>([DEPTH, TILE]);
    let t = thread_idx.x;
    let (m, n, k) = size;
    let across = n.div_ceil(TILE);
    let (y, x) = (t / 16 * 4, t % 16 * 4);
    for tile in (block_idx.x..m.div_ceil(TILE) * across).step_by(grid_dim.x) {
        let (top, left) = (tile / across * TILE, tile % across * TILE);
        let mut sums = [[0.0f32; 8]; 8];
        for at in (0..k).step_by(DEPTH) {
            #[unroll]
            for pass in 0..TILE * DEPTH / THREADS {
                let i = pass * THREADS + t;
                let (row, column) =
                    if along.0 { (i / DEPTH, i % DEPTH) } else { (i % TILE, i / TILE) };
                let mut value = 0.0f32;
                if top + row < m && at + column < k {
                    value = a[(top + row) as usize * of_a.0 + (at + column) as usize * of_a.1];
                }
                a_tile[[column, row]] = value;
                let (row, column) =
                    if along.1 { (i / DEPTH, i % DEPTH) } else { (i % TILE, i / TILE) };
                let mut value = 0.0f32;
                if left + row < n && at + column < k {
                    value = b[(left + row) as usize * of_b.0 + (at + column) as usize * of_b.1];
                }
                b_tile[[column, row]] = value;
            }
            sync_threads();
            #[unroll]
            for i in 0..DEPTH {
                let rows = [a_tile.load4((i, y)), a_tile.load4((i, y + TILE / 2))];
                let columns = [b_tile.load4((i, x)), b_tile.load4((i, x + TILE / 2))];
                #[unroll]
                for r in 0..8usize {
                    #[unroll]
                    for s in 0..8usize {
                        sums[r][s] = fma(rows[r / 4][r % 4], columns[s / 4][s % 4], sums[r][s]);
                    }
                }
            }
            sync_threads();
        }
        #[unroll]
        for r in 0..8u32 {
            let row = top + y + r % 4 + r / 4 * (TILE / 2);
            #[unroll]
            for s in 0..8u32 {
                let column = left + x + s % 4 + s / 4 * (TILE / 2);
                if row < m && column < n {
                    let at = row as usize * of_c.0 + column as usize * of_c.1;
                    let mut before = 0.0f32;
                    if finish.reads_c {
                        before = c[at];
                    }
                    let sum = sums[r as usize][s as usize];
                    let none = (scales, scales);
                    c[at] = finished(sum, before, (row, column), scale, bias, none, finish);
                }
            }
        }
    }
}
