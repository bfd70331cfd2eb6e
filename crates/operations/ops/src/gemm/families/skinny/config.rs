//! Compile-time configuration and shared helpers of the skinny kernels.

use lanework::prelude::*;

/// Threads of a block.
pub(super) const THREADS: u32 = 256;
pub(super) const WARPS: u32 = THREADS / 32;
/// Lines per block of `sums`, 4 per lane.
pub(super) const GROUP: u32 = 128;
/// Compile-time configuration of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SkinnyConfig {
    /// Vectors, 1 to 8.
    pub vectors: u32,
    /// Whether elements along k are adjacent; otherwise the elements of a step are.
    pub along_k: bool,
    /// Whether the matrix consists of aligned groups of four elements, as do the vectors along k.
    pub wide: bool,
    pub wide_vectors: bool,
    /// Lines per warp, and warps that share their k steps.
    pub lines: u32,
    pub share: u32,
    /// 128-step pieces of a line in flight.
    pub deep: u32,
    /// Blocks of a cluster that share the k steps.
    pub splits: u32,
}

impl SkinnyConfig {
    /// Lines of a block.
    pub const fn lines_of_block(self) -> u32 {
        if self.along_k { WARPS / self.share * self.lines } else { GROUP }
    }
}

/// The sum over the lanes of a warp, in every lane.
#[device]
pub(super) fn over_lanes<S: Float>(value: S) -> S {
    let mut sum = value;
    #[unroll]
    for i in 0..5u32 {
        sum += shfl_xor_sync(FULL_MASK, sum, 16 >> i);
    }
    sum
}

/// Four adjacent elements, in accesses of at most 16 bytes.
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

/// Four elements of a vector from step `at` on, zero-filled from `k` on.
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
            // Load the last step instead of branching.
            let value = load_nc(&b[place + (at + e).min(k - 1) * stride]);
            values[e] = if at + e < k { value } else { S::ZERO };
        }
    }
    values
}
