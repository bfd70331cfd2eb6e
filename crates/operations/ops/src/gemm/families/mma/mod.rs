//! The portable tensor-core family: warp-level `mma` for factors of 8 and 16 bits and f32 as TF32, on GPUs from sm_75 on that have
//! no `wgmma`. A block computes 128 x 128 results with 4 warps of 64 x 64; `cp.async` (before sm_80, plain loads and stores) fills
//! a ring of stages with 64 bytes of each factor row, and `ldmatrix` loads fragments.
//!
//! Factors need TMA's layout (`hopper::loads`): lines start at multiples of 16 bytes. Only 16-bit factors may have
//! adjacent elements across k, because `ldmatrix` transposes only 16-bit elements.

#[cfg(test)]
mod tests;

use super::hopper::loads;
use crate::gemm::finish::{Finish, Finishing, Sum, finished, finishing};
use crate::gemm::operand::{Major, refused};
use crate::gemm::problem::{Extents, GemmProblem, Precision, Recipe};
use crate::workspace::{Scratch, WorkspaceLayout};
use half::{bf16, f16};
use lanework::lang::tensor_cores::{MatrixElement, Product, SwizzleMode};
use lanework::prelude::*;
use lanework::{Element, Prepared, Result};
use lanework_numbers::NumberType;

/// Whether this family supports a problem and beats CUDA cores.
pub(crate) fn suits(problem: &GemmProblem<'_>) -> bool {
    let Extents { batch, m, n, k } = problem.extents;
    let least = match (problem.a.kind, problem.precision) {
        (NumberType::F16, _) => (7, 5),
        (NumberType::Bf16 | NumberType::I8, _) => (8, 0),
        (NumberType::F32, Precision::TensorFloat32) => (8, 0),
        _ => return false,
    };
    let (_, _, c) = problem.majors();
    let direct = loads::direct(problem) == (true, true);
    let worth = direct || batch as f64 * m as f64 * n as f64 * k as f64 >= WORTH_A_COPY;
    problem.device.info().compute_capability >= least
        && matches!(c, Major::Rows(_))
        && worth
        && k > 0
        && k < MOST_DEPTH
}

/// Minimum number of multiply-adds for which copying the factors pays off.
const WORTH_A_COPY: f64 = 131_072.0;
/// Maximum K that the grid of a copy can cover.
const MOST_DEPTH: usize = 65_535 * 64;

/// The launches of this family.
pub(crate) fn recipe<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
) -> Result<Recipe<'a>> {
    let capability = problem.device.info().compute_capability;
    of_capability(problem, layout, capability)
}

/// The launches for a GPU of this capability.
fn of_capability<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
    capability: (u32, u32),
) -> Result<Recipe<'a>> {
    loads::factors(problem, layout, None, |problem, _| {
        Ok(Box::new(move |scratch| {
            use NumberType as K;
            let new = capability >= (8, 0);
            let step = match (problem.a.kind, problem.c.kind) {
                (K::F16, K::F16) if new => {
                    prepared::<f16, f32, f32, f16, 32, 16>(problem, scratch, new)
                }
                (K::F16, _) if new => prepared::<f16, f32, f32, f32, 32, 16>(problem, scratch, new),
                (K::F16, K::F16) => prepared::<f16, f32, f32, f16, 32, 8>(problem, scratch, new),
                (K::F16, _) => prepared::<f16, f32, f32, f32, 32, 8>(problem, scratch, new),
                (K::Bf16, K::Bf16) => {
                    prepared::<bf16, f32, f32, bf16, 32, 16>(problem, scratch, new)
                }
                (K::Bf16, _) => prepared::<bf16, f32, f32, f32, 32, 16>(problem, scratch, new),
                (K::I8, K::I32) => prepared::<i8, i32, i32, i32, 64, 32>(problem, scratch, new),
                (K::I8, _) => prepared::<i8, i32, f32, f32, 64, 32>(problem, scratch, new),
                _ => prepared::<Tf32, f32, f32, f32, 16, 8>(problem, scratch, new),
            };
            Ok(vec![step?])
        }))
    })
}

