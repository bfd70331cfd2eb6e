//! TF32 products on Hopper with factors rounded to f16: the family of [`Precision::TensorFloat32`] for large products.
//!
//! An f16 has TF32's 11 significant bits in half the bytes, and twice its throughput, but less range. So every row of A and column
//! of B is first scaled by a power of two, which the epilogue divides out exactly. The rounding passes check whether the range
//! suffices (`split::parts`), and one block decides on the device, as for split factors: the f16 product and the TF32 product
//! (`hopper`) are both launched, and the unselected one exits at once.

#[cfg(test)]
mod tests;

use super::hopper;
use super::split::parts::{PAIRS, Representation, TRIPLES, decided};
use super::split::{Factor, Kept};
use crate::gemm::epilogue::{Along, Vector};
use crate::gemm::operand::{MatrixOperand, OperandMemory, ProductOutput, Strides};
use crate::gemm::problem::{DeviceChoice, Extents, GemmProblem, Precision, Recipe};
use crate::workspace::WorkspaceLayout;
use lanework::{Result, View};
use lanework_numbers::NumberType;

/// Minimum multiply-adds that amortize the rounding passes, and minimum rows and columns that reuse each element.
const LEAST: (f64, usize) = (3e10, 128);
/// Maximum number of rows; more would need too large a workspace.
const MOST: usize = 1 << 28;

/// Whether this family supports a problem and beats plain TF32.
pub(crate) fn suits(problem: &GemmProblem<'_>) -> bool {
    let Extents { m, n, k, .. } = problem.extents;
    possible(problem) && m.min(n) >= LEAST.1 && m as f64 * n as f64 * k as f64 >= LEAST.0
}

/// Whether this family supports a problem.
pub(crate) fn possible(problem: &GemmProblem<'_>) -> bool {
    let Extents { batch, m, n, k } = problem.extents;
    problem.precision == Precision::TensorFloat32
        && problem.a.kind == NumberType::F32
        && problem.device.info().compute_capability == (9, 0)
        && hopper::suits(problem)
        && batch == 1
        && !problem.one_kernel
        && m.min(n) > 64
        && m.max(n).max(k) <= MOST
}

/// The factors as rows along k; their memory is a placeholder.
fn factors<'a>(problem: &GemmProblem<'a>, memory: View<'a, f32>) -> [Factor<'a>; 2] {
    let Extents { m, n, k, .. } = problem.extents;
    let (a, b) = (problem.a.strides, problem.b.strides);
    [
        Factor { memory, rows: m, k, strides: (a.row, a.column) },
        Factor { memory, rows: n, k, strides: (b.column, b.row) },
    ]
}

/// The product of the rounded factors; its epilogue undoes the row and column scales.
fn rounded<'a>(
    problem: &GemmProblem<'a>,
    factors: [Factor<'a>; 2],
    kept: [Kept; 2],
) -> GemmProblem<'a> {
    let matrix = |which: usize| MatrixOperand {
        kind: NumberType::F16,
        memory: OperandMemory::Scratch(kept[which].parts),
        strides: Strides { batch: 0, row: factors[which].pitch(), column: 1 },
    };
    let scale = |which: usize, along| Vector {
        kind: NumberType::F32,
        memory: OperandMemory::Scratch(kept[which].exponents),
        length: factors[which].rows,
        stride: 1,
        along,
    };
    let mut epilogue = problem.epilogue.clone();
    epilogue.scales = Some([scale(0, Along::Rows), scale(1, Along::Columns)]);
    // SAFETY: `decide` selects one of the two launches, so only one writes to the results.
    let memory = unsafe { problem.c.memory.again() };
    let b = matrix(1);
    GemmProblem {
        device: problem.device.clone(),
        a: matrix(0),
        b: MatrixOperand { strides: b.strides.t(), ..b },
        c: ProductOutput { kind: problem.c.kind, memory, strides: problem.c.strides },
        precision: Precision::Full,
        epilogue,
        ..*problem
    }
}

/// The launches of this family.
pub(crate) fn recipe<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
) -> Result<Recipe<'a>> {
    let word = layout.scratch(1);
    let device = problem.device.clone();
    let [a, b] = factors(&problem, View::nothing(&device));
    let sources = [problem.a.memory, problem.b.memory];
    let kept = [
        a.keep(layout, 0, Representation::Rounded),
        b.keep(layout, a.blocks(), Representation::Rounded),
    ];
    let count = a.blocks() + b.blocks();
    let verdicts = layout.scratch(count);
    let halves = rounded(&problem, [a, b], kept);
    let halves = hopper::recipe_if(halves, layout, Some(DeviceChoice { word, mine: PAIRS }))?;
    let direct = hopper::recipe_if(problem, layout, Some(DeviceChoice { word, mine: TRIPLES }))?;
    Ok(Box::new(move |scratch| {
        let mut steps = Vec::new();
        for ((factor, kept), source) in [a, b].into_iter().zip(kept).zip(sources) {
            let (factor, room) =
                (Factor { memory: source.elements(scratch), ..factor }, (verdicts, word));
            steps.extend(factor.taken_apart(
                &device,
                scratch,
                kept,
                room,
                Representation::Rounded,
            )?);
        }
        steps.push(decided(&device, scratch, (verdicts, count), word, Representation::Rounded)?);
        steps.extend(halves(scratch)?);
        steps.extend(direct(scratch)?);
        Ok(steps)
    }))
}
