//! Machine operations: where they execute, what they read and write, and how they may move.

use lanework_ptx_ir::kernel::Reg;

/// The execution resource of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// No cost: folded into another operation.
    Free,
    /// FP32 arithmetic.
    Fma,
    /// Integer multiply-add.
    Imad,
    /// A 64-bit product: twice the cost of [`Unit::Imad`].
    ImadWide,
    /// An integer addition or move, on the integer or the FP32 pipe.
    Add,
    /// Logic, comparisons, selections.
    Alu,
    /// A comparison or logic operation whose result is a predicate.
    Predicate,
    /// Half-precision arithmetic.
    Half,
    /// FP64 arithmetic.
    Double,
    /// Special functions, and conversions of 64-bit numbers.
    Special,
    /// Conversions of 32-bit numbers.
    Convert,
    /// A memory access: shared, global, local or constant. The trace has its addresses.
    Memory,
    /// A shuffle, vote or match.
    Shuffle,
    /// An `mma`; the argument is its cost in units of m16n8k16, times 64.
    Mma(u32),
    /// A `wgmma`; the argument is its operations of 16-bit floats by one warp, divided by 1024.
    Wgmma(u32),
    /// Commits a group of asynchronous operations.
    Commit(Queue),
    /// Waits until at most this many groups of asynchronous operations are pending.
    Wait(Queue, u32),
    /// A barrier, an mbarrier operation, or a cluster barrier; the trace has its token.
    Sync,
    /// A fence of memory.
    Fence,
    /// A branch.
    Branch,
    /// Waits for this many cycles.
    Elapse(u32),
    /// Ends the warp.
    Exit,
    /// Issues and has no other cost.
    Nop,
}

/// A queue of asynchronous operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Queue {
    /// `cp.async`.
    Copies,
    /// Bulk copies.
    Bulk,
    /// `wgmma`.
    Products,
}

/// A machine operation of a run.
#[derive(Clone, Debug)]
pub struct MachineOperation {
    /// Where it executes.
    pub unit: Unit,
    /// The run that it belongs to.
    pub run: u32,
    /// Registers that it reads.
    pub reads: Vec<Reg>,
    /// Registers that it writes.
    pub writes: Vec<Reg>,
    /// 32-bit words that it writes, for register pressure.
    pub words: u8,
    /// Whether it depends on the previous operation of its run, as in a sequence.
    pub chained: bool,
    /// How it is ordered with memory accesses.
    pub order: MemoryClass,
    /// The queue of an asynchronous copy (`cp.async` or bulk), whose addresses the trace has.
    pub queue: Option<Queue>,
}

/// How an operation may move past others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryClass {
    /// Moves freely.
    Anything,
    /// A load from the state space with this number.
    Load(u8),
    /// A store or an atomic on the state space with this number.
    Store(u8),
    /// Nothing moves past it.
    Wall,
}
