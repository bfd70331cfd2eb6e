//! Maps a scan to rows, tiles and blocks, and builds its launch for each element type.

use super::kernels::{MOST, RESIDENT, ROW_THREADS, ScanConfig, ScanOperation, ScanRows, THREADS};
use super::ring;
use crate::vectors::Widened;
use crate::workspace::{Scratch, WorkspaceLayout};
use crate::{Plan, Tensor, TensorMut, Workspace};
use half::{bf16, f16};
use lanework::{Device, Error, Launch, Result, View, ViewMut};

/// Maximum row length for one warp; blocks scan longer rows.
const SHORT: usize = 1024;

/// A dimension of both tensors: its extent, and the strides of the input and of the output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ScanAxis {
    extent: usize,
    strides: (usize, usize),
}

fn refuse(why: String, help: &str) -> Error {
    Error::Request { why, help: help.to_owned() }
}

/// The dimensions, outermost first.
pub(super) fn axes<T: Scannable, const R: usize>(
    x: &Tensor<'_, T, R>,
    y: &TensorMut<'_, T, R>,
) -> Result<Vec<ScanAxis>> {
    if x.shape() != y.shape() {
        let why = format!(
            "a scan of an array of shape {:?} into one of shape {:?}",
            x.shape(),
            y.shape()
        );
        return Err(refuse(why, "give an output of the input's shape"));
    }
    let strides = x.strides().into_iter().zip(y.strides());
    let axes = x.shape().into_iter().zip(strides);
    Ok(axes.map(|(extent, strides)| ScanAxis { extent, strides }).collect())
}

/// Merges dimensions if each continues the next in both tensors.
fn merged(axes: &[ScanAxis]) -> Option<ScanAxis> {
    let mut all = ScanAxis { extent: 1, strides: (1, 1) };
    for axis in axes.iter().rev().filter(|axis| axis.extent != 1) {
        let over = |inner: usize| inner * all.extent;
        all = match all.extent {
            1 => *axis,
            _ if axis.strides == (over(all.strides.0), over(all.strides.1)) => {
                ScanAxis { extent: axis.extent * all.extent, strides: all.strides }
            }
            _ => return None,
        };
    }
    Some(all)
}

/// The rows that are scanned.
pub(super) fn rows(axes: Vec<ScanAxis>, last_axis: bool) -> Result<ScanRows> {
    let one = ScanAxis { extent: 1, strides: (1, 1) };
    if axes.iter().any(|axis| axis.extent == 0) {
        return Ok(ScanRows { rows: 0, n: 0, row: (0, 0), step: (1, 1) });
    }
    let (last, leading) = axes.split_last().unwrap_or((&one, &[]));
    let (row, inner) = match last_axis {
        true => (merged(leading), Some(*last)),
        false => (Some(one), merged(&axes)),
    };
    let (Some(row), Some(inner)) = (row, inner) else {
        let (what, help) = match last_axis {
            true => (
                "rows that are not at one constant stride from each other",
                "scan the outermost dimension's parts one by one, or copy the array",
            ),
            false => (
                "all elements of an array with gaps between its rows, or with its dimensions exchanged",
                "scan its rows by themselves with `last_axis`, or copy it",
            ),
        };
        let described: Vec<_> = axes.iter().map(|axis| (axis.extent, axis.strides)).collect();
        return Err(refuse(
            format!(
                "a scan of {what}: (extent, (stride of the input, of the output)) = {described:?}"
            ),
            help,
        ));
    };
    Ok(ScanRows { rows: row.extent, n: inner.extent, row: row.strides, step: inner.strides })
}

/// Whether rows allow 16-byte accesses throughout.
fn wide<T: Scannable>(rows: &ScanRows, x: u64, y: u64) -> bool {
    let whole = |stride: usize| rows.rows == 1 || stride.is_multiple_of(T::VECTOR);
    let aligned = x.is_multiple_of(16) && y.is_multiple_of(16);
    aligned && rows.step == (1, 1) && whole(rows.row.0) && whole(rows.row.1)
}

/// Kernel variants for long rows; `Best` selects one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanVariant {
    Best,
    /// Tiles in registers, with at most this many vectors per thread.
    #[cfg(test)]
    Tiles(usize),
    /// Bulk copies, with this many vectors per thread.
    #[cfg(test)]
    Ring(usize),
}

/// Tiling of long rows.
struct Tiling {
    /// Whether tiles are copied ahead (`ring`).
    ring: bool,
    /// Threads of a block.
    threads: u32,
    /// Vectors per thread.
    vectors: usize,
}

