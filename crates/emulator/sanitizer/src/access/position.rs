//! Positions: a lane of the running block, or a thread of the grid.

use crate::findings::advice::Distance;
use lanework_ptx_ir::analysis::uniformity::thread_index;

/// A lane of the running block that executes an instruction.
#[derive(Clone, Copy, Debug)]
pub struct LaneAt {
    /// Its warp.
    pub warp: u32,
    /// The lane.
    pub lane: u32,
    /// The instruction.
    pub instruction: u32,
}

/// A thread of the grid that executes an instruction.
#[derive(Clone, Copy, Debug)]
pub struct ThreadAt {
    /// Linear index of its block.
    pub block: u64,
    /// Linear index in the block.
    pub thread: u32,
    /// The instruction.
    pub instruction: u32,
}

impl ThreadAt {
    /// How far apart two threads are. Different blocks count as blocks of the grid, even in one cluster.
    pub fn distance(self, other: ThreadAt) -> Distance {
        match () {
            () if self.block != other.block => Distance::Grid,
            () if self.thread / 32 != other.thread / 32 => Distance::Warps,
            () => Distance::Lanes,
        }
    }
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug)]
pub struct LaunchShape {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
}

impl LaunchShape {
    /// Warps per block.
    pub fn warps(&self) -> usize {
        self.block.iter().product::<u32>().div_ceil(32) as usize
    }

    /// The lanes that exist in the last warp of a block.
    pub fn last_lanes(&self) -> u32 {
        u32::MAX >> (self.block.iter().product::<u32>().wrapping_neg() % 32)
    }

    /// Converts a linear block index to coordinates.
    pub fn block_index(&self, linear: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
    }

    /// Converts block coordinates to a linear index.
    pub fn linear(&self, block: [u32; 3]) -> u64 {
        let [x, y, _] = self.grid.map(u64::from);
        let [bx, by, bz] = block.map(u64::from);
        bx + x * (by + y * bz)
    }

    /// Converts a linear thread index to coordinates in the block.
    pub fn thread_index(&self, linear: u32) -> [u32; 3] {
        thread_index(self.block, linear)
    }
}

/// The running cluster, and its block that has the time slice.
pub struct Position {
    /// Warps per block.
    pub warps: usize,
    /// Linear indices of the cluster's blocks, by rank.
    pub blocks: Vec<u64>,
    /// Rank of the running block.
    pub rank: u32,
    /// Linear index of the running block.
    pub block: u64,
}

impl Position {
    /// For clusters of `blocks` blocks of `warps` warps.
    pub fn new(warps: usize, blocks: usize) -> Position {
        Position { warps, blocks: vec![0; blocks], rank: 0, block: 0 }
    }

    /// Starts a cluster of these blocks; the first one runs.
    pub fn start(&mut self, blocks: &[u64]) {
        self.blocks.clear();
        self.blocks.extend_from_slice(blocks);
        self.enter(0);
    }

    /// Switches to the block of this rank.
    pub fn enter(&mut self, rank: u32) {
        self.rank = rank;
        self.block = self.blocks.get(rank as usize).copied().unwrap_or(0);
    }

    /// Index of a warp of the running block among all warps of the cluster.
    #[inline(always)]
    pub fn slot(&self, warp: u32) -> usize {
        self.rank as usize * self.warps + warp as usize
    }

    /// The thread of a lane.
    pub fn thread_at(&self, at: LaneAt) -> ThreadAt {
        let LaneAt { warp, lane, instruction } = at;
        ThreadAt { block: self.block, thread: warp * 32 + lane, instruction }
    }
}
