//! FP64 products on tensor cores (from sm_80): a block computes 128 x 128 results, each of 8 warps 64 x 32 of them; `cp.async` brings
//! tiles of 16 columns of the factors into a ring of stages.
//!
//! Which column of a tile is which k of an `mma` is free, as long as both factors agree. A lane of the four that share a row takes
//! columns 2t, 2t + 1, 2t + 8 and 2t + 9, so that where k is adjacent in memory it loads two at a time; chunks of 16 bytes change
//! places in odd rows, so that eight lanes of a load touch every bank once.

use super::choose::Recipe;
use super::element::ElementKind;
use super::finish::{Finish, Finishing, finished, finishing};
use super::problem::{Extents, Problem, refused};
use crate::workspace::{Layout, Scratch};
use lanework::lang::tensor_cores::Product;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of a block's tile of results.
const TILE: u32 = 128;
/// Columns of the factors in a stage.
const DEPTH: u32 = 16;
/// Stages of the ring.
const STAGES: u32 = 4;
const THREADS: u32 = 256;
/// Elements from one k to the next where rows are adjacent: padded, so that the four k of a load lie in different banks.
const PITCH: u32 = TILE + 2;
/// Elements of a factor in a stage.
const STAGE: u32 = DEPTH * PITCH;
/// Dynamic shared memory of a block.
const SHARED_BYTES: u32 = 2 * STAGES * STAGE * 8;

/// How a factor lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lie {
    /// Whether elements along k are adjacent; else those of a row of A or a column of B may be.
    along: bool,
    /// Whether two elements are one access.
    wide: bool,
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
fn double<const M: u32, const K: u32, const TALL: usize, const PARTS: usize>(
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

/// Whether this family computes a problem, and faster than by FMA.
pub(crate) fn suits(problem: &Problem<'_>) -> bool {
    let Extents { m, n, k, .. } = problem.extents;
    problem.a.kind == ElementKind::F64
        && problem.precision != super::problem::Precision::Compensated
        && problem.device.info().compute_capability >= (8, 0)
        && m.min(n).min(k) >= 16
}

/// How a factor lies: rows of A or columns of B, `apart` from each other, with elements along k `along` apart.
fn lie(address: u64, batch: usize, apart: usize, along: usize, [rows, k]: [usize; 2]) -> Lie {
    let adjacent = along == 1 || (k <= 1 && apart != 1);
    let (other, extent) = if adjacent { (apart, rows) } else { (along, k) };
    let beside = adjacent || apart == 1;
    let even = |stride: usize, extent: usize| stride.is_multiple_of(2) || extent <= 1;
    let wide =
        beside && even(other, extent) && batch.is_multiple_of(2) && address.is_multiple_of(16);
    Lie { along: adjacent, wide }
}

/// The family's launches.
pub(crate) fn recipe<'a>(problem: Problem<'a>, _: &mut Layout) -> Result<Recipe<'a>> {
    Ok(Box::new(move |scratch| {
        let hopper = problem.device.info().compute_capability >= (9, 0);
        Ok(vec![match hopper {
            true => prepared::<16, 16, 4, 1>(problem, scratch)?,
            false => prepared::<8, 4, 8, 4>(problem, scratch)?,
        }])
    }))
}

