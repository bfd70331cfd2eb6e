//! The portable tensor-core family: warp-level `mma` for factors of 8 and 16 bits and f32 as TF32, on GPUs from sm_75 on that have
//! no `wgmma`. A block computes 128 x 128 results with 4 warps of 64 x 64; `cp.async` (before sm_80, plain loads and stores) fills
//! a ring of stages with 64 bytes of each factor row, and `ldmatrix` loads fragments.
//!
//! Factors need TMA's layout (`hopper::layout`): lines start at multiples of 16 bytes. Only 16-bit factors may have
//! adjacent elements across k, because `ldmatrix` transposes only 16-bit elements.

mod kernel;
#[cfg(test)]
mod tests;

use super::hopper::{layout, loads};
use crate::gemm::element::ElementKind;
use crate::gemm::finish::{Finishing, Sum, finishing};
use crate::gemm::operand::{Major, refused};
use crate::gemm::problem::{Extents, GemmProblem, Precision};
use crate::gemm::recipe::Recipe;
use crate::workspace::{Scratch, WorkspaceLayout};
use half::{bf16, f16};
use kernel::{MmaConfig, SHARED_BYTES, THREADS, TILE, multiply};
use lanework::lang::tensor_cores::{MatrixElement, Product};
use lanework::prelude::*;
use lanework::{Element, Prepared, Result};

/// Whether this family supports a problem and beats CUDA cores.
pub(crate) fn suits(problem: &GemmProblem<'_>) -> bool {
    let Extents { batch, m, n, k } = problem.extents;
    let least = match (problem.a.kind, problem.precision) {
        (ElementKind::F16, _) => (7, 5),
        (ElementKind::Bf16 | ElementKind::I8, _) => (8, 0),
        (ElementKind::F32, Precision::TensorFloat32) => (8, 0),
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
    layout::factors(problem, layout, None, |problem, _| {
        Ok(Box::new(move |scratch| {
            use ElementKind as K;
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
