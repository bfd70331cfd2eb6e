//! Loads of factors by TMA: which matrices TMA reads where they are, copies of the others, tensor maps, and the loads that fill a
//! stage.
//!
//! TMA and `wgmma` need elements adjacent along K and lines at multiples of 16 bytes. Copies that transpose go through shared
//! memory.

use super::config::{GROUP, HopperConfig, ROWS};
use crate::gemm::operand::{Major, MatrixOperand, OperandMemory, Strides};
use crate::gemm::problem::{DeviceChoice, Extents, GemmProblem, Recipe};
use crate::permute::moved;
use crate::workspace::{Scratch, WorkspaceLayout, WorkspacePart};
use lanework::lang::tensor_cores::{MatrixElement, STAGED};
use lanework::prelude::*;
use lanework::{Element, Prepared, Result, Storable, TensorMap, TensorMapMut, ViewMut};

/// Fills a stage per step of a tile, from row `row` and column `column` on.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn fill<T: MatrixElement, U: MatrixElement, const DEPTH: u32>(
    producer: Producer,
    a: &TensorMap<T::Storage, 3>,
    b: &TensorMap<U::Storage, 3>,
    a_by_rows: SharedTiles<T, ROWS, DEPTH>,
    a_by_columns: SharedTiles<T, DEPTH, ROWS>,
    b_by_columns: SharedTiles<U, STAGED, DEPTH>,
    b_by_rows: SharedTiles<U, DEPTH, STAGED>,
    batch: u32,
    batch_steps: [u32; 2],
    row: u32,
    column: u32,
    first_step: u32,
    steps: u32,
    rank_row: u32,
    rank_column: u32,
    #[constant] config: HopperConfig,
) {
    for step in 0..steps {
        let stage = producer.acquire_for(config.stage_bytes());
        let depth = (first_step + step) * DEPTH;
        load_a::<T, DEPTH>(
            a,
            a_by_rows,
            a_by_columns,
            stage,
            batch * batch_steps[0],
            row,
            depth,
            rank_row,
            rank_column,
            config,
        );
        load_b::<U, DEPTH>(
            b,
            b_by_columns,
            b_by_rows,
            stage,
            batch * batch_steps[1],
            column,
            depth,
            rank_row,
            rank_column,
            config,
        );
    }
}

/// Loads `DEPTH` columns of A from `depth` on, rows from `row` on. One of the two tile arrays is empty.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn load_a<T: MatrixElement, const DEPTH: u32>(
    a: &TensorMap<T::Storage, 3>,
    by_rows: SharedTiles<T, ROWS, DEPTH>,
    by_columns: SharedTiles<T, DEPTH, ROWS>,
    stage: Filling,
    batch: u32,
    row: u32,
    depth: u32,
    rank_row: u32,
    rank_column: u32,
    #[constant] config: HopperConfig,
) {
    let sharing = (1 + (1u32 << config.cluster.0)) << rank_row;
    if config.along_k.0 {
        let tile = by_rows[stage.index];
        if config.cluster.1 == 1 {
            a.load(tile, (batch, row, depth), stage);
        } else {
            let half = tile.rows::<GROUP>(rank_column * GROUP);
            a.multicast(sharing).load(half, (batch, row + rank_column * GROUP, depth), stage);
        }
    } else {
        let tile = by_columns[stage.index];
        if config.cluster.1 == 1 {
            #[unroll]
            for i in 0..ROWS / DEPTH {
                a.load(tile.panel::<DEPTH>(i), (batch, depth, row + i * DEPTH), stage);
            }
        } else {
            let at = (batch, depth, row + rank_column * DEPTH);
            a.multicast(sharing).load(tile.panel::<DEPTH>(rank_column), at, stage);
        }
    }
}

