//! Liveness: which registers may be read, from a place on, before they are written.
//!
//! The classic backward may-analysis (Aho, Lam, Sethi and Ullman, "Compilers", section 9.2.5):
//! `in = use ∪ (out \ def)`, over [`super::dataflow`]. A guarded write keeps the old value of the lanes
//! whose guard is false, so it counts as a read of its destination and never kills it. Registers that are
//! live at the entry may be read unwritten; special registers are among them.

use crate::bitset::BitSet;
use crate::cfg::ControlFlowGraph;
use crate::dataflow::{BlockAnalysis, Direction, solve_blocks};
use crate::kernel::Kernel;

/// The live registers at the start of each block.
pub struct Liveness {
    live_in: Vec<BitSet>,
}

impl Liveness {
    /// Analyses a kernel.
    pub fn of(kernel: &Kernel, cfg: &ControlFlowGraph) -> Liveness {
        Liveness { live_in: solve_blocks(cfg, &Analysis::of(kernel, cfg)) }
    }

    /// Registers that are live at the start of a block.
    pub fn live_in(&self, block: usize) -> &BitSet {
        &self.live_in[block]
    }

    /// Registers that are live at the end of a block.
    pub fn live_out(&self, kernel: &Kernel, cfg: &ControlFlowGraph, block: usize) -> BitSet {
        let mut live = BitSet::new(kernel.registers.len());
        for next in cfg.successors(block) {
            live.union(&self.live_in[*next]);
        }
        live
    }
}

/// By block.
struct Analysis {
    registers: usize,
    /// Read before they are written in the block.
    uses: Vec<BitSet>,
    /// Written for all lanes in the block, before any read.
    defs: Vec<BitSet>,
}

impl Analysis {
    fn of(kernel: &Kernel, cfg: &ControlFlowGraph) -> Analysis {
        let registers = kernel.registers.len();
        let none = || vec![BitSet::new(registers); cfg.blocks.len()];
        let (mut uses, mut defs) = (none(), none());
        for ((block, uses), defs) in cfg.blocks.iter().zip(&mut uses).zip(&mut defs) {
            for inst in &kernel.insts[block.start..block.end] {
                for r in inst.reads().filter(|r| !defs.contains(*r as usize)) {
                    uses.insert(r as usize);
                }
                for r in inst.writes().map(|r| r as usize) {
                    if inst.guard.is_none() {
                        defs.insert(r);
                    } else if !defs.contains(r) {
                        uses.insert(r);
                    }
                }
            }
        }
        Analysis { registers, uses, defs }
    }
}

impl BlockAnalysis for Analysis {
    type Fact = BitSet;
    const DIRECTION: Direction = Direction::Backward;

    fn top(&self) -> BitSet {
        BitSet::new(self.registers)
    }

    fn transfer(&self, block: usize, live: &mut BitSet) {
        live.subtract(&self.defs[block]);
        live.union(&self.uses[block]);
    }
}
