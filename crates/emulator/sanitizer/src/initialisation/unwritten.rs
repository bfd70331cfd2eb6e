//! Which registers may hold a value that nothing has written, and what each instruction does with them.
//!
//! Found before the run: those that are read before they are written on some path, and what is computed
//! from them. Only these are followed while the kernel runs ([`super::registers`]).

use super::bits::{self, Flow};
use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::analysis::dataflow::{Direction, Facts, VariableAnalysis, solve_variables};
use lanework_ptx_ir::kernel::{Inst, Kernel, MemoryKind, MemorySpace, Opcode, Operand, Reg, Width};
use lanework_ptx_ir::opcode::sync::WarpOp;

/// The registers of a kernel that are followed.
#[derive(Clone, Default)]
pub struct Followed {
    /// By register: its number among those followed.
    index: Vec<Option<u32>>,
    /// How many there are.
    pub count: usize,
    /// Those that are unwritten at the start.
    pub unwritten: Vec<u32>,
    /// By followed register: all its bits.
    pub bits: Vec<u64>,
}

/// What an instruction does with followed registers.
#[derive(Clone, Default)]
pub struct Step {
    /// Those whose values end here, which of their bits do, and in what: an address, a branch, memory.
    pub ends: Vec<(u32, u64, &'static str)>,
    /// How results are made of them.
    pub flow: Flow,
    /// One whose values lanes read from each other.
    pub shuffled: Option<u32>,
    /// Results.
    pub to: Vec<u32>,
    /// Results that are made of none of these.
    pub written: Vec<u32>,
}

impl Followed {
    /// Finds them.
    pub fn find(kernel: &Kernel, analyses: &Analyses) -> Followed {
        let start: Vec<usize> = analyses.read_unwritten(kernel).collect();
        if start.is_empty() {
            return Followed::default();
        }
        let mut unwritten = vec![false; kernel.registers.len()];
        start.iter().for_each(|r| unwritten[*r] = true);
        let maybe = solve_variables(kernel, &mut MayBeUnwritten, unwritten);
        let mut count = 0;
        let number = |maybe: bool| {
            maybe.then(|| {
                count += 1;
                count - 1
            })
        };
        let index: Vec<Option<u32>> = maybe.into_iter().map(number).collect();
        let unwritten = start.iter().filter_map(|r| index[*r]).collect();
        let followed = kernel.registers.iter().zip(&index).filter(|(_, index)| index.is_some());
        let bits = followed.map(|(register, _)| bits_of(register.width)).collect();
        Followed { index, count: count as usize, unwritten, bits }
    }

    /// What an instruction does with them, if anything.
    pub fn step(&self, inst: &Inst) -> Option<Step> {
        if self.count == 0 {
            return None;
        }
        let of = |r: Reg| self.index[r as usize];
        let followed = |src: &[Operand]| -> Vec<u32> {
            src.iter().filter_map(|src| src.register()).filter_map(of).collect()
        };
        let mut step = Step::default();
        let end = |list: Vec<u32>, bits, what| list.into_iter().map(move |r| (r, bits, what));
        step.ends.extend(inst.guard.and_then(|(r, _)| of(r)).map(|r| (r, u64::MAX, "a branch")));
        match &inst.opcode {
            Opcode::Memory(op) => {
                step.ends.extend(end(followed(&inst.src[..1]), u64::MAX, "an address"));
                // What is private to a thread or a block may hold it: of a tile that is not full, threads
                // put what they have where nobody looks.
                let private = matches!(op.space, MemorySpace::Local | MemorySpace::Shared);
                let kept = private && matches!(op.kind, MemoryKind::Store);
                if !matches!(op.kind, MemoryKind::Load) && !kept {
                    let bits = bits::low(8 * op.ty.size());
                    step.ends.extend(end(followed(&inst.src[1..]), bits, "memory"));
                }
            }
            Opcode::AsyncCopy { .. } => {
                step.ends.extend(end(followed(&inst.src), u64::MAX, "an address"));
            }
            Opcode::Barrier { .. } => {
                step.ends.extend(end(followed(&inst.src), u64::MAX, "a barrier"));
            }
            Opcode::Warp(WarpOp::Shuffle(_)) => {
                step.shuffled = inst.src[0].register().and_then(of);
                step.flow.whole = followed(&inst.src[1..]);
            }
            _ if makes(inst) => step.flow = Flow::of(inst, &of),
            _ => {}
        }
        step.to = inst.dst.iter().flatten().filter_map(|r| of(*r)).collect();
        if let Opcode::Warp(WarpOp::Shuffle(_)) = inst.opcode {
            // Whether the lane read from is in range says nothing of the value.
            let in_range = inst.dst.get(1).copied().flatten().and_then(of);
            step.to.retain(|r| Some(*r) != in_range);
            step.written.extend(in_range);
        }
        let sources = step.flow != Flow::default() || step.shuffled.is_some();
        let none =
            step.ends.is_empty() && !sources && step.to.is_empty() && step.written.is_empty();
        (!none).then_some(step)
    }
}

/// Which registers may hold a value that nothing has written, or one made from such a value: the forward
/// slice of those that are read unwritten, through registers only.
struct MayBeUnwritten;

impl VariableAnalysis for MayBeUnwritten {
    type Fact = bool;
    const DIRECTION: Direction = Direction::Forward;

    fn transfer(&mut self, _: usize, inst: &Inst, facts: &mut Facts<bool>) {
        let of_unwritten = |src: &Operand| src.register().is_some_and(|r| *facts.get(r as usize));
        if makes(inst) && inst.src.iter().any(of_unwritten) {
            inst.writes().for_each(|r| facts.meet(r as usize, &true));
        }
    }
}

/// All bits of a register.
fn bits_of(width: Width) -> u64 {
    match width {
        Width::Predicate => 1,
        Width::Word => bits::low(32),
        Width::Wide => u64::MAX,
    }
}

/// Whether an instruction makes its results of its sources in registers.
fn makes(inst: &Inst) -> bool {
    inst.is_alu() || matches!(inst.opcode, Opcode::Warp(_))
}
