//! A model of ptxas: the machine operations that the typed instructions of a kernel become, and their order.
//!
//! ptxas is a black box; the model follows its output for sm_75 to sm_90. Copies, parameters, address arithmetic with
//! constants and window conversions disappear; a product and a sum become one operation, as do two sums or two logic
//! operations; divisions and 64-bit integer operations become sequences; innermost loops are unrolled four times; and
//! loads move up in their basic block. The model tracks counts, latencies and dependences, but no semantics.

pub mod expand;
pub mod fold;
pub mod listed;
pub mod schedule;

use crate::lower::expand::expand;
use crate::lower::fold::Folded;
use crate::lower::listed::{CodeLayout, apply};
use crate::trace::{InstructionRun, KernelTrace};
use lanework_ptx_ir::kernel::{MemoryKind, MemorySpace, Opcode};
use lanework_ptx_ir::opcode::memory::AtomicOp;

pub use crate::machine::operation::{MachineOperation, MemoryClass, Queue, Unit};

/// A kernel as machine operations.
pub struct Lowered {
    /// The operations of each run.
    pub operations: Vec<Vec<MachineOperation>>,
    /// By run: whether it stores to global memory.
    pub stores: Vec<bool>,
    /// By run: whether its loads may hit the L1.
    pub cached: Vec<bool>,
    /// Whether an atomic on shared memory is a loop, by run.
    pub spins: Vec<bool>,
    /// How ptxas laid out the code, if the operations are machine instructions.
    pub layout: Option<CodeLayout>,
}

impl Lowered {
    /// Lowers the kernel of a trace.
    pub fn new(trace: &KernelTrace) -> Lowered {
        let kernel = &trace.kernel;
        let folded = Folded::new(kernel, &trace.runs);
        let operations = trace.runs.all.iter().enumerate().map(|(number, run)| {
            let insts = (run.start..run.end).map(|at| at as usize);
            let mut found: Vec<MachineOperation> = Vec::new();
            for at in insts {
                expand(kernel, &folded, at, number as u32, &mut found);
            }
            found
        });
        let access = |run: &InstructionRun| {
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
        let spins = trace.runs.all.iter().map(|run| {
            access(run).is_some_and(|op| {
                use AtomicOp::{AddDouble, AddSingle, Narrow};
                matches!(
                    op.kind,
                    MemoryKind::Atomic(AddSingle { .. } | AddDouble { .. } | Narrow { .. })
                )
            })
        });
        let spins: Vec<bool> = spins.collect();
        let mut operations: Vec<Vec<MachineOperation>> = operations.collect();
        let listing = trace.listing.as_ref();
        let layout = listing.and_then(|listing| apply(trace, listing, &spins, &mut operations));
        Lowered { operations, layout, stores: stores.collect(), cached: cached.collect(), spins }
    }

    /// Bytes of code: 16 for each operation that is not free.
    pub fn code_bytes(&self) -> u64 {
        let all = self.operations.iter().flatten();
        16 * all.filter(|operation| operation.unit != Unit::Free).count() as u64
    }
}
