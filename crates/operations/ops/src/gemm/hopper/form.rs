//! What of a product is constant in its kernel, and the shared memory that follows from it.

use super::order::Order;
use lanework::lang::Var;

/// Rows of a block's tile of results.
pub const ROWS: u32 = 128;
/// Rows of a warpgroup's.
pub(super) const GROUP: u32 = 64;
/// Rows of a warp's.
pub(super) const WARP: u32 = 16;
/// Bytes of a part, 64 rows of 128.
const PART_BYTES: u32 = GROUP * 128;
/// Shared memory that a block may have for stages and parts, less what aligning them may take.
const MOST_BYTES: u32 = 226 * 1024;

/// Columns of sums that blocks which divide K exchange at a time.
pub(super) const SHARE: u32 = 32;

/// How results leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// By TMA, through shared memory.
    Tma,
    /// From registers, two of a row at a time.
    Pairs,
    /// From registers, each by itself.
    Single,
}

/// What of a product is constant in its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Whether elements along K are adjacent in memory, in A and in B.
    pub along_k: (bool, bool),
    /// Blocks of a cluster, by rows and by columns of tiles.
    pub cluster: (u32, u32),
    /// Blocks of a cluster that have a part of K each, of one tile; the cluster has no others then.
    pub split: u32,
    pub stages: u32,
    pub order: Order,
    pub store: Store,
    /// Whether the sums of each stage, 128 of K, are added to others: tensor cores sum products of 8-bit floats with fewer bits than an
    /// f32 has.
    pub promote: bool,
    /// Columns of a tile.
    pub columns: u32,
    /// Parts of results on their way to memory at a time, for each warp.
    pub parts: u32,
    /// Whether the warpgroups take turns at tiles, of all rows each, instead of half of the rows of each: while one of them stores results,
    /// products of the other one run.
    pub alternate: bool,
    /// Whether it begins before the launch before it has ended.
    pub overlapped: bool,
    /// Which of several products is computed a word in memory says.
    pub chosen: bool,
}

impl Form {
    /// Blocks of a cluster.
    pub fn blocks(self) -> u32 {
        self.cluster.0 * self.cluster.1 * self.split
    }

    /// Blocks that a block's stages are filled together with, itself among them.
    pub(super) fn neighbours(self) -> u32 {
        self.cluster.0 + self.cluster.1 - 1
    }

    /// Whether blocks load for each other.
    pub(super) fn shares(self) -> bool {
        self.cluster.0 * self.cluster.1 > 1
    }

    /// Releases that a stage is empty after: of each warpgroup that reads it, in each block that fills it together.
    pub(super) fn releases(self) -> u32 {
        if self.alternate { self.neighbours() } else { 2 * self.neighbours() }
    }

    /// Bytes of a stage.
    pub(super) fn stage_bytes(self) -> u32 {
        (ROWS + self.columns) * 128
    }

    /// At least so many steps: sums that are promoted take two at a time, and what lies beyond the end of K is zero.
    pub(super) fn whole(self, steps: Var<u32>) -> Var<u32> {
        if self.promote { (steps + 1) / 2 * 2 } else { steps }
    }

    /// Stages of A that are stored with K adjacent, or else the others.
    pub(super) fn stages_if(self, so: bool) -> u32 {
        if so { self.stages } else { 0 }
    }

    /// Sums of a thread that another block gives to this one.
    pub(super) fn given(self) -> u32 {
        if self.split > 1 {
            self.columns.div_ceil(SHARE).div_ceil(self.split) * SHARE / 2
        } else {
            0
        }
    }

    /// Bytes of shared memory beside the stages.
    fn other_bytes(self) -> u32 {
        let parts = if self.store == Store::Tma { 2 * self.parts * PART_BYTES } else { 0 };
        parts + (self.split - 1) * self.given() * 256 * 4
    }

    /// The same with as many stages as fit, at most as many as it says, or eight.
    pub fn filled(self) -> Form {
        let room = MOST_BYTES - self.other_bytes();
        let most = if self.stages == 0 { 8 } else { self.stages };
        Form { stages: (room / self.stage_bytes()).min(most), ..self }
    }

    /// Dynamic shared memory of a block.
    pub fn shared_bytes(self) -> u32 {
        self.stages * self.stage_bytes() + self.other_bytes()
    }
}
