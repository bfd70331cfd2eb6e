//! A cluster between two scheduler passes, for inspection by an instrument, and the instrument's verdict on it.

use crate::fault::Located;
use lanework_ptx_ir::kernel::{Kernel, Reg};

/// An instrument's decision about a cluster after a scheduler pass.
pub enum Verdict {
    /// It continues.
    GoesOn,
    /// It continues, and no other may run at the same time.
    GoesOnAlone,
    /// Others may continue now, and should run before it does.
    Leaves,
    /// It only waits for other clusters' writes to global memory: the block's rank, and the fault to report if none
    /// ever comes.
    Waits(Box<(usize, Located)>),
}

/// The state of a warp between two passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It runs when its time slice comes.
    Ready,
    /// It polls for something that only other warps can change.
    Polling,
    /// It waits at a barrier of its block.
    Blocked,
    /// It has ended.
    Done,
}

/// Everything that decides what a warp does next, except memory and the registers not asked for. Warps with equal snapshots behave alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpSnapshot {
    /// Its lanes, the reconvergence stack of each split, and the condition that it waits for.
    pub control: Vec<u64>,
    /// The registers asked for.
    pub registers: Vec<u8>,
}

/// Lanes of a warp that are at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanesAt {
    /// The lanes.
    pub mask: u32,
    /// Their next instruction.
    pub instruction: u32,
    /// Whether the warp executes them now; the others wait on the reconvergence stack or for their time slice.
    pub executing: bool,
}

/// A barrier of a block at which warps have arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingBarrier {
    /// Its number.
    pub number: usize,
    /// The warps that wait there.
    pub warps: Vec<usize>,
    /// The number of warps that have arrived, waiting or not.
    pub arrived: u32,
    /// The number of threads that it waits for, if it is not all of the block.
    pub threads: Option<u32>,
}

/// The cluster between two scheduler passes, or when it is stopped, for inspection and steering.
pub trait ClusterView {
    /// The kernel.
    fn kernel(&self) -> &Kernel;
    /// Its number of blocks.
    fn blocks(&self) -> usize;
    /// Whether the block of a rank has not ended.
    fn runs(&self, rank: usize) -> bool;
    /// The number of warps in a block.
    fn warps(&self) -> usize;
    /// The state of a warp between two passes.
    fn progress(&self, rank: usize, warp: usize) -> Progress;
    /// The instruction that a warp stopped at.
    fn instruction(&self, rank: usize, warp: usize) -> u32;
    /// The executing lanes of a warp.
    fn mask(&self, rank: usize, warp: usize) -> u32;
    /// The instructions that the splits of a warp stopped at.
    fn instructions(&self, rank: usize, warp: usize) -> Vec<u32>;
    /// A snapshot of a warp's next step with these registers of the kernel.
    fn snapshot(&self, rank: usize, warp: usize, registers: &[bool]) -> WarpSnapshot;
    /// The linear index of the block of a rank.
    fn block(&self, rank: usize) -> u64;
    /// The live lanes of a warp by place, the executing ones first.
    fn lanes(&self, rank: usize, warp: usize) -> Vec<LanesAt>;
    /// The bits of a register of the kernel in each lane; `None` if no instruction uses it.
    fn register(&self, rank: usize, warp: usize, register: Reg) -> Option<[u64; 32]>;
    /// The shared memory of the block of a rank.
    fn shared(&self, rank: usize) -> Vec<u8>;
    /// The local memory of a warp, lane by lane.
    fn local(&self, rank: usize, warp: usize) -> Vec<u8>;
    /// The barriers of a block at which warps wait.
    fn barriers(&self, rank: usize) -> Vec<PendingBarrier>;
    /// The text that the blocks have printed.
    fn text(&self) -> String;
    /// Counts changes that polling warps could be waiting for.
    fn changes(&self) -> u64;
    /// Bytes printed so far.
    fn printed(&self) -> usize;
    /// Whether a warp has used up its time slice since the last call.
    fn take_yielded(&mut self) -> bool;
    /// Sets the instructions of a time slice; `None` restores the default.
    fn set_time_slice(&mut self, instructions: Option<u64>);
    /// Moves the clocks of all warps ahead.
    fn advance_clock(&mut self, by: u64);
    /// Ends the next wait of all polling warps early, as if its time limit had passed.
    fn end_polls(&mut self);
    /// Schedules the lanes of diverged warps independently; returns whether there are any.
    fn split_diverged(&mut self) -> bool;
}
