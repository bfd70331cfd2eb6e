//! Reduces a permutation to as few axes and as wide units as possible, with strides in source and output.
//!
//! [`Matrices`] holds the matrix that a permutation transposes, and the outer axes. Kernels decompose the index of a
//! thread or block into axis indices by [`Digit`]s, a mixed-radix representation.
//!
//! Divisions by extents that are unknown at compile time become multiplications (Granlund and Montgomery, "Division by invariant
//! integers using multiplication", 1994): for n < 2^31, n / d = (mulhi(n, m) + n) >> s with s = ceil(log2 d) and m = floor(2^32
//! (2^s - d) / d) + 1.

use lanework::prelude::*;
use lanework::{Error, Result};

/// An axis: its extent, and its strides in the source and in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemoryAxis {
    pub extent: u64,
    pub from: u64,
    pub to: u64,
}

/// Axes by decreasing output stride; strides are in units of `unit` bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Axes {
    /// 1, 2, 4, 8 or 16.
    pub unit: u64,
    pub axes: Vec<MemoryAxis>,
}

/// Widest unit, in bytes.
const WIDEST: u64 = 16;

impl Axes {
    /// The axes of an array of `size`-byte elements, with strides in elements. `addresses` contains both arrays' addresses, and all
    /// other numbers that must be multiples of the unit.
    pub(super) fn new(
        size: usize,
        shape: &[usize],
        from: &[usize],
        to: &[usize],
        addresses: &[u64],
    ) -> Axes {
        let size = size as u64;
        let axes = shape.iter().zip(from.iter().zip(to)).map(|(extent, (from, to))| MemoryAxis {
            extent: *extent as u64,
            from: *from as u64 * size,
            to: *to as u64 * size,
        });
        let mut axes: Vec<MemoryAxis> = axes.filter(|axis| axis.extent > 1).collect();
        axes.push(MemoryAxis { extent: size, from: 1, to: 1 });
        axes.sort_by_key(|axis| std::cmp::Reverse(axis.to));
        let mut merged: Vec<MemoryAxis> = Vec::new();
        for axis in axes {
            match merged.last_mut() {
                Some(outer) if joins(outer, &axis) => {
                    *outer = MemoryAxis { extent: outer.extent * axis.extent, ..axis }
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
        let scaled = outer.iter().map(|axis| MemoryAxis {
            extent: axis.extent,
            from: axis.from / unit,
            to: axis.to / unit,
        });
        let inner = MemoryAxis { extent: run / unit, from: 1, to: 1 };
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
fn joins(outer: &MemoryAxis, inner: &MemoryAxis) -> bool {
    outer.from == inner.from * inner.extent && outer.to == inner.to * inner.extent
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(extent: u64, from: u64, to: u64) -> MemoryAxis {
        MemoryAxis { extent, from, to }
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
        // A misaligned address (not a multiple of 16) makes the unit smaller.
        let odd = Axes::new(4, &[64], &[1], &[1], &[8, 256]);
        assert_eq!(odd, Axes { unit: 8, axes: vec![axis(32, 1, 1)] });
        // A single element.
        assert_eq!(Axes::new(8, &[1, 1], &[9, 9], &[1, 1], &[0, 0]).axes, []);
    }
}

/// Bytes of the word that tiled kernels index.
pub(super) const WORD: u64 = 4;

/// Maximum number of elements of an axis, and of blocks, that kernels can count.
pub(super) const MOST: u64 = (1 << 31) - 1;
/// Bytes of a sector, the unit of traffic between multiprocessors and memory.
pub(super) const SECTOR: u64 = 32;

/// The matrix inside a permutation and the outer axes, outermost first; strides in units.
pub(super) struct Matrices {
    pub rows: MemoryAxis,
    pub cols: MemoryAxis,
    outer: Vec<MemoryAxis>,
    pub unit: u64,
}

impl Matrices {
    pub fn new(axes: &Axes) -> Option<Matrices> {
        let (adjacent, last) = axes.crossing()?;
        let others = axes.axes.iter().enumerate().filter(|(i, _)| ![adjacent, last].contains(i));
        Some(Matrices {
            rows: axes.axes[last],
            cols: axes.axes[adjacent],
            outer: others.map(|(_, axis)| *axis).collect(),
            unit: axes.unit,
        })
    }

    /// Whether every row of the source (or output) starts and ends at a multiple of `bytes`.
    pub fn aligned(&self, bytes: u64, address: u64, output: bool) -> bool {
        let (stride, extent) = match output {
            false => (self.rows.from, self.cols.extent),
            true => (self.cols.to, self.rows.extent),
        };
        let outer = self.outer.iter().map(|axis| if output { axis.to } else { axis.from });
        let units = outer.chain([stride, extent]).fold(0, |bits, n| bits | n);
        (units * self.unit).is_multiple_of(bytes) && address.is_multiple_of(bytes)
    }

    /// Whether the source has no gaps.
    pub fn gapless(&self) -> bool {
        gapless(self.outer.iter().chain([&self.rows, &self.cols]))
    }

    /// The number of `down` x `across` tiles that cover all matrices.
    pub fn tiles(&self, down: u64, across: u64) -> u64 {
        let outer =
            self.outer.iter().fold(1u64, |product, axis| product.saturating_mul(axis.extent));
        outer.saturating_mul(self.rows.extent.div_ceil(down) * self.cols.extent.div_ceil(across))
    }

    /// The block digits: `first` and `second` of each matrix, then the outer axes, with strides in `step` bytes. Also
    /// returns the number of blocks.
    pub fn blocks(&self, first: u64, second: u64, step: u64) -> Result<([Digit; 8], u32)> {
        let mut digits = [Digit::new(1, 0, 0); 8];
        digits[0] = Digit::new(first as u32, 0, 0);
        digits[1] = Digit::new(second as u32, 0, 0);
        for (place, axis) in digits[2..].iter_mut().zip(self.outer.iter().rev()) {
            let [from, to] = [axis.from, axis.to].map(|stride| stride * self.unit / step);
            *place = Digit::new(axis.extent as u32, from, to);
        }
        let outer = self.outer.iter().map(|axis| axis.extent);
        let blocks = outer.fold(first.saturating_mul(second), u64::saturating_mul);
        if blocks > MOST { Err(too_large()) } else { Ok((digits, blocks as u32)) }
    }

    /// Whether the tiled kernels can count the extents.
    pub fn countable(&self) -> bool {
        let extents = self.outer.iter().chain([&self.rows, &self.cols]);
        extents.map(|axis| axis.extent).all(|extent| extent <= MOST)
    }

    /// The matrix with strides in `step` bytes and its output at `address`.
    pub fn plane(&self, step: u64, address: u64) -> Plane {
        let [from, to] = [self.rows.from, self.cols.to].map(|stride| stride * self.unit / step);
        let skew = (address % SECTOR / self.unit) as u32;
        let [rows, cols] = [&self.rows, &self.cols].map(|axis| axis.extent as u32);
        Plane { rows, cols, from, to, skew, reserved: 0 }
    }

    pub fn count(&self) -> u32 {
        self.outer.len() as u32
    }
}

/// Whether a source with these axes has no gaps.
pub(super) fn gapless<'a>(axes: impl Iterator<Item = &'a MemoryAxis> + Clone) -> bool {
    let elements = axes.clone().fold(1u64, |product, axis| product.saturating_mul(axis.extent));
    let span = axes
        .fold(1u64, |sum, axis| sum.saturating_add((axis.extent - 1).saturating_mul(axis.from)));
    elements == span
}

/// The error for more work than a launch can have.
pub(super) fn too_large() -> Error {
    Error::Request {
        why: "this permutation has more than 2^31 blocks of work".to_owned(),
        help: "permute the array in parts".to_owned(),
    }
}

/// A matrix to transpose: extents and row strides.
#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Plane {
    /// Rows of the source: adjacent elements of the output.
    pub rows: u32,
    /// Columns of the source: adjacent elements of the source.
    pub cols: u32,
    /// Source row stride in words.
    pub from: u64,
    /// Output row stride in words.
    pub to: u64,
    /// Elements from a sector's start to the output's first element, if it is divided at sectors.
    pub skew: u32,
    /// Always zero.
    pub reserved: u32,
}

/// An axis: its extent, division constants, and its strides in the source and in the output.
#[device]
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Digit {
    pub extent: u32,
    pub magic: u32,
    pub shift: u32,
    /// Unused.
    pub reserved: u32,
    pub from: u64,
    pub to: u64,
}

impl Digit {
    /// An axis of 1 to 2^31 elements.
    pub(super) fn new(extent: u32, from: u64, to: u64) -> Digit {
        let shift = extent.next_power_of_two().trailing_zeros();
        let beyond = (1u64 << shift) - u64::from(extent);
        let magic = ((beyond << 32) / u64::from(extent) + 1) as u32;
        Digit { extent, magic, shift, reserved: 0, from, to }
    }
}

/// `n / digit.extent`, for an `n` under 2^31.
#[device]
pub(super) fn quotient(n: u32, digit: Digit) -> u32 {
    (mul_hi(n, digit.magic) + n) >> digit.shift
}

/// The offsets in source and output of unit `unit` of `total`; `digits` are the axes, innermost first.
#[device]
pub(super) fn places(
    unit: usize,
    total: usize,
    digits: [Digit; 8],
    #[constant] axes: u32,
) -> (usize, usize) {
    let (mut from, mut to) = (0usize, 0usize);
    let mut rest = unit;
    #[unroll]
    for i in 0..axes {
        let digit = digits[i];
        let mut index = rest;
        if i + 1 < axes {
            let next = if total < 1 << 31 {
                quotient(rest as u32, digit) as usize
            } else {
                rest / digit.extent as usize
            };
            index = rest - next * digit.extent as usize;
            rest = next;
        }
        from += index * digit.from as usize;
        to += index * digit.to as usize;
    }
    (from, to)
}

/// Decomposes block number `block`: its first two digits count parts of a matrix, and the `outer` digits after them give the
/// matrix's offsets in source and output.
#[device]
pub(super) fn part_of(
    block: u32,
    digits: [Digit; 8],
    #[constant] outer: u32,
) -> ((u32, u32), (usize, usize)) {
    let columns = quotient(block, digits[0]);
    let first = block - columns * digits[0].extent;
    let mut rest = quotient(columns, digits[1]);
    let second = columns - rest * digits[1].extent;
    let (mut from, mut to) = (0usize, 0usize);
    #[unroll]
    for i in 0..outer {
        let digit = digits[2 + i];
        let next = quotient(rest, digit);
        let index = (rest - next * digit.extent) as usize;
        from += index * digit.from as usize;
        to += index * digit.to as usize;
        rest = next;
    }
    ((first, second), (from, to))
}

#[cfg(test)]
mod digits_tests {
    use super::*;

    #[test]
    fn quotients_equal_integer_division() {
        let edges = [
            1u32,
            2,
            3,
            5,
            7,
            10,
            63,
            64,
            65,
            641,
            65_535,
            65_536,
            65_537,
            1 << 30,
            (1 << 31) - 1,
            1 << 31,
        ];
        for d in edges {
            let digit = Digit::new(d, 0, 0);
            for n in edges
                .iter()
                .flat_map(|n| [n - 1, *n, n.wrapping_mul(d), n.wrapping_mul(d).wrapping_sub(1)])
            {
                let n = n % (1 << 31);
                assert_eq!(quotient(n, digit), n / d, "{n} / {d}");
            }
        }
    }
}
