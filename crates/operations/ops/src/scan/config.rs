//! Compile-time configuration of scan kernels, row layout, and the combining operation.

use crate::vectors::Widened;
use lanework::prelude::*;

/// The combining operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanOperation {
    Sum,
    Min,
    Max,
}

/// Compile-time configuration of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanConfig {
    pub operation: ScanOperation,
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
pub struct ScanRows {
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
/// Maximum number of vectors per thread.
pub(super) const MOST: usize = 8;
/// Threads of a block for short rows.
pub(super) const ROW_THREADS: u32 = 256;

/// The neutral element: `op(identity, x)` is `x`.
pub(super) fn identity<E: Widened>(config: ScanConfig) -> E::Wide {
    match config.operation {
        ScanOperation::Sum => E::Wide::ZERO,
        ScanOperation::Min => E::MOST,
        ScanOperation::Max => E::LEAST,
    }
}

#[device]
pub(super) fn combine<W: Element>(x: W, y: W, #[constant] config: ScanConfig) -> W {
    if config.operation == ScanOperation::Min {
        x.min(y)
    } else if config.operation == ScanOperation::Max {
        x.max(y)
    } else {
        x + y
    }
}
