//! Reductions on global memory that a device may delay: add them up in a private buffer, and publish the sums later, at the end
//! of the launch at the latest.
//!
//! A reduction is an atomic whose result nothing reads. Delaying it is allowed by the memory model (PTX ISA, "Memory Consistency
//! Model") if no other thread can tell:
//!
//! - *Function*: integer `add`, `min`, `max`, `and`, `or` and `xor` are associative and commutative, so a word ends with the same
//!   bits in any grouping and order. `inc` and `dec` with different limits are not; sums of floats depend on the order, so they
//!   are never delayed, and combine in the order in which the blocks execute them.
//! - *Causality order*: another block may rely on an earlier reduction of this block only after a release pattern in this block
//!   (a fence, or a release on a strong write). A kernel with fences beyond the block, or with acquire or release accesses to
//!   global memory, has no reduction that may be delayed.
//! - *Coherence*: accesses of this block to a word that it has reduced must see the reduction. The device publishes before them;
//!   it recognizes only accesses by `ld`, `st` and reductions, so kernels that read memory in other ways (asynchronous copies,
//!   textures, matrices, `printf`, the heap) have none, either.
//! - *Progress*: a strong read or an atomic with a result may wait for another block's reductions, or tell their order. A kernel
//!   with one on global memory has none.

use crate::analysis::bitset::BitSet;
use crate::kernel::{
    AccessPart, Inst, Kernel, MemoryKind, MemoryOp, MemorySpace, Opcode, Scope, SyncAnnotation,
};
use crate::opcode::memory::{AtomicOp, WarpOp};

/// The reductions of a kernel that may be delayed. They all have one function and size, so that those on one word may be combined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelayableReductions {
    /// Their function.
    pub op: AtomicOp,
    /// Bytes of a word.
    pub bytes: u8,
    /// The instructions, in order.
    insts: Vec<usize>,
}

impl DelayableReductions {
    /// Finds them; `None` for a kernel without any.
    pub fn find(kernel: &Kernel) -> Option<DelayableReductions> {
        let mut read = BitSet::new(kernel.registers.len());
        kernel.insts.iter().flat_map(Inst::reads).for_each(|r| read.insert(r as usize));
        let mut found: Option<DelayableReductions> = None;
        for (at, inst) in kernel.insts.iter().enumerate() {
            if !leaves_order_open(inst, &read) {
                return None;
            }
            let Some((op, bytes)) = reduction(inst) else { continue };
            let found = found.get_or_insert(DelayableReductions { op, bytes, insts: Vec::new() });
            if (found.op, found.bytes) == (op, bytes) {
                found.insts.push(at);
            }
        }
        found
    }

    /// Whether they include an instruction of the kernel, by its index.
    pub fn include(&self, inst: usize) -> bool {
        self.insts.binary_search(&inst).is_ok()
    }
}

/// The function and size of a reduction on global memory whose order does not matter. Its kernel has no atomics with results.
fn reduction(inst: &Inst) -> Option<(AtomicOp, u8)> {
    let Opcode::Memory(op) = &inst.opcode else { return None };
    let MemoryKind::Atomic(function) = op.kind else { return None };
    let free = match function {
        AtomicOp::Add
        | AtomicOp::Min { .. }
        | AtomicOp::Max { .. }
        | AtomicOp::And
        | AtomicOp::Or
        | AtomicOp::Xor => true,
        AtomicOp::Exchange
        | AtomicOp::CompareAndSwap(_)
        | AtomicOp::Increment
        | AtomicOp::Decrement
        | AtomicOp::AddSingle { .. }
        | AtomicOp::AddDouble { .. }
        | AtomicOp::Narrow { .. } => false,
    };
    let bytes = op.ty.size() as u8;
    let one = op.count == 1 && op.part == AccessPart::Whole && matches!(bytes, 4 | 8);
    (free && one && is_global(op)).then_some((function, bytes))
}

fn is_global(op: &MemoryOp) -> bool {
    matches!(op.space, MemorySpace::Global | MemorySpace::Generic)
}

/// Whether a kernel with this instruction may delay reductions. The match has no catch-all, so a new opcode has to be classified
/// here.
fn leaves_order_open(inst: &Inst, read: &BitSet) -> bool {
    match inst.opcode {
        Opcode::Alu(_)
        | Opcode::Branch(_)
        | Opcode::Exit
        | Opcode::Return
        | Opcode::Trap
        | Opcode::AssertFail
        | Opcode::StackOverflow
        | Opcode::Barrier { .. }
        | Opcode::Converge(_) => true,
        Opcode::Warp(op) => !matches!(op, WarpOp::Print | WarpOp::Malloc | WarpOp::Free),
        Opcode::Annotation(annotation) => match annotation {
            SyncAnnotation::Fence(scope) => scope == Scope::Block,
            SyncAnnotation::WarpSync | SyncAnnotation::Members | SyncAnnotation::Shuffle(_) => true,
            SyncAnnotation::InitFence
            | SyncAnnotation::ProxyFence
            | SyncAnnotation::Commit
            | SyncAnnotation::ProductFence
            | SyncAnnotation::ProductCommit
            | SyncAnnotation::ProductWait(_)
            | SyncAnnotation::Wait(_) => false,
        },
        // Instructions without an effect include fences between proxies.
        Opcode::AsyncCopy { .. }
        | Opcode::Async(_)
        | Opcode::Matrix(_)
        | Opcode::Texture(_)
        | Opcode::Nothing => false,
        Opcode::Memory(op) if !is_global(&op) => true,
        Opcode::Memory(op) if op.order.release || op.order.acquire => false,
        Opcode::Memory(op) => match op.kind {
            MemoryKind::Load | MemoryKind::Store => !op.volatile && op.order.strong.is_none(),
            MemoryKind::Atomic(_) => {
                op.order.strong != Some(Scope::System)
                    && inst.writes().all(|r| !read.contains(r as usize))
            }
        },
    }
}
