//! Registers used by warpgroup products (`wgmma`), and how each instruction uses them.
//!
//! A dataflow analysis before the run finds the accumulators, the registers that hold A, and those
//! connected with them by copies. Compilers insert copies (`mov`) anywhere and remove them later,
//! so copies are followed and are not errors themselves.

use lanework_ptx_ir::analysis::dataflow::{Direction, Facts, VariableAnalysis, solve_variables};
use lanework_ptx_ir::kernel::{Inst, Kernel, MemoryKind, MemorySpace, Opcode, Operand, Reg};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::matrix::MatrixOp;

/// The registers that warpgroup products read and write, and those connected with them by copies.
#[derive(Clone, Default)]
pub struct Accumulators {
    index: Vec<Option<u32>>,
    /// Number of these registers.
    pub count: usize,
    /// Whether the kernel has local memory. Debug code spills even registers in flight to it; the
    /// driver's compiler inserts the wait there.
    keeps: bool,
}

/// The effect of an instruction on these registers.
#[derive(Clone)]
pub enum RegisterUse {
    /// A product: its accumulators, and the registers that hold A.
    Starts(Vec<u32>, Vec<u32>),
    /// A copy from some to others.
    Copies(Vec<u32>, Vec<u32>),
    /// Other reads and writes; a write needs a fence before the next product unless it is `kept`.
    Ordinary {
        /// Sources.
        reads: Vec<u32>,
        /// Destinations.
        writes: Vec<u32>,
        /// The value is reloaded from local memory, where debug code keeps every variable.
        kept: bool,
    },
}

fn register(src: &Operand) -> Option<Reg> {
    match src {
        Operand::Reg(r) => Some(*r),
        _ => None,
    }
}

fn is_copy(inst: &Inst) -> bool {
    matches!(inst.opcode, Opcode::Alu(Alu::Move(_)))
}

/// The accumulators and A registers of a product.
fn of_product(inst: &Inst) -> Option<(impl Iterator<Item = Reg>, impl Iterator<Item = Reg>)> {
    let Opcode::Matrix(MatrixOp::Group(this)) = &inst.opcode else { return None };
    let factors = if this.registers { &inst.src[2..6] } else { &[] };
    Some((inst.dst.iter().flatten().copied(), factors.iter().filter_map(register)))
}

/// Registers connected with product registers by copies, in either direction.
struct Connected;

impl VariableAnalysis for Connected {
    type Fact = bool;
    const DIRECTION: Direction = Direction::Forward;

    fn transfer(&mut self, _: usize, inst: &Inst, facts: &mut Facts<bool>) {
        let mut found = false;
        self.inputs(inst, &mut |r| found |= *facts.get(r));
        if found {
            self.inputs(inst, &mut |r| facts.meet(r, &true));
        }
    }

    fn inputs(&self, inst: &Inst, each: &mut dyn FnMut(usize)) {
        if is_copy(inst) {
            let from = inst.src.iter().filter_map(register);
            from.chain(inst.writes()).for_each(|r| each(r as usize));
        }
    }
}

impl Accumulators {
    /// Finds the registers of a kernel.
    pub fn find(kernel: &Kernel) -> Accumulators {
        let mut found = vec![false; kernel.registers.len()];
        for (accumulators, factors) in kernel.insts.iter().filter_map(of_product) {
            accumulators.chain(factors).for_each(|r| found[r as usize] = true);
        }
        if !found.contains(&true) {
            return Accumulators::default();
        }
        let found = solve_variables(kernel, &mut Connected, found);
        let mut count = 0;
        let number = |found: bool| {
            found.then(|| {
                count += 1;
                count - 1
            })
        };
        let index: Vec<Option<u32>> = found.into_iter().map(number).collect();
        Accumulators { index, count: count as usize, keeps: kernel.local_bytes > 0 }
    }

    /// The effect of an instruction on the registers, if any.
    pub fn of(&self, inst: &Inst) -> Option<RegisterUse> {
        if self.count == 0 {
            return None;
        }
        let number = |r: Reg| self.index[r as usize];
        if let Some((accumulators, factors)) = of_product(inst) {
            let [accumulators, factors] =
                [accumulators.filter_map(number).collect(), factors.filter_map(number).collect()];
            return Some(RegisterUse::Starts(accumulators, factors));
        }
        let to: Vec<u32> = inst.dst.iter().flatten().filter_map(|r| number(*r)).collect();
        let local = |space| matches!(space, MemorySpace::Local | MemorySpace::Generic);
        let (stores, loads) = match &inst.opcode {
            Opcode::Memory(op) if self.keeps && local(op.space) => {
                (matches!(op.kind, MemoryKind::Store), matches!(op.kind, MemoryKind::Load))
            }
            _ => (false, false),
        };
        let from = if stores { &inst.src[..1] } else { &inst.src[..] };
        let from: Vec<u32> = from.iter().filter_map(register).filter_map(number).collect();
        if to.is_empty() && from.is_empty() {
            return None;
        }
        Some(match is_copy(inst) {
            true => RegisterUse::Copies(from, to),
            false => RegisterUse::Ordinary { reads: from, writes: to, kept: loads },
        })
    }
}
