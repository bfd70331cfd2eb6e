//! Copies factors into the workspace in the layout that TMA reads: consecutive k steps with adjacent elements.

use crate::gemm::operand::{MatrixOperand, OperandMemory, Strides};
use crate::gemm::problem::{Extents, GemmProblem};
use crate::gemm::recipe::Recipe;
use crate::permute::moved;
use crate::workspace::{WorkspaceLayout, WorkspacePart};
use lanework::Result;

/// The step stride of a copy is a multiple of this, in elements.
const PITCH: usize = 32;

/// Size up to which a single copy begins before the previous launch has ended. Waiting blocks of a larger copy, or of two, would
/// occupy slots that the previous launch needs.
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

/// Copies A and B into the workspace as `copied` says, and appends the launches that `then` makes.
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
        let (copy, pitch) = copy(&problem, problem.a, [k, m], [column, row], layout);
        problem.a = copy.copied(Strides { batch: copy.to[0], row: 1, column: pitch });
        copies.push(copy);
    }
    if copied.1 {
        let Strides { row, column, .. } = problem.b.strides;
        let (copy, pitch) = copy(&problem, problem.b, [k, n], [row, column], layout);
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
fn copy<'a>(
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
