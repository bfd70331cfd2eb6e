//! Reduces a strided array to as few dimensions as possible, and distributes the work over the threads of a device.

use super::config::Sharing;
use super::dense::LOADS;
use super::strided::DIMENSIONS;
use lanework::{Error, Result};

/// A dimension: its extent, and its strides in both operands and in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dimension {
    pub extent: usize,
    pub x: usize,
    pub y: usize,
    pub out: usize,
}

/// The dimensions of a reduction, outermost first: the kept and the reduced ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReductionShape {
    pub kept: Vec<Dimension>,
    pub reduced: Vec<Dimension>,
}

/// Sorts dimensions by decreasing step, if their order does not matter.
fn sorted(mut dimensions: Vec<Dimension>) -> Vec<Dimension> {
    dimensions.sort_by_key(|dimension| std::cmp::Reverse((dimension.x, dimension.y)));
    dimensions
}

/// Merges adjacent dimensions if the outer one continues the inner one.
fn merged(dimensions: Vec<Dimension>) -> Vec<Dimension> {
    let mut out: Vec<Dimension> = Vec::new();
    for inner in dimensions.into_iter().filter(|dimension| dimension.extent != 1) {
        match out.last_mut() {
            Some(outer)
                if outer.x == inner.x.saturating_mul(inner.extent)
                    && outer.y == inner.y.saturating_mul(inner.extent)
                    && outer.out == inner.out.saturating_mul(inner.extent) =>
            {
                *outer = Dimension { extent: outer.extent.saturating_mul(inner.extent), ..inner };
            }
            _ => out.push(inner),
        }
    }
    out
}

impl ReductionShape {
    /// Merges dimensions as far as possible; the reduced ones keep their order if positions matter.
    pub fn new(kept: Vec<Dimension>, reduced: Vec<Dimension>, ordered: bool) -> ReductionShape {
        let reduced = if ordered { reduced } else { sorted(reduced) };
        ReductionShape { kept: merged(sorted(kept)), reduced: merged(reduced) }
    }

    /// Number of results.
    pub fn results(&self) -> usize {
        self.kept.iter().map(|dimension| dimension.extent).product()
    }

    /// Number of elements per result.
    pub fn length(&self) -> usize {
        self.reduced.iter().map(|dimension| dimension.extent).fold(1, usize::saturating_mul)
    }

    /// The innermost reduced dimension.
    pub fn inner(&self) -> Dimension {
        self.reduced.last().copied().unwrap_or(Dimension { extent: 1, x: 1, y: 1, out: 0 })
    }

    /// The other reduced dimensions.
    pub fn outer(&self) -> &[Dimension] {
        &self.reduced[..self.reduced.len().saturating_sub(1)]
    }

    /// Whether neighboring results are closer in memory than the elements of one result.
    pub fn has_columns(&self) -> bool {
        self.kept.last().is_some_and(|last| last.x < self.inner().x)
    }

    /// Whether the elements of a result are whole vectors of `count`, if the array is aligned.
    pub fn is_of_vectors(&self, count: usize, both: bool) -> bool {
        let inner = self.inner();
        let whole =
            |d: &Dimension| d.x.is_multiple_of(count) && (!both || d.y.is_multiple_of(count));
        inner.x == 1
            && (!both || inner.y == 1)
            && inner.extent.is_multiple_of(count)
            && self.kept.iter().chain(self.outer()).all(whole)
    }

    /// The shape in units of `count` neighboring results that are adjacent in the first operand, for a kernel with as many results
    /// per thread. `None` if they are not adjacent.
    pub fn of_units(&self, count: usize) -> Option<ReductionShape> {
        let mut shape = self.clone();
        let last = shape.kept.last_mut()?;
        let fits = last.x == 1 && last.extent.is_multiple_of(count) && last.extent > count;
        (last.x, last.extent, last.out) = (count, last.extent / count, last.out * count);
        for dimension in shape.kept.iter_mut().chain(&mut shape.reduced) {
            if !dimension.x.is_multiple_of(count) {
                return None;
            }
            dimension.x /= count;
        }
        Some(shape).filter(|shape| fits && count > 1 && shape.has_columns())
    }

    /// Whether it reduces adjacent elements to one result.
    pub fn is_dense(&self) -> bool {
        let inner = self.inner();
        self.kept.is_empty() && self.reduced.len() <= 1 && inner.x == 1 && inner.y == 1
    }
}

/// Configuration of a launch of the general kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct General {
    pub sharing: Sharing,
    pub blocks: u32,
    pub splits: u32,
    /// Number of threads of a part of a group.
    pub width: u32,
}

