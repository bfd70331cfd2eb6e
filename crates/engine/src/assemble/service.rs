//! How an access reaches memory, for counts.
//!
//! Of atomics a GPU runs what ptxas makes of them. For sm_90 ptxas 13.0 lets one lane do what all lanes
//! of a warp ask of one address, if it can tell that the address is the same for all of them, the
//! operation is one on 32-bit integers, and the result is not used. If the result of a sum is used, it
//! does so, too, where what is added is the same for all, or where all lanes are active. An unused sum of 1 in shared memory becomes an increment of its own.

use super::Assembler;
use crate::instrument::Wants;
use lanework_ptx_ir::access_class::AccessClass;
use lanework_ptx_ir::kernel::{Action, Inst, MemoryKind, MemoryOp, MemorySpace, Part, Reg, Src};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::atomic::AtomicOp;
use lanework_ptx_ir::opcode::moves::MoveOp;
use lanework_ptx_ir::types::Class;
use lanework_ptx_ir::uniformity::Uniformity;
use lanework_ptx_ir::vectorize::Vectorized;

/// A block in which no axis is the same for all lanes of a warp: ptxas does not know the block.
const ANY_BLOCK: [u32; 3] = [7, 3, 2];

impl Assembler<'_> {
    /// How memory serves an access.
    pub(super) fn service(&mut self, inst: &Inst, op: MemoryOp) -> AccessClass {
        match op.kind {
            MemoryKind::Load if op.space == MemorySpace::Generic => AccessClass::Generic,
            MemoryKind::Load => match self.vectorized.at(self.at) {
                Some(Vectorized::First(bytes)) => AccessClass::Joined(bytes),
                Some(Vectorized::Rest) => AccessClass::Rest,
                None => AccessClass::Load,
            },
            MemoryKind::Store => AccessClass::Store,
            MemoryKind::Atomic(atomic) => self.atomic(inst, op, atomic),
        }
    }

    fn atomic(&mut self, inst: &Inst, op: MemoryOp, atomic: AtomicOp) -> AccessClass {
        match op.part {
            Part::Whole => {}
            Part::First(elements) => return AccessClass::First(elements),
            Part::Rest => return AccessClass::Rest,
        }
        let service = AccessClass::of_atomic(atomic, op.ty.size());
        if !self.want.any(Wants::COUNTS) || service != AccessClass::Atomic || op.ty.size() != 4 {
            return service;
        }
        let used = inst.dst[0].is_some_and(|result| self.is_read(result));
        let (sum, value) = (atomic == AtomicOp::Add, inst.src.get(1).copied());
        if sum && !used && op.space == MemorySpace::Shared && self.known(value) == Some(1) {
            return AccessClass::Increment;
        }
        let combines =
            !matches!(atomic, AtomicOp::Exchange | AtomicOp::Increment | AtomicOp::Decrement);
        let uniform = |this: &mut Self, src: Src| {
            let block = ANY_BLOCK;
            let uniformity = this
                .any_block
                .get_or_insert_with(|| Uniformity::of(this.kernel, this.analyses, block));
            uniformity.operand(src) <= Class::Uniform
        };
        if !combines || used && !sum || !uniform(self, inst.src[0]) {
            return service;
        }
        match used && !value.is_some_and(|value| uniform(self, value)) {
            true => AccessClass::OneOfAll,
            false => AccessClass::OneLane,
        }
    }

    /// Whether any instruction reads a register.
    fn is_read(&self, register: Reg) -> bool {
        self.kernel.insts.iter().any(|inst| {
            let by_guard = inst.guard.is_some_and(|(guard, _)| guard == register);
            by_guard || inst.src.iter().any(|src| matches!(src, Src::Reg(r) if *r == register))
        })
    }

    /// The constant that an operand is, also where an instruction moved it there.
    fn known(&self, operand: Option<Src>) -> Option<u32> {
        match operand? {
            Src::Const(constant) => Some(constant as u32),
            Src::Reg(register) => {
                let writes = |inst: &&Inst| inst.dst.contains(&Some(register));
                let mut writers = self.kernel.insts.iter().filter(writes);
                let (Some(writer), None) = (writers.next(), writers.next()) else { return None };
                match (&writer.action, writer.src.as_slice()) {
                    (Action::Alu(Alu::Move(MoveOp::Copy(_))), [Src::Const(constant)]) => {
                        Some(*constant as u32)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
