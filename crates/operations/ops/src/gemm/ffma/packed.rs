//! Factors copied into the workspace, so that TMA reads them: steps one after the other, the elements of each adjacent.

use crate::gemm::problem::{Extents, Matrix, Problem, Strides};
use crate::gemm::recipe::Recipe;
use crate::gemm::source::Source;
use crate::permute::moved;
use crate::workspace::{Layout, Part};
use lanework::Result;

/// What steps of a copy are multiples of, in elements.
const PITCH: usize = 32;

/// Elements of a single copy that begins before the launch before it has ended: blocks of a larger one, or of two, that wait for that keep
/// blocks of that launch from their places.
const SMALL: usize = 1 << 19;

/// A copy to be made.
struct Copy<'a> {
    matrix: Matrix<'a>,
    part: Part<u8>,
    /// Matrices, steps and lines.
    shape: [usize; 3],
    from: [usize; 3],
    to: [usize; 3],
}

/// The recipe that `then` makes of the problem, with A, and B, copied where `copied` says so.
pub(super) fn factors<'a>(
    mut problem: Problem<'a>,
    layout: &mut Layout,
    copied: (bool, bool),
    then: impl FnOnce(Problem<'a>, &mut Layout) -> Result<Recipe<'a>>,
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
        for Copy { matrix, part, shape, from, to } in copies {
            let source = (matrix.memory.elements(scratch), &from[..]);
            let target = (scratch.view(part), &to[..]);
            launches.push(moved(&device, 4, &shape, source, target, few)?);
        }
        launches.extend(recipe(scratch)?);
        Ok(launches)
    }))
}

/// The copy of a factor of `steps` by `lines`, and the elements from one of its steps to the next.
fn copy<'a>(
    problem: &Problem<'a>,
    matrix: Matrix<'a>,
    [steps, lines]: [usize; 2],
    [step, line]: [usize; 2],
    layout: &mut Layout,
) -> (Copy<'a>, usize) {
    let own = if matrix.strides.batch == 0 { 1 } else { problem.extents.batch };
    let pitch = lines.next_multiple_of(PITCH);
    let apart = if own == 1 { 0 } else { steps * pitch };
    let part = layout.scratch::<u8>(4 * own * steps * pitch);
    let from = [matrix.strides.batch, step, line];
    (Copy { matrix, part, shape: [own, steps, lines], from, to: [apart, pitch, 1] }, pitch)
}

impl<'a> Copy<'a> {
    /// The factor, in the workspace.
    fn copied(&self, strides: Strides) -> Matrix<'a> {
        Matrix { memory: Source::Scratch(self.part), strides, ..self.matrix }
    }
}
