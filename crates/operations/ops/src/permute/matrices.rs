//! The matrix that a permutation transposes, and the outer axes.

use super::axes::{Axes, Axis};
use super::digits::Digit;
use super::tile::Plane;
use lanework::{Error, Result};

/// Bytes of the word that tiled kernels index.
pub(super) const WORD: u64 = 4;

/// The most elements of an axis, and the most blocks, that kernels can count.
pub(super) const MOST: u64 = (1 << 31) - 1;
/// Bytes of a sector, the unit of traffic between multiprocessors and memory.
pub(super) const SECTOR: u64 = 32;

/// The matrix inside a permutation and the outer axes, outermost first; strides in units.
pub(super) struct Matrices {
    pub rows: Axis,
    pub cols: Axis,
    outer: Vec<Axis>,
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

    /// The block digits: `first` and `second` of each matrix, then the outer axes, with strides in `step` bytes; and the number of
    /// blocks.
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
pub(super) fn gapless<'a>(axes: impl Iterator<Item = &'a Axis> + Clone) -> bool {
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
