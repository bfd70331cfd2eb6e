//! The state of a worker: one block's warps, their registers and memory, barriers and splits.

use crate::assemble::code::Assembled;
use crate::device::launch::{Fuel, Schedule};
use crate::fault::{FaultKind, Located, RawFault};
use crate::machine::Warp;
use crate::machine::context::Context;
use crate::machine::divergence::{Exchange, WarpSplit};
use crate::machine::slot::Slot;
use lanework_ptx_ir::kernel::{MemorySpace, SpecialRegister};
use std::sync::Arc;

/// Barriers of a block.
pub(crate) const BARRIERS: usize = 16;

/// The shape of a launch, as a worker needs it.
#[derive(Clone)]
pub struct Shape {
    /// Blocks per axis.
    pub grid: [u32; 3],
    /// Threads per axis.
    pub block: [u32; 3],
    /// Blocks of a cluster per axis.
    pub cluster: [u32; 3],
    /// Whether the launch or the kernel declares clusters.
    pub explicit_cluster: bool,
    /// Dynamic shared memory in bytes.
    pub dynamic_shared: u32,
    /// Allocation unit of shared memory, in bytes.
    pub shared_unit: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of a thread's stack for recursive calls.
    pub stack_bytes: u32,
    /// The address of the grid's workspace; 0 if the launch is not cooperative.
    pub workspace: u64,
    /// Whether blocks may poll memory that other blocks write.
    pub polls: bool,
    /// Whether reductions may be delayed: clusters have one block.
    pub delays: bool,
    /// Instructions that a warp may execute.
    pub max_instructions: Option<u64>,
    /// The limits of the launch as a whole.
    pub fuel: Option<Arc<Fuel>>,
    /// The order of time slices.
    pub schedule: Schedule,
}

/// The state of a warp between time slices.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum State {
    Ready,
    /// At a barrier for all threads, not yet counted there.
    Plain(usize),
    Waiting(usize),
    /// It polls: in each pass it checks again for something that only other warps can change.
    Polling,
    Done,
}

/// The result of a scheduler pass.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum PassOutcome {
    /// All warps have ended.
    Done,
    /// At least one warp made progress.
    Progress,
    /// Warps ran, but only used up their time slices, or polled.
    Spins,
    /// No warp could run.
    Idle,
}

/// Runs blocks.
pub struct Worker<'a> {
    pub(crate) assembled: &'a Assembled,
    pub(crate) shape: Shape,
    /// The context that the warps share.
    pub context: Box<Context>,
    pub(crate) warps: Vec<Warp>,
    pub(crate) states: Vec<State>,
    /// The splits of each warp under independent thread scheduling.
    pub(crate) splits: Vec<Vec<ScheduledSplit>>,
    /// Whether a warp was split because one of its lanes waited for another.
    pub(crate) seen_spinning: bool,
    pub(crate) barriers: Vec<Barrier>,
    pub(crate) registers: Buffer,
    pub(crate) wide_registers: Option<Buffer>,
    pub(crate) _shared: Buffer,
    pub(crate) _local: Buffer,
    pub(crate) _parameters: Buffer,
    /// Instructions by warps so far.
    pub instructions: u64,
    /// Instructions by lanes so far.
    pub lane_instructions: u64,
    pub(crate) random: u64,
    /// The instructions of a time slice.
    pub(crate) time_slice: u64,
    /// Warps that have ended in this block.
    pub(crate) done: u32,
    /// Warps at plain barriers in this pass.
    pub(crate) plain: u32,
    /// Warps that wait at barriers.
    pub(crate) waiting: usize,
    /// Whether a warp has arrived at a barrier in this block without waiting.
    pub(crate) arrived_only: bool,
    /// Whether a warp has used up its time slice since the instrument last asked.
    pub(crate) yielded: bool,
    /// Whether a warp has stopped in this pass, other than at the end of its time slice or to wait.
    pub(crate) stepped: bool,
    /// The length of a time slice, if the instrument has set it.
    pub(crate) slice_override: Option<u64>,
    /// Whether warps run interleaved, a few instructions each.
    pub(crate) interleaved: bool,
    /// Consecutive passes in which the warps only polled.
    pub(crate) turns: u64,
    pub(crate) order: Vec<usize>,
    /// The registers that change from block to block.
    pub(crate) per_block: Vec<(Slot, SpecialRegister)>,
}

