//! Machine operations: where they execute, what they read and write, and how they may move.

use lanework_ptx_ir::kernel::Reg;

/// The execution resource of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Costs nothing: folded into another operation.
    Free,
    /// FP32 arithmetic.
    Fma,
    /// Integer multiply-add.
    Imad,
    /// A 64-bit product: twice the cost of [`Unit::Imad`].
    ImadWide,
    /// An integer addition or move: the integer or the FP32 pipe.
    Add,
    /// Logic, comparisons, selections.
    Alu,
    /// A comparison or logic with a predicate as its result.
    Predicate,
    /// Half arithmetic.
    Half,
    /// FP64 arithmetic.
    Double,
    /// Special functions, and conversions of 64-bit numbers.
    Special,
    /// Conversions of 32-bit numbers.
    Convert,
    /// A memory access, by the trace; shared, global, local or constant.
    Memory,
    /// A shuffle, vote or match.
    Shuffle,
    /// An `mma`; the argument is its cost in units of m16n8k16, times 64.
    Mma(u32),
    /// A `wgmma`; the argument is its operations of 16-bit floats by one warp, divided by 1024.
    Wgmma(u32),
    /// Commits asynchronous copies: `cp.async`, bulk, or `wgmma`.
    Commit(Queue),
    /// Waits for asynchronous copies until at most so many groups are pending.
    Wait(Queue, u32),
    /// A barrier, an mbarrier operation, or a cluster barrier; the trace has its token.
    Sync,
    /// A fence of memory.
    Fence,
    /// A branch.
    Branch,
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
    /// 32-bit words that it writes, for the pressure on registers.
    pub words: u8,
    /// Whether it depends on the previous operation of its run (a sequence).
    pub chained: bool,
    /// Its order among accesses to memory.
    pub order: MemoryClass,
    /// For an asynchronous copy by the trace (`cp.async`, bulk copies): its queue.
    pub queue: Option<Queue>,
}

/// How an operation may move past others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryClass {
    /// Freely.
    Anything,
    /// A load from a space, by its number.
    Load(u8),
    /// A store or an atomic.
    Store(u8),
    /// Nothing moves past it.
    Wall,
}
