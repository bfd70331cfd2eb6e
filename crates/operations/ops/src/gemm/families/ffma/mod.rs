//! True FP32 products on sm_90: every product and sum in FP32 on CUDA cores, optionally with compensated summation.

use crate::gemm::epilogue::Epilogue;
use crate::gemm::finish::{Finishing, finishing};
use crate::gemm::operand::{Major, MatrixOperand, ProductOutput, ResultMemory, Strides, refused};
use crate::gemm::problem::{Extents, GemmProblem, Precision, Recipe};
use crate::gemm::split_k::{SplitParts, add};
use crate::workspace::{Scratch, WorkspaceLayout};
pub(crate) use config::Tile;
use config::{FfmaConfig, LaunchPosition, Load};
use lanework::prelude::*;
use lanework::{Prepared, Result, TensorMap, View};
use lanework_numbers::NumberType;
pub(crate) use shapes::TILES;
use shapes::{FfmaChoice, Tail};

pub(crate) mod config;
mod kernel;
mod shapes;

#[cfg(test)]
mod tests;

/// A factor as lines (rows of A, columns of B) by k steps.
#[derive(Clone, Copy)]
struct FactorLines {
    /// Batch stride in elements; 0 for a shared matrix.
    batch: usize,
    /// Line stride if the elements of a line are adjacent, otherwise step stride.
    stride: usize,
    load: Load,
}

impl FactorLines {
    /// `by_lines` is the stride if the elements of a line are adjacent, `by_steps` if the elements of a step are.
    fn new(
        matrix: &MatrixOperand<'_>,
        by_lines: Option<usize>,
        by_steps: Option<usize>,
    ) -> Option<FactorLines> {
        let batch = matrix.strides.batch;
        let stride = by_lines.or(by_steps)?;
        let address = matrix.memory.address();
        let aligned =
            address.is_multiple_of(16) && stride.is_multiple_of(4) && batch.is_multiple_of(4);
        let load = match (by_lines.is_some(), aligned) {
            (true, true) => Load::Rows,
            (true, _) => Load::Words,
            (false, true) => Load::Map,
            (false, false) => Load::Lines,
        };
        Some(FactorLines { batch, stride, load })
    }

    /// Whether every index that a kernel computes fits in 32 bits, including those past the last line and step.
    fn narrow(self, matrices: usize, lines: usize, k: usize) -> bool {
        const BEYOND: usize = 1024;
        let along_k = matches!(self.load, Load::Words | Load::Rows);
        let (outer, inner) = if along_k { (lines, k) } else { (k, lines) };
        let within = (outer + BEYOND).saturating_mul(self.stride).saturating_add(inner + BEYOND);
        self.batch.saturating_mul(matrices - 1).saturating_add(within) < 1 << 32
    }
}

/// Both factors as lines, if the kernels support their layout.
fn lines(problem: &GemmProblem<'_>) -> Option<(FactorLines, FactorLines)> {
    let Extents { batch, m, n, k } = problem.extents;
    let (of_a, of_b, _) = problem.majors();
    let a = match of_a {
        Major::Rows(ld) => FactorLines::new(&problem.a, Some(ld), None),
        Major::Columns(ld) => FactorLines::new(&problem.a, None, Some(ld)),
        Major::Scattered => None,
    }?;
    let b = match of_b {
        Major::Columns(ld) => FactorLines::new(&problem.b, Some(ld), None),
        Major::Rows(ld) => FactorLines::new(&problem.b, None, Some(ld)),
        Major::Scattered => None,
    }?;
    let Strides { batch: matrix, row, column } = problem.c.strides;
    let results = matrix.saturating_mul(batch - 1);
    let results = results.saturating_add((m + 1024).saturating_mul(row));
    let results = results.saturating_add((n + 1024).saturating_mul(column));
    (a.narrow(batch, m, k) && b.narrow(batch, n, k) && results < 1 << 32).then_some((a, b))
}

/// Whether the family supports a problem.
pub(crate) fn suits(problem: &GemmProblem<'_>) -> bool {
    let hopper = problem.device.info().compute_capability.0 == 9;
    let Extents { batch, m, n, k } = problem.extents;
    let true_f32 = problem.a.kind == NumberType::F32
        && matches!(problem.precision, Precision::Full | Precision::Compensated);
    true_f32 && hopper && batch > 0 && m > 0 && n > 0 && k > 0 && lines(problem).is_some()
}

