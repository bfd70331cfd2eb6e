//! The problem of softmax and the norms, a matrix processed row by row, and helpers that their rungs share.

use lanework::prelude::*;
use lanework::{Error, Prepared, Result};
use lanework_ops::Plan;

/// Maximum number of elements, which keeps 32-bit indices from overflowing.
pub const LONGEST: u64 = 1 << 31;

/// A matrix on a device, and a matrix of the same shape for the results.
pub struct Rows {
    /// The matrix, by rows.
    pub x: Buffer<f32>,
    /// The results.
    pub y: Buffer<f32>,
    /// A factor for each column; empty for softmax.
    pub gamma: Buffer<f32>,
    /// A summand for each column; empty for softmax and RMS norm.
    pub beta: Buffer<f32>,
    /// Rows.
    pub rows: u32,
    /// Columns.
    pub cols: u32,
    /// Added to the variance or the mean square.
    pub eps: f32,
}

/// Threads per block of the rungs with one block per row.
pub(crate) const THREADS: u32 = 256;
/// Maximum number of elements that a thread holds in registers.
pub(crate) const HELD: usize = 16;

impl Rows {
    /// Threads of a block that holds a row in registers, with `each` elements per access, and the accesses per
    /// thread.
    ///
    /// # Errors
    /// If a row is too long for a block.
    pub(crate) fn held(&self, ladder: &str, each: u32) -> Result<(u32, usize)> {
        let accesses = self.cols.div_ceil(each);
        let most = HELD as u32 / each;
        let threads = accesses.div_ceil(most).next_multiple_of(32).max(32);
        if threads > 1024 {
            return Err(Error::Launch {
                kernel: ladder.to_owned(),
                why: format!("a block's registers hold 16384 numbers, not a row of {}", self.cols),
                help: "choose another rung, or fewer columns".to_owned(),
            });
        }
        Ok((threads, accesses.div_ceil(threads).max(1) as usize))
    }
}

/// The sum or the maximum of the values of a block's threads, in every thread: by shuffles, then over the warps.
/// Consecutive calls use different rows of `space`.
#[device]
pub(crate) fn of_block(
    value: f32,
    space: Shared<f32, 2>,
    #[constant] row: u32,
    #[constant] most: bool,
    #[constant] threads: u32,
) -> f32 {
    let warps = threads / 32;
    let (lane, warp) = (thread_idx.x % 32, thread_idx.x / 32);
    let mut all = value;
    #[unroll]
    for bits in [16u32, 8, 4, 2, 1] {
        let other = shfl_xor_sync(FULL_MASK, all, bits);
        all = if most { all.max(other) } else { all + other };
    }
    if lane == 0 {
        space[[row, warp]] = all;
    }
    sync_threads();
    all = space[[row, 0]];
    #[unroll]
    for w in 1..warps {
        let other = space[[row, w]];
        all = if most { all.max(other) } else { all + other };
    }
    all
}

/// The sum or the maximum by a tree in shared memory: 8 steps for 256 threads, with a barrier each.
#[device]
pub(crate) fn by_tree(value: f32, space: Shared<f32>, #[constant] most: bool) -> f32 {
    let t = thread_idx.x;
    sync_threads(); // all reads of the previous tree have ended
    space[t] = value;
    sync_threads();
    #[unroll]
    for half in [128u32, 64, 32, 16, 8, 4, 2, 1] {
        if t < half {
            let (one, other) = (space[t], space[t + half]);
            space[t] = if most { one.max(other) } else { one + other };
        }
        sync_threads();
    }
    space[0]
}

/// The kernel of a library operation that needs only one; rows that exceed the registers of all blocks take two.
pub(crate) fn only(plan: Plan<'_>) -> Result<Prepared<'_>> {
    plan.into_kernel().ok_or_else(|| Error::Request {
        why: "rows of this length take several kernels".to_owned(),
        help: "give shorter rows, or run them by `lanework_ops::nn`".to_owned(),
    })
}
