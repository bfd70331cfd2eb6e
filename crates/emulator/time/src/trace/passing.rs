//! Instructions by which blocks pass values to each other while both run: they read words that others write, or write
//! words that others read.
//!
//! An atomic that leaves its word as it is, such as a sum of 0, is a read: programs use it to poll a word past the L1.

use lanework_ptx_ir::kernel::{Inst, Kernel, MemoryKind, Opcode, Operand};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::logic::MoveOp;
use lanework_ptx_ir::opcode::memory::AtomicOp;
use std::collections::HashMap;

/// The instructions of a kernel that pass values.
pub struct Passing<'k> {
    kernel: &'k Kernel,
    /// The constants of registers that only hold one.
    constants: HashMap<u32, Option<u64>>,
}

impl<'k> Passing<'k> {
    /// Prepares the search in a kernel.
    pub fn new(kernel: &'k Kernel) -> Passing<'k> {
        let mut constants: HashMap<u32, Option<u64>> = HashMap::new();
        for inst in &kernel.insts {
            let copied = match (&inst.opcode, inst.src.as_slice(), inst.guard) {
                (Opcode::Alu(Alu::Move(MoveOp::Copy(_))), [Operand::Const(value)], None) => {
                    Some(*value)
                }
                _ => None,
            };
            for register in inst.writes() {
                let known = constants.entry(register).or_insert(copied);
                if *known != copied {
                    *known = None;
                }
            }
        }
        Passing { kernel, constants }
    }

    /// By instruction of the kernel: whether it reads memory that others write at the same time: a volatile or strong load, a
    /// swap, or an atomic that only reads.
    pub fn observes(&self, at: usize) -> bool {
        let inst = &self.kernel.insts[at];
        let Opcode::Memory(op) = inst.opcode else { return false };
        match op.kind {
            MemoryKind::Load => op.volatile || op.order.strong.is_some(),
            MemoryKind::Store => false,
            MemoryKind::Atomic(AtomicOp::CompareAndSwap(_) | AtomicOp::Exchange) => true,
            MemoryKind::Atomic(atomic) => self.only_reads(inst, atomic, op.ty.size()),
        }
    }

    /// Whether it writes memory that others observe: a volatile or strong store, or an atomic.
    pub fn publishes(&self, at: usize) -> bool {
        let inst = &self.kernel.insts[at];
        let Opcode::Memory(op) = inst.opcode else { return false };
        match op.kind {
            MemoryKind::Load => false,
            MemoryKind::Store => op.volatile || op.order.strong.is_some(),
            MemoryKind::Atomic(atomic) => !self.only_reads(inst, atomic, op.ty.size()),
        }
    }

    /// Whether an atomic on words of `bytes` bytes returns its word and leaves it as it is.
    fn only_reads(&self, inst: &Inst, atomic: AtomicOp, bytes: u32) -> bool {
        let all = if bytes == 8 { u64::MAX } else { u32::MAX.into() };
        let neutral = match atomic {
            AtomicOp::Add | AtomicOp::Or | AtomicOp::Xor | AtomicOp::Max { signed: false, .. } => 0,
            AtomicOp::And | AtomicOp::Min { signed: false, .. } => all,
            _ => return false,
        };
        let operand = inst.src.get(1).and_then(|operand| self.constant(*operand));
        inst.dst.iter().any(Option::is_some) && operand.map(|value| value & all) == Some(neutral)
    }

    fn constant(&self, operand: Operand) -> Option<u64> {
        match operand {
            Operand::Const(value) => Some(value),
            Operand::Reg(register) => *self.constants.get(&register)?,
            _ => None,
        }
    }
}
