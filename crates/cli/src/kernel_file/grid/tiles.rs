//! How many blocks cover an array, from the bytes that one block touches.
//!
//! A block's footprint is a set of byte ranges. The next block on an axis touches the same set, moved by that axis's step.
//! The blocks of an axis end where their footprints would reach a range that other blocks cover: the next row of the block's
//! own footprint, the first block of an axis with a larger step, or the end of the array.

/// A number for each axis.
pub type Axes = [u32; 3];

/// Ranges of bytes `[start, end)`, sorted and disjoint.
pub type Spans = Vec<(u64, u64)>;

/// The part of one array that a block touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The argument.
    pub argument: usize,
    /// The size of its array in bytes.
    pub bytes: u64,
    /// Offsets that block 0 touches.
    pub spans: Spans,
    /// Bytes from a block to the next one on each axis.
    pub strides: [i64; 3],
    /// Whether these are stores or atomics.
    pub writes: bool,
    /// Whether `spans` holds all that the block touches, in every grid.
    pub whole: bool,
}

/// Where the blocks of an axis end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The footprint does not move on this axis.
    Still,
    /// At the next row of the block's own footprint.
    AtRow,
    /// At the first block of an axis with a larger step.
    AtAxis,
    /// At the end of the array.
    AtArray,
}

/// The blocks of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Their number.
    pub blocks: u32,
    /// Where they end.
    pub ends: Ends,
    /// Whether the last one passes that end, unless the kernel guards it.
    pub passes: bool,
}

impl Footprint {
    /// The blocks on each axis, or nothing if the footprint does not decide.
    pub fn blocks(&self) -> Option<[Count; 3]> {
        let [x, y, z] = [0, 1, 2].map(|axis| self.count(axis));
        let counts = [x?, y?, z?];
        // The larger step ends a row only if the block covers all rows up to it.
        let sure = self.whole || counts.iter().all(|count| count.ends != Ends::AtAxis);
        sure.then_some(counts)
    }

    /// The blocks on one axis, or nothing if the footprint does not decide.
    fn count(&self, axis: usize) -> Option<Count> {
        let step = self.strides[axis].unsigned_abs();
        if step == 0 {
            return Some(Count { blocks: 1, ends: Ends::Still, passes: false });
        }
        let is_only = self.strides.iter().filter(|step| **step != 0).count() == 1;
        if 2 * self.shared_with_next(step) >= length(&self.spans) {
            // Most of the next block's part is this one's: it wraps into the rows of this block, or reads a wide halo.
            match (self.writes, is_only) {
                (true, false) => {
                    return Some(Count { blocks: 1, ends: Ends::AtRow, passes: false });
                }
                (false, true) => {}
                _ => return None,
            }
        }
        let core = self.core();
        let start = core.first().map_or(0, |first| first.0);
        // Holes that are smaller than a step belong to the block's own part.
        let row = core.windows(2).find(|pair| pair[1].0 - pair[0].1 >= step).map(|pair| pair[1].0);
        let larger = (0..3).filter(|other| *other != axis).map(|other| {
            let other_step = self.strides[other].unsigned_abs();
            let is_larger = other_step > step || other_step == step && other > axis;
            if is_larger { other_step } else { 0 }
        });
        let larger = larger.filter(|step| *step > 0).min();
        let array = self.extent(axis, &core);
        let [row, larger] = [row.map(|at| at - start), larger].map(|at| at.unwrap_or(u64::MAX));
        let (reach, ends) = match () {
            () if array <= row.min(larger) => (array, Ends::AtArray),
            () if row <= larger => (row, Ends::AtRow),
            () => (larger, Ends::AtAxis),
        };
        let blocks = u32::try_from(reach.div_ceil(step)).unwrap_or(u32::MAX).max(1);
        Some(Count { blocks, ends, passes: !reach.is_multiple_of(step) })
    }

    /// The bytes that a block and the next one both touch, at this step.
    fn shared_with_next(&self, step: u64) -> u64 {
        let moved: Spans = self.spans.iter().map(|(a, b)| (a + step, b + step)).collect();
        length(&self.spans) - length(&without(&self.spans, &moved))
    }

    /// The bytes from the first block to the end of the array, on an axis.
    fn extent(&self, axis: usize, core: &Spans) -> u64 {
        let step = self.strides[axis];
        let span = |spans: &Spans| match (spans.first(), spans.last()) {
            (Some(first), Some(last)) => last.1 - first.0,
            _ => 0,
        };
        // Neighbors overlap by this much, so the last block needs it, too.
        let halo = span(&self.spans).saturating_sub(span(core));
        let first = core.first().map_or(0, |first| first.0);
        let to_end = match step > 0 {
            // A part of the array that begins later, such as the second of three planes.
            true => self.bytes - first / step.unsigned_abs() * step.unsigned_abs(),
            false => core.last().map_or(self.bytes, |last| last.1),
        };
        to_end.saturating_sub(halo).max(1)
    }

    /// The bytes that the next block of no axis touches: the footprint without its halo.
    fn core(&self) -> Spans {
        let steps = self.strides.iter().map(|step| step.unsigned_abs()).filter(|step| *step > 0);
        let core = steps.fold(self.spans.clone(), |left, step| {
            let moved: Spans = self.spans.iter().map(|(a, b)| (a + step, b + step)).collect();
            without(&left, &moved)
        });
        if core.is_empty() { self.spans.clone() } else { core }
    }

    /// Whether a block of this grid touches the byte at this offset.
    pub fn covers(&self, grid: Axes, offset: u64) -> bool {
        let mut order = [0, 1, 2];
        order.sort_by_key(|axis| std::cmp::Reverse(self.strides[*axis].unsigned_abs()));
        self.covers_on(&order, grid, offset.cast_signed())
    }

