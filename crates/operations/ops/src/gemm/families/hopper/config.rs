//! Compile-time configuration of the Hopper kernel, and its shared memory.

use lanework::lang::Var;
use lanework::lang::tensor_cores::F8Format;

/// Rows of a block's result tile.
pub const ROWS: u32 = 128;
/// Rows of a warpgroup.
pub(super) const GROUP: u32 = 64;
/// Rows of a warp.
pub(super) const WARP: u32 = 16;
/// Bytes of a store part (64 rows of 128 bytes).
const PART_BYTES: u32 = GROUP * 128;
/// Shared memory for stages and parts, less the alignment slack.
const MOST_BYTES: u32 = 226 * 1024;

/// Columns that split-K blocks exchange at a time.
pub(super) const SHARE: u32 = 32;

/// Store method of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// By TMA, through shared memory.
    Tma,
    /// From registers, two adjacent results at a time.
    Pairs,
    /// From registers, one at a time.
    Single,
}

/// Tile order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileOrder {
    /// Groups of this many tile rows, column by column.
    Grouped(u32),
}

impl TileOrder {
    pub(super) fn together(self) -> u32 {
        match self {
            TileOrder::Grouped(rows) => rows,
        }
    }
}

/// Compile-time configuration of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopperConfig {
    /// Whether A and B are adjacent along K.
    pub along_k: (bool, bool),
    /// Cluster shape, in rows and columns of tiles.
    pub cluster: (u32, u32),
    /// Blocks of a cluster that divide the K of one tile; if above 1, the cluster has no other blocks.
    pub split: u32,
    pub stages: u32,
    pub order: TileOrder,
    pub store: Store,
    /// Promotion: each stage's sums (128 of K) are added to f32 registers, because tensor cores accumulate 8-bit float products
    /// with fewer bits than f32.
    pub promote: bool,
    /// Columns of a tile.
    pub columns: u32,
    /// Store parts in flight per warp.
    pub parts: u32,
    /// Ping-pong: warpgroups alternate whole tiles instead of sharing each tile's rows, so one multiplies while the other stores.
    pub alternate: bool,
    /// Whether the kernel begins before the previous launch has ended.
    pub overlapped: bool,
    /// Whether a word in memory selects which of several launches computes the product.
    pub chosen: bool,
    /// The formats of 8-bit floats of A and B.
    pub formats: (Option<F8Format>, Option<F8Format>),
}

impl HopperConfig {
    /// Blocks of a cluster.
    pub fn blocks(self) -> u32 {
        self.cluster.0 * self.cluster.1 * self.split
    }

    /// Blocks whose stages are filled together, including this one.
    pub(super) fn neighbors(self) -> u32 {
        self.cluster.0 + self.cluster.1 - 1
    }

    /// Whether blocks load tiles for each other (multicast).
    pub(super) fn shares(self) -> bool {
        self.cluster.0 * self.cluster.1 > 1
    }

    /// Number of releases that empty a stage: one per reading warpgroup and sharing block.
    pub(super) fn releases(self) -> u32 {
        if self.alternate { self.neighbors() } else { 2 * self.neighbors() }
    }

    /// Bytes of a stage.
    pub(super) fn stage_bytes(self) -> u32 {
        (ROWS + self.columns) * 128
    }

    /// Number of steps to run: promotion processes steps in pairs, and steps past K are zeros.
    pub(super) fn whole(self, steps: Var<u32>) -> Var<u32> {
        if self.promote { (steps + 1) / 2 * 2 } else { steps }
    }

    /// The number of stages if `so` holds, otherwise 0. The layouts with and without adjacent K have separate arrays.
    pub(super) fn stages_if(self, so: bool) -> u32 {
        if so { self.stages } else { 0 }
    }

    /// Number of sums per thread that another block sends to this one.
    pub(super) fn given(self) -> u32 {
        if self.split > 1 {
            self.columns.div_ceil(SHARE).div_ceil(self.split) * SHARE / 2
        } else {
            0
        }
    }

    /// Shared memory other than the stages.
    fn other_bytes(self) -> u32 {
        let parts = if self.store == Store::Tma { 2 * self.parts * PART_BYTES } else { 0 };
        parts + (self.split - 1) * self.given() * 256 * 4
    }

    /// Sets the number of stages: as many as fit, up to `stages` (eight if that is 0).
    pub fn filled(self) -> HopperConfig {
        let room = MOST_BYTES - self.other_bytes();
        let most = if self.stages == 0 { 8 } else { self.stages };
        HopperConfig { stages: (room / self.stage_bytes()).min(most), ..self }
    }

    /// Dynamic shared memory of a block.
    pub fn shared_bytes(self) -> u32 {
        self.stages * self.stage_bytes() + self.other_bytes()
    }
}
