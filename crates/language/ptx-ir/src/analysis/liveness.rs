//! Liveness: the registers that may be read at a point before they are written again.
//!
//! The backward may-analysis of Aho, Lam, Sethi and Ullman, "Compilers", section 9.2.5: `in = use ∪ (out \ def)`, on
//! [`crate::analysis::dataflow`]. A guarded write keeps the old value in lanes whose guard is false, so it reads its destination
//! and does not kill it. Registers live at the entry may be read before any write; special registers are among them.
//!
//! Most registers are written and read in one block. Only the others get a bit in the sets of the fixpoint, which keeps a kernel
//! of 100,000 registers small.

use crate::analysis::bitset::BitSet;
use crate::analysis::cfg::ControlFlowGraph;
use crate::analysis::dataflow::{BlockAnalysis, Direction, solve_blocks};
use crate::kernel::Kernel;

/// The live registers at the start of each block.
pub struct Liveness {
    registers: usize,
    /// The registers that are live at the edge of a block, in ascending order.
    crossing: Vec<usize>,
    /// By block, places in `crossing`.
    live_in: Vec<BitSet>,
}

impl Liveness {
    /// Analyzes a kernel.
    pub fn analyze(kernel: &Kernel, cfg: &ControlFlowGraph) -> Liveness {
        let crossing = crossing(kernel, cfg);
        let live_in = solve_blocks(cfg, &Analysis::new(kernel, cfg, &crossing));
        Liveness { registers: kernel.registers.len(), crossing, live_in }
    }

    /// The number of bits in one set of registers per block.
    pub fn bits(kernel: &Kernel, cfg: &ControlFlowGraph) -> u64 {
        cfg.blocks.len() as u64 * crossing(kernel, cfg).len() as u64
    }

    /// Registers that are live at the start of a block, in ascending order.
    pub fn live_in(&self, block: usize) -> impl Iterator<Item = usize> {
        self.live_in[block].iter().map(|place| self.crossing[place])
    }

    /// Registers that are live at the end of a block.
    pub fn live_out(&self, cfg: &ControlFlowGraph, block: usize) -> BitSet {
        let mut live = BitSet::new(self.registers);
        for next in cfg.successors(block) {
            self.live_in(*next).for_each(|register| live.insert(register));
        }
        live
    }
}

/// The registers that a block may read before it writes them, in ascending order: no others are live at an
/// edge.
fn crossing(kernel: &Kernel, cfg: &ControlFlowGraph) -> Vec<usize> {
    let mut found = BitSet::new(kernel.registers.len());
    // By register, the last block that wrote it for all lanes, counted from 1.
    let mut written = vec![0; kernel.registers.len()];
    for (number, block) in (1..).zip(&cfg.blocks) {
        for inst in &kernel.insts[block.start..block.end] {
            let kept = inst.writes().filter(|_| inst.guard.is_some());
            for r in inst.reads().chain(kept).map(|r| r as usize) {
                if written[r] != number {
                    found.insert(r);
                }
            }
            for r in inst.writes().filter(|_| inst.guard.is_none()) {
                written[r as usize] = number;
            }
        }
    }
    found.iter().collect()
}

/// By block, places in the list of crossing registers.
struct Analysis {
    crossing: usize,
    /// Read before they are written in the block.
    uses: Vec<BitSet>,
    /// Written for all lanes in the block, before any read.
    defs: Vec<BitSet>,
}

impl Analysis {
    fn new(kernel: &Kernel, cfg: &ControlFlowGraph, crossing: &[usize]) -> Analysis {
        let mut places = vec![None; kernel.registers.len()];
        for (place, register) in crossing.iter().enumerate() {
            places[*register] = Some(place);
        }
        let none = || vec![BitSet::new(crossing.len()); cfg.blocks.len()];
        let (mut uses, mut defs) = (none(), none());
        for ((block, uses), defs) in cfg.blocks.iter().zip(&mut uses).zip(&mut defs) {
            for inst in &kernel.insts[block.start..block.end] {
                for place in inst.reads().filter_map(|r| places[r as usize]) {
                    if !defs.contains(place) {
                        uses.insert(place);
                    }
                }
                for place in inst.writes().filter_map(|r| places[r as usize]) {
                    if inst.guard.is_none() {
                        defs.insert(place);
                    } else if !defs.contains(place) {
                        uses.insert(place);
                    }
                }
            }
        }
        Analysis { crossing: crossing.len(), uses, defs }
    }
}

impl BlockAnalysis for Analysis {
    type Fact = BitSet;
    const DIRECTION: Direction = Direction::Backward;

    fn top(&self) -> BitSet {
        BitSet::new(self.crossing)
    }

    fn transfer(&self, block: usize, live: &mut BitSet) {
        live.subtract(&self.defs[block]);
        live.union(&self.uses[block]);
    }
}
