//! Compile-time configuration of the sm_90a kernel, and its shared memory.

/// Threads of a block: two multiplying warpgroups and one that loads.
pub const THREADS: u32 = 384;
/// Warps that multiply.
pub const WARPS: u32 = 8;
/// Elements of a row in shared memory, and the k of an `mma`.
pub const WIDTH: u32 = 8;
/// Result columns of a warp.
pub const COLUMNS: u32 = 32;
/// Upper limit for the shared memory of the stages.
const MOST_BYTES: u32 = 192 * 1024;

/// Compile-time configuration of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoubleConfig {
    /// Rows and columns of a block's result tile.
    pub tile: (u32, u32),
    /// Whether A and B are adjacent along k.
    pub along: (bool, bool),
    /// Whether two adjacent results form one access.
    pub paired: bool,
}

impl DoubleConfig {
    /// Warps per row of the tile.
    pub const fn across(self) -> u32 {
        self.tile.1 / COLUMNS
    }

    /// 16-row products per warp.
    pub const fn tall(self) -> u32 {
        self.tile.0 * self.across() / WARPS / 16
    }

    /// k per stage: long stages for half-width tiles, which multiply half as much per k.
    pub const fn depth(self) -> u32 {
        if self.tile.1 > 64 { 32 } else { 16 }
    }

    /// Stages in the ring.
    pub const fn stages(self) -> u32 {
        MOST_BYTES / self.stage_bytes()
    }

    /// Elements before the stages of B.
    pub const fn first_b(self) -> u32 {
        self.stages() * self.tile.0 * self.depth()
    }

    /// Bytes of a stage.
    pub const fn stage_bytes(self) -> u32 {
        8 * self.depth() * (self.tile.0 + self.tile.1)
    }

    /// Dynamic shared memory of a block.
    pub const fn shared_bytes(self) -> u32 {
        self.stages() * self.stage_bytes()
    }
}

/// TMA boxes per stage, each of rows of `WIDTH` elements: all lines for eight k, or all k for eight lines.
pub const fn boxes(lines: u32, depth: u32, along: bool) -> u32 {
    if along { depth / WIDTH } else { lines / WIDTH }
}

/// Rows of a TMA box.
pub const fn height(lines: u32, depth: u32, along: bool) -> u32 {
    if along { lines } else { depth }
}
