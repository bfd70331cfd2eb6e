//! Rows and columns while staging, and which memory row each lane addresses for `ldmatrix` and `stmatrix`.

use super::words::{LANE, add, and, constant, mul, shr};
use crate::builder::Builder;
use crate::value::{Index, Value};
use lanework_ptx::ScalarType;

/// A row and a column.
pub(super) type At = (Value, Value);

pub(super) fn index(value: Value) -> Index {
    Index { value, ty: ScalarType::U32 }
}

/// A start and an offset, both in rows and columns.
pub(super) fn plus(b: &mut Builder, at: At, more: At) -> At {
    (add(b, at.0, more.0), add(b, at.1, more.1))
}

/// The row and column of the memory row whose address this lane gives to `ldmatrix`: lane `8 j + r`
/// that of row `r` of matrix `j`. `steps` says how far matrices 1 and 2 are from matrix 0; `per` is the
/// number of scalars in 16 bytes.
pub(super) fn row_of_lane(
    b: &mut Builder,
    by_rows: bool,
    count: usize,
    steps: [(u32, u32); 2],
) -> At {
    let row = and(b, LANE, 7);
    let mut at = if by_rows { (row, constant(0)) } else { (constant(0), row) };
    for (bit, step) in steps.into_iter().enumerate().take(count.trailing_zeros() as usize) {
        let which = shr(b, LANE, 3 + bit as u32);
        let which = and(b, which, 1);
        let step = (mul(b, which, step.0), mul(b, which, step.1));
        at = plus(b, at, step);
    }
    at
}