fn tiling<T: Scannable>(
    rows: &ScanRows,
    wide: bool,
    device: &Device,
    variant: ScanVariant,
) -> Tiling {
    let info = device.info();
    let multiprocessors = info.multiprocessors.max(1) as usize;
    let all = rows.rows.saturating_mul(rows.n);
    // 16 bytes of a 16-bit type widen to 32.
    let most = |vectors: usize| vectors * size_of::<T>() / size_of::<T::Wide>();
    let slice = THREADS as usize * T::VECTOR;
    let shared = all.div_ceil(slice * multiprocessors);
    let few = |most: usize| Tiling {
        ring: false,
        threads: THREADS,
        vectors: shared.min(rows.n.div_ceil(slice)).clamp(1, most.max(1)),
    };
    let ring = |vectors| Tiling { ring: true, threads: ring::THREADS, vectors };
    let tile = ring::THREADS as usize * T::VECTOR * most(ring::MOST);
    let hopper = info.compute_capability >= (9, 0);
    match variant {
        // Only if every block has several tiles.
        ScanVariant::Best
            if wide && hopper && rows.n >= tile && all >= 4 * tile * multiprocessors =>
        {
            ring(most(ring::MOST))
        }
        ScanVariant::Best => few(most(MOST)),
        #[cfg(test)]
        ScanVariant::Tiles(most) => few(most),
        #[cfg(test)]
        ScanVariant::Ring(vectors) => ring(vectors),
    }
}

/// Builds the launch of a scan.
pub(super) fn plan<'a, T: Scannable>(
    device: &Device,
    x: View<'a, T>,
    y: ViewMut<'a, T>,
    rows: ScanRows,
    (operation, exclusive): (ScanOperation, bool),
    variant: ScanVariant,
    workspace: &Workspace,
) -> Result<Plan<'a>> {
    let ScanRows { rows: count, n, .. } = rows;
    if count == 0 || n == 0 {
        return Ok(Plan::new(vec![], []));
    }
    let wide = wide::<T>(&rows, x.address(), y.address());
    let vector = T::VECTOR;
    if n <= SHORT || rows.step != (1, 1) {
        let lanes = n.div_ceil(vector).next_power_of_two().min(32) as u32;
        let config = ScanConfig { operation, exclusive, wide, vectors: 1, lanes };
        let blocks = grid(count.div_ceil((ROW_THREADS / lanes) as usize))?;
        let launch = T::rows(x, y, &rows, config).grid(blocks).block(ROW_THREADS);
        // SAFETY: the kernel compares elements with the number of rows and their length, and `wide` implies alignment for wide
        // accesses.
        let step = unsafe { launch.prepare_unchecked(device)? };
        return Ok(Plan::new(vec![step], []));
    }
    let Tiling { ring: by_ring, threads, vectors } = tiling::<T>(&rows, wide, device, variant);
    let in_row = n.div_ceil(threads as usize * vector * vectors);
    let tiles = grid(in_row.saturating_mul(count))?;
    let config = ScanConfig { operation, exclusive, wide, vectors, lanes: 32 };
    let words = size_of::<T::Wide>() / 4;
    let mut layout = WorkspaceLayout::default();
    let cells = layout.zeroed::<u64>(if in_row > 1 { tiles as usize * words } else { 0 });
    let tickets = layout.zeroed::<u32>(2);
    let scratch: Scratch = workspace.reserve(&layout)?;
    let space = (scratch.view(cells), scratch.view(tickets));
    let of_rows = (in_row as u32, tiles);
    let multiprocessors = device.info().multiprocessors.max(1);
    let launch = if by_ring {
        let launch = T::ring(x, y, space, &rows, of_rows, config);
        launch
            .grid(multiprocessors.min(tiles))
            .shared_bytes(4 * ring::STAGES * ring::of_tile(config))
    } else {
        let launch = T::tiles(x, y, space, &rows, of_rows, config);
        launch.grid((RESIDENT * multiprocessors).min(tiles))
    };
    // SAFETY: the kernel compares elements with the rows' length; `wide` implies alignment for wide accesses and for copies of
    // whole tiles. The scratch memory has a cell of `words` words per tile if rows have several tiles, and a block uses only
    // tickets below `tiles`.
    let step = unsafe { launch.block(threads).prepare_unchecked(device)? };
    Ok(Plan::new(vec![step], [scratch]))
}

/// The number of blocks or tiles, or an error if it exceeds the limit of a launch.
fn grid(blocks: usize) -> Result<u32> {
    match u32::try_from(blocks) {
        Ok(blocks) if blocks < 1 << 31 => Ok(blocks),
        _ => Err(refuse(
            format!("a scan of {blocks} tiles or groups of rows; the limit is 2^31 - 1"),
            "scan the rows in parts",
        )),
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
                super::kernels::tiles::<$element, V>(x, y, cells, tickets, n, row, in_row, tiles, config)
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
                super::kernels::rows::<$element, V>(x, y, count, n, pair(rows.row), pair(rows.step), config)
            }
        }
    )*};
}

scannable!(i32 u32 i64 u64 f32 f64 f16 bf16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_merge_where_both_tensors_step_over_them_without_a_gap() {
        let axis = |extent, x, y| ScanAxis { extent, strides: (x, y) };
        let all = |extent, x, y| Some(axis(extent, x, y));
        assert_eq!(merged(&[axis(3, 8, 16), axis(4, 2, 4)]), all(12, 2, 4));
        assert_eq!(merged(&[axis(3, 8, 17), axis(4, 2, 4)]), None);
        assert_eq!(merged(&[axis(1, 99, 7), axis(4, 1, 1)]), all(4, 1, 1));
        assert_eq!(merged(&[]), all(1, 1, 1));
    }
}
