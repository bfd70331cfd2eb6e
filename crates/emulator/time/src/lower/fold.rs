//! Folding: finds instructions that disappear into others.

use crate::trace::Runs;
use lanework_ptx_ir::kernel::{Inst, Kernel, MemoryKind, MemorySpace, Opcode, Operand, Reg, Width};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::convert::ConvertOp;
use lanework_ptx_ir::opcode::integer::{Integer, IntegerOp, IntegerSize, ProductOp};
use lanework_ptx_ir::opcode::logic::{LogicOp, MoveOp, PartSize};

/// How an instruction is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It becomes separate operations.
    Stays,
    /// It disappears.
    Free,
    /// It forms one wide multiply-add with an earlier product.
    WideMultiplyAdd,
    /// It forms one 32-bit multiply-add with an earlier product.
    MultiplyAdd,
    /// It forms one operation with an earlier shift, sum or logic operation.
    Fused,
}

/// Facts about the instructions of a kernel.
pub struct Folded {
    /// The fate of each instruction.
    pub fates: Vec<Fate>,
    /// By register: the instruction that writes it, if only one does.
    pub definition: Vec<Option<u32>>,
    /// Number of uses of each register.
    pub uses: Vec<u32>,
    /// By register: whether it is only used as the address of accesses.
    pub address_only: Vec<bool>,
}

/// Whether ptxas knows an operand as a constant.
fn is_constant(operand: Option<&Operand>) -> bool {
    matches!(operand, Some(Operand::Const(_) | Operand::Truth(_) | Operand::DynamicShared(_)))
}

impl Folded {
    /// Folds a kernel.
    pub fn new(kernel: &Kernel, runs: &Runs) -> Folded {
        let registers = kernel.registers.len();
        let mut folded = Folded {
            fates: vec![Fate::Stays; kernel.insts.len()],
            definition: vec![None; registers],
            uses: vec![0; registers],
            address_only: vec![true; registers],
        };
        let mut writes = vec![0u32; registers];
        for (at, inst) in kernel.insts.iter().enumerate() {
            for register in inst.writes() {
                writes[register as usize] += 1;
                folded.definition[register as usize] = Some(at as u32);
            }
            for (place, source) in inst.src.iter().enumerate() {
                let Some(register) = source.register() else { continue };
                folded.uses[register as usize] += 1;
                let access = matches!(inst.opcode, Opcode::Memory(_)) && place == 0;
                let copy = matches!(inst.opcode, Opcode::AsyncCopy { .. }) && place < 2;
                let matrix = matches!(inst.opcode, Opcode::Matrix(_)) && place == 0;
                folded.address_only[register as usize] &= access || copy || matrix;
            }
            if let Some((register, _)) = inst.guard {
                folded.uses[register as usize] += 1;
                folded.address_only[register as usize] = false;
            }
        }
        for (register, count) in writes.iter().enumerate() {
            if *count != 1 {
                folded.definition[register] = None;
            }
        }
        folded.fold_dead(kernel);
        for at in 0..kernel.insts.len() {
            folded.fold(kernel, at);
        }
        folded.hoist(kernel, runs);
        folded
    }

    /// Removes instructions whose results are never read.
    fn fold_dead(&mut self, kernel: &Kernel) {
        for at in (0..kernel.insts.len()).rev() {
            let inst = &kernel.insts[at];
            let pure = match &inst.opcode {
                Opcode::Alu(_) => true,
                Opcode::Memory(op) => op.kind == MemoryKind::Load && !op.volatile,
                _ => false,
            };
            let unread = inst.writes().all(|register| self.uses[register as usize] == 0);
            if pure && unread {
                self.fates[at] = Fate::Free;
                for register in inst.reads() {
                    self.uses[register as usize] -= 1;
                }
            }
        }
    }