/// The launches of a problem that the family supports.
pub(crate) fn recipe<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
) -> Result<Recipe<'a>> {
    // Few columns: tiles may be narrow, but not short. With few steps, storing C dominates; long rows store faster.
    let Extents { m, n, k, .. } = problem.extents;
    let problem = if m < n && m <= 64 && k > 64 { problem.transposed() } else { problem };
    let processors = problem.device.info().multiprocessors;
    if problem.precision == Precision::Compensated {
        let tile = shapes::compensated(problem.extents, processors);
        return with_tile(problem, layout, tile, None);
    }
    let loads = lines(&problem).map_or((Load::Words, Load::Words), |(a, b)| (a.load, b.load));
    let float4s = float4s(&problem, problem.extents.n);
    let one = problem.one_kernel;
    let FfmaChoice { tile, copied } =
        shapes::choice(problem.extents, loads, float4s, processors, one);
    let tail =
        Tail::fastest(tiles(problem.extents, tile), problem.extents.k, tile, processors as usize);
    let tail = tail.filter(|_| !one);
    config::factors(problem, layout, copied, |problem, layout| {
        with_tile(problem, layout, tile, tail)
    })
}

/// Whether rows of C of `width` elements consist of aligned float4s.
fn float4s(problem: &GemmProblem<'_>, width: usize) -> bool {
    let Strides { batch, row, column } = problem.c.strides;
    let aligned = [row, batch, width].iter().all(|extent| extent.is_multiple_of(4));
    aligned && column == 1 && problem.c.memory.address().is_multiple_of(16)
}

/// Result tiles of all batches.
fn tiles(extents: Extents, tile: Tile) -> usize {
    let Extents { batch, m, n, .. } = extents;
    batch.saturating_mul(m.div_ceil(tile.rows as usize) * n.div_ceil(tile.cols as usize))
}

/// As [`recipe`] with a given tile, and with the last tiles in a separate launch if `tail` says so.
pub(crate) fn with_tile<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
    tile: Tile,
    tail: Option<Tail>,
) -> Result<Recipe<'a>> {
    let spare = layout.scratch::<u8>(16);
    let Extents { batch, m, n, .. } = problem.extents;
    // Rows of the partial results consist of float4s.
    let pitch = n.next_multiple_of(4);
    let results = batch * m * pitch;
    let parts = (tile.parts > 1).then(|| layout.scratch::<f32>(tile.parts as usize * results));
    Ok(Box::new(move |scratch| {
        let spare = scratch.view(spare).into();
        if let Some(tail) = tail {
            let first = tiles(problem.extents, tile) - tail.tiles;
            // SAFETY: the two launches write disjoint tiles of the results: below `first`, and from `first` on.
            let again = unsafe { problem.again() };
            let divided = Tile { splits: tail.splits, ..tile };
            return Ok(vec![
                launch(problem, scratch, spare, tile, (LaunchPosition::First, 0, first))?,
                launch(again, scratch, spare, divided, (LaunchPosition::Last, first, tail.tiles))?,
            ]);
        }
        let all = (LaunchPosition::All, 0, tiles(problem.extents, tile));
        let Some(parts) = parts else {
            return Ok(vec![launch(problem, scratch, spare, tile, all)?]);
        };
        // The partial results, consecutive and without an epilogue.
        let of_parts = ProductOutput {
            kind: NumberType::F32,
            memory: ResultMemory::Memory(scratch.view(parts).cast()),
            strides: Strides { batch: m * pitch, row: pitch, column: 1 },
        };
        let plain = GemmProblem {
            device: problem.device.clone(),
            c: of_parts,
            alpha: 1.0,
            beta: 0.0,
            epilogue: Epilogue::default(),
            ..problem
        };
        let first = launch(plain, scratch, spare, tile, all)?;
        let from = View::from(scratch.view(parts)).cast();
        let parts = SplitParts { count: tile.parts, results: results as u32, pitch: pitch as u32 };
        Ok(vec![first, add(problem, scratch, from, parts)?])
    }))
}