fn prepared<'a, T, D, S: Sum, O: Element, const DEPTH: u32, const K: u32>(
    problem: GemmProblem<'a>,
    scratch: &Scratch,
    asynchronous: bool,
) -> Result<Prepared<'a>>
where
    T: Product<T, D, 16, 8, K>,
    D: MatrixElement<Storage = D> + Element,
{
    let Finishing { alpha, beta, bias, scale_a, scale_b, finish } =
        finishing::<S>(&problem, scratch);
    let Extents { batch, m, n, k } = problem.extents;
    let (of_a, of_b, _) = problem.majors();
    let pitch = |major: Major| match major {
        Major::Rows(pitch) | Major::Columns(pitch) => pitch as u64,
        Major::Scattered => 0,
    };
    let c = problem.c.strides;
    let tiles = (m as u64).div_ceil(TILE.into()) * (n as u64).div_ceil(TILE.into());
    let Some(tiles) = u32::try_from(tiles).ok().filter(|tiles| *tiles < 1 << 31) else {
        return refused(
            format!("results of {m} x {n} are more than 2^31 tiles"),
            "multiply parts of the matrices",
        );
    };
    let to = problem.c.memory.elements::<O>(scratch);
    let config = MmaConfig {
        along: (matches!(of_a, Major::Rows(_)), matches!(of_b, Major::Columns(_))),
        asynchronous,
        paired: c.column == 1
            && (c.row.is_multiple_of(2) || m == 1)
            && (c.batch.is_multiple_of(2) || batch == 1)
            && to.address().is_multiple_of(2 * size_of::<O>() as u64),
    };
    let launch = multiply::<T, D, S, O, DEPTH, K>(
        problem.a.memory.elements::<T::Storage>(scratch),
        problem.b.memory.elements::<T::Storage>(scratch),
        to,
        bias,
        scale_a,
        scale_b,
        [batch as u32, m as u32, n as u32, k as u32],
        [problem.a.strides.batch as u64, pitch(of_a)],
        [problem.b.strides.batch as u64, pitch(of_b)],
        [c.batch as u64, c.row as u64, c.column as u64],
        alpha,
        beta,
        config,
        finish,
    );
    // SAFETY: the kernel compares every index of A, B and C with the extents, which `Tensor` checked against the memory; an empty
    // copy uses the first element's address and reads no byte. `Epilogue::check` checked that the vectors have one element, or one
    // per row or column. Indices in tiles are below their extents.
    unsafe {
        launch
            .grid((tiles, batch.min(65_535) as u32, 1))
            .block(THREADS)
            .shared_bytes(SHARED_BYTES)
            .prepare_unchecked(&problem.device)
    }
}

/// Edge of a block's result tile.
pub const TILE: u32 = 128;
/// Stages in the ring.
pub const STAGES: u32 = 4;
pub const THREADS: u32 = 128;
/// Dynamic shared memory of a block.
pub const SHARED_BYTES: u32 = 2 * STAGES * TILE * 64;
/// Tile rows that are processed before the next tile column, so that their shared tiles stay in L2.
const TOGETHER: u32 = 8;

/// Compile-time configuration of the kernel.
#[derive(Clone, Copy, Debug)]
pub struct MmaConfig {
    /// Whether A and B are adjacent along k.
    pub along: (bool, bool),
    /// Whether the GPU has `cp.async`.
    pub asynchronous: bool,
    /// Whether one access covers two adjacent results.
    pub paired: bool,
}

impl MmaConfig {
    /// The number of stages if `so` holds, otherwise 0. Each layout has its own array.
    fn stages_if(self, so: bool) -> u32 {
        if so { STAGES } else { 0 }
    }
}

/// Row and column of tile number `tile` in a grid of `down` by `across` tiles.
#[device]
fn corner(tile: u32, down: u32, across: u32) -> (u32, u32) {
    let first = tile / (TOGETHER * across) * TOGETHER;
    let height = (down - first).min(TOGETHER);
    let within = tile % (TOGETHER * across);
    (first + within % height, within / height)
}

/// Fills a tile from line `at.0` and element `at.1` on, with zeros past the factor's end.
#[device]
#[allow(clippy::too_many_arguments)]
fn fill<T: MatrixElement, S: SwizzleMode, const R: u32, const C: u32>(
    pipe: CopyPipeline<STAGES>,
    tile: SharedTile<T, R, C, S>,
    x: &[T::Storage],
    start: u64,
    pitch: u64,
    at: (u32, u32),
    extents: (u32, u32),
    #[constant] asynchronous: bool,
) {
    #[unroll]
    for pass in 0..const { R * C * T::BITS / 128 / THREADS } {
        let i = pass * THREADS + thread_idx.x;
        let (line, place) = (
            i / const { C * T::BITS / 128 },
            i % const { C * T::BITS / 128 } * const { 128 / T::BITS },
        );
        let (from_line, from_place) = (at.0 + line, at.1 + place);
        let inside = from_line < extents.0 && from_place < extents.1;
        if asynchronous {
            let mut from = 0u64;
            let mut have = 0u32;
            if inside {
                from = start + from_line as u64 * pitch + from_place as u64;
                have = ((extents.1 - from_place) * const { T::BITS / 8 }).min(16);
            }
            pipe.copy16_filled(&mut tile[[line, place]], &x[from], have);
        } else {
            #[unroll]
            for e in 0..const { 128 / T::BITS } {
                let mut value = T::Storage::ZERO;
                if inside && from_place + e < extents.1 {
                    value = x[start + from_line as u64 * pitch + (from_place + e) as u64];
                }
                tile[[line, place + e]] = value;
            }
        }
    }
}

