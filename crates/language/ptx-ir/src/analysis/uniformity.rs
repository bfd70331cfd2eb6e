//! Uniformity (divergence) analysis: which registers are uniform or affine across the lanes of a warp, for one block shape.
//!
//! Coutinho, Sampaio, Pereira and Meira, "Divergence Analysis and Optimizations" (2011), with the affine constraints of Sampaio,
//! de Souza, Collange and Pereira, "Divergence Analysis" (2013). Flow-insensitive: each register has one [`UniformityClass`] for
//! the whole kernel, the join over all its writes (the meet of [`crate::analysis::dataflow`]). `%tid` is the source of
//! divergence; its class on each axis is found by visiting every thread of the block, so `%tid.y` of a 32x8 block is uniform. Each
//! half warp has its own base, so blocks 16 threads wide are affine too.
//!
//! Control dependence: the engine stores a uniform register once for the warp, so a write in the influence region of a divergent
//! branch (the blocks between the branch and its immediate post-dominator) would overwrite the value of lanes that wait. A
//! register that one side writes, and that the other side or the code after reconvergence may read, is therefore varying. The
//! papers place a phi at the post-dominator; this form has no single assignment and uses liveness instead.
//!
//! Limits: generic and local loads and all atomics are varying, and so are writes under a guard that is not uniform. A product or
//! shift whose uniform operand is written later in the text may also be varying. Two values are never proved equal.

use crate::analysis::Analyses;
use crate::analysis::bitset::BitSet;
use crate::analysis::dataflow::{Direction, Facts, Lattice, VariableAnalysis, solve_variables};
use crate::kernel::*;
use crate::types::UniformityClass;

/// The classes are a chain; the meet is the weaker one.
impl Lattice for UniformityClass {
    fn meet(&mut self, other: &UniformityClass) -> bool {
        let weaker = other > self;
        *self = *other.max(self);
        weaker
    }
}

/// The class of each register.
pub struct Uniformity {
    classes: Vec<UniformityClass>,
}

impl Uniformity {
    /// Every register varying: no analysis.
    pub fn all_varying(kernel: &Kernel) -> Uniformity {
        Uniformity { classes: vec![UniformityClass::Varying; kernel.registers.len()] }
    }

    /// Analyzes a kernel for a block shape.
    pub fn analyze(kernel: &Kernel, analyses: &Analyses, block: [u32; 3]) -> Uniformity {
        let start = |register: &Register| match register.special {
            Some(special) => class_of_special(special, block),
            None => UniformityClass::Undefined,
        };
        let start = kernel.registers.iter().map(start).collect();
        let influenced = vec![None; analyses.cfg.blocks.len()];
        let mut analysis = Analysis { kernel, analyses, influenced };
        Uniformity { classes: solve_variables(kernel, &mut analysis, start) }
    }

    /// The class of a register.
    pub fn class(&self, register: Reg) -> UniformityClass {
        self.classes[register as usize]
    }

    /// The class of an operand.
    pub fn operand(&self, src: Operand) -> UniformityClass {
        src.register().map_or(UniformityClass::Uniform, |r| self.class(r))
    }

    /// The classes of all registers, by number.
    pub fn classes(&self) -> &[UniformityClass] {
        &self.classes
    }
}

struct Analysis<'a> {
    kernel: &'a Kernel,
    analyses: &'a Analyses,
    /// By block that ends in a divergent branch: the registers that become varying by it.
    influenced: Vec<Option<Vec<usize>>>,
}

impl VariableAnalysis for Analysis<'_> {
    type Fact = UniformityClass;
    const DIRECTION: Direction = Direction::Forward;

    fn transfer(&mut self, at: usize, inst: &Inst, facts: &mut Facts<UniformityClass>) {
        let divergent = inst
            .guard
            .is_some_and(|(guard, _)| *facts.get(guard as usize) > UniformityClass::Uniform);
        if let (Opcode::Branch(_), true) = (&inst.opcode, divergent) {
            for register in self.influenced_by(at) {
                facts.meet(*register, &UniformityClass::Varying);
            }
            return;
        }
        let class = if divergent { UniformityClass::Varying } else { result(inst, facts) };
        for register in inst.writes().map(|r| r as usize) {
            // A predicate has a bit per lane in any case: only whether it is uniform matters.
            let predicate = self.kernel.registers[register].width == Width::Predicate;
            let class = if predicate && class == UniformityClass::Affine {
                UniformityClass::Varying
            } else {
                class
            };
            facts.meet(register, &class);
        }
    }
}

