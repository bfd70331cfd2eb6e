//! Compile-time configuration of scan kernels, row layout, the combining operation, and the kernels by element type.

use crate::vectors::Widened;
use half::{bf16, f16};
use lanework::prelude::*;
use lanework::{Launch, View, ViewMut};

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
/// The most vectors per thread.
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

/// An element type of scans: `i32`, `u32`, `i64` and `u64`, whose sums wrap; `f32` and `f64`; `f16` and `bf16`, which are
/// accumulated in `f32` and rounded once.
pub trait Scannable: Widened {
    /// The scan of long rows of `in_row` tiles each, and the total number of tiles.
    #[doc(hidden)]
    fn tiles<'a>(
        x: View<'a, Self>,
        y: ViewMut<'a, Self>,
        space: (ViewMut<'a, u64>, ViewMut<'a, u32>),
        rows: &ScanRows,
        tiles: (u32, u32),
        config: ScanConfig,
    ) -> Launch<'a>;

    /// As `tiles` with bulk copies; takes the input a second time as words, and the bytes of shared memory.
    #[doc(hidden)]
    fn ring<'a>(
        x: View<'a, Self>,
        y: ViewMut<'a, Self>,
        space: (ViewMut<'a, u64>, ViewMut<'a, u32>),
        rows: &ScanRows,
        tiles: (u32, u32),
        config: ScanConfig,
    ) -> Launch<'a>;

    /// The scan of short rows.
    #[doc(hidden)]
    fn rows<'a>(
        x: View<'a, Self>,
        y: ViewMut<'a, Self>,
        rows: &ScanRows,
        config: ScanConfig,
    ) -> Launch<'a>;
}

macro_rules! scannable {
    ($($element:ty)*) => {$(
        impl Scannable for $element {
            fn tiles<'a>(
                x: View<'a, Self>,
                y: ViewMut<'a, Self>,
                (cells, tickets): (ViewMut<'a, u64>, ViewMut<'a, u32>),
                rows: &ScanRows,
                (in_row, tiles): (u32, u32),
                config: ScanConfig,
            ) -> Launch<'a> {
                let (n, row) = (rows.n as u64, (rows.row.0 as u64, rows.row.1 as u64));
                const V: usize = <$element>::VECTOR;
                super::tiles::tiles::<$element, V>(x, y, cells, tickets, n, row, in_row, tiles, config)
            }

            fn ring<'a>(
                x: View<'a, Self>,
                y: ViewMut<'a, Self>,
                (cells, tickets): (ViewMut<'a, u64>, ViewMut<'a, u32>),
                rows: &ScanRows,
                (in_row, tiles): (u32, u32),
                config: ScanConfig,
            ) -> Launch<'a> {
                let (n, row) = (rows.n as u64, (rows.row.0 as u64, rows.row.1 as u64));
                const V: usize = <$element>::VECTOR;
                let whole = x.len() / V * V;
                let words = x.part(..whole).cast::<u32>();
                super::ring::ring::<$element, V>(x, words, y, cells, tickets, n, row, in_row, tiles, config)
            }

            fn rows<'a>(x: View<'a, Self>, y: ViewMut<'a, Self>, rows: &ScanRows, config: ScanConfig) -> Launch<'a> {
                let pair = |(x, y): (usize, usize)| (x as u64, y as u64);
                const V: usize = <$element>::VECTOR;
                let (count, n) = (rows.rows as u64, rows.n as u64);
                super::rows::rows::<$element, V>(x, y, count, n, pair(rows.row), pair(rows.step), config)
            }
        }
    )*};
}

scannable!(i32 u32 i64 u64 f32 f64 f16 bf16);
