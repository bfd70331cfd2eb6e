//! Vectors to add, on a device.

use lanework::Buffer;

/// Threads of a block.
pub(super) const THREADS: u32 = 256;
/// Maximum number of elements, which keeps 32-bit indices from overflowing.
pub const LONGEST: u64 = 1 << 31;

/// Vectors on a device, all of one length.
pub struct Vectors {
    /// First summands.
    pub a: Buffer<f32>,
    /// Second summands.
    pub b: Buffer<f32>,
    /// Sums.
    pub c: Buffer<f32>,
}