impl Analysis<'_> {
    /// The registers that become varying if the branch at `at` is divergent.
    fn influenced_by(&mut self, at: usize) -> &[usize] {
        let (kernel, analyses) = (self.kernel, self.analyses);
        let block = analyses.cfg.block_of(at);
        self.influenced[block].get_or_insert_with(|| {
            let edges = &analyses.cfg.blocks[block];
            let (Some(next), Some(target)) = (edges.fall_through, edges.target) else {
                return Vec::new();
            };
            let ipdom = analyses.ipdom[block];
            let hazards = |side: usize, other: usize| {
                let written = written_before(kernel, analyses, side, ipdom);
                let other = Some(other).filter(|other| Some(*other) != ipdom);
                let read = other.into_iter().chain(ipdom);
                let read = read.flat_map(|block| analyses.liveness.live_in(block));
                read.filter(|register| written.contains(*register)).collect::<Vec<_>>()
            };
            let mut both = hazards(target, next);
            both.extend(hazards(next, target));
            both.sort_unstable();
            both.dedup();
            both
        })
    }
}

/// Registers written in blocks that `from` reaches without passing `until`.
fn written_before(
    kernel: &Kernel,
    analyses: &Analyses,
    from: usize,
    until: Option<usize>,
) -> BitSet {
    let mut written = BitSet::new(kernel.registers.len());
    if Some(from) == until {
        return written;
    }
    let mut seen = BitSet::new(analyses.cfg.blocks.len());
    seen.insert(from);
    let mut stack = vec![from];
    while let Some(b) = stack.pop() {
        let block = &analyses.cfg.blocks[b];
        for inst in &kernel.insts[block.start..block.end] {
            inst.writes().for_each(|r| written.insert(r as usize));
        }
        for &s in analyses.cfg.successors(b) {
            if Some(s) != until && !seen.contains(s) {
                seen.insert(s);
                stack.push(s);
            }
        }
    }
    written
}

/// The class of an instruction's results.
fn result(inst: &Inst, facts: &Facts<UniformityClass>) -> UniformityClass {
    let operand =
        |src: &Operand| src.register().map_or(UniformityClass::Uniform, |r| *facts.get(r as usize));
    let worst = || inst.src.iter().map(operand).max().unwrap_or(UniformityClass::Uniform);
    match &inst.opcode {
        Opcode::Alu(op) => match worst() {
            UniformityClass::Affine => {
                let all: Vec<UniformityClass> = inst.src.iter().map(operand).collect();
                if op.keeps_affine(&all) {
                    UniformityClass::Affine
                } else {
                    UniformityClass::Varying
                }
            }
            other => other,
        },
        Opcode::Warp(op) => {
            let constant = matches!(inst.src.get(1), Some(Operand::Const(_)));
            if op.is_uniform(constant) {
                UniformityClass::Uniform
            } else {
                UniformityClass::Varying
            }
        }
        Opcode::Memory(op) => {
            let address = operand(&inst.src[0]);
            let same = matches!(op.kind, MemoryKind::Load)
                && !op.volatile
                && !matches!(op.space, MemorySpace::Local | MemorySpace::Generic)
                && address <= UniformityClass::Halves;
            if same { address } else { UniformityClass::Varying }
        }
        _ => UniformityClass::Varying,
    }
}

fn class_of_special(special: SpecialRegister, block: [u32; 3]) -> UniformityClass {
    match special {
        SpecialRegister::Thread(axis) => class_of_thread(block, usize::from(axis)),
        SpecialRegister::Lane => UniformityClass::Affine,
        SpecialRegister::LaneMask(_) => UniformityClass::Varying,
        _ => UniformityClass::Uniform,
    }
}

/// The thread index of a linear thread number.
pub fn thread_index(block: [u32; 3], linear: u32) -> [u32; 3] {
    let (x, y) = (block[0].max(1), block[1].max(1));
    [linear % x, linear / x % y, linear / x / y]
}

/// The class of `%tid` on one axis, found by looking at every thread of the block.
fn class_of_thread(block: [u32; 3], axis: usize) -> UniformityClass {
    let threads: u32 = block.iter().product();
    let at = |t: u32| i64::from(thread_index(block, t)[axis]);
    let mut class = UniformityClass::Uniform;
    for warp in 0..threads.div_ceil(32) {
        let first = warp * 32;
        let stride = at(first + 1) - at(first);
        for half in 0..2 {
            let base = first + half * 16;
            for i in 0..16 {
                if at(base + i) != at(base) + stride * i64::from(i) {
                    return UniformityClass::Varying;
                }
            }
        }
        if stride != 0 {
            class = class.max(UniformityClass::Affine);
        } else if at(first) != at(first + 16) {
            class = class.max(UniformityClass::Halves);
        }
    }
    class
}