/// The tensor map of a factor, or an unused one.
fn map<'a>(
    problem: &GemmProblem<'a>,
    matrix: &MatrixOperand<'a>,
    of: FactorLines,
    scratch: &Scratch,
    spare: View<'a, u8>,
    (lines, extent, depth): (usize, u32, u32),
) -> Result<TensorMap<'a, f32, 3>> {
    let Extents { batch, k, .. } = problem.extents;
    let own = if of.batch == 0 { 1 } else { batch };
    let apart = if own == 1 { of.stride } else { of.batch };
    let tiles = match of.load {
        Load::Map => Tiles::new([own, k, lines], [1, depth, extent]),
        Load::Rows => Tiles::new([own, lines, k], [1, extent, depth]).swizzle(Swizzle::B64),
        Load::Words | Load::Lines => {
            let tiles = Tiles::new([1, 1, 4], [1, 1, 4]);
            return TensorMap::of_view(&problem.device, spare.cast(), &tiles);
        }
    };
    let tiles = tiles.strides([apart, of.stride, 1]);
    TensorMap::of_view(&problem.device, matrix.memory.elements(scratch), &tiles)
}

/// The launch of `count` tiles from `first` on, for each of the k parts.
fn launch<'a>(
    problem: GemmProblem<'a>,
    scratch: &Scratch,
    spare: View<'a, u8>,
    tile: Tile,
    (part, first, count): (LaunchPosition, usize, usize),
) -> Result<Prepared<'a>> {
    let Some((a, b)) = lines(&problem) else {
        return refused("a product that is not of this family".to_owned(), "use another family");
    };
    let Extents { batch, m, n, k } = problem.extents;
    let of_c = problem.c.strides;
    // The rows of partial results fill their stride.
    let width = if tile.parts > 1 { of_c.row } else { n };
    let float4s = float4s(&problem, width);
    let compensated = problem.precision == Precision::Compensated;
    let a = FactorLines { load: a.load.of_a(tile), ..a };
    let b = FactorLines { load: b.load.of_b(), ..b };
    let blocks = count.saturating_mul((tile.splits * tile.parts) as usize);
    // Blocks that start early take the first free slots. With fewer blocks than slots, some multiprocessors would get
    // many of them and others none.
    let multiprocessors = problem.device.info().multiprocessors.max(1) as usize;
    let all = blocks.div_ceil(multiprocessors) >= shapes::held(tile, a.load);
    let config = FfmaConfig {
        shared_by_all: (a.batch == 0, b.batch == 0),
        float4s,
        compensated,
        overlaps: all || part == LaunchPosition::Last,
        part,
        ..FfmaConfig::new(tile, (a.load, b.load))
    };
    let map_a = map(&problem, &problem.a, a, scratch, spare, (m, config.rows, config.depth))?;
    let map_b = map(&problem, &problem.b, b, scratch, spare, (n, config.cols, config.depth))?;
    let Finishing { alpha, beta, bias, scale_a, finish, .. } = finishing::<f32>(&problem, scratch);
    let Some(blocks) = u32::try_from(blocks).ok().filter(|blocks| *blocks < 1 << 31) else {
        return refused(
            format!("{batch} products of {m} x {n} results have more than 2^31 tiles"),
            "multiply parts of the matrices, or fewer of them at a time",
        );
    };
    let kernel = if config.splits > 1 { kernel::split } else { kernel::whole };
    let launch = kernel(
        problem.a.memory.elements::<f32>(scratch),
        problem.b.memory.elements::<f32>(scratch),
        &map_a,
        &map_b,
        problem.c.memory.elements::<f32>(scratch),
        bias,
        scale_a,
        [batch as u32, m as u32, n as u32, k as u32],
        [a.batch as u32, a.stride as u32],
        [b.batch as u32, b.stride as u32],
        [of_c.batch as u32, of_c.row as u32, of_c.column as u32],
        [tile.parts, (batch * m * of_c.row) as u32, first as u32],
        alpha,
        beta,
        finish,
        config,
    );
    let launch = if config.overlaps { launch.programmatic() } else { launch };
    // SAFETY: copies read lines below the last one and steps below k, whose indices fit in 32 bits by `FactorLines::narrow`; TMA
    // clips to its map; results are stored within the extents. Shared-memory indices are in range because a tile's lines and
    // columns are multiples of the loops' strides (true for every tile in `shapes`).
    unsafe {
        launch
            .grid(blocks)
            .block(config.threads())
            .shared_bytes(config.shared_bytes())
            .prepare_unchecked(&problem.device)
    }
}
