//! Products of a matrix and at most 4 vectors, in f32 and f64. Bound by memory: the matrix is read once.

mod kernels;
#[cfg(test)]
mod tests;

use crate::gemm::finish::{Finishing, Sum, finishing};
use crate::gemm::operand::{Major, OperandMemory, Strides, refused};
use crate::gemm::problem::{Extents, GemmProblem, Precision, Recipe};
use crate::permute::moved;
use crate::workspace::{Scratch, WorkspaceLayout};
use kernels::{GROUP, SkinnyConfig};
use lanework::prelude::Float;
use lanework::{Prepared, Result};
use lanework_numbers::NumberType;

/// Maximum number of vectors.
const MOST: usize = 4;
/// Minimum line length for which several warps share a line.
const LONG: usize = 4096;

/// Transposes the problem if necessary, so that the vectors are on the right, as B.
fn turned(problem: GemmProblem<'_>) -> GemmProblem<'_> {
    let Extents { m, n, .. } = problem.extents;
    if n <= m { problem } else { problem.transposed() }
}

/// Whether the family supports a problem.
pub(crate) fn suits(problem: &GemmProblem<'_>) -> bool {
    let Extents { batch, m, n, k } = problem.extents;
    let (of_a, of_b, _) = problem.majors();
    let matrix = if n <= m { of_a } else { of_b };
    let narrow = |strides: Strides, rows: usize, columns: usize| {
        let within = rows.saturating_mul(strides.row);
        let within = within.saturating_add(columns.saturating_mul(strides.column));
        within.saturating_add(batch.saturating_mul(strides.batch)) < 1 << 31
    };
    matches!(problem.a.kind, NumberType::F32 | NumberType::F64)
        && problem.precision == Precision::Full
        && batch > 0
        && m > 0
        && n > 0
        && k > 0
        && m.min(n) <= MOST
        && !matches!(matrix, Major::Scattered)
        && narrow(problem.a.strides, m + 1024, k + 1024)
        && narrow(problem.b.strides, k + 1024, n + 1024)
        && narrow(problem.c.strides, m + 1024, n + 1024)
}

/// The launches of a problem that the family supports.
pub(crate) fn recipe<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
) -> Result<Recipe<'a>> {
    let mut problem = turned(problem);
    let (vectors, size) = (problem.b, problem.a.kind.bytes());
    let copy = apart(&problem).then(|| {
        let Extents { batch, n, k, .. } = problem.extents;
        let pitch = k.next_multiple_of(32);
        let own = if vectors.strides.batch == 0 { 1 } else { batch };
        let part = layout.scratch::<u8>(size * own * n * pitch);
        let step = if own == 1 { 0 } else { n * pitch };
        problem.b.memory = OperandMemory::Scratch(part);
        problem.b.strides = Strides { batch: step, row: 1, column: pitch };
        (part, [own, n, k], [step, pitch, 1])
    });
    let config = chosen(&problem);
    Ok(Box::new(move |scratch| {
        let mut steps = Vec::new();
        if let Some((part, shape, to)) = copy {
            let Strides { batch, row, column } = vectors.strides;
            let from = (vectors.memory.elements(scratch), &[batch, column, row][..]);
            let into = (scratch.view(part), &to[..]);
            steps.push(moved(&problem.device, size, &shape, from, into, false)?);
        }
        steps.push(launch(problem, scratch, config)?);
        Ok(steps)
    }))
}

/// Whether to copy the vectors into the workspace first, with adjacent elements: lanes that read the matrix along k
/// also read the vectors along k.
fn apart(problem: &GemmProblem<'_>) -> bool {
    let Extents { m, k, .. } = problem.extents;
    let along_k = matches!(problem.majors().0, Major::Rows(_));
    !problem.one_kernel && along_k && problem.b.strides.row != 1 && m >= 256 && k >= 64
}

