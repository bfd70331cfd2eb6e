//! Liveness: which registers may be read, from a place on, before they are written.
//!
//! The classic backward may-analysis (Aho, Lam, Sethi and Ullman, "Compilers", section 9.2.5):
//! `in = use ∪ (out \ def)`, over [`crate::analysis::dataflow`]. A guarded write keeps the old value of the lanes
//! whose guard is false, so it counts as a read of its destination and never kills it. Registers that are
//! live at the entry may be read unwritten; special registers are among them.
//!
//! Most registers are written and read in one block and live at no block's edge. Only the others have a bit
//! in the sets of the fixpoint, so that a kernel of 100,000 registers stays small.
//! Register pressure: how many 32-bit registers a kernel's values need at once.
//!
//! The most live words at any instruction ("MaxLive" of register allocation), from `liveness`. The
//! driver's compiler schedules, folds and rematerialises, so its count differs; but where many
//! values live at once, as in register tiles, it cannot need fewer than live here.

use crate::analysis::Analyses;
use crate::analysis::bitset::BitSet;
use crate::analysis::cfg::ControlFlowGraph;
use crate::analysis::dataflow::{BlockAnalysis, Direction, solve_blocks};
use crate::kernel::{Kernel, Reg, Width};

/// The live registers at the start of each block.
pub struct Liveness {
    registers: usize,
    /// The registers that are live at the edge of a block, in ascending order.
    crossing: Vec<usize>,
    /// By block, places in `crossing`.
    live_in: Vec<BitSet>,
}

impl Liveness {
    /// Analyses a kernel.
    pub fn of(kernel: &Kernel, cfg: &ControlFlowGraph) -> Liveness {
        let crossing = crossing(kernel, cfg);
        let live_in = solve_blocks(cfg, &Analysis::of(kernel, cfg, &crossing));
        Liveness { registers: kernel.registers.len(), crossing, live_in }
    }

    /// How many bits one set of registers for each block has.
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
    fn of(kernel: &Kernel, cfg: &ControlFlowGraph, crossing: &[usize]) -> Analysis {
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

/// An estimate of what a kernel takes of the register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterPressure {
    /// 32-bit registers per thread, at most [`MOST_REGISTERS`].
    pub registers: u32,
    /// Bytes per thread that do not fit and would live in local memory, and the kernel's own local
    /// variables.
    pub spill_bytes: u32,
}

/// Registers that a thread can have.
pub const MOST_REGISTERS: u32 = 255;
/// Registers that every kernel needs for the stack pointer, addresses and temporaries.
const OVERHEAD: u32 = 6;
/// Registers are given in this many.
const UNIT: u32 = 8;

/// The estimate for a kernel.
pub fn pressure(kernel: &Kernel, analyses: &Analyses) -> RegisterPressure {
    let blocks = 0..analyses.cfg.blocks.len();
    let most = blocks.map(|block| most_alive(kernel, analyses, block)).max();
    let wanted = (most.unwrap_or(0) + OVERHEAD).next_multiple_of(UNIT);
    RegisterPressure {
        registers: wanted.min(MOST_REGISTERS),
        spill_bytes: 4 * wanted.saturating_sub(MOST_REGISTERS + 1) + kernel.local_bytes,
    }
}

/// The most 32-bit words alive at once in a basic block, found from its end backwards.
fn most_alive(kernel: &Kernel, analyses: &Analyses, block: usize) -> u32 {
    let words = |register: Reg| match kernel.registers[register as usize] {
        register if register.special.is_some() => 0,
        register => match register.width {
            Width::Predicate => 0,
            Width::Word => 1,
            Width::Wide => 2,
        },
    };
    let cfg = &analyses.cfg;
    let mut live = analyses.liveness.live_out(cfg, block);
    let mut alive: u32 = live.iter().map(|register| words(register as Reg)).sum();
    let mut most = alive;
    let block = &cfg.blocks[block];
    for inst in kernel.insts[block.start..block.end].iter().rev() {
        for dst in inst.writes().filter(|_| inst.guard.is_none()) {
            if live.contains(dst as usize) {
                live.remove(dst as usize);
                alive -= words(dst);
            }
        }
        for register in inst.reads() {
            if !live.contains(register as usize) {
                live.insert(register as usize);
                alive += words(register);
            }
        }
        most = most.max(alive);
    }
    most
}