/// Loads columns of B from `column` on in the same way.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn load_b<U: MatrixElement, const DEPTH: u32>(
    b: &TensorMap<U::Storage, 3>,
    by_columns: SharedTiles<U, STAGED, DEPTH>,
    by_rows: SharedTiles<U, DEPTH, STAGED>,
    stage: Filling,
    batch: u32,
    column: u32,
    depth: u32,
    rank_row: u32,
    rank_column: u32,
    #[constant] config: HopperConfig,
) {
    let sharing = ((1u32 << config.cluster.0) - 1) << (rank_column * config.cluster.0);
    if config.along_k.1 {
        let tile = by_columns[stage.index];
        if config.cluster.0 == 1 {
            b.load(tile, (batch, column, depth), stage);
        } else {
            let half = config.columns / 2;
            let line = rank_row * half;
            let at = (batch, column + line, depth);
            b.multicast(sharing).load(tile.rows_of(half, line), at, stage);
        }
    } else {
        let tile = by_rows[stage.index];
        let panels = config.columns / DEPTH / config.cluster.0;
        #[unroll]
        for i in 0..panels {
            let panel = rank_row * panels + i;
            let at = (batch, depth, column + panel * DEPTH);
            if config.cluster.0 == 1 {
                b.load(tile.panel::<DEPTH>(panel), at, stage);
            } else {
                b.multicast(sharing).load(tile.panel::<DEPTH>(panel), at, stage);
            }
        }
    }
}

/// Whether TMA supports a matrix of line stride `ld` and batch stride `batch`.
fn aligned(address: u64, bytes: usize, ld: usize, batch: usize) -> bool {
    address.is_multiple_of(16)
        && (ld * bytes).is_multiple_of(16)
        && (batch * bytes).is_multiple_of(16)
}

/// Whether TMA reads A and B where they are.
pub fn direct(problem: &GemmProblem<'_>) -> (bool, bool) {
    let (of_a, of_b, _) = problem.majors();
    let narrow = problem.a.kind.bytes() == 2;
    let reads = |matrix: &MatrixOperand<'_>, major: Major, along_k: bool| {
        let (Major::Rows(ld) | Major::Columns(ld)) = major else { return false };
        (along_k || narrow)
            && aligned(matrix.memory.address(), matrix.kind.bytes(), ld, matrix.strides.batch)
    };
    (
        reads(&problem.a, of_a, matches!(of_a, Major::Rows(_))),
        reads(&problem.b, of_b, matches!(of_b, Major::Columns(_))),
    )
}

/// Whether TMA stores the results. It writes whole 16-byte chunks, even past the end of a row.
pub fn stored_by_tma(problem: &GemmProblem<'_>) -> bool {
    match problem.majors().2 {
        Major::Rows(ld) => {
            let batch = if problem.extents.batch == 1 { 0 } else { problem.c.strides.batch };
            let bytes = problem.c.kind.bytes();
            aligned(problem.c.memory.address(), bytes, ld, batch)
                && (problem.extents.n * bytes).is_multiple_of(16)
        }
        _ => false,
    }
}

/// Whether two adjacent results of a row, from an even column on, form one aligned access.
pub fn stored_by_pairs(problem: &GemmProblem<'_>) -> bool {
    let (strides, bytes) = (problem.c.strides, 2 * problem.c.kind.bytes() as u64);
    let rows = strides.column == 1 || problem.extents.n <= 1;
    let even = strides.row.is_multiple_of(2) && strides.batch.is_multiple_of(2);
    rows && even && problem.c.memory.address().is_multiple_of(bytes)
}

/// The tensor map of a factor of `lines` (rows of A, columns of B) by `k` elements, with boxes of `taken` lines and `depth`
/// elements along K.
#[allow(clippy::too_many_arguments)]
pub fn factor<'a, T: Element>(
    problem: &GemmProblem<'a>,
    matrix: &MatrixOperand<'a>,
    scratch: &Scratch,
    (lines, k): (usize, usize),
    major: Major,
    along_k: bool,
    taken: u32,
    depth: u32,
) -> Result<TensorMap<'a, T, 3>> {
    let Extents { batch, .. } = problem.extents;
    let (Major::Rows(ld) | Major::Columns(ld)) = major else { unreachable!("checked by `direct`") };
    let own = if matrix.strides.batch == 0 { 1 } else { batch };
    let apart = if own == 1 { ld } else { matrix.strides.batch };
    let (shape, tile) = match along_k {
        true => ([own, lines, k], [1, taken, depth]),
        false => ([own, k, lines], [1, depth, depth]),
    };
    let tiles = Tiles::new(shape, tile).strides([apart, ld, 1]).swizzle(Swizzle::B128);
    TensorMap::of_view(&problem.device, matrix.memory.elements::<T>(scratch), &tiles)
}

