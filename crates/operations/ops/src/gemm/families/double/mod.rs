//! FP64 products on tensor cores (from sm_80). A block computes 128 x 128 results with
//! 16 warps of 32 x 32, before sm_90 with 8 warps of 64 x 32; `cp.async` loads
//! 16-column tiles of the factors into a ring of stages. On sm_90a, TMA loads the factors
//! (`persistent`), so the multiplying warps wait only for tiles; factors that TMA cannot read
//! are copied first. If the last tiles are too few for all multiprocessors, they are divided along k.
//! Fragments are loaded one step of four k ahead of their products, even across stages, so neither loads nor barriers
//! stall the tensor cores.

pub(super) mod fragments;
mod kernel;
mod persistent;
#[cfg(test)]
mod tests;

use crate::gemm::finish::{Finishing, finishing};
use crate::gemm::operand::{Major, MatrixOperand, OperandMemory, Strides, refused};
use crate::gemm::problem::{Extents, GemmProblem, Recipe};
use crate::permute::moved;
use crate::workspace::{Scratch, WorkspaceLayout, WorkspacePart};
use fragments::{DoubleConfig, WIDTH};
use kernel::{Lie, SHARED_BYTES, TILE, double};
use lanework::lang::tensor_cores::Product;
use lanework::prelude::*;
use lanework::{Prepared, Result, TensorMap, View, ViewMut};
use lanework_numbers::NumberType;
use persistent::{Units, fetched};

/// Whether this family supports a problem and beats FMA.
pub(crate) fn suits(problem: &GemmProblem<'_>) -> bool {
    let Extents { m, n, k, .. } = problem.extents;
    problem.a.kind == NumberType::F64
        && problem.precision != crate::gemm::problem::Precision::Compensated
        && problem.device.info().compute_capability >= (8, 0)
        && m.max(n).min(k) >= 16
}

/// Memory layout of a factor: rows of A or columns of B at stride `apart`, with stride `along` along k.
fn lie(address: u64, batch: usize, apart: usize, along: usize, [rows, k]: [usize; 2]) -> Lie {
    let adjacent = along == 1 || (k <= 1 && apart != 1);
    let (other, extent) = if adjacent { (apart, rows) } else { (along, k) };
    let beside = adjacent || apart == 1;
    let even = |stride: usize, extent: usize| stride.is_multiple_of(2) || extent <= 1;
    let wide =
        beside && even(other, extent) && batch.is_multiple_of(2) && address.is_multiple_of(16);
    Lie { along: adjacent, wide }
}

/// The launches of this family.
pub(crate) fn recipe<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
) -> Result<Recipe<'a>> {
    let capability = problem.device.info().compute_capability;
    let mut problem = problem;
    let copies = copies(&mut problem, layout);
    if let Some(config) = config(&problem).filter(|_| capability.0 == 9) {
        let units = Units::fastest(&problem, config);
        let parts = (units.parts > 1).then(|| layout.scratch::<f64>(units.of_parts(config)));
        return Ok(Box::new(move |scratch| {
            let device = problem.device.clone();
            let made = copies.iter().map(|copy| copy.prepared(&device, scratch));
            let mut launches = made.collect::<Result<Vec<_>>>()?;
            launches.extend(by_tma(problem, scratch, config, units, parts)?);
            Ok(launches)
        }));
    }
    Ok(Box::new(move |scratch| {
        Ok(vec![match capability >= (9, 0) {
            true => prepared::<16, 2, 512>(problem, scratch)?,
            false => prepared::<8, 8, 256>(problem, scratch)?,
        }])
    }))
}

/// Tile configuration of the TMA kernel, if TMA can read both factors.
pub(super) fn config(problem: &GemmProblem<'_>) -> Option<DoubleConfig> {
    let Extents { batch, m, n, .. } = problem.extents;
    let (of_a, of_b, _) = problem.majors();
    if !is_aligned(&problem.a, of_a) || !is_aligned(&problem.b, of_b) {
        return None;
    }
    let processors = problem.device.info().multiprocessors.max(1) as usize;
    let tiles = |rows: usize, columns: usize| {
        batch.saturating_mul(m.div_ceil(rows)).saturating_mul(n.div_ceil(columns))
    };
    // Half-size tiles take slightly more than half the time; compare the waves of both.
    let (whole, half) = (tiles(128, 128).div_ceil(processors), tiles(128, 64).div_ceil(processors));
    let tile = if whole as f64 * 1.94 < half as f64 { (128, 128) } else { (128, 64) };
    if tiles(128, tile.1 as usize) >= 1 << 31 {
        return None;
    }
    let along = (matches!(of_a, Major::Rows(_)), matches!(of_b, Major::Columns(_)));
    Some(DoubleConfig { tile, along, paired: paired(problem) })
}