/// Minimum number of elements or vectors per result for which a block works on a single result.
const LONG: usize = 1024;
/// Neighboring threads have neighboring results: threads per block, and threads that share a result. With many results
/// a block reads long pieces of rows; with few results, few blocks share a result.
///
/// Measured on an H200 along the columns of 2^28 `f32`: pieces of 128 bytes give 2.0 to 3.1 TB/s if there are many results.
const MANY: (u32, u32) = (256, 2);
const FEW: (u32, u32) = (512, 16);

/// Threads of a block for extrema of rows, or for unaligned rows of 16-bit elements: in small blocks, a warp with long
/// work per load waits less for other warps. On an H200, up to 1.3 times as fast as blocks of 256.
const SMALL: u32 = 128;

/// Distributes a reduction with loads of `unit` elements over the threads of a device; `adds` if it is a sum.
///
/// # Errors
/// If results or elements exceed 32-bit indices, or if there are more dimensions than the kernel supports.
pub(crate) fn general(
    shape: &ReductionShape,
    unit: usize,
    adds: bool,
    multiprocessors: u32,
) -> Result<General> {
    let refuse = |why: String, help: &str| Err(Error::Request { why, help: help.to_owned() });
    let (results, length) = (shape.results(), shape.length());
    if results >= 1 << 31 || length >= 1 << 31 {
        let why = format!(
            "{results} results of {length} elements each; where an array has gaps or several results, the limit of both is 2^31 - 1"
        );
        return refuse(why, "reduce parts of it, and then their results");
    }
    if shape.kept.len() > DIMENSIONS || shape.outer().len() > DIMENSIONS {
        let why = format!(
            "the strides leave {} dimensions of results and {} reduced ones; the limits are {DIMENSIONS} and {}",
            shape.kept.len(),
            shape.reduced.len(),
            DIMENSIONS + 1
        );
        return refuse(why, "copy the array to one without gaps first");
    }
    let (units, inner) = (length / unit, shape.inner().extent / unit);
    let columns = shape.has_columns();
    let many = results >= 64 * multiprocessors as usize;
    let odd_halves = unit == 8 && !shape.is_of_vectors(unit, false);
    let (threads, in_columns) = match (columns, many) {
        (true, false) => FEW,
        (true, true) => MANY,
        (false, _) if unit > 1 && (odd_halves || !adds) => (SMALL, 0),
        (false, _) => (256, 0),
    };
    let loads = if unit == 1 || odd_halves && !columns { 8 } else { 4 };
    let resident = if threads == SMALL && odd_halves { 6 } else { 1024 / threads };
    let room = resident * multiprocessors;
    let few = results * 8 <= room as usize;
    let group = if columns {
        // With fewer columns than threads per block, more threads share each column.
        in_columns.max((threads as usize / results.next_power_of_two()).min(64) as u32)
    } else if units >= LONG || units >= threads as usize && few {
        threads
    } else {
        (units.div_ceil(loads) as u32).next_power_of_two().min(32)
    };
    let width = (inner.div_ceil(loads) as u32).next_power_of_two().min(group);
    let tiles = (results as u32).div_ceil(threads / group);
    let pieces = units / inner.max(1) * inner.div_ceil(loads * width as usize);
    let turns = pieces.div_ceil((group / width) as usize) as u32;
    let splits = (room / tiles.max(1)).min(turns).max(1);
    let sharing = Sharing {
        threads,
        resident,
        loads: loads as u32,
        vectors: unit > 1,
        peeled: unit > 1 && !shape.is_of_vectors(unit, false),
        group,
        columns,
        split: splits > 1,
        kept: shape.kept.len() as u32,
        outer: shape.outer().len() as u32,
    };
    Ok(General { sharing, blocks: tiles * splits, splits, width })
}

/// Minimum number of vectors with which a launch saturates the device's memory.
const LARGE: u64 = 1 << 21;

/// Distributes a dense array of this many 16-byte vectors, of one operand or two, over the threads of a device; returns the number
/// of blocks, too.
///
/// Measured on an H200: up to some MB, one block of 512 threads per multiprocessor, each thread with up to 8 vectors, all in
/// flight; above that, two such blocks. Because of the registers for 8 vectors, no third block fits, so the blocks of an
/// overlapping next launch are spread as evenly.
pub(crate) fn dense(vectors: u64, operands: u32, multiprocessors: u32) -> (Sharing, u32) {
    let most = LOADS as u64 / u64::from(operands);
    let large = vectors >= LARGE;
    let (threads, resident) = (512, if large { 2 } else { 1 });
    let all = u64::from(resident * multiprocessors);
    let loads = vectors.div_ceil(all * u64::from(threads)).next_power_of_two().clamp(1, most);
    let blocks = vectors.div_ceil(loads * u64::from(threads)).clamp(1, all) as u32;
    let sharing = Sharing {
        threads,
        resident,
        loads: loads as u32,
        vectors: true,
        peeled: false,
        group: threads,
        columns: false,
        split: blocks > 1,
        kept: 0,
        outer: 0,
    };
    (sharing, blocks)
}
