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
mod waits;

use crate::lower::expand::expand;
use crate::lower::fold::Folded;
use crate::lower::listed::{CodeLayout, apply};
use crate::trace::{InstructionRun, KernelTrace};
use lanework_ptx_ir::kernel::{Inst, Kernel, MemoryKind, MemorySpace, Opcode};
use lanework_ptx_ir::opcode::Alu;
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
    /// By run: whether its loads take the non-coherent path, through which every L1 caches them.
    pub read_only: Vec<bool>,
    /// Whether an atomic on shared memory is a loop, by run.
    pub spins: Vec<bool>,
    /// By run: whether it reads a texture, whose addresses the trace does not have.
    pub textures: Vec<bool>,
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
            join_conversion(kernel, run, &mut found);
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
        let read_only =
            trace.runs.all.iter().map(|run| access(run).is_some_and(|op| op.order.read_only));
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
        let textures = trace.runs.all.iter().map(|run| {
            let insts = &kernel.insts[run.start as usize..run.end as usize];
            insts.iter().any(|inst| matches!(inst.opcode, Opcode::Texture(_)))
        });
        let textures = textures.collect();
        let mut operations: Vec<Vec<MachineOperation>> = operations.collect();
        merge_loads(trace, &mut operations);
        let listing = trace.listing.as_ref();
        let layout = listing.and_then(|listing| apply(trace, listing, &spins, &mut operations));
        waits::replace_clock_loops(kernel, &trace.runs, &mut operations);
        Lowered {
            operations,
            stores: stores.collect(),
            cached: cached.collect(),
            read_only: read_only.collect(),
            spins,
            textures,
            layout,
        }
    }
}

/// Joins the steps of a conversion between a float and an integer: on a GPU, it is one instruction.
fn join_conversion(kernel: &Kernel, run: &InstructionRun, operations: &mut Vec<MachineOperation>) {
    let steps = &kernel.insts[run.start as usize..run.end as usize];
    let name = &kernel.origins[run.origin as usize].name;
    let converts = |inst: &Inst| matches!(inst.opcode, Opcode::Alu(Alu::Convert(_)));
    if steps.len() < 2 || !name.contains(".f") || !steps.iter().all(converts) {
        return;
    }
    let writes = operations.last().map(|last| (last.writes.clone(), last.words));
    operations.truncate(1);
    if let (Some(one), Some((writes, words))) = (operations.first_mut(), writes) {
        (one.writes, one.words) = (writes, words);
        one.unit = if name.contains("64") { Unit::Special } else { Unit::Convert };
    }
}

/// Makes a load free if ptxas merges it into an earlier load; the results of both then arrive together.
fn merge_loads(trace: &KernelTrace, operations: &mut [Vec<MachineOperation>]) {
    let runs = &trace.runs;
    let access = |run: usize| {
        let inst = &trace.kernel.insts[runs.all[run].start as usize];
        match inst.opcode {
            Opcode::Memory(op) => Some((inst.src.first().copied(), op.offset)),
            _ => None,
        }
    };
    for run in (0..operations.len()).filter(|&run| runs.is_merged(run as u32)) {
        let Some((base, offset)) = access(run) else { continue };
        let is_first = |&before: &usize| {
            !runs.is_merged(before as u32)
                && runs.all[before].block == runs.all[run].block
                && access(before).is_some_and(|(of, at)| of == base && (at - offset).abs() < 16)
        };
        let Some(first) = (0..run).rev().find(is_first) else { continue };
        let results: Vec<_> = operations[first].iter().flat_map(|one| one.writes.clone()).collect();
        for one in &mut operations[run] {
            (one.unit, one.order, one.reads) = (Unit::Free, MemoryClass::Anything, results.clone());
        }
    }
}
