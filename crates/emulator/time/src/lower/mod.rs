//! A model of ptxas: the machine operations that the typed instructions of a kernel become, and their order.
//!
//! ptxas is a black box; this follows what its output for sm_75 to sm_90 shows: copies, parameters, address arithmetic with
//! constants and window conversions disappear; a product and a sum become one operation, as do two sums or two logic
//! operations; divisions and 64-bit integers are sequences; innermost loops are unrolled four times; and loads move up in
//! their basic block. Only counts, latencies and dependences matter here, not semantics.

pub mod expand;
pub mod fold;
pub mod schedule;
pub mod unroll;

use crate::lower::expand::expand;
use crate::lower::fold::Folded;
use crate::trace::KernelTrace;
use crate::trace::runs::Run;
use lanework_ptx_ir::kernel::{MemoryKind, MemorySpace, Opcode, Reg};

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
pub struct Operation {
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

/// A kernel as machine operations.
pub struct Lowered {
    /// The operations of each run.
    pub operations: Vec<Vec<Operation>>,
    /// Whether a run stores to global memory, by run.
    pub stores: Vec<bool>,
    /// Whether loads of a run may hit the L1, by run.
    pub cached: Vec<bool>,
}

impl Lowered {
    /// Lowers the kernel of a trace.
    pub fn new(trace: &KernelTrace) -> Lowered {
        let kernel = &trace.kernel;
        let folded = Folded::new(kernel, &trace.runs);
        let operations = trace.runs.all.iter().enumerate().map(|(number, run)| {
            let insts = (run.start..run.end).map(|at| at as usize);
            let mut found: Vec<Operation> = Vec::new();
            for at in insts {
                expand(kernel, &folded, at, number as u32, &mut found);
            }
            found
        });
        let access = |run: &Run| {
            kernel.insts[run.start as usize..run.end as usize].iter().find_map(|inst| {
                match inst.opcode {
                    Opcode::Memory(op) => Some(op),
                    _ => None,
                }
            })
        };
        let stores = trace.runs.all.iter().map(|run| {
            access(run).is_some_and(|op| {
                op.kind != MemoryKind::Load
                    && matches!(op.space, MemorySpace::Global | MemorySpace::Generic)
            })
        });
        let cached = trace
            .runs
            .all
            .iter()
            .map(|run| access(run).is_some_and(|op| !op.volatile && op.order.strong.is_none()));
        Lowered {
            operations: operations.collect(),
            stores: stores.collect(),
            cached: cached.collect(),
        }
    }

    /// Bytes of code: 16 for each operation that is not free.
    pub fn code_bytes(&self) -> u64 {
        let all = self.operations.iter().flatten();
        16 * all.filter(|operation| operation.unit != Unit::Free).count() as u64
    }
}
