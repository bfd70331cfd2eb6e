//! What of the kernels for a matrix and a few vectors is constant, and what they share.

use lanework::prelude::*;

/// Threads of a block.
pub(super) const THREADS: u32 = 256;
pub(super) const WARPS: u32 = THREADS / 32;
/// Lines that a block of `sums` has, 4 per lane.
pub(super) const GROUP: u32 = 128;
/// What of a kernel is constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// Vectors, 1 to 8.
    pub vectors: u32,
    /// Whether the elements of a line along k are adjacent, or those of a step.
    pub along_k: bool,
    /// Whether the matrix consists of aligned groups of four elements, and the vectors along k.
    pub wide: bool,
    pub wide_vectors: bool,
    /// Lines of a warp, and warps that share the steps of their lines.
    pub lines: u32,
    pub share: u32,
    /// Pieces of 128 steps of a line that are on their way at a time.
    pub deep: u32,
    /// Blocks of a cluster that share the steps of their lines.
    pub splits: u32,
}

impl Form {
    /// Lines of a block.
    pub const fn lines_of_block(self) -> u32 {
        if self.along_k { WARPS / self.share * self.lines } else { GROUP }
    }
}

/// The sum of a value over the lanes of a warp, in every lane.
#[device]
pub(super) fn over_lanes<S: Float>(value: S) -> S {
    let mut sum = value;
    #[unroll]
    for i in 0..5u32 {
        sum += shfl_xor_sync(FULL_MASK, sum, 16 >> i);
    }
    sum
}

/// Four adjacent elements, by accesses of 16 bytes at most.
#[device]
pub(super) fn four<S: Float>(x: &[S], at: u32) -> [S; 4] {
    let mut values = [S::ZERO; 4];
    #[unroll]
    for half in 0..2u32 {
        if size_of::<S>() == 8 {
            let two = x.load_vec::<2>(at + 2 * half);
            values[2 * half] = two[0];
            values[2 * half + 1] = two[1];
        }
    }
    if size_of::<S>() == 4 {
        values = x.load4(at);
    }
    values
}

/// Four elements of a vector from step `at` on; 0 where `at` is not below `k`.
#[device]
pub(super) fn of_vector<S: Float>(
    b: &[S],
    place: u32,
    stride: u32,
    at: u32,
    k: u32,
    #[constant] wide: bool,
) -> [S; 4] {
    let mut values = [S::ZERO; 4];
    if wide {
        if at < k {
            values = four::<S>(b, place + at);
        }
    } else {
        #[unroll]
        for e in 0..4u32 {
            // A load of the last step instead of a branch.
            let value = load_nc(&b[place + (at + e).min(k - 1) * stride]);
            values[e] = if at + e < k { value } else { S::ZERO };
        }
    }
    values
}