/// The tensor map of the results, stored in boxes of 16 rows by `wide` columns.
pub fn result<'a, T: Element>(
    device: &Device,
    memory: ViewMut<'a, T>,
    (batch, m, n): (usize, usize, usize),
    (apart, ld): (usize, usize),
    wide: u32,
) -> Result<TensorMapMut<'a, T, 3>> {
    let apart = if batch == 1 { ld } else { apart };
    let tiles = Tiles::new([batch, m, n], [1, 16, wide]).strides([apart, ld, 1]);
    TensorMapMut::of_view(device, memory, &tiles.swizzle(Swizzle::B128))
}

/// A placeholder for an unused map.
pub fn unused<'a, T: Element + Storable>(
    device: &Device,
    memory: ViewMut<'a, u8>,
) -> Result<TensorMapMut<'a, T, 3>> {
    let few = 16 / size_of::<T>();
    TensorMapMut::of_view(device, memory.cast(), &Tiles::new([1, 1, few], [1, 1, few as u32]))
}

/// Edge of a block's tile.
const TILE: u32 = 64;
const THREADS: u32 = 256;
/// Minimum bytes per row for which rows are copied in 16-byte accesses, at any alignment.
const ROW: usize = 64;
/// Line strides of copies are multiples of this many bytes.
const LINE: usize = 64;

/// Copies `[batches, lines, k]` elements to lines of `pitch` elements, if `choice` is `mine`.
#[kernel(block = THREADS)]
fn laid<T: Element>(
    from: &[T],
    to: &mut [T],
    extents: [u32; 3],
    strides: [u64; 3],
    pitch: u64,
    choice: &[u32],
    mine: u32,
    #[constant] along_k: bool,
    #[constant] chosen: bool,
) {
    if chosen {
        if choice[0] != mine {
            return;
        }
    }
    let tile = shared::<T>(if along_k { [1, 1] } else { [TILE, TILE + 1] });
    let [batches, lines, k] = extents;
    let (first, depth) = (block_idx.x * TILE, block_idx.y * TILE);
    let (x, y) = (thread_idx.x % TILE, thread_idx.x / TILE);
    for batch in (block_idx.z..batches).step_by(grid_dim.z) {
        #[unroll]
        for part in 0..TILE * TILE / THREADS {
            let i = y + part * (THREADS / TILE);
            let (line, at) = if along_k { (first + i, depth + x) } else { (first + x, depth + i) };
            if line < lines && at < k {
                let index =
                    batch as u64 * strides[0] + line as u64 * strides[1] + at as u64 * strides[2];
                let value = from[index];
                if along_k {
                    to[(batch as u64 * lines as u64 + line as u64) * pitch + at as u64] = value;
                } else {
                    tile[[i, x]] = value;
                }
            }
        }
        if !along_k {
            sync_threads();
            #[unroll]
            for part in 0..TILE * TILE / THREADS {
                let i = y + part * (THREADS / TILE);
                let (line, at) = (first + i, depth + x);
                if line < lines && at < k {
                    to[(batch as u64 * lines as u64 + line as u64) * pitch + at as u64] =
                        tile[[x, i]];
                }
            }
            sync_threads();
        }
    }
}

/// A pending copy.
struct LayoutCopy<'a> {
    matrix: MatrixOperand<'a>,
    part: WorkspacePart<u8>,
    /// Batches, lines and K, and their strides.
    extents: [usize; 3],
    strides: [usize; 3],
    pitch: usize,
}