/// The product: each block computes one result tile, for batches `block_idx.y`, `block_idx.y + grid_dim.y` and so on.
/// Factors have a stride per batch and per line.
#[kernel(block = THREADS)]
#[allow(clippy::too_many_arguments)]
pub fn multiply<T, D, S: Sum, O: Element, const DEPTH: u32, const K: u32>(
    a: &[T::Storage],
    b: &[T::Storage],
    c: &mut [O],
    bias: &[S],
    scale_a: &[f32],
    scale_b: &[f32],
    extents: [u32; 4],
    strides_a: [u64; 2],
    strides_b: [u64; 2],
    strides_c: [u64; 3],
    alpha: S,
    beta: S,
    #[constant] config: MmaConfig,
    #[constant] finish: Finish,
) where
    T: Product<T, D, 16, 8, K>,
    D: MatrixElement<Storage = D> + Element,
{
    // One of each factor's two tile arrays is empty.
    let a_lines =
        SharedTiles::<T, TILE, DEPTH, Swizzle64>::dynamic(config.stages_if(config.along.0));
    let a_steps = SharedTiles::<T, DEPTH, TILE>::dynamic(config.stages_if(!config.along.0));
    let b_lines =
        SharedTiles::<T, TILE, DEPTH, Swizzle64>::dynamic(config.stages_if(config.along.1));
    let b_steps = SharedTiles::<T, DEPTH, TILE>::dynamic(config.stages_if(!config.along.1));
    let [batches, m, n, k] = extents;
    let pipe = CopyPipeline::<STAGES>::new();
    let (top, first) = corner(block_idx.x, m.div_ceil(TILE), n.div_ceil(TILE));
    let (top, first) = (top * TILE, first * TILE);
    let warp = thread_idx.x / 32;
    let (down, across) = (warp / 2 * 64, warp % 2 * 64);
    let steps = k.div_ceil(DEPTH);
    for batch in (block_idx.y..batches).step_by(grid_dim.y) {
        let (of_a, of_b) = (batch as u64 * strides_a[0], batch as u64 * strides_b[0]);
        let fill_stage = |stage: u32, step: u32| {
            let (at, by) = (step * DEPTH, config.asynchronous);
            if config.along.0 {
                fill(pipe, a_lines[stage], a, of_a, strides_a[1], (top, at), (m, k), by);
            } else {
                fill(pipe, a_steps[stage], a, of_a, strides_a[1], (at, top), (k, m), by);
            }
            if config.along.1 {
                fill(pipe, b_lines[stage], b, of_b, strides_b[1], (first, at), (n, k), by);
            } else {
                fill(pipe, b_steps[stage], b, of_b, strides_b[1], (at, first), (k, n), by);
            }
        };
        #[unroll]
        for stage in 0..STAGES - 1 {
            if stage < steps {
                fill_stage(stage, stage);
            }
            if config.asynchronous {
                pipe.commit();
            }
        }
        let mut sums = [[FragmentC::<D, 16, 8>::zero(); 8]; 4];
        for step in 0..steps {
            if config.asynchronous {
                pipe.wait();
            }
            sync_threads();
            let next = step + STAGES - 1;
            if next < steps {
                fill_stage(next % STAGES, next);
            }
            if config.asynchronous {
                pipe.commit();
            }
            let stage = step % STAGES;
            #[unroll]
            for at in (0..DEPTH).step_by(K as usize) {
                let mut left = [FragmentA::<T, 16, K>::zero(); 4];
                #[unroll]
                for i in 0..4u32 {
                    if config.along.0 {
                        left[i] = FragmentA::<T, 16, K>::load(a_lines[stage], down + 16 * i, at);
                    } else {
                        left[i] =
                            FragmentA::<T, 16, K>::load(a_steps[stage].t(), down + 16 * i, at);
                    }
                }
                #[unroll]
                for pair in 0..4u32 {
                    let column = across + 16 * pair;
                    let right = if config.along.1 {
                        FragmentB::<T, K, 8>::load_pair(b_lines[stage].t(), at, column)
                    } else {
                        FragmentB::<T, K, 8>::load_pair(b_steps[stage], at, column)
                    };
                    #[unroll]
                    for i in 0..4 {
                        sums[i][2 * pair].mma(left[i], right[0]);
                        sums[i][2 * pair + 1].mma(left[i], right[1]);
                    }
                }
            }
        }
        if config.asynchronous {
            pipe.wait_all();
        }
        sync_threads();
        #[unroll]
        for i in 0..4u32 {
            #[unroll]
            for j in 0..8u32 {
                #[unroll]
                for line in 0..2u32 {
                    let (y, x) = sums[i][j].position(2 * line);
                    let (y, x) = (top + down + 16 * i + y, first + across + 8 * j + x);
                    let at = batch as u64 * strides_c[0]
                        + y as u64 * strides_c[1]
                        + x as u64 * strides_c[2];
                    let mut values = [O::ZERO; 2];
                    #[unroll]
                    for e in 0..2u32 {
                        if y < m && x + e < n {
                            let mut before = S::ZERO;
                            if finish.reads_c {
                                before = c[at + e as u64 * strides_c[2]] as S;
                            }
                            values[e] = finished(
                                sums[i][j][2 * line + e] as S,
                                before,
                                (y, x + e),
                                (alpha, beta),
                                bias,
                                (scale_a, scale_b),
                                finish,
                            ) as O;
                        }
                    }
                    if y < m && x < n {
                        if config.paired && x + 1 < n {
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