/// The kernel configuration for a problem.
fn chosen(problem: &GemmProblem<'_>) -> SkinnyConfig {
    let Extents { batch, m, n, k } = problem.extents;
    let (of_a, _, _) = problem.majors();
    let (strides_a, strides_b) = (problem.a.strides, problem.b.strides);
    let along_k = matches!(of_a, Major::Rows(_));
    let (ld, width) = if along_k { (strides_a.row, k) } else { (strides_a.column, m) };
    let fours = |address: u64, strides: &[usize]| {
        address.is_multiple_of(16) && strides.iter().all(|stride| stride.is_multiple_of(4))
    };
    // With a single vector, or a single product, the stride does not matter.
    let apart = |stride: usize, count: usize| if count > 1 { stride } else { 0 };
    let processors = problem.device.info().multiprocessors.max(1) as usize;
    let hopper = problem.device.info().compute_capability.0 >= 9;
    // Warps take four lines if there are enough, so each piece of a vector is loaded once for four lines. Several
    // warps share a long line, so a block reads few lines. About 16 or 32 warps per multiprocessor are busy.
    let long = along_k && k >= LONG;
    let many = if long { 8 } else { 64 };
    let lines = if along_k && batch * m >= many * processors { 4 } else { 1 };
    let warps = batch * m.div_ceil(lines);
    let busy = if long { 32 } else { 16 };
    let share = [1, 2, 4, 8].into_iter().find(|share| warps * share >= busy * processors);
    let share = share.unwrap_or(8);
    // Pieces of a line that each lane loads, to have 4 loads in flight.
    let deep = [4, 2].into_iter().find(|deep| lines * deep <= 4 && k >= 128 * share * deep);
    let groups = batch * m.div_ceil(GROUP as usize);
    let wanted = [1, 2, 4, 8]
        .into_iter()
        .find(|splits| groups * splits >= 4 * processors || k < 128 * splits);
    let splits = if along_k || !hopper { 1 } else { wanted.unwrap_or(8) };
    SkinnyConfig {
        vectors: n as u32,
        along_k,
        wide: fours(problem.a.memory.address(), &[ld, width, strides_a.batch]),
        wide_vectors: strides_b.row == 1
            && k.is_multiple_of(4)
            && fours(
                problem.b.memory.address(),
                &[apart(strides_b.column, n), apart(strides_b.batch, batch)],
            ),
        lines: lines as u32,
        share: share as u32,
        deep: deep.unwrap_or(1) as u32,
        splits: splits as u32,
    }
}

fn launch<'a>(
    problem: GemmProblem<'a>,
    scratch: &Scratch,
    config: SkinnyConfig,
) -> Result<Prepared<'a>> {
    match problem.a.kind {
        NumberType::F64 => launch_of::<f64>(problem, scratch, config),
        _ => launch_of::<f32>(problem, scratch, config),
    }
}

fn launch_of<'a, S: Sum + Float>(
    problem: GemmProblem<'a>,
    scratch: &Scratch,
    config: SkinnyConfig,
) -> Result<Prepared<'a>> {
    let Extents { batch, m, n, k } = problem.extents;
    let Finishing { alpha, beta, bias, scale_a, finish, .. } = finishing::<S>(&problem, scratch);
    let blocks = m.div_ceil(config.lines_of_block() as usize) * config.splits as usize * batch;
    let Some(blocks) = u32::try_from(blocks).ok().filter(|blocks| *blocks < 1 << 31) else {
        return refused(
            format!("{batch} products of {m} rows need more than 2^31 blocks"),
            "multiply parts of the matrices, or fewer of them at a time",
        );
    };
    let strides = |s: Strides| [s.batch as u32, s.row as u32, s.column as u32];
    let kernel = match (config.along_k, config.splits) {
        (true, _) => kernels::dots::<S>,
        (false, 1) => kernels::sums::<S>,
        _ => kernels::split_sums::<S>,
    };
    let launch = kernel(
        problem.a.memory.elements::<S>(scratch),
        problem.b.memory.elements::<S>(scratch),
        problem.c.memory.elements::<S>(scratch),
        bias,
        scale_a,
        [batch as u32, m as u32, n as u32, k as u32],
        strides(problem.a.strides),
        strides(problem.b.strides),
        strides(problem.c.strides),
        alpha,
        beta,
        finish,
        config,
    );
    // SAFETY: the kernel does not read lines and steps past the last ones and stores results within the extents only; indices fit
    // in 32 bits, which `suits` checks.
    unsafe { launch.grid(blocks).block(kernels::THREADS).prepare_unchecked(&problem.device) }
}
