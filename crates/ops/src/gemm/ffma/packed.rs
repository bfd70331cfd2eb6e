//! Factors copied into the workspace, so that TMA reads them: steps one after the other, the elements of each adjacent.

use super::Load;
use crate::gemm::problem::{Extents, Matrix, Problem, Strides};
use crate::gemm::recipe::Recipe;
use crate::gemm::source::Source;
use crate::permute::moved;
use crate::workspace::{Layout, Part};
use lanework::Result;

/// What steps of a copy are multiples of, in elements.
const PITCH: usize = 32;

/// A copy to be made.
struct Copy<'a> {
    matrix: Matrix<'a>,
    part: Part<u8>,
    /// Matrices, steps and lines.
    shape: [usize; 3],
    from: [usize; 3],
    to: [usize; 3],
}

/// Whether copying a factor, whose elements are multiplied with `others` each, takes less time than is lost by reading it word by
/// word, as measured on an H200. Most is lost where each thread copies words of many steps.
pub(super) fn pays(load: Load, extents: Extents, others: usize) -> bool {
    let Extents { batch, m, n, k } = extents;
    let products = batch as f64 * m as f64 * n as f64 * k as f64;
    match load {
        Load::Map => false,
        Load::Words => products >= 3e9 && others >= 1000,
        Load::Lines => products >= 3e8 && others >= 600,
    }
}

/// The recipe that `then` makes of the problem, with the factors copied that `pays` says so of; `loads` is how they are loaded as
/// they lie.
pub(super) fn factors<'a>(
    mut problem: Problem<'a>,
    layout: &mut Layout,
    loads: Option<(Load, Load)>,
    pays: fn(Load, Extents, usize) -> bool,
    then: impl FnOnce(Problem<'a>, &mut Layout) -> Result<Recipe<'a>>,
) -> Result<Recipe<'a>> {
    let Extents { m, n, k, .. } = problem.extents;
    let mut copies = Vec::new();
    if loads.is_some_and(|(of_a, _)| pays(of_a, problem.extents, n)) {
        let Strides { row, column, .. } = problem.a.strides;
        let (copy, pitch) = copy(&problem, problem.a, [k, m], [column, row], layout);
        problem.a = copy.copied(Strides { batch: copy.to[0], row: 1, column: pitch });
        copies.push(copy);
    }
    if loads.is_some_and(|(_, of_b)| pays(of_b, problem.extents, m)) {
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
        for Copy { matrix, part, shape, from, to } in copies {
            let source = (matrix.memory.elements(scratch), &from[..]);
            launches.push(moved(&device, 4, &shape, source, (scratch.view(part), &to[..]))?);
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