    fn covers_on(&self, axes: &[usize], grid: Axes, offset: i64) -> bool {
        let Some((axis, rest)) = axes.split_first() else {
            return u64::try_from(offset).is_ok_and(|at| contains(&self.spans, at));
        };
        let step = self.strides[*axis];
        if step == 0 {
            return self.covers_on(rest, grid, offset);
        }
        // The offset less this axis's share must be in reach of the footprint and the axes with smaller steps.
        let (mut low, mut high) = match (self.spans.first(), self.spans.last()) {
            (Some(first), Some(last)) => (first.0.cast_signed(), last.1.cast_signed()),
            _ => return false,
        };
        for other in rest {
            let reach = self.strides[*other] * i64::from(grid[*other] - 1);
            (low, high) = (low + reach.min(0), high + reach.max(0));
        }
        let bounds = [(offset - high).div_euclid(step), (offset - low).div_euclid(step)];
        let from = bounds[0].min(bounds[1]).max(0);
        let to = (bounds[0].max(bounds[1]) + 1).min(i64::from(grid[*axis]) - 1);
        (from..=to).any(|index| self.covers_on(rest, grid, offset - index * step))
    }
}

/// The bytes of a set.
fn length(spans: &Spans) -> u64 {
    spans.iter().map(|(start, end)| end - start).sum()
}

/// Sorts ranges and joins those that touch.
pub fn joined(mut spans: Spans) -> Spans {
    spans.sort_unstable();
    let mut joined: Spans = Vec::new();
    for (start, end) in spans {
        match joined.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// Whether two sets have a byte in common.
pub fn overlap(ours: &Spans, theirs: &Spans) -> bool {
    let at = |start: u64| theirs.partition_point(|span| span.1 <= start);
    ours.iter().any(|(start, end)| theirs.get(at(*start)).is_some_and(|span| span.0 < *end))
}

fn contains(spans: &Spans, at: u64) -> bool {
    let after = spans.partition_point(|span| span.1 <= at);
    spans.get(after).is_some_and(|span| span.0 <= at)
}

/// The first set without the second.
fn without(ours: &Spans, theirs: &Spans) -> Spans {
    let mut left = Vec::new();
    for (start, end) in ours {
        let mut from = *start;
        let first = theirs.partition_point(|span| span.1 <= from);
        for (a, b) in theirs[first..].iter().take_while(|span| span.0 < *end) {
            if *a > from {
                left.push((from, *a));
            }
            from = from.max(*b);
        }
        if from < *end {
            left.push((from, *end));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of a tile of an array with this pitch, in bytes.
    fn tile(rows: u64, width: u64, pitch: u64) -> Spans {
        joined((0..rows).map(|row| (row * pitch, row * pitch + width)).collect())
    }

    fn footprint(spans: Spans, bytes: u64, strides: [i64; 3]) -> Footprint {
        Footprint { argument: 0, bytes, spans, strides, writes: true, whole: true }
    }

    fn blocks(footprint: &Footprint) -> Option<Axes> {
        Some(footprint.blocks()?.map(|count| count.blocks))
    }

    #[test]
    fn tiles_of_every_shape_cover_the_array_once() {
        for rows in [1u64, 2, 5, 32] {
            for width in [4u64, 36, 128] {
                for (nx, ny) in [(1u64, 1u64), (1, 7), (5, 3), (12, 2)] {
                    let (pitch, bytes) = (width * nx, width * nx * rows * ny);
                    let strides = [width as i64, (rows * pitch) as i64, 0];
                    let one = footprint(tile(rows, width, pitch), bytes, strides);
                    let found = blocks(&one).unwrap();
                    // The step of an axis with one block is not in the data; its count is.
                    assert_eq!(found, [nx as u32, ny as u32, 1], "{rows} {width} {nx} {ny}");
                    let grid = found;
                    assert!((0..bytes).all(|at| one.covers(grid, at)));
                    let less = [nx as u32, ny as u32 - 1, 1];
                    assert!(ny == 1 || !one.covers(less, bytes - 1));
                }
            }
        }
    }

    #[test]
    fn a_halo_and_a_reversed_axis_do_not_change_the_number() {
        // 32 columns and 8 rows a block, and one more row and column on the far side.
        let one = footprint(tile(9, 132, 1024), 64 * 1024, [128, 8 * 1024, 0]);
        assert_eq!(blocks(&one), Some([8, 8, 1]));
        let moved = tile(8, 128, 1024).iter().map(|(a, b)| (a + 896, b + 896)).collect();
        assert_eq!(blocks(&footprint(moved, 64 * 1024, [-128, 8 * 1024, 0])), Some([8, 8, 1]));
    }

    #[test]
    fn part_of_a_footprint_does_not_decide_two_axes() {
        let mut one = footprint(tile(1, 128, 1024), 64 * 1024, [128, 32 * 1024, 0]);
        one.whole = false;
        assert_eq!(blocks(&one), None);
        one.strides[1] = 0;
        assert_eq!(blocks(&one), Some([512, 1, 1]));
    }

    #[test]
    fn sets_are_subtracted_and_compared() {
        let ours = vec![(0, 10), (20, 30)];
        assert_eq!(without(&ours, &vec![(2, 4), (8, 22), (29, 40)]), [(0, 2), (4, 8), (22, 29)]);
        assert!(overlap(&ours, &vec![(15, 16), (29, 31)]));
        assert!(!overlap(&ours, &vec![(10, 20), (30, 31)]));
        assert_eq!(joined(vec![(4, 8), (0, 4), (9, 10)]), [(0, 8), (9, 10)]);
    }
}