    fn defined_by<'k>(
        &self,
        kernel: &'k Kernel,
        operand: Option<&Operand>,
    ) -> Option<(usize, &'k Inst)> {
        let register = operand?.register()?;
        let at = self.definition[register as usize]? as usize;
        Some((at, &kernel.insts[at]))
    }

    /// The instruction that computes an operand, if the operand is its only use.
    fn only_use<'k>(
        &self,
        kernel: &'k Kernel,
        operand: Option<&Operand>,
    ) -> Option<(usize, &'k Inst)> {
        let register = operand?.register()?;
        if self.uses[register as usize] != 1 {
            return None;
        }
        let found = self.defined_by(kernel, operand)?;
        (self.fates[found.0] == Fate::Stays && found.1.guard.is_none()).then_some(found)
    }

    fn fold(&mut self, kernel: &Kernel, at: usize) {
        let inst = &kernel.insts[at];
        if self.fates[at] != Fate::Stays {
            return;
        }
        let result = inst.dst.first().copied().flatten();
        let addresses = result.is_some_and(|r| self.address_only[r as usize]);
        let fate = match &inst.opcode {
            Opcode::Memory(op) if op.space == MemorySpace::Parameter => Fate::Free,
            Opcode::Memory(op)
                if op.space == MemorySpace::Constant && is_constant(inst.src.first()) =>
            {
                Fate::Free
            }
            Opcode::Nothing => Fate::Free,
            Opcode::Alu(alu) => match alu {
                Alu::CanonicalNan | Alu::Address(_) => Fate::Free,
                Alu::Move(MoveOp::Extract { part: PartSize::Byte | PartSize::Half, .. }) => {
                    Fate::Stays
                }
                Alu::Move(_) => Fate::Free,
                Alu::Convert(ConvertOp::TruncateWide) => Fate::Free,
                Alu::Convert(ConvertOp::ExtendToWide(Integer::U32)) => Fate::Free,
                Alu::Convert(ConvertOp::ExtendToWide(Integer::S32)) => self.widened(kernel, result),
                // `setp` also combines its result with another predicate, so the logic operation is free.
                Alu::Logic(LogicOp::And(Width::Predicate) | LogicOp::Or(Width::Predicate)) => {
                    match self.only_use(kernel, inst.src.first()).is_some()
                        || self.only_use(kernel, inst.src.get(1)).is_some()
                    {
                        true => Fate::Free,
                        false => Fate::Stays,
                    }
                }
                Alu::Logic(LogicOp::Not(Width::Predicate)) => Fate::Free,
                Alu::Logic(
                    LogicOp::And(Width::Word)
                    | LogicOp::Or(Width::Word)
                    | LogicOp::Xor(Width::Word),
                ) => self.fuse_with(kernel, inst, |other| {
                    matches!(other, Alu::Logic(LogicOp::And(_) | LogicOp::Or(_) | LogicOp::Xor(_)))
                }),
                Alu::Integer(IntegerOp::Add(ty)) | Alu::Integer(IntegerOp::Sub(ty)) => {
                    self.sum(kernel, inst, *ty, addresses)
                }
                Alu::Product(ProductOp::MadWide { word: true, .. }) => Fate::Stays,
                _ => Fate::Stays,
            },
            _ => Fate::Stays,
        };
        self.fates[at] = fate;
    }

    /// The fate of a sign extension: free if all its users are products, or shifts that become products, which extend their
    /// operands.
    fn widened(&self, kernel: &Kernel, result: Option<Reg>) -> Fate {
        let Some(result) = result else { return Fate::Free };
        let multiplies = |inst: &Inst| {
            matches!(
                inst.opcode,
                Opcode::Alu(
                    Alu::Logic(LogicOp::ShiftLeft(IntegerSize::Wide))
                        | Alu::Product(ProductOp::Mul(_) | ProductOp::Mad(_))
                )
            )
        };
        let users = kernel.insts.iter().filter(|inst| inst.reads().any(|r| r == result));
        match self.uses[result as usize] <= 4 && users.clone().all(multiplies) {
            true => Fate::Free,
            false => Fate::Stays,
        }
    }

    /// The fate of an instruction that may be fused with the one that computes an operand.
    fn fuse_with(&mut self, kernel: &Kernel, inst: &Inst, fits: impl Fn(Alu) -> bool) -> Fate {
        for operand in inst.src.iter().take(2) {
            let Some((before, other)) = self.only_use(kernel, Some(operand)) else { continue };
            if let Opcode::Alu(alu) = other.opcode
                && fits(alu)
            {
                self.fates[before] = Fate::Free;
                return Fate::Fused;
            }
        }
        Fate::Stays
    }

    fn sum(&mut self, kernel: &Kernel, inst: &Inst, ty: Integer, addresses: bool) -> Fate {
        let constant = is_constant(inst.src.get(1)) || is_constant(inst.src.first());
        if constant && addresses {
            return Fate::Free;
        }
        let wide = matches!(ty, Integer::U64 | Integer::S64);
        if wide {
            for operand in inst.src.iter().take(2) {
                let Some((before, other)) = self.only_use(kernel, Some(operand)) else { continue };
                match other.opcode {
                    Opcode::Alu(Alu::Product(ProductOp::MulWide { word: true, .. })) => {
                        self.fates[before] = Fate::Free;
                        return Fate::WideMultiplyAdd;
                    }
                    Opcode::Alu(Alu::Logic(LogicOp::ShiftLeft(IntegerSize::Wide)))
                        if is_constant(other.src.get(1)) =>
                    {
                        self.fates[before] = Fate::Free;
                        return Fate::WideMultiplyAdd;
                    }
                    _ => {}
                }
            }
            return Fate::Stays;
        }
        let product =
            |other| matches!(other, Alu::Product(ProductOp::Mul(Integer::U32 | Integer::S32)));
        if self.fuse_with(kernel, inst, product) == Fate::Fused {
            return Fate::MultiplyAdd;
        }
        self.fuse_with(kernel, inst, |other| {
            matches!(
                other,
                Alu::Logic(LogicOp::ShiftLeft(IntegerSize::Word))
                    | Alu::Integer(IntegerOp::Add(Integer::U32 | Integer::S32))
            )
        })
    }

    /// Moves loop-invariant arithmetic out of loops. A loop is the text from the target of a backward branch to the branch.
    fn hoist(&mut self, kernel: &Kernel, runs: &Runs) {
        let mut loops: Vec<(u32, u32)> = Vec::new();
        for (block, successors) in runs.successors.iter().enumerate() {
            let back = successors.iter().filter(|&&to| to as usize <= block);
            loops.extend(back.map(|&to| (to, block as u32)));
        }
        let instructions = |block: u32| {
            let of = runs.of_block(block);
            match of.is_empty() {
                true => 0..0,
                false => {
                    runs.all[of.start as usize].start as usize
                        ..runs.all[of.end as usize - 1].end as usize
                }
            }
        };
        for (first, last) in loops {
            let body: Vec<usize> = (first..=last).flat_map(instructions).collect();
            let mut changes = vec![false; kernel.registers.len()];
            for &at in &body {
                kernel.insts[at].writes().for_each(|register| changes[register as usize] = true);
            }
            for &at in &body {
                let inst = &kernel.insts[at];
                let single = inst.writes().all(|r| self.definition[r as usize].is_some());
                let fixed = inst.reads().all(|register| !changes[register as usize]);
                if inst.is_alu() && single && fixed {
                    self.fates[at] = Fate::Free;
                    inst.writes().for_each(|register| changes[register as usize] = false);
                }
            }
        }
    }
}
