//! Launches of the row kernels for each element type.

use super::held::held;
use super::kernels::RowConfig;
use super::passes::{parts, results};
use super::ring::ring;
use super::spread::spread;
use crate::vectors::Widened;
use half::{bf16, f16};
use lanework::{Element, Launch, View, ViewMut};

/// Rows in memory.
#[derive(Clone, Copy, Debug)]
pub struct RowLayout {
    pub rows: usize,
    /// Elements of a row.
    pub n: usize,
    /// Row strides of the input and of the output, in elements.
    pub row: (usize, usize),
    /// Element strides of the input and of the output.
    pub step: (usize, usize),
    pub eps: f32,
}

/// Kernel operands. Missing gamma or beta refer to dummy memory that the kernel does not read.
pub struct RowOperands<'a, T: Element> {
    pub x: View<'a, T>,
    pub y: ViewMut<'a, T>,
    pub gamma: View<'a, T>,
    pub beta: View<'a, T>,
}

/// An element type of normalizations: `f32`, `f16` and `bf16`, with statistics in `f32`.
pub trait Normal: Widened<Wide = f32> {
    /// Rows held by at most one block.
    #[doc(hidden)]
    fn held<'a>(operands: RowOperands<'a, Self>, rows: &RowLayout, config: RowConfig)
    -> Launch<'a>;

    /// Rows held by several blocks: parts per row, and rows at a time.
    #[doc(hidden)]
    fn spread<'a>(
        operands: RowOperands<'a, Self>,
        space: (ViewMut<'a, u64>, ViewMut<'a, u32>),
        rows: &RowLayout,
        blocks: (u32, u32),
        config: RowConfig,
    ) -> Launch<'a>;

    /// As `spread`, with bulk copies.
    #[doc(hidden)]
    fn ring<'a>(
        operands: RowOperands<'a, Self>,
        space: (ViewMut<'a, u64>, ViewMut<'a, u32>),
        rows: &RowLayout,
        blocks: (u32, u32),
        config: RowConfig,
    ) -> Launch<'a>;

    /// The first pass: statistics of the parts of each row, two numbers per part.
    #[doc(hidden)]
    fn parts<'a>(
        x: View<'a, Self>,
        space: ViewMut<'a, f32>,
        rows: &RowLayout,
        parts: u32,
        config: RowConfig,
    ) -> Launch<'a>;

    /// The second pass: results from the parts' statistics.
    #[doc(hidden)]
    fn results<'a>(
        operands: RowOperands<'a, Self>,
        space: ViewMut<'a, f32>,
        rows: &RowLayout,
        parts: u32,
        config: RowConfig,
    ) -> Launch<'a>;
}

fn pair((x, y): (usize, usize)) -> (u64, u64) {
    (x as u64, y as u64)
}

macro_rules! normal {
    ($($element:ty)*) => {$(
        impl Normal for $element {
            fn held<'a>(operands: RowOperands<'a, Self>, rows: &RowLayout, config: RowConfig) -> Launch<'a> {
                let RowOperands { x, y, gamma, beta } = operands;
                let (count, n) = pair((rows.rows, rows.n));
                let (row, step) = (pair(rows.row), pair(rows.step));
                const V: usize = <$element>::VECTOR;
                held::<$element, V>(x, y, gamma, beta, count, n, row, step, rows.eps, config)
            }

            fn spread<'a>(
                operands: RowOperands<'a, Self>,
                (cells, done): (ViewMut<'a, u64>, ViewMut<'a, u32>),
                rows: &RowLayout,
                blocks: (u32, u32),
                config: RowConfig,
            ) -> Launch<'a> {
                let RowOperands { x, y, gamma, beta } = operands;
                let ((count, n), row) = (pair((rows.rows, rows.n)), pair(rows.row));
                const V: usize = <$element>::VECTOR;
                spread::<$element, V>(x, y, gamma, beta, cells, done, count, n, row, blocks, rows.eps, config)
            }

            fn ring<'a>(
                operands: RowOperands<'a, Self>,
                (cells, done): (ViewMut<'a, u64>, ViewMut<'a, u32>),
                rows: &RowLayout,
                blocks: (u32, u32),
                config: RowConfig,
            ) -> Launch<'a> {
                let RowOperands { x, y, gamma, beta } = operands;
                let ((count, n), row) = (pair((rows.rows, rows.n)), pair(rows.row));
                const V: usize = <$element>::VECTOR;
                // Rows of whole vectors.
                let (x, gamma, beta) = (x.cast::<u32>(), gamma.cast::<u32>(), beta.cast::<u32>());
                ring::<$element, V>(x, y, gamma, beta, cells, done, count, n, row, blocks, rows.eps, config)
            }

            fn parts<'a>(
                x: View<'a, Self>,
                space: ViewMut<'a, f32>,
                rows: &RowLayout,
                count: u32,
                config: RowConfig,
            ) -> Launch<'a> {
                const V: usize = <$element>::VECTOR;
                let (row, step) = (rows.row.0 as u64, rows.step.0 as u64);
                parts::<$element, V>(x, space, rows.n as u64, count, row, step, config)
            }

            fn results<'a>(
                operands: RowOperands<'a, Self>,
                space: ViewMut<'a, f32>,
                rows: &RowLayout,
                count: u32,
                config: RowConfig,
            ) -> Launch<'a> {
                let RowOperands { x, y, gamma, beta } = operands;
                let (n, row, step) = (rows.n as u64, pair(rows.row), pair(rows.step));
                const V: usize = <$element>::VECTOR;
                results::<$element, V>(x, y, gamma, beta, space, n, count, row, step, rows.eps, config)
            }
        }
    )*};
}

normal!(f32 f16 bf16);
