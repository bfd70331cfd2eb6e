//! The tables beside the operations: the kernel's registers, access sites and plans of instructions.

use super::{Verifier, Violation};
use crate::assemble::Prefill;
use crate::event::AccessKind;
use crate::shape::{
    MAYBE_TRUTH, MAYBE_VARYING, PREDICATE, Registers, SCALAR_WIDE, SCALAR_WORD, TEST, VALUE,
    VARYING, WIDE_WORDS, WORDS, forms_of,
};
use crate::slot::Slot;
use lanework_ptx_ir::opcode::asynchrony::{AsyncOp, MbarrierOp};
use lanework_ptx_ir::opcode::matrix::MatrixOp;
use lanework_ptx_ir::opcode::tensor_memory::TmemOp;

impl Verifier<'_> {
    /// Registers of the kernel, and what is written before it runs, lie in forms of their widths.
    pub(super) fn registers(&self) -> Result<(), Violation> {
        for (r, (slot, register)) in self.code.slots.iter().zip(&self.kernel.registers).enumerate()
        {
            let registers = Registers::of(forms_of(register.width)).optional();
            if !self.file.names(*slot, registers) {
                let what = format!("register {r}: {}", self.file.mismatch(*slot, registers));
                return Err(self.wrong(None, what));
            }
        }
        for (slot, what) in &self.code.prefill {
            let forms = match what {
                Prefill::Special(_) => SCALAR_WORD | SCALAR_WIDE | WORDS | WIDE_WORDS | PREDICATE,
                Prefill::Constant(_) => SCALAR_WIDE,
                Prefill::Truth(_) => PREDICATE,
            };
            if !self.file.names(*slot, Registers::of(forms)) {
                let wrong = self.file.mismatch(*slot, Registers::of(forms));
                return Err(self.wrong(None, format!("prefilled {what:?}: {wrong}")));
            }
        }
        Ok(())
    }

    /// Sites hold registers of the right forms, and elements that exist.
    pub(super) fn sites(&self) -> Result<(), Violation> {
        for (i, site) in self.code.sites.iter().enumerate() {
            let wrong = |what: &str| {
                let origin = self.kernel.origins.get(site.origin as usize);
                let name = origin.map_or("?", |origin| origin.name.as_str());
                Err(self.wrong(None, format!("site {i} (`{name}`): {what}")))
            };
            let atomic = site.kind == AccessKind::Atomic;
            let sizes: &[u8] = if atomic { &[2, 4, 8] } else { &[1, 2, 4, 8] };
            if !sizes.contains(&site.bytes) || ![1, 2, 4, 8].contains(&site.count) {
                return wrong("no size of an access");
            }
            if site.origin as usize >= self.kernel.origins.len() {
                return wrong("its origin does not exist");
            }
            for (element, slot) in site.data.iter().enumerate() {
                let old = if site.count == 2 { 4..6 } else { 2..3 };
                let wanted = if atomic && old.contains(&element) { VARYING } else { VALUE };
                if slot.is_some_and(|slot| !self.file.is(slot, wanted)) {
                    return wrong(&format!("element {element} is not in a register of its form"));
                }
            }
        }
        Ok(())
    }

    /// The registers of matrix and asynchronous instructions.
    pub(super) fn plans(&self) -> Result<(), Violation> {
        for (i, plan) in self.code.plans.iter().enumerate() {
            let test = matches!(plan.op, MatrixOp::Group(_));
            let source = |(j, slot): (usize, &Slot)| {
                self.file.is(*slot, if test && j == 1 { TEST } else { VALUE })
            };
            let result = |slot: &Slot| self.file.is(*slot, MAYBE_VARYING);
            if !plan.src.iter().enumerate().all(source) || !plan.dst.iter().all(result) {
                return Err(
                    self.wrong(None, format!("matrix plan {i}: a register is not one of its form"))
                );
            }
        }
        for (i, plan) in self.code.async_plans.iter().enumerate() {
            let wait = matches!(plan.op, AsyncOp::Mbarrier(MbarrierOp::Wait { .. }, _));
            let to = if wait { MAYBE_TRUTH } else { MAYBE_VARYING };
            let test = matches!(plan.op, AsyncOp::Tmem(TmemOp::Multiply(_)));
            let source = |(j, slot): (usize, &Slot)| {
                self.file.is(*slot, if test && j == 4 { TEST } else { VALUE })
            };
            let inside = plan.src.iter().enumerate().all(source)
                && plan.dst.iter().all(|slot| self.file.is(*slot, to));
            if !inside {
                return Err(self.wrong(
                    None,
                    format!("asynchronous plan {i}: a register is not one of its form"),
                ));
            }
        }
        for (i, plan) in self.code.texture_plans.iter().enumerate() {
            let inside = plan.src.iter().all(|slot| self.file.is(*slot, VALUE))
                && plan.dst.iter().all(|slot| self.file.is(*slot, MAYBE_VARYING));
            if !inside {
                return Err(self
                    .wrong(None, format!("texture plan {i}: a register is not one of its form")));
            }
        }
        Ok(())
    }
}
