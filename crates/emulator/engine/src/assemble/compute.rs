//! ALU instructions: picks the handler for the forms of their operands, which are scalar, affine or varying.

use crate::assemble::Assembler;
use crate::assemble::fuse::Mark;
use crate::assemble::shape::{OperandKind, Registers, SCALAR_FORM, Shape, WIDE_WORDS, WORDS};
use crate::instructions::alu::operation::{AluOperation, Materialize};
use crate::instructions::{alu, control};
use crate::machine::Handler;
use crate::machine::context::Tiers;
use crate::machine::slot::{OFFSET, Slot};
use lanework_ptx_ir::analysis::uniformity::Uniformity;
use lanework_ptx_ir::kernel::*;
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::types::UniformityClass;

impl Assembler<'_> {
    /// Whether the result, and the operands that `uniformity` classifies as varying, have the
    /// widths of the instruction's own types.
    fn own_widths(&self, inst: &Inst, operation: &AluOperation, uniformity: &Uniformity) -> bool {
        let varying = |src: &Operand| match src {
            Operand::Reg(r) if uniformity.class(*r) >= UniformityClass::Affine => Some(*r),
            _ => None,
        };
        let width = |r: Reg| self.kernel.registers[r as usize].width;
        let fits = |(src, own): (&Operand, &Width)| varying(src).is_none_or(|r| width(r) == *own);
        inst.src.iter().zip(operation.widths).all(fits)
            && inst.dst[0].is_none_or(|r| Some(&width(r)) == operation.widths.last())
    }

    /// The handler for the mix of scalar and varying operands in `uniformity`, if the instruction
    /// has one, and a bit for each operand that is scalar. Affine operands count as varying.
    fn direct(
        &self,
        inst: &Inst,
        operation: &AluOperation,
        uniformity: &Uniformity,
    ) -> Option<(Handler, usize)> {
        let dst = inst.dst[0].map_or(UniformityClass::Varying, |r| uniformity.class(r));
        if dst < UniformityClass::Varying || !self.own_widths(inst, operation, uniformity) {
            return None;
        }
        let scalar =
            |src: &Operand| usize::from(uniformity.operand(*src) <= UniformityClass::Halves);
        let kinds = inst.src.iter().enumerate().fold(0, |bits, (i, src)| bits | scalar(src) << i);
        Some((operation.direct.get(kinds)?.at(self.want.tier)?, kinds))
    }

    /// Emits an ALU instruction.
    pub(crate) fn compute(&mut self, inst: &Inst, op: Alu) {
        let operation = alu::handlers(op);
        let classes: Vec<UniformityClass> =
            inst.src.iter().map(|s| self.uniformity.operand(*s)).collect();
        let dst = inst.dst[0].map_or(UniformityClass::Varying, |r| self.uniformity.class(r));
        let predicate = inst.dst[0]
            .is_some_and(|r| self.kernel.registers[r as usize].width == Width::Predicate);
        let affine = operation
            .affine
            .filter(|_| dst < UniformityClass::Varying && !predicate && op.keeps_affine(&classes));
        if let Some(affine) = affine {
            let slots = self.slots(inst).map(|slot| slot & OFFSET);
            self.push(affine.handler, slots, 0, inst.origin, Shape::affine());
            if affine.sum {
                self.mark(Mark::Sum);
            }
            return;
        }
        let materialized = self.materialize(inst, operation);
        if let Some((handler, kinds)) = self.direct(inst, operation, self.uniformity) {
            let [to, mut from @ ..] = self.slots(inst);
            for (slot, own) in from.iter_mut().zip(materialized) {
                *slot = own.unwrap_or(*slot);
            }
            let slots = [to, from[0], from[1], from[2]].map(|slot| slot & OFFSET);
            let shape = Shape::direct(operation.widths, kinds);
            self.push_handler(handler, slots, operation.lane.bits(), inst.origin, shape);
            if operation.fma && (kinds == 1 || kinds == 2) {
                self.mark(Mark::Fma);
            }
            return;
        }
        let scalar = dst < UniformityClass::Varying;
        let tiers = if scalar { operation.scalar } else { operation.vector };
        let shape = Shape::compute(operation.widths, scalar);
        let slots = self.slots(inst);
        self.push(tiers, slots, operation.lane.bits(), inst.origin, shape);
        if let (Some(compare), true, true) =
            (operation.compare, predicate, dst == UniformityClass::Uniform)
        {
            self.mark(Mark::Compare(compare));
        }
    }

    /// Emits operations that copy affine operands to temporary varying registers, for an
    /// instruction that has a handler for varying operands, and returns the slots of these
    /// registers. The all-varying code has no-ops in the same places.
    fn materialize(&mut self, inst: &Inst, operation: &AluOperation) -> [Option<Slot>; 3] {
        let mut materialized = [None; 3];
        if self.direct(inst, operation, self.divergence).is_none() {
            return materialized;
        }
        for (i, src) in inst.src.iter().enumerate().take(3) {
            let Operand::Reg(r) = src else { continue };
            if self.divergence.class(*r) != UniformityClass::Affine {
                continue;
            }
            if self.uniformity.class(*r) != UniformityClass::Affine {
                let tiers = Tiers::cold::<control::Nothing>();
                self.push(tiers, [0; 4], 0, inst.origin, Shape::NONE);
                continue;
            }
            let wide = self.kernel.registers[*r as usize].width == Width::Wide;
            let to = self.temporary(i, wide);
            let from = self.code.slots[*r as usize];
            let tiers = if wide {
                Tiers::per_level::<Materialize<u64>>()
            } else {
                Tiers::per_level::<Materialize<u32>>()
            };
            let own =
                OperandKind::Register(Registers::in_forms(if wide { WIDE_WORDS } else { WORDS }));
            let shape = Shape::new(own, SCALAR_FORM, OperandKind::Number, OperandKind::Number);
            self.push(tiers, [to, from, 0, 0], 0, inst.origin, shape);
            materialized[i] = Some(to);
        }
        materialized
    }

    /// The slots of an instruction's destination and sources.
    pub(crate) fn slots(&mut self, inst: &Inst) -> [Slot; 4] {
        let [b, c, d] = [0, 1, 2].map(|i| self.source(inst.src.get(i)));
        [self.destination(inst.dst.first()), b, c, d]
    }
}
