//! Compile-time configuration of scan kernels, row layout, and the combining operation.

use crate::vectors::Widened;
use lanework::prelude::*;

/// The combining operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Sum,
    Min,
    Max,
}

/// Compile-time configuration of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct How {
    pub operation: Operation,
    pub exclusive: bool,
    /// Whether rows are 16-byte aligned in both tensors, with adjacent elements.
    pub wide: bool,
    /// Vectors per thread, for long rows.
    pub vectors: usize,
    /// Lanes per row, for short rows.
    pub lanes: u32,
}

/// Rows in memory.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    pub rows: usize,
    /// Elements of a row.
    pub n: usize,
    /// Row strides of the input and of the output, in elements.
    pub row: (usize, usize),
    /// Element strides of the input and of the output.
    pub step: (usize, usize),
}

/// Threads of a block, and tiles of a group.
pub(super) const THREADS: u32 = 512;
pub(super) const WARPS: u32 = THREADS / 32;
/// Resident blocks per multiprocessor.
pub(super) const RESIDENT: u32 = 2;
/// The most vectors per thread.
pub(super) const MOST: usize = 8;
/// Threads of a block for short rows.
pub(super) const ROW_THREADS: u32 = 256;

/// The neutral element: `op(identity, x)` is `x`.
pub(super) fn identity<E: Widened>(how: How) -> E::Wide {
    match how.operation {
        Operation::Sum => E::Wide::ZERO,
        Operation::Min => E::MOST,
        Operation::Max => E::LEAST,
    }
}

#[device]
pub(super) fn combine<W: Element>(x: W, y: W, #[constant] how: How) -> W {
    if how.operation == Operation::Min {
        x.min(y)
    } else if how.operation == Operation::Max {
        x.max(y)
    } else {
        x + y
    }
}
