//! Analyses of a lowered kernel that hold for every launch, computed once per kernel.
//!
//! Includes polling detection: whether a kernel may wait in a loop for a value that another block writes. A kernel polls if a
//! loop reads global memory by an access that observes other blocks: a `.volatile` or strong load, or an atomic whose result is
//! used. A loop is a strongly connected component of the control-flow graph; a search from a block's successors finds whether
//! the block is in one. A weak load in a loop does not poll, because compilers hoist it (PTX ISA, "Memory consistency model").

pub mod access;
pub mod bitset;
pub mod cfg;
pub mod dataflow;
pub mod dominance;
pub mod known_bits;
pub mod liveness;
pub mod load_uses;
pub mod pressure;
pub mod uniformity;

use crate::analysis::bitset::BitSet;
use crate::analysis::cfg::ControlFlowGraph;
use crate::analysis::dominance::immediate_post_dominators;
use crate::analysis::liveness::Liveness;
use crate::kernel::{Inst, Kernel, MemoryKind, MemorySpace, Opcode};

/// The analyses of a kernel that no launch changes.
pub struct Analyses {
    /// The control-flow graph.
    pub cfg: ControlFlowGraph,
    /// The immediate post-dominator of each block: where lanes that diverge at its end reconverge.
    pub ipdom: Vec<Option<usize>>,
    /// Registers that are live at the edges of blocks.
    pub liveness: Liveness,
    /// Whether it may poll memory that another block writes.
    pub polls: bool,
}

impl Analyses {
    /// Analyzes a kernel.
    pub fn new(kernel: &Kernel) -> Analyses {
        let cfg = ControlFlowGraph::new(kernel);
        let ipdom = immediate_post_dominators(kernel, &cfg);
        let liveness = Liveness::analyze(kernel, &cfg);
        let polls = may_poll(kernel, &cfg);
        Analyses { cfg, ipdom, liveness, polls }
    }

    /// The registers that may be read before anything writes them.
    pub fn read_unwritten(&self, kernel: &Kernel) -> impl Iterator<Item = usize> {
        let fresh = |r: &usize| kernel.registers[*r].special.is_none();
        self.liveness.live_in(0).filter(fresh)
    }
}

/// Maximum number of blocks to search from; a kernel with more of them is assumed to poll.
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

/// Whether an instruction returns values that other blocks may have written.
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
