//! What kernels of scans are compiled for, where rows lie, and what combines two values.

use crate::vectors::Widened;
use lanework::prelude::*;

/// What is combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Sum,
    Min,
    Max,
}

/// What a kernel is compiled for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct How {
    pub operation: Operation,
    pub exclusive: bool,
    /// Whether rows begin at multiples of 16 bytes in both tensors, with their elements adjacent.
    pub wide: bool,
    /// Vectors of a thread, for long rows.
    pub vectors: usize,
    /// Lanes of a row, for short rows.
    pub lanes: u32,
}

/// Rows in memory.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    pub rows: usize,
    /// Elements of a row.
    pub n: usize,
    /// Elements from row to row, of the input and of the output.
    pub row: (usize, usize),
    /// Elements from one to the next in a row.
    pub step: (usize, usize),
}

/// Threads of a block, and tiles of a group.
pub(super) const THREADS: u32 = 512;
pub(super) const WARPS: u32 = THREADS / 32;
/// Blocks that a multiprocessor holds.
pub(super) const RESIDENT: u32 = 2;
/// The most vectors of a thread.
pub(super) const MOST: usize = 8;
/// Threads of a block for short rows.
pub(super) const ROW_THREADS: u32 = 256;

/// What lies before everything: `op(identity, x)` is `x`.
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