/// A barrier of the block.
#[derive(Clone, Default)]
pub(crate) struct Barrier {
    pub(crate) arrived: u32,
    pub(crate) threads: Option<u32>,
    /// Whether the warps that arrived combine a value (`bar.red`).
    pub(crate) reduces: bool,
    pub(crate) waiting: Vec<usize>,
    pub(crate) count: u32,
    pub(crate) all: bool,
    pub(crate) any: bool,
}

/// One of the splits of a warp that are scheduled independently.
pub(crate) struct ScheduledSplit {
    pub(crate) split: WarpSplit,
    pub(crate) waits: Waits,
    /// The operands that other splits bring to its next instruction.
    pub(crate) exchange: Option<Box<Exchange>>,
}

/// The condition for a split to continue.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Waits {
    No,
    /// These lanes, at an instruction that names them.
    Lanes(u32),
    /// All lanes of the warp, at a barrier of the block.
    Barrier,
    /// All lanes of the warp, at an instruction that they execute together.
    Aligned,
}

impl ScheduledSplit {
    pub(crate) fn new(split: WarpSplit, waits: Waits) -> ScheduledSplit {
        ScheduledSplit { split, waits, exchange: None }
    }
}

impl Waits {
    /// Encodes the condition as two numbers.
    pub(crate) fn numbers(self) -> [u64; 2] {
        match self {
            Waits::No => [0, 0],
            Waits::Lanes(lanes) => [1, lanes.into()],
            Waits::Barrier => [2, 0],
            Waits::Aligned => [3, 0],
        }
    }

    /// The condition of two merged splits, if they can merge.
    pub(crate) fn with(self, other: Waits) -> Option<Waits> {
        match (self, other) {
            (Waits::Lanes(a), Waits::Lanes(b)) => Some(Waits::Lanes(a | b)),
            _ => (self == other).then_some(self),
        }
    }
}

/// Bytes at a multiple of 64, filled with zeros.
pub(crate) struct Buffer {
    words: Vec<[u64; 8]>,
}

impl Buffer {
    pub(crate) fn new(bytes: usize) -> Buffer {
        Buffer { words: vec![[0; 8]; bytes.div_ceil(64) + 2] }
    }
    pub(crate) fn start(&mut self) -> *mut u8 {
        let at = self.words.as_mut_ptr().cast::<u8>();
        // `Vec` aligns to 8; spare elements leave room to round up to a multiple of 64.
        at.wrapping_add(at.align_offset(64))
    }
}

impl Worker<'_> {
    /// The index of the block that runs.
    pub fn block_index(&self) -> [u32; 3] {
        let [x, y, _] = self.shape.grid.map(u64::from);
        let linear = self.context.block;
        [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
    }

    pub(crate) fn draw(&mut self, below: u64) -> u64 {
        // xorshift64*: good enough to shuffle an order.
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) % below.max(1)
    }

    /// Adds the instruction counts of a block's warps.
    pub(crate) fn add_up_instructions(&mut self) {
        for warp in &self.warps {
            self.instructions += warp.instructions;
            self.lane_instructions += warp.lane_instructions;
        }
    }

    pub(crate) fn faulted(&mut self, w: usize, limit: u64) -> Located {
        let raw = self.context.fault.take().map(|f| *f);
        let raw = raw.unwrap_or_else(|| limit_fault(&self.warps[w], limit));
        self.locate(w, raw)
    }

    pub(crate) fn locate(&self, w: usize, raw: RawFault) -> Located {
        let warp = &self.warps[w];
        let pc = warp.pc(warp.stopped_at) as usize;
        let origin = self.assembled.code.origin_of.get(pc).copied().unwrap_or(0);
        Located { raw, origin, warp: w as u32 }
    }
}

pub(crate) fn limit_fault(warp: &Warp, limit: u64) -> RawFault {
    RawFault::of_lanes(
        FaultKind::InstructionLimit,
        MemorySpace::Generic,
        warp.mask,
        format!("a warp executed {limit} instructions and had not ended"),
    )
}
