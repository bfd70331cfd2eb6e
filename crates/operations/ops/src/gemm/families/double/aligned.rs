//! Copies factors whose lines do not start at multiples of 16 bytes, which TMA requires.

use crate::gemm::operand::{Major, MatrixOperand, OperandMemory, Strides};
use crate::gemm::problem::{Extents, GemmProblem};
use crate::permute::moved;
use crate::workspace::{Scratch, WorkspaceLayout, WorkspacePart};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Line lengths of copies are multiples of this many elements.
const LINE: usize = 16;
/// Minimum number of results per factor line for which a copy pays off: on an H200, copying an element costs as much
/// as about 400 TMA products gain.
const WORTH: f64 = 200.0;

/// A factor to copy: the workspace part, the extents, and the strides before and after.
pub(super) struct AlignedCopy<'a> {
    factor: MatrixOperand<'a>,
    part: WorkspacePart<u8>,
    extents: [usize; 3],
    from: [usize; 3],
    to: [usize; 3],
}

/// Whether TMA can read a factor where it is.
pub(super) fn is_aligned(matrix: &MatrixOperand<'_>, major: Major) -> bool {
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
pub(super) fn copies<'a>(
    problem: &mut GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
) -> Vec<AlignedCopy<'a>> {
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
