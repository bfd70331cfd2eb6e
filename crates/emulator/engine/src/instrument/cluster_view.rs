//! A cluster between two scheduler passes, for inspection by an instrument, and the instrument's verdict on it.

use crate::fault::Located;
use lanework_ptx_ir::kernel::Kernel;

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

/// The cluster between two scheduler passes, for inspection and steering.
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
