//! Analyses of a lowered kernel that hold for every launch, computed once per kernel ([`Analyses`]). This file has polling
//! detection ([`may_poll`]), register pressure ([`pressure`]) and [`Liveness`].

pub mod access;
pub mod bitset;
pub mod cfg;
pub mod dataflow;
pub mod dominance;
pub mod known_bits;
pub mod load_uses;
pub mod reductions;
pub mod uniformity;

use crate::analysis::bitset::BitSet;
use crate::analysis::cfg::ControlFlowGraph;
use crate::analysis::dominance::immediate_post_dominators;
use crate::analysis::reductions::DelayableReductions;
use crate::kernel::{Inst, Kernel, MemoryKind, MemorySpace, Opcode, Operand, Reg, Width};
use dataflow::{BlockAnalysis, Direction, solve_blocks};

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
    /// Reductions whose effect on memory may be delayed.
    pub delayable: Option<DelayableReductions>,
}

impl Analyses {
    /// Analyzes a kernel.
    pub fn new(kernel: &Kernel) -> Analyses {
        let cfg = ControlFlowGraph::new(kernel);
        let ipdom = immediate_post_dominators(kernel, &cfg);
        let liveness = Liveness::analyze(kernel, &cfg);
        let polls = may_poll(kernel, &cfg);
        let delayable = DelayableReductions::find(kernel);
        Analyses { cfg, ipdom, liveness, polls, delayable }
    }

    /// The registers that may be read before anything writes them.
    pub fn read_unwritten(&self, kernel: &Kernel) -> impl Iterator<Item = usize> {
        let fresh = |r: &usize| kernel.registers[*r].special.is_none();
        self.liveness.live_in(0).filter(fresh)
    }
}

/// Maximum number of blocks to search from; a kernel with more of them is assumed to poll.
const MOST_SEARCHES: usize = 64;

/// Whether a kernel may poll: wait in a loop for a value that another block writes.
///
/// A kernel polls if a loop reads global memory by an access that observes other blocks: a `.volatile` or strong load, or an
/// atomic whose result is used. A weak load in a loop does not poll, because compilers hoist it (PTX ISA, "Memory consistency
/// model"). A loop is a strongly connected component of the control-flow graph; a search from a block's successors finds
/// whether the block is in one.
pub fn may_poll(kernel: &Kernel, cfg: &ControlFlowGraph) -> bool {
    let global = |space| matches!(space, MemorySpace::Global | MemorySpace::Generic);
    loops_look(kernel, cfg, global)
}

/// Whether a kernel may wait in a loop for a value that another thread writes, in global or shared memory.
pub fn may_wait(kernel: &Kernel, cfg: &ControlFlowGraph) -> bool {
    loops_look(kernel, cfg, |space| !matches!(space, MemorySpace::Local | MemorySpace::Parameter))
}

/// Whether a loop observes values that other threads may have written to some spaces.
fn loops_look(kernel: &Kernel, cfg: &ControlFlowGraph, of: impl Fn(MemorySpace) -> bool) -> bool {
    let looking = cfg.blocks.iter().enumerate().filter(|(_, block)| {
        kernel.insts[block.start..block.end].iter().any(|inst| looks_at_memory(inst, &of))
    });
    let looking: Vec<usize> = looking.map(|(b, _)| b).collect();
    let many = looking.len() > MOST_SEARCHES;
    let loops = (0..cfg.blocks.len()).any(|b| cfg.successors(b).iter().any(|s| *s <= b));
    loops && !looking.is_empty() && (many || looking.iter().any(|b| in_loop(cfg, *b)))
}

/// Whether an instruction returns values that other threads may have written to some spaces.
fn looks_at_memory(inst: &Inst, of: impl Fn(MemorySpace) -> bool) -> bool {
    let Opcode::Memory(op) = &inst.opcode else { return false };
    let looks = match op.kind {
        MemoryKind::Load => op.volatile || op.order.strong.is_some(),
        MemoryKind::Store => false,
        MemoryKind::Atomic(_) => inst.dst.iter().any(Option::is_some),
    };
    looks && of(op.space)
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

/// An estimate of a kernel's register use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterPressure {
    /// 32-bit registers per thread, at most [`MOST_REGISTERS`].
    pub registers: u32,
    /// Bytes per thread that would spill to local memory, plus the kernel's own local variables.
    pub spill_bytes: u32,
}