/// Whether two adjacent results of a row, from an even column on, form one aligned access.
fn paired(problem: &GemmProblem<'_>) -> bool {
    let c = problem.c.strides;
    c.column == 1
        && (c.row.is_multiple_of(2) || problem.extents.m == 1)
        && c.batch.is_multiple_of(2)
        && problem.c.memory.address().is_multiple_of(16)
}

/// The tensor map of a factor of `lines` (rows of A, columns of B) by k elements, with boxes of `taken` lines.
fn map<'a>(
    problem: &GemmProblem<'a>,
    matrix: &MatrixOperand<'a>,
    scratch: &Scratch,
    lines: usize,
    major: Major,
    (taken, depth): (u32, u32),
    along: bool,
) -> Result<TensorMap<'a, f64, 3>> {
    let Extents { batch, k, .. } = problem.extents;
    let (Major::Rows(ld) | Major::Columns(ld)) = major else { unreachable!("checked by `form`") };
    let own = if matrix.strides.batch == 0 { 1 } else { batch };
    let apart = if own == 1 { ld } else { matrix.strides.batch };
    let (shape, tile) = match along {
        true => ([own, lines, k], [1, taken, WIDTH]),
        false => ([own, k, lines], [1, depth, WIDTH]),
    };
    let tiles = Tiles::new(shape, tile).strides([apart, ld, 1]).swizzle(Swizzle::B64);
    TensorMap::of_view(&problem.device, matrix.memory.elements(scratch), &tiles)
}

pub(super) fn by_tma<'a>(
    problem: GemmProblem<'a>,
    scratch: &Scratch,
    config: DoubleConfig,
    units: Units,
    parts: Option<WorkspacePart<f64>>,
) -> Result<Vec<Prepared<'a>>> {
    let Extents { batch, m, n, k } = problem.extents;
    let (of_a, of_b, _) = problem.majors();
    let (rows, columns) = config.tile;
    let a = map(&problem, &problem.a, scratch, m, of_a, (rows, config.depth()), config.along.0)?;
    let b = map(&problem, &problem.b, scratch, n, of_b, (columns, config.depth()), config.along.1)?;
    let Finishing { alpha, beta, bias, scale_a, scale_b, finish } =
        finishing::<f64>(&problem, scratch);
    let c = problem.c.strides;
    let step = |stride: usize| u32::from(stride != 0 && batch > 1);
    let processors = problem.device.info().multiprocessors.max(1) as usize;
    let device = &problem.device;
    // SAFETY: the two launches run one after the other on one stream, so their writes through the two views never overlap in time.
    let memory = unsafe { problem.c.memory.again() };
    let of_parts = parts.map_or(ViewMut::nothing(device), |parts| scratch.view(parts));
    let launch = fetched(
        &a,
        &b,
        problem.c.memory.elements::<f64>(scratch),
        of_parts,
        bias,
        scale_a,
        scale_b,
        [m as u32, n as u32, k as u32, units.count() as u32],
        [step(problem.a.strides.batch), step(problem.b.strides.batch)],
        [units.full as u32, units.parts as u32, units.each as u32],
        [c.batch as u64, c.row as u64, c.column as u64],
        alpha,
        beta,
        config,
        finish,
    );
    // SAFETY: tensor maps clip copies to their tensors; the kernel compares every index of C with the extents, which `Tensor`
    // checked against the memory. `Epilogue::check` checked that the vectors have one element, or one per row or column.
    // Shared-memory indices are below the stages' elements (lines below the tile's, k below the stage's). The workspace has room
    // for every part of the divided tiles.
    let first = unsafe {
        launch
            .programmatic()
            .grid(units.count().min(processors) as u32)
            .block(fragments::THREADS)
            .shared_bytes(config.shared_bytes())
            .prepare_unchecked(device)?
    };
    let Some(parts) = parts else { return Ok(vec![first]) };
    let from: View<'_, f64> = scratch.view(parts).into();
    let launch = persistent::combined(
        from,
        memory.elements::<f64>(scratch),
        bias,
        scale_a,
        scale_b,
        [m as u32, n as u32],
        units.full as u32,
        units.parts as u32,
        [c.batch as u64, c.row as u64, c.column as u64],
        alpha,
        beta,
        config,
        finish,
    );
    // SAFETY: the kernel reads parts below `units.parts` of the divided tiles, which the workspace has room for, and
    // compares every index of C with the extents; the launch before it on the stream has stored the parts.
    let second = unsafe {
        launch
            .grid((rows * columns / persistent::REDUCTION_THREADS, units.rest as u32))
            .block(persistent::REDUCTION_THREADS)
            .prepare_unchecked(device)?
    };
    Ok(vec![first, second])
}

