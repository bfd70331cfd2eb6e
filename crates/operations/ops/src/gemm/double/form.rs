//! What of the kernel of sm_90a is constant, and the shared memory that follows from it.

/// Threads of a block: two warpgroups that multiply, one that loads.
pub const THREADS: u32 = 384;
/// Warps that multiply.
pub const WARPS: u32 = 8;
/// Elements of a row in shared memory, and k of a product.
pub const WIDTH: u32 = 8;
/// Columns of results of a warp.
pub const COLUMNS: u32 = 32;
/// Shared memory of a block's stages.
const MOST_BYTES: u32 = 192 * 1024;

/// What of a kernel is constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Rows and columns of a block's tile of results.
    pub tile: (u32, u32),
    /// Whether elements along k are adjacent, of A and of B.
    pub along: (bool, bool),
    /// Whether two adjacent results are one access.
    pub paired: bool,
}

impl Form {
    /// Warps beside each other.
    pub const fn across(self) -> u32 {
        self.tile.1 / COLUMNS
    }

    /// Products of 16 rows, one below the other, of a warp.
    pub const fn tall(self) -> u32 {
        self.tile.0 * self.across() / WARPS / 16
    }

    /// Columns of the factors in a stage: few long stages, where a stage of 16 has as much to multiply for half of the results.
    pub const fn depth(self) -> u32 {
        if self.tile.1 > 64 { 32 } else { 16 }
    }

    /// Stages of the ring.
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

/// Tiles of a stage as TMA brings them, each of rows of `WIDTH` elements: all lines for eight k, or all k for eight lines.
pub const fn boxes(lines: u32, depth: u32, along: bool) -> u32 {
    if along { depth / WIDTH } else { lines / WIDTH }
}

/// Rows of such a tile.
pub const fn height(lines: u32, depth: u32, along: bool) -> u32 {
    if along { lines } else { depth }
}
