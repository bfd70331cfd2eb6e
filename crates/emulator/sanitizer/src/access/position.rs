//! Who does something: a lane of a warp of the block whose turn it is, or a thread of the grid.

use lanework_ptx_ir::analysis::uniformity::thread_index;

/// A lane that executes an instruction, in the block whose turn it is.
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
    /// The linear index of its block.
    pub block: u64,
    /// Its linear index in the block.
    pub thread: u32,
    /// The instruction.
    pub instruction: u32,
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug)]
pub struct LaunchShape {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
}

impl LaunchShape {
    /// Warps of a block.
    pub fn warps(&self) -> usize {
        self.block.iter().product::<u32>().div_ceil(32) as usize
    }

    /// The lanes that the last warp of a block has.
    pub fn last_lanes(&self) -> u32 {
        u32::MAX >> (self.block.iter().product::<u32>().wrapping_neg() % 32)
    }

    /// The index of a block from its linear one.
    pub fn block_index(&self, linear: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
    }

    /// The linear index of a block.
    pub fn linear(&self, block: [u32; 3]) -> u64 {
        let [x, y, _] = self.grid.map(u64::from);
        let [bx, by, bz] = block.map(u64::from);
        bx + x * (by + y * bz)
    }

    /// The index of a thread in its block.
    pub fn thread_index(&self, linear: u32) -> [u32; 3] {
        thread_index(self.block, linear)
    }
}

/// The cluster that runs, and the block of it whose turn it is.
pub struct Position {
    /// Warps of a block.
    pub warps: usize,
    /// The linear indices of the cluster's blocks, by rank.
    pub blocks: Vec<u64>,
    /// The rank of the block whose turn it is.
    pub rank: u32,
    /// Its linear index.
    pub block: u64,
}

impl Position {
    /// For clusters of this many blocks of this many warps.
    pub fn new(warps: usize, blocks: usize) -> Position {
        Position { warps, blocks: vec![0; blocks], rank: 0, block: 0 }
    }

    /// A cluster starts, of these blocks; it is the turn of the first.
    pub fn start(&mut self, blocks: &[u64]) {
        self.blocks.clear();
        self.blocks.extend_from_slice(blocks);
        self.enter(0);
    }

    /// It is the turn of the block of this rank.
    pub fn enter(&mut self, rank: u32) {
        self.rank = rank;
        self.block = self.blocks.get(rank as usize).copied().unwrap_or(0);
    }

    /// The index of a warp of the block whose turn it is among all of the cluster.
    #[inline(always)]
    pub fn slot(&self, warp: u32) -> usize {
        self.rank as usize * self.warps + warp as usize
    }

    /// A lane as a thread of the grid.
    pub fn thread_at(&self, at: LaneAt) -> ThreadAt {
        let LaneAt { warp, lane, instruction } = at;
        ThreadAt { block: self.block, thread: warp * 32 + lane, instruction }
    }
}