fn prepared<'a, const M: u32, const TALL: usize, const THREADS: u32>(
    problem: GemmProblem<'a>,
    scratch: &Scratch,
) -> Result<Prepared<'a>>
where
    f64: Product<f64, f64, M, 8, 4>,
{
    let Finishing { alpha, beta, bias, scale_a, scale_b, finish } =
        finishing::<f64>(&problem, scratch);
    let Extents { batch, m, n, k } = problem.extents;
    let (a, b, c) = (problem.a.strides, problem.b.strides, problem.c.strides);
    let paired = paired(&problem);
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
    let to = problem.c.memory.elements::<f64>(scratch);
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
    // SAFETY: the kernel compares every index of A, B and C with the extents, which `Tensor` checked against the memory; an empty
    // copy uses the first element's address and reads no byte. `Epilogue::check` checked that the vectors have one element, or one
    // per row or column. Shared-memory indices are below a stage's elements: rows below 128 and k below 16.
    unsafe {
        launch
            .grid((tiles, batch.min(65_535) as u32, 1))
            .block(THREADS)
            .shared_bytes(SHARED_BYTES)
            .prepare_unchecked(&problem.device)
    }
}

/// Line lengths of copies are multiples of this many elements.
const LINE: usize = 16;
/// Minimum number of results per factor line for which a copy pays off: on an H200, copying an element costs as much
/// as about 400 TMA products gain.
const WORTH: f64 = 200.0;

/// A factor to copy: the workspace part, the extents, and the strides before and after.
struct AlignedCopy<'a> {
    factor: MatrixOperand<'a>,
    part: WorkspacePart<u8>,
    extents: [usize; 3],
    from: [usize; 3],
    to: [usize; 3],
}

/// Whether TMA can read a factor where it is.
fn is_aligned(matrix: &MatrixOperand<'_>, major: Major) -> bool {
    match major {
        Major::Rows(ld) | Major::Columns(ld) => {
            let even = ld.is_multiple_of(2) && matrix.strides.batch.is_multiple_of(2);
            even && matrix.memory.address().is_multiple_of(16)
        }
        Major::Scattered => false,
    }
}

/// Whether copies are allowed, and there are enough products to amortize them.
fn is_worth(problem: &GemmProblem<'_>) -> bool {
    let Extents { m, n, .. } = problem.extents;
    let hopper = problem.device.info().compute_capability.0 == 9;
    hopper && !problem.one_kernel && m as f64 * n as f64 / (m + n) as f64 > WORTH
}

/// Plans copies for TMA and replaces the problem's factors by them; empty if they would not pay off.
fn copies<'a>(problem: &mut GemmProblem<'a>, layout: &mut WorkspaceLayout) -> Vec<AlignedCopy<'a>> {
    if !is_worth(problem) {
        return Vec::new();
    }
    let Extents { batch, m, n, k } = problem.extents;
    let (of_a, of_b, _) = problem.majors();
    let mut copies = Vec::new();
    if !is_aligned(&problem.a, of_a) {
        let (copy, a) = copied(problem.a, [batch, m, k], of_a, layout);
        copies.push(copy);
        problem.a = a;
    }
    if !is_aligned(&problem.b, of_b) {
        let (copy, b) = copied(problem.b, [batch, k, n], of_b, layout);
        copies.push(copy);
        problem.b = b;
    }
    copies
}

/// Plans the copy of a factor; adjacent elements stay adjacent.
fn copied<'a>(
    factor: MatrixOperand<'a>,
    [batch, rows, columns]: [usize; 3],
    major: Major,
    layout: &mut WorkspaceLayout,
) -> (AlignedCopy<'a>, MatrixOperand<'a>) {
    let Strides { batch: apart, row, column } = factor.strides;
    let own = if apart == 0 { 1 } else { batch };
    let (lines, length, along) = match major {
        Major::Columns(_) => (columns, rows, [column, row]),
        _ => (rows, columns, [row, column]),
    };
    let pitch = length.next_multiple_of(LINE);
    let part = layout.scratch::<u8>(size_of::<f64>() * own * lines * pitch);
    let step = if own == 1 { 0 } else { lines * pitch };
    let strides = match major {
        Major::Columns(_) => Strides { batch: step, row: 1, column: pitch },
        _ => Strides { batch: step, row: pitch, column: 1 },
    };
    let copy = AlignedCopy {
        factor,
        part,
        extents: [own, lines, length],
        from: [apart, along[0], along[1]],
        to: [step, pitch, 1],
    };
    (copy, MatrixOperand { memory: OperandMemory::Scratch(part), strides, ..factor })
}

impl<'a> AlignedCopy<'a> {
    /// The launch of the copy.
    pub fn prepared(&self, device: &Device, scratch: &Scratch) -> Result<Prepared<'a>> {
        let (from, to) = (self.factor.memory.elements(scratch), scratch.view(self.part));
        let (from, to) = ((from, &self.from[..]), (to, &self.to[..]));
        moved(device, size_of::<f64>(), &self.extents, from, to, false)
    }
}