/// The maximum number of registers per thread.
pub const MOST_REGISTERS: u32 = 255;

/// Registers that every kernel needs for the stack pointer, addresses and temporaries.
const OVERHEAD: u32 = 6;

/// Allocation granularity.
const UNIT: u32 = 8;

/// Estimates the register use of a kernel: the maximum number of 32-bit registers that are live at once ("MaxLive" in register
/// allocation).
///
/// The driver's compiler also schedules, folds and rematerializes, so its count differs; but it needs at least as many registers
/// as are live at once. In kernels with register tiles, these dominate. Parameters and constants stay in the constant bank,
/// from which arithmetic instructions read one operand directly.
pub fn pressure(kernel: &Kernel, analyses: &Analyses) -> RegisterPressure {
    let blocks = 0..analyses.cfg.blocks.len();
    let banked = constant_bank(kernel);
    let most = blocks.map(|block| most_alive(kernel, analyses, block, &banked)).max();
    let wanted = (most.unwrap_or(0) + OVERHEAD).next_multiple_of(UNIT);
    RegisterPressure {
        registers: wanted.min(MOST_REGISTERS),
        spill_bytes: 4 * wanted.saturating_sub(MOST_REGISTERS + 1) + kernel.local_bytes,
    }
}

/// The registers that only hold a parameter or a constant, loaded from a known address. Each use can read the constant bank
/// again, so they need no register in between.
fn constant_bank(kernel: &Kernel) -> BitSet {
    let (mut loaded, mut computed) =
        (BitSet::new(kernel.registers.len()), BitSet::new(kernel.registers.len()));
    for inst in &kernel.insts {
        let of_bank = match &inst.opcode {
            Opcode::Memory(op) => {
                matches!(op.space, MemorySpace::Parameter | MemorySpace::Constant)
                    && op.kind == MemoryKind::Load
                    && matches!(inst.src.first(), Some(Operand::Const(_)))
            }
            _ => false,
        };
        let to = if of_bank && inst.guard.is_none() { &mut loaded } else { &mut computed };
        inst.writes().for_each(|register| to.insert(register as usize));
    }
    computed.iter().for_each(|register| loaded.remove(register));
    loaded
}

/// The maximum number of live 32-bit words in a basic block, computed backward from its end. Registers in `banked` only count
/// at instructions that cannot read them from the constant bank.
fn most_alive(kernel: &Kernel, analyses: &Analyses, block: usize, banked: &BitSet) -> u32 {
    let size = |register: Reg| match kernel.registers[register as usize] {
        register if register.special.is_some() => 0,
        register => match register.width {
            Width::Predicate => 0,
            Width::Word => 1,
            Width::Wide => 2,
        },
    };
    let words = |register: Reg| if banked.contains(register as usize) { 0 } else { size(register) };
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
        // The operands that have to be copied from the constant bank first: of arithmetic, all but one.
        let (mut copied, mut direct) = (0, 0);
        for register in inst.reads() {
            if banked.contains(register as usize) {
                copied += size(register);
                direct = direct.max(size(register));
            }
            if !live.contains(register as usize) {
                live.insert(register as usize);
                alive += words(register);
            }
        }
        if !inst.is_alu() {
            direct = 0;
        }
        most = most.max(alive + copied - direct);
    }
    most
}

/// Liveness: the registers that may be read before they are written again, at the start of each block.
///
/// The backward may-analysis of Aho, Lam, Sethi and Ullman, "Compilers", section 9.2.5: `in = use ∪ (out \ def)`, on
/// [`crate::analysis::dataflow`]. A guarded write keeps the old value in lanes whose guard is false, so it reads its
/// destination and does not kill it. Registers live at the entry may be read before any write; special registers are among
/// them.
///
/// Most registers are written and read in one block. Only the others get a bit in the sets of the fixpoint, which keeps a
/// kernel of 100,000 registers small.
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
