//! Copies factors into the layout that TMA and `wgmma` need: adjacent along K, lines at multiples of 16 bytes. Copies
//! that transpose go through shared memory.

use super::loads;
use crate::gemm::operand::{MatrixOperand, OperandMemory, Strides};
use crate::gemm::problem::{Extents, GemmProblem};
use crate::gemm::recipe::{DeviceChoice, Recipe};
use crate::permute::moved;
use crate::workspace::{Scratch, WorkspaceLayout, WorkspacePart};
use lanework::prelude::*;
use lanework::{Element, Prepared, Result};

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
    let (of_a, of_b) = loads::direct(&problem);
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

/// Whether the kernels of `permute.rs` beat this one on an H200 (by up to 2.8 times): for row copies, and for
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
