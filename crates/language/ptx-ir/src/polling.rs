//! Polling: whether a kernel may wait in a loop for what another block writes.
//!
//! It may if a loop reads global memory by an access that others are meant to be seen by: a `.volatile` or strong
//! load, or an atomic that gives back what was there. A loop is a strongly connected component of the control-flow
//! graph; whether a block is in one is found by a search from its successors. A weak load in a loop is not polling:
//! compilers move it out (PTX ISA, "Memory consistency model").

use crate::bitset::BitSet;
use crate::cfg::ControlFlowGraph;
use crate::kernel::{Inst, Kernel, MemoryKind, MemorySpace, Opcode};

/// Blocks that are searched from at most; a kernel with more of them is taken to poll.
const MOST_SEARCHES: usize = 64;

/// Whether a kernel may wait in a loop for another block.
pub fn may_poll(kernel: &Kernel, cfg: &ControlFlowGraph) -> bool {
    let looking = cfg.blocks.iter().enumerate().filter(|(_, block)| {
        kernel.insts[block.start..block.end].iter().any(looks_at_global_memory)
    });
    let looking: Vec<usize> = looking.map(|(b, _)| b).collect();
    let many = looking.len() > MOST_SEARCHES;
    let loops = (0..cfg.blocks.len()).any(|b| cfg.successors(b).iter().any(|s| *s <= b));
    loops && !looking.is_empty() && (many || looking.iter().any(|b| in_loop(cfg, *b)))
}

/// Whether an instruction gives what other blocks may have written.
fn looks_at_global_memory(inst: &Inst) -> bool {
    let Opcode::Memory(op) = &inst.opcode else { return false };
    let global = matches!(op.space, MemorySpace::Global | MemorySpace::Generic);
    let looks = match op.kind {
        MemoryKind::Load => op.volatile || op.order.strong.is_some(),
        MemoryKind::Store => false,
        MemoryKind::Atomic(_) => inst.dst.iter().any(Option::is_some),
    };
    global && looks
}

/// Whether control can come back to a block.
fn in_loop(cfg: &ControlFlowGraph, block: usize) -> bool {
    let mut seen = BitSet::new(cfg.blocks.len());
    let mut work = vec![block];
    while let Some(at) = work.pop() {
        for &next in cfg.successors(at) {
            if next == block {
                return true;
            }
            if !seen.contains(next) {
                seen.insert(next);
                work.push(next);
            }
        }
    }
    false
}