/// Copies the factors into the required layout, and appends the launches that `then` makes. The copies depend on `choice`, too.
pub fn factors<'a>(
    mut problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
    choice: Option<DeviceChoice>,
    then: impl FnOnce(GemmProblem<'a>, &mut WorkspaceLayout) -> Result<Recipe<'a>>,
) -> Result<Recipe<'a>> {
    let (of_a, of_b) = direct(&problem);
    let Extents { batch, m, n, k } = problem.extents;
    let mut copies = Vec::new();
    if !of_a {
        let strides = problem.a.strides;
        let (copy, a) =
            copied(problem.a, [batch, m, k], [strides.batch, strides.row, strides.column], layout);
        copies.push(copy);
        problem.a = a;
    }
    if !of_b {
        let strides = problem.b.strides;
        let (copy, b) =
            copied(problem.b, [batch, n, k], [strides.batch, strides.column, strides.row], layout);
        copies.push(copy);
        problem.b = MatrixOperand { strides: b.strides.t(), ..b };
    }
    let device = problem.device.clone();
    let recipe = then(problem, layout)?;
    if copies.is_empty() {
        return Ok(recipe);
    }
    Ok(Box::new(move |scratch| {
        let launches = copies.into_iter().map(|copy| match copy.matrix.kind.bytes() {
            1 => prepared::<u8>(&device, copy, choice, scratch),
            2 => prepared::<u16>(&device, copy, choice, scratch),
            _ => prepared::<u32>(&device, copy, choice, scratch),
        });
        let mut launches = launches.collect::<Result<Vec<_>>>()?;
        launches.extend(recipe(scratch)?);
        Ok(launches)
    }))
}

/// Plans the copy of a factor, and returns the copy as a factor with lines as rows.
fn copied<'a>(
    matrix: MatrixOperand<'a>,
    [batch, lines, k]: [usize; 3],
    strides: [usize; 3],
    layout: &mut WorkspaceLayout,
) -> (LayoutCopy<'a>, MatrixOperand<'a>) {
    let bytes = matrix.kind.bytes();
    let pitch = k.next_multiple_of(LINE / bytes);
    let batches = if strides[0] == 0 { 1 } else { batch };
    let part = layout.scratch::<u8>(batches * lines * pitch * bytes);
    let step = if strides[0] == 0 { 0 } else { lines * pitch };
    let laid = MatrixOperand {
        memory: OperandMemory::Scratch(part),
        strides: Strides { batch: step, row: pitch, column: 1 },
        ..matrix
    };
    (LayoutCopy { matrix, part, extents: [batches, lines, k], strides, pitch }, laid)
}

/// Whether the kernels of `permute` beat this one on an H200 (by up to 2.8 times), which they do for row copies and for
/// transposes that move words of several elements.
fn by_permute(matrix: &MatrixOperand<'_>, extents: [usize; 3], strides: [usize; 3]) -> bool {
    let size = matrix.kind.bytes();
    if strides[2] <= 1 {
        return extents[2] * size >= ROW;
    }
    let even = |bytes: u64| bytes.is_multiple_of(16);
    let apart = [(0, strides[0]), (1, strides[1]), (2, strides[2])];
    let apart = apart.into_iter().filter(|(axis, stride)| extents[*axis] > 1 && *stride != 1);
    even(matrix.memory.address())
        && apart.into_iter().all(|(_, stride)| even((size * stride) as u64))
}

fn prepared<'a, T: Element>(
    device: &Device,
    copy: LayoutCopy<'a>,
    choice: Option<DeviceChoice>,
    scratch: &Scratch,
) -> Result<Prepared<'a>> {
    let LayoutCopy { matrix, part, extents, strides, pitch } = copy;
    if choice.is_none() && by_permute(&matrix, extents, strides) {
        let (from, to) = (matrix.memory.elements(scratch), scratch.view(part));
        let apart = [extents[1] * pitch, pitch, 1];
        return moved(device, size_of::<T>(), &extents, (from, &strides), (to, &apart), false);
    }
    let [batches, lines, k] = extents.map(|extent| extent as u32);
    let (chosen, choice, mine) = DeviceChoice::arguments(choice, device, scratch);
    let launch = laid::<T>(
        matrix.memory.elements(scratch),
        scratch.view(part).cast::<T>(),
        [batches, lines, k],
        strides.map(|stride| stride as u64),
        pitch as u64,
        choice,
        mine,
        strides[2] <= 1,
        chosen,
    );
    let grid = (lines.div_ceil(TILE), k.div_ceil(TILE).min(65_535), batches.min(65_535));
    // SAFETY: the kernel reads lines and depths below the factor's extents, and writes lines of `pitch` elements, at least as many
    // as it reads; the workspace part holds `batches * lines` of them.
    unsafe { launch.grid(grid).block(THREADS).prepare_unchecked(device) }
}
