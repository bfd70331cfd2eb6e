//! FP64 products on tensor cores (from sm_80): a block computes 128 x 128 results, each of 16 warps 32 x 32 of them, before sm_90
//! each of 8 warps 64 x 32; `cp.async` brings tiles of 16 columns of the factors into a ring of stages.
//!
//! Fragments are loaded a step of four k ahead of the products, the first ones of a stage while the last ones of the stage before are
//! multiplied: neither loads nor barriers keep the tensor cores waiting.

mod kernel;
#[cfg(test)]
mod tests;

use super::element::ElementKind;
use super::finish::{Finishing, finishing};
use super::problem::{Extents, Problem, refused};
use super::recipe::Recipe;
use crate::workspace::{Layout, Scratch};
use kernel::{Lie, SHARED_BYTES, TILE, double};
use lanework::lang::tensor_cores::Product;
use lanework::{Prepared, Result};

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
            true => prepared::<16, 2, 512>(problem, scratch)?,
            false => prepared::<8, 8, 256>(problem, scratch)?,
        }])
    }))
}

fn prepared<'a, const M: u32, const TALL: usize, const THREADS: u32>(
    problem: Problem<'a>,
    scratch: &Scratch,
) -> Result<Prepared<'a>>
where
    f64: Product<f64, f64, M, 8, 4>,
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
    let launch = double::<M, TALL, THREADS>(
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
