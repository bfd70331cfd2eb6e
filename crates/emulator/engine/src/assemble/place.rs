//! Places registers and constants in the register file.

use crate::assemble::shape::{
    PREDICATE, RegisterForms, SCALAR_WIDE, SCALAR_WORD, WIDE_WORDS, WORDS, form_bytes,
};
use crate::assemble::{Assembler, Prefill};
use crate::machine::slot::{NO_SLOT, OFFSET, SCALAR, Slot, WIDE};
use lanework_ptx_ir::kernel::*;
use lanework_ptx_ir::types::UniformityClass;
use std::collections::HashMap;

impl Assembler<'_> {
    /// Reserves space for a register of a form; returns its slot, with `flags`.
    fn reserve(&mut self, form: RegisterForms, flags: Slot) -> Slot {
        let bytes = form_bytes(form);
        let at = self.code.register_bytes.next_multiple_of(bytes.min(64));
        self.code.register_bytes = at + bytes;
        let slot = at as Slot | flags;
        self.code.reserved.push((slot, form));
        slot
    }

    pub(crate) fn place_registers(&mut self) {
        let used = self.used();
        for (i, register) in self.kernel.registers.iter().enumerate() {
            if !used[i] {
                self.code.slots.push(NO_SLOT);
                continue;
            }
            let scalar = self.uniformity.class(i as Reg) < UniformityClass::Varying;
            let slot = match (register.width, scalar) {
                (Width::Predicate, _) => {
                    let flag = if self.uniformity.class(i as Reg) <= UniformityClass::Uniform {
                        SCALAR
                    } else {
                        0
                    };
                    self.reserve(PREDICATE, flag)
                }
                (Width::Word, true) => self.reserve(SCALAR_WORD, SCALAR),
                (Width::Wide, true) => self.reserve(SCALAR_WIDE, SCALAR | WIDE),
                (Width::Word, false) => self.reserve(WORDS, 0),
                (Width::Wide, false) => self.reserve(WIDE_WORDS, WIDE),
            };
            self.code.slots.push(slot);
            if let Some(special) = register.special {
                self.code.prefill.push((slot, Prefill::Special(special)));
            }
        }
    }

    /// The number of operands of the kernel that read each register, by its bare slot.
    pub(crate) fn reads(&self) -> HashMap<Slot, u32> {
        let mut reads = HashMap::new();
        for inst in &self.kernel.insts {
            let guard = inst.guard.map(|(r, _)| Operand::Reg(r));
            for src in inst.src.iter().chain(&guard) {
                if let Operand::Reg(r) = src {
                    *reads.entry(self.code.slots[*r as usize] & OFFSET).or_insert(0) += 1;
                }
            }
        }
        reads
    }

    fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.kernel.registers.len()];
        for inst in &self.kernel.insts {
            let guard = inst.guard.map(|(r, _)| r);
            for r in inst.dst.iter().flatten().chain(&guard) {
                used[*r as usize] = true;
            }
            for src in &inst.src {
                if let Operand::Reg(r) = src {
                    used[*r as usize] = true;
                }
            }
        }
        used
    }

    /// The register in which operand `i` of an instruction is materialized if it is affine.
    pub(crate) fn temporary(&mut self, i: usize, wide: bool) -> Slot {
        if let Some(slot) = self.temporaries[i][usize::from(wide)] {
            return slot;
        }
        let slot = if wide { self.reserve(WIDE_WORDS, WIDE) } else { self.reserve(WORDS, 0) };
        self.temporaries[i][usize::from(wide)] = Some(slot);
        slot
    }

    fn constant(&mut self, value: u64) -> Slot {
        if let Some(slot) = self.constants.get(&value) {
            return *slot;
        }
        let slot = self.reserve(SCALAR_WIDE, SCALAR | WIDE);
        self.constants.insert(value, slot);
        self.code.prefill.push((slot, Prefill::Constant(value)));
        slot
    }

    fn truth(&mut self, value: bool) -> Slot {
        if let Some(slot) = self.truths[usize::from(value)] {
            return slot;
        }
        let slot = self.reserve(PREDICATE, SCALAR);
        self.truths[usize::from(value)] = Some(slot);
        self.code.prefill.push((slot, Prefill::Truth(value)));
        slot
    }

    pub(crate) fn source(&mut self, src: Option<&Operand>) -> Slot {
        match src {
            None => self.constant(0),
            Some(Operand::Reg(r)) => self.code.slots[*r as usize],
            Some(Operand::Const(value)) => self.constant(*value),
            Some(Operand::Truth(value)) => self.truth(*value),
            Some(Operand::DynamicShared(at)) => {
                self.constant(at.wrapping_add(u64::from(self.kernel.static_shared)))
            }
        }
    }

    pub(crate) fn destination(&self, dst: Option<&Option<Reg>>) -> Slot {
        dst.copied().flatten().map_or(NO_SLOT, |r| self.code.slots[r as usize])
    }
}
