//! Multiplies split factors on Hopper's tensor cores: all significant products of parts, small ones first. One warp
//! loads tiles by TMA into a ring of stages; two warpgroups multiply them by `wgmma`.
//!
//! Tensor cores add in FP32 but truncate, and the error grows with the length of an accumulation: 3e-5 for 4,096 columns. So an
//! accumulation ends after 64 columns (32 if there are twice as many products) and is added to registers, which round to nearest
//! (promotion). Warpgroups alternate: one adds while the other's products run.
//!
//! [`plain`] is the FFMA fallback for numbers that tensor cores cannot handle: not finite, or extremely far apart. It runs only if a
//! word in memory selects it, so simplicity beats speed.

use super::parts::PLAIN;
use crate::gemm::finish::{Finish, finished};
use lanework::Element;
use lanework::lang::tensor_cores::{GroupProduct, MatrixElement, SwizzleMode};
use lanework::prelude::*;

/// Rows of results of a block's tile.
pub(super) const ROWS: u32 = 128;
/// Columns of the factors between promotions; the number of products is the same either way.
const fn chain(parts: u32) -> u32 {
    if parts > 2 { 32 } else { 64 }
}

/// Tile rows that are processed before the next tile column, so that their shared tiles stay in L2.
const TOGETHER: u32 = 8;

/// The products of parts, small ones first. With two parts, low times low is omitted; with three, the products below 2^-24 of the
/// largest.
pub(super) const fn pairs(parts: u32) -> &'static [(u32, u32)] {
    match parts {
        1 => &[(0, 0)],
        2 => &[(1, 0), (0, 1), (0, 0)],
        _ => &[(2, 0), (0, 2), (1, 1), (1, 0), (0, 1), (0, 0)],
    }
}

/// Bytes of one stage.
const fn stage_bytes(parts: u32, columns: u32, depth: u32) -> u32 {
    parts * (ROWS + columns) * depth * 2
}

/// Dynamic shared memory of a block.
pub(super) const fn shared_bytes(parts: u32, columns: u32, depth: u32, stages: u32) -> u32 {
    stages * stage_bytes(parts, columns, depth)
}

/// Row and column of tile number `tile` in a grid of `down` by `across` tiles.
#[device]
fn corner(tile: u32, down: u32, across: u32) -> (u32, u32) {
    let first = tile / (TOGETHER * across) * TOGETHER;
    let height = (down - first).min(TOGETHER);
    let within = tile % (TOGETHER * across);
    (first + within % height, within / height)
}

/// 2^exponent, for exponents of normal numbers.
#[device]
fn power(exponent: i32) -> f32 {
    f32_from_bits(((exponent + 127) << 23) as u32)
}

/// `c = finish(alpha * a * transpose(b) + beta * c)`. Part `p` of the factors starts at row `p * m` of `a` and `p * n` of `b`. Row
/// i of `a` and of `b` was multiplied by 2 to the power of its exponent, and both together by 2^raised. Does nothing unless
/// `choice` is `mine`.
#[kernel(block = 384, max_registers = 168)]
#[allow(clippy::too_many_arguments)]
pub(super) fn product<
    T: GroupProduct<T, f32> + MatrixElement<Storage = T> + Element,
    S: SwizzleMode,
    const PARTS: u32,
    const COLUMNS: u32,
    const DEPTH: u32,
    const STAGES: u32,