fn prepared<'a, const M: u32, const K: u32, const TALL: usize, const PARTS: usize>(
    problem: Problem<'a>,
    scratch: &Scratch,
) -> Result<Prepared<'a>>
where
    f64: Product<f64, f64, M, 8, K>,
{
    let Finishing { alpha, beta, bias, scale_a, scale_b, finish } =
        finishing::<f64>(&problem, scratch);
    let Extents { batch, m, n, k } = problem.extents;
    let (a, b, c) = (problem.a.strides, problem.b.strides, problem.c.strides);
    let tiles = (m as u64).div_ceil(TILE.into()) * (n as u64).div_ceil(TILE.into());
    let Some(tiles) = u32::try_from(tiles).ok().filter(|tiles| *tiles < 1 << 31) else {
        return refused(
            format!("results of {m} x {n} are more than 2^31 tiles"),
            "multiply parts of the matrices",
        );
    };
    let of_a = problem.a.memory.elements::<f64>(scratch);
    let of_b = problem.b.memory.elements::<f64>(scratch);
    let lie_a = lie(of_a.address(), a.batch, a.row, a.column, [m, k]);
    let lie_b = lie(of_b.address(), b.batch, b.column, b.row, [n, k]);
    let to = problem.c.memory.cast::<f64>();
    let paired = c.column == 1
        && (c.row.is_multiple_of(2) || m == 1)
        && c.batch.is_multiple_of(2)
        && to.address().is_multiple_of(16);
    let launch = double::<M, K, TALL, PARTS>(
        of_a,
        of_b,
        to,
        bias,
        scale_a,
        scale_b,
        [batch as u32, m as u32, n as u32, k as u32],
        [a.batch as u64, a.row as u64, a.column as u64],
        [b.batch as u64, b.column as u64, b.row as u64],
        [c.batch as u64, c.row as u64, c.column as u64],
        alpha,
        beta,
        lie_a,
        lie_b,
        paired,
        finish,
    );
    // SAFETY: every access of A, B and C is guarded by the extents, and a tensor holds what its extents and strides reach: a copy of
    // which no byte is read has the first element's address. Vectors of the epilogue were checked to have an element per row or
    // column, or one. Places in shared memory are below a stage's elements: rows below 128 and k below 16.
    unsafe {
        launch
            .grid((tiles, batch.min(65_535) as u32, 1))
            .block(THREADS)
            .shared_bytes(SHARED_BYTES)
            .prepare_unchecked(&problem.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemm::gemm;
    use crate::{Plan, Tensor, TensorMut, Workspace};

    /// The product of 2 batches of m x k by k x n, on the emulator with every check, and where nothing is written.
    fn check([m, n, k]: [usize; 3], by_rows: (bool, bool), gap: usize, hopper: bool) -> Result<()> {
        let device = Device::emulator().sanitized();
        let numbers = |length: usize, seed: usize| -> Vec<f64> {
            (0..length).map(|i| ((i * 37 + seed) % 17) as f64 / 4.0 - 2.0).collect()
        };
        let strides = |rows: usize, columns: usize, by_rows: bool| match by_rows {
            true => [rows * (columns + gap), columns + gap, 1],
            false => [columns * (rows + gap), 1, rows + gap],
        };
        let (of_a, of_b) = (strides(m, k, by_rows.0), strides(k, n, by_rows.1));
        let of_c = strides(m, n, true);
        let (a, b) = (numbers(2 * of_a[0] + 1, 1), numbers(2 * of_b[0] + 1, 5));
        let (on_a, on_b) = (device.upload(&a)?, device.upload(&b)?);
        let mut c = device.upload(&vec![3.0f64; 2 * of_c[0] + 1])?;
        let first = gap % 2;
        let tensor_a = Tensor::with_strides(&on_a, [2, m, k], of_a, first)?;
        let tensor_b = Tensor::with_strides(&on_b, [2, k, n], of_b, first)?;
        let to = TensorMut::with_strides(&mut c, [2, m, n], of_c, first)?;
        let problem = gemm(tensor_a, tensor_b).alpha(0.5).beta(2.0).problem(to)?;
        assert!(suits(&problem) || m.min(n).min(k) < 16);
        let scratch = Workspace::new(&device).reserve(&Layout::default())?;
        let step = match hopper {
            true => prepared::<16, 16, 4, 1>(problem, &scratch)?,
            false => prepared::<8, 4, 8, 4>(problem, &scratch)?,
        };
        Plan::new(vec![step], [scratch]).launch()?;
        let c = c.download()?;
        let mut want = vec![3.0f64; c.len()];
        for (batch, row, column) in (0..2 * m * n).map(|i| (i / (m * n), i / n % m, i % n)) {
            let place = |of: [usize; 3], i, j| first + batch * of[0] + i * of[1] + j * of[2];
            let product = |at| a[place(of_a, row, at)] * b[place(of_b, at, column)];
            want[place(of_c, row, column)] = 0.5 * (0..k).map(product).sum::<f64>() + 6.0;
        }
        assert!(c == want, "{m} x {n} x {k}, {by_rows:?}, gap {gap}");
        Ok(())
    }

    #[test]
    fn products_are_exact_where_sums_are() -> Result<()> {
        check([130, 33, 50], (true, true), 0, true)?;
        check([17, 140, 67], (false, true), 1, true)?;
        check([40, 30, 16], (true, false), 2, true)?;
        check([31, 64, 33], (false, false), 3, true)?;
        check([1, 1, 1], (true, true), 0, true)?;
        check([5, 3, 0], (true, true), 0, true)
    }

    #[test]
    fn small_products_of_older_gpus_are_exact_where_sums_are() -> Result<()> {
        // An emulator that was compiled without optimisation calls the handlers of a long row of products from each other.
        let test = std::thread::Builder::new().stack_size(64 << 20).spawn(|| {
            check([40, 30, 50], (true, false), 0, false)?;
            check([31, 64, 33], (false, true), 3, false)
        });
        test.expect("a thread").join().expect("no panic")
    }
}
