//! Copies of factors: into the workspace in the layout that TMA reads; and of tiles into shared memory, one row per k
//! step, by TMA, or word by word if elements along k are adjacent or misaligned for TMA.

use super::config::{FfmaConfig, Load};
use crate::gemm::operand::{MatrixOperand, OperandMemory, Strides};
use crate::gemm::problem::{Extents, GemmProblem};
use crate::gemm::recipe::Recipe;
use crate::permute::moved;
use crate::workspace::{WorkspaceLayout, WorkspacePart};
use lanework::Result;
use lanework::lang::Filling;
use lanework::prelude::*;

/// Memory position of a factor, seen as lines (rows of A, columns of B) by k steps.
///
/// Offsets of this thread's words before the first step: one per copied line, or one for all if lines are adjacent.
#[device]
pub(super) fn places(
    first: u32,
    lines: u32,
    base: u32,
    stride: u32,
    #[constant] load: Load,
    #[constant] extent: u32,
    #[constant] config: FfmaConfig,
) -> [u32; 16] {
    let t = thread_idx.x;
    let mut places = [0u32; 16];
    if load == Load::Words {
        #[unroll]
        for l in 0..extent * 8 / config.threads() {
            // Lines past the end read the last line again; their products are not stored.
            let line = (first + t / 8 + l * (config.threads() / 8)).min(lines - 1);
            places[l] = base + line * stride + t % 8;
        }
    }
    if load == Load::Lines {
        #[unroll]
        for l in 0..extent.div_ceil(config.threads()) {
            let line = (first + t % extent + l * config.threads()).min(lines - 1);
            places[l] = base + t / extent * stride + line;
        }
    }
    places
}

/// Starts copying a factor tile from step `p` on into a stage: 8 adjacent lanes copy 8 steps of a line (a whole
/// sector, 8 different banks), or adjacent lanes copy adjacent lines. Steps past the end are zero-filled.
#[device]
pub(super) fn copy(
    x: &[f32],
    tiles: Shared<f32, 3>,
    stage: u32,
    p: u32,
    k: u32,
    stride: u32,
    places: &[u32; 16],
    #[constant] load: Load,
    #[constant] extent: u32,
    #[constant] config: FfmaConfig,
) {
    let t = thread_idx.x;
    if load == Load::Words {
        let (line, step) = (t / 8, t % 8);
        #[unroll]
        for s in (0..config.depth).step_by(8) {
            let have = if p + step + s < k { 4u32 } else { 0 };
            #[unroll]
            for l in 0..extent * 8 / config.threads() {
                let to = &mut tiles[[stage, step + s, line + l * (config.threads() / 8)]];
                cp_async_filled::<4, _>(to, (&x[places[l] + p]).add(s), have);
            }
        }
    }
    if load == Load::Lines {
        let (line, step) = (t % extent, t / extent);
        // Number of steps that all threads copy per iteration; at least one step of some of the lines.
        let each = const { (config.threads() / extent).max(1) };
        #[unroll]
        for s in (0..config.depth).step_by(each as usize) {
            let have = if p + step + s < k { 4u32 } else { 0 };
            #[unroll]
            for l in 0..extent.div_ceil(config.threads()) {
                let to = &mut tiles[[stage, step + s, line + l * config.threads()]];
                cp_async_filled::<4, _>(to, &x[places[l] + (p + s) * stride], have);
            }
        }
    }
}

/// One thread announces the byte count of a stage to its barrier, and issues the TMA copies.
#[device]
pub(super) fn fetch(
    a: &TensorMap<f32, 3>,
    b: &TensorMap<f32, 3>,
    tiles_a: Shared<f32, 3>,
    tiles_b: Shared<f32, 3>,
    slot: Filling,
    p: u32,
    at: [u32; 4],
    #[constant] config: FfmaConfig,
) {
    let [batch_a, top, batch_b, left] = at;
    slot.arrive_expect(config.fetched());
    if config.by_rows() {
        let rows = tiles_a.region(0u32, [config.stages, config.rows, config.depth]);
        a.load(rows.swizzled(Swizzle::B64).slab(slot.index), (batch_a, top, p), slot);
    }
    if config.loads.0 == Load::Map {
        a.load(tiles_a.slab(slot.index), (batch_a, p, top), slot);
    }
    if config.loads.1 == Load::Map {
        b.load(tiles_b.slab(slot.index), (batch_b, p, left), slot);
    }
}

