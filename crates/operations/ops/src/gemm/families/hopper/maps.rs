//! Decides which matrices TMA accesses in place, and creates their tensor maps.

use crate::gemm::operand::{Major, MatrixOperand};
use crate::gemm::problem::{Extents, GemmProblem};
use crate::workspace::Scratch;
use lanework::prelude::*;
use lanework::{Element, Result, Storable, TensorMap, TensorMapMut, ViewMut};

/// Whether TMA supports a matrix of line stride `ld` and batch stride `batch`.
fn aligned(address: u64, bytes: usize, ld: usize, batch: usize) -> bool {
    address.is_multiple_of(16)
        && (ld * bytes).is_multiple_of(16)
        && (batch * bytes).is_multiple_of(16)
}

/// Whether A and B are read in place.
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
