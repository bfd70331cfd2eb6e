//! Reduces a permutation to its memory axes: the fewest axes with the widest units, with strides in source and output.

/// An axis: its extent, and its strides in the source and in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub extent: u64,
    pub from: u64,
    pub to: u64,
}

/// Axes by decreasing output stride; strides are in units of `unit` bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Axes {
    /// 1, 2, 4, 8 or 16.
    pub unit: u64,
    pub axes: Vec<Axis>,
}

/// Widest unit, in bytes.
const WIDEST: u64 = 16;

impl Axes {
    /// The axes of an array of `size`-byte elements, with strides in elements. `addresses` contains both arrays' addresses, and anything
    /// else that must be a multiple of the unit.
    pub(super) fn new(
        size: usize,
        shape: &[usize],
        from: &[usize],
        to: &[usize],
        addresses: &[u64],
    ) -> Axes {
        let size = size as u64;
        let axes = shape.iter().zip(from.iter().zip(to)).map(|(extent, (from, to))| Axis {
            extent: *extent as u64,
            from: *from as u64 * size,
            to: *to as u64 * size,
        });
        let mut axes: Vec<Axis> = axes.filter(|axis| axis.extent > 1).collect();
        axes.push(Axis { extent: size, from: 1, to: 1 });
        axes.sort_by_key(|axis| std::cmp::Reverse(axis.to));
        let mut merged: Vec<Axis> = Vec::new();
        for axis in axes {
            match merged.last_mut() {
                Some(outer) if joins(outer, &axis) => {
                    *outer = Axis { extent: outer.extent * axis.extent, ..axis }
                }
                _ => merged.push(axis),
            }
        }
        let (run, outer) = match merged.split_last() {
            Some((run, outer)) => (run.extent, outer),
            None => (1, &[][..]),
        };
        let strides = outer.iter().flat_map(|axis| [axis.from, axis.to]);
        let together =
            strides.chain(addresses.iter().copied()).fold(run | WIDEST, |bits, n| bits | n);
        let unit = 1 << together.trailing_zeros();
        let scaled = outer.iter().map(|axis| Axis {
            extent: axis.extent,
            from: axis.from / unit,
            to: axis.to / unit,
        });
        let inner = Axis { extent: run / unit, from: 1, to: 1 };
        let axes = scaled.chain((inner.extent > 1).then_some(inner)).collect();
        Axes { unit, axes }
    }

    /// The indices of the adjacent axes of source and output, if they differ.
    pub(super) fn crossing(&self) -> Option<(usize, usize)> {
        let last = self.axes.len().checked_sub(1)?;
        let adjacent = self.axes.iter().position(|axis| axis.from == 1)?;
        (self.axes[last].to == 1 && adjacent != last).then_some((adjacent, last))
    }
}

/// Whether the outer axis continues the inner one in both arrays.
fn joins(outer: &Axis, inner: &Axis) -> bool {
    outer.from == inner.from * inner.extent && outer.to == inner.to * inner.extent
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(extent: u64, from: u64, to: u64) -> Axis {
        Axis { extent, from, to }
    }

    #[test]
    fn axes_that_follow_each_other_in_both_arrays_are_one() {
        // A copy without gaps moves 16 bytes at a time.
        let copy = Axes::new(4, &[2, 3, 8], &[24, 8, 1], &[24, 8, 1], &[0, 256]);
        assert_eq!(copy, Axes { unit: 16, axes: vec![axis(12, 1, 1)] });
        // (a, b, c) to (c, a, b) is the transpose of an (a b) x c matrix.
        let turned = Axes::new(4, &[5, 2, 3], &[1, 15, 5], &[6, 3, 1], &[0, 256]);
        assert_eq!(turned, Axes { unit: 4, axes: vec![axis(5, 1, 6), axis(6, 5, 1)] });
        assert_eq!(turned.crossing(), Some((0, 1)));
        // Pixels of four bytes move as words.
        let pixels = Axes::new(1, &[7, 5, 4], &[4, 28, 1], &[20, 4, 1], &[0, 256]);
        assert_eq!(pixels, Axes { unit: 4, axes: vec![axis(7, 1, 5), axis(5, 7, 1)] });
        // An address that is not a multiple of 16 makes the unit smaller.
        let odd = Axes::new(4, &[64], &[1], &[1], &[8, 256]);
        assert_eq!(odd, Axes { unit: 8, axes: vec![axis(32, 1, 1)] });
        // A single element.
        assert_eq!(Axes::new(8, &[1, 1], &[9, 9], &[1, 1], &[0, 0]).axes, []);
    }
}