/// The step stride of a copy is a multiple of this many elements.
const PITCH: usize = 32;

/// Maximum size for which a single copy begins before the previous launch has ended. The waiting blocks of a larger
/// copy, or of two copies, would occupy slots that the previous launch needs.
const SMALL: usize = 1 << 19;

/// A pending copy.
struct PackedCopy<'a> {
    matrix: MatrixOperand<'a>,
    part: WorkspacePart<u8>,
    /// Matrices, steps and lines.
    shape: [usize; 3],
    from: [usize; 3],
    to: [usize; 3],
}

/// Copies A and B into the workspace as `copied` requests, and appends the launches that `then` makes.
pub(super) fn factors<'a>(
    mut problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
    copied: (bool, bool),
    then: impl FnOnce(GemmProblem<'a>, &mut WorkspaceLayout) -> Result<Recipe<'a>>,
) -> Result<Recipe<'a>> {
    let Extents { m, n, k, .. } = problem.extents;
    let mut copies = Vec::new();
    if copied.0 {
        let Strides { row, column, .. } = problem.a.strides;
        let (copy, pitch) = copy_packed(&problem, problem.a, [k, m], [column, row], layout);
        problem.a = copy.copied(Strides { batch: copy.to[0], row: 1, column: pitch });
        copies.push(copy);
    }
    if copied.1 {
        let Strides { row, column, .. } = problem.b.strides;
        let (copy, pitch) = copy_packed(&problem, problem.b, [k, n], [row, column], layout);
        problem.b = copy.copied(Strides { batch: copy.to[0], row: pitch, column: 1 });
        copies.push(copy);
    }
    let device = problem.device.clone();
    let recipe = then(problem, layout)?;
    if copies.is_empty() {
        return Ok(recipe);
    }
    Ok(Box::new(move |scratch| {
        let mut launches = Vec::new();
        let few = matches!(&copies[..], [copy] if copy.shape.iter().product::<usize>() <= SMALL);
        for PackedCopy { matrix, part, shape, from, to } in copies {
            let source = (matrix.memory.elements(scratch), &from[..]);
            let target = (scratch.view(part), &to[..]);
            launches.push(moved(&device, 4, &shape, source, target, few)?);
        }
        launches.extend(recipe(scratch)?);
        Ok(launches)
    }))
}

/// Plans the copy of a factor of `steps` by `lines`, and returns its step stride.
fn copy_packed<'a>(
    problem: &GemmProblem<'a>,
    matrix: MatrixOperand<'a>,
    [steps, lines]: [usize; 2],
    [step, line]: [usize; 2],
    layout: &mut WorkspaceLayout,
) -> (PackedCopy<'a>, usize) {
    let own = if matrix.strides.batch == 0 { 1 } else { problem.extents.batch };
    let pitch = lines.next_multiple_of(PITCH);
    let apart = if own == 1 { 0 } else { steps * pitch };
    let part = layout.scratch::<u8>(4 * own * steps * pitch);
    let from = [matrix.strides.batch, step, line];
    (PackedCopy { matrix, part, shape: [own, steps, lines], from, to: [apart, pitch, 1] }, pitch)
}

impl<'a> PackedCopy<'a> {
    /// The factor in the workspace.
    fn copied(&self, strides: Strides) -> MatrixOperand<'a> {
        MatrixOperand { memory: OperandMemory::Scratch(self.part), strides, ..self.matrix }
    }
}
