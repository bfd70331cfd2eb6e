//! The matrix and the vectors on a device.

use lanework::prelude::*;

/// A product of a matrix and a vector.
pub struct Operands {
    /// Rows of A, elements of y.
    pub rows: u32,
    /// Columns of A, elements of x.
    pub cols: u32,
    /// A by rows, under 2^32 elements.
    pub a: Buffer<f32>,
    /// The vector that A is multiplied by.
    pub x: Buffer<f32>,
    /// The result.
    pub y: Buffer<f32>,
}

impl Operands {
    /// Whether rows consist of aligned vectors of four.
    pub(super) fn wide(&self) -> bool {
        self.cols.is_multiple_of(4)
    }
}

/// The sum of a warp's values, in each lane.
#[device]
pub(super) fn of_warp(value: f32) -> f32 {
    let mut sum = value;
    #[unroll]
    for bits in [16u32, 8, 4, 2, 1] {
        sum += shfl_xor_sync(FULL_MASK, sum, bits);
    }
    sum
}