>(
    a: &TensorMap<T, 2>,
    b: &TensorMap<T, 2>,
    c: &mut [f32],
    a_exponents: &[i32],
    b_exponents: &[i32],
    choice: &[u32],
    mine: u32,
    bias: &[f32],
    scales: &[f32],
    size: (u32, u32, u32),
    strides: (usize, usize),
    raised: i32,
    alpha: f32,
    beta: f32,
    #[constant] paired: bool,
    #[constant] finish: Finish,
) {
    let tiles_a = SharedTiles::<T, ROWS, DEPTH, S>::dynamic(STAGES * PARTS);
    let tiles_b = SharedTiles::<T, COLUMNS, DEPTH, S>::dynamic(STAGES * PARTS);
    let ring = pipeline(STAGES, 1, 2);
    let [math, load] = warp_roles([8, 4]);
    let turns = named_barriers(2, 256);
    let (m, n, k) = size;
    let (down, across) = (m.div_ceil(ROWS), n.div_ceil(COLUMNS));
    let chains = k.div_ceil(const { chain(PARTS) });
    let mut tiles = 0;
    if choice[0] == mine {
        tiles = down * across;
    }
    if load.active() {
        load.give_registers(40);
        if load.thread() == 0 {
            let producer = ring.producer();
            for tile in (block_idx.x..tiles).step_by(grid_dim.x) {
                let (row, column) = corner(tile, down, across);
                for step in 0..chains * const { chain(PARTS) / DEPTH } {
                    let stage = producer.acquire_for(const { stage_bytes(PARTS, COLUMNS, DEPTH) });
                    #[unroll]
                    for part in 0..PARTS {
                        let slot = stage.index * PARTS + part;
                        a.load(tiles_a[slot], (part * m + row * ROWS, step * DEPTH), stage);
                        b.load(tiles_b[slot], (part * n + column * COLUMNS, step * DEPTH), stage);
                    }
                }
            }
        }
    }
    if math.active() {
        math.take_registers(232);
        let consumer = ring.consumer();
        let group = math.thread() / 128;
        let leads = math.thread() % 128 == 0;
        let (mine_next, others_next) = (turns.at(group), turns.at(1 - group));
        if group == 1 {
            others_next.arrive(); // the first warpgroup begins
        }
        for tile in (block_idx.x..tiles).step_by(grid_dim.x) {
            let (row, column) = corner(tile, down, across);
            let mut sums = FragmentC::<f32, 64, COLUMNS>::zero();
            for _ in 0..chains {
                let mut products = Accumulator::<f32, COLUMNS>::zero();
                #[unroll]
                for part in 0..const { chain(PARTS) / DEPTH } {
                    let stage = consumer.wait();
                    if part == 0 {
                        mine_next.sync();
                    }
                    #[unroll]
                    for (at, (of_a, of_b)) in const { pairs(PARTS) }.iter().copied().enumerate() {
                        let slot = stage.index * PARTS;
                        let left = tiles_a[slot + of_a].rows::<64>(group * 64);
                        let right = tiles_b[slot + of_b].t();
                        if part == 0 && at == 0 {
                            products.set_product(left, right);
                        } else {
                            products.multiply(left, right);
                        }
                    }
                    if part > 0 {
                        // The previous stage's products are done, so the producer may refill it.
                        products.wait(const { pairs(PARTS).len() as u32 });
                        if leads {
                            consumer.release_previous();
                        }
                    }
                    if part == const { chain(PARTS) / DEPTH - 1 } {
                        others_next.arrive();
                        products.wait(0);
                        if leads {
                            stage.release();
                        }
                    }
                }
                let products = products.finish();
                #[unroll]
                for i in 0..FragmentC::<f32, 64, COLUMNS>::ELEMENTS {
                    sums[i] = sums[i] + products[i];
                }
            }
            let (top, left) = (row * ROWS + group * 64, column * COLUMNS);
            // Load all exponents first, for a single wait.
            let mut of_rows = [0i32; 2];
            #[unroll]
            for line in 0..2u32 {
                let (y, _) = sums.position(2 * line);
                of_rows[line] = a_exponents[(top + y).min(m - 1)] + raised;
            }
            let mut of_columns = [[0i32; 2]; 32];
            #[unroll]
            for pair in 0..COLUMNS / 8 {
                let (_, x) = sums.position(4 * pair);
                #[unroll]
                for i in 0..2u32 {
                    of_columns[pair][i] = b_exponents[(left + x + i).min(n - 1)];
                }
            }
            #[unroll]
            for i in (0..FragmentC::<f32, 64, COLUMNS>::ELEMENTS).step_by(2) {
                let (y, x) = sums.position(i);
                let (y, x) = (top + y, left + x);
                let of_row = of_rows[i / 2 % 2];
                let [first, second] = of_columns[i / 4];
                if y < m && x < n {
                    let at = y as usize * strides.0 + x as usize * strides.1;
                    let mut before = [0.0f32; 2];
                    if finish.reads_c {
                        if paired && x + 1 < n {
                            before = c.load2(at);
                        } else {
                            before[0] = c[at];
                            if x + 1 < n {
                                before[1] = c[at + strides.1];
                            }
                        }
                    }
                    let scale = (alpha, beta);
                    let none = (scales, scales);
                    let sum = scaled(sums[i], of_row + first);
                    let value = finished(sum, before[0], (y, x), scale, bias, none, finish);
                    if x + 1 < n {
                        let sum = scaled(sums[i + 1], of_row + second);
                        let next = finished(sum, before[1], (y, x + 1), scale, bias, none, finish);
                        if paired {
                            c.store2(at, [value, next]);
                        } else {
                            c[at] = value;
                            c[at + strides.1] = next;
                        }
                    } else {
                        c[at] = value;
                    }
                }
            }
        }
        if group == 0 {
            mine_next.sync(); // consume the last arrival
        }
    }
}

/// Divides by 2^exponent, in two steps because the power itself may not be a normal number.
#[device]
fn scaled(sum: f32, exponent: i32) -> f32 {
    let half = exponent / 2;
    sum * power(-half) * power(half - exponent)
}

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
