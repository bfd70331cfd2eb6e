//! Launch bounds: the arguments of `#[kernel(...)]` as PTX directives.

use crate::memory::Extent;
use lanework_ptx::FunctionDirective;

/// A shape of one to three host integers, x first; missing extents are 1.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the shape of a block",
    note = "write `256`, `(32, 8)` or `(8, 8, 4)`"
)]
pub trait IntoExtents {
    /// x, y and z; an extent out of range becomes 0, which the launch rejects.
    fn extents(self) -> [u32; 3];
}

fn extent(value: impl Extent) -> u32 {
    value.extent().and_then(|v| u32::try_from(v).ok()).unwrap_or(0)
}

impl<X: Extent> IntoExtents for X {
    fn extents(self) -> [u32; 3] {
        [extent(self), 1, 1]
    }
}

impl<X: Extent, Y: Extent> IntoExtents for (X, Y) {
    fn extents(self) -> [u32; 3] {
        [extent(self.0), extent(self.1), 1]
    }
}

impl<X: Extent, Y: Extent, Z: Extent> IntoExtents for (X, Y, Z) {
    fn extents(self) -> [u32; 3] {
        [extent(self.0), extent(self.1), extent(self.2)]
    }
}

/// `block = ...`: the only block allowed.
pub fn block_directive(block: impl IntoExtents) -> FunctionDirective {
    FunctionDirective::RequiredBlock(block.extents())
}

/// `max_threads = ...`: the most threads per block.
pub fn max_threads_directive(threads: impl Extent) -> FunctionDirective {
    FunctionDirective::MaxBlock([extent(threads), 1, 1])
}

/// `min_blocks = ...`: the blocks that must fit on one multiprocessor.
pub fn min_blocks_directive(blocks: impl Extent) -> FunctionDirective {
    FunctionDirective::MinBlocksPerSm(extent(blocks))
}

/// `max_registers = ...`: the most registers per thread.
pub fn max_registers_directive(registers: impl Extent) -> FunctionDirective {
    FunctionDirective::MaxRegisters(extent(registers))
}

/// `cluster = ...`: the shape of a cluster of blocks.
pub fn cluster_directive(cluster: impl IntoExtents) -> FunctionDirective {
    FunctionDirective::RequiredCluster(cluster.extents())
}
