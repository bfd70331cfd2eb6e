//! Element types of scans, and the launches of the kernels for each.

use super::config::{ScanConfig, ScanRows};
use crate::vectors::Widened;
use half::{bf16, f16};
use lanework::{Launch, View, ViewMut};

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
