//! `alloca`, `stacksave` and `stackrestore` (PTX manual, "Stack Manipulation Instructions"): memory of a
//! thread's own that a function gets while it runs and gives back where it returns.
//!
//! It is taken from the end of a stretch of local memory downwards; a register holds where the free part
//! ends. What does not fit faults. Limit: the stretch has [`BYTES`], for all functions of a thread together.

use super::state::Lowering;
use crate::kernel::*;
use crate::opcode::Alu;
use lanework_ptx::{Function, Statement};

/// Bytes for `alloca` of each thread.
pub const BYTES: u32 = 32 << 10;
/// What they are called where variables are listed.
const NAME: &str = "memory of `alloca`";

impl<'m> Lowering<'m> {
    /// Leaves room for the register's first value, where the module may need it.
    pub(super) fn start_allocation(&mut self) {
        // Other entries are not part of this one.
        let part = |function: &&Function| !function.entry || function.name == self.kernel.name;
        if self.module().functions().filter(part).any(allocates) {
            self.emit(Opcode::Nothing, Vec::new(), Vec::new(), None);
        }
    }

    /// Gives the register its first value.
    pub(super) fn finish_allocation(&mut self) {
        if let Some(register) = self.allocation
            && let Some(first) = self.kernel.insts.first_mut()
        {
            let end = self.allocation_base + u64::from(BYTES);
            first.opcode = Opcode::Alu(Alu::copy(Width::Wide));
            (first.dst, first.src) = (vec![Some(register)], vec![Operand::Const(end)]);
        }
    }

    /// The register that holds the end of what is free, and where that starts.
    pub fn allocation(&mut self) -> (Reg, u64) {
        if let Some(register) = self.allocation {
            return (register, self.allocation_base);
        }
        let register = self.new_register(Width::Wide);
        self.allocation = Some(register);
        self.allocation_base = self.reserve_local(NAME, BYTES);
        (register, self.allocation_base)
    }

    /// Keeps what was free when a function starts, if it allocates.
    pub(super) fn allocated(&mut self, function: &'m Function) -> Option<Reg> {
        if !allocates(function) {
            return None;
        }
        let (register, _) = self.allocation();
        let kept = self.new_register(Width::Wide);
        let copy = Opcode::Alu(Alu::copy(Width::Wide));
        self.emit(copy, vec![Some(kept)], vec![Operand::Reg(register)], None);
        Some(kept)
    }

    /// Gives back what a function allocated.
    pub(super) fn release(&mut self, kept: Option<Reg>) {
        if let Some(kept) = kept {
            let (register, _) = self.allocation();
            let copy = Opcode::Alu(Alu::copy(Width::Wide));
            self.emit(copy, vec![Some(register)], vec![Operand::Reg(kept)], None);
        }
    }
}

/// Whether a function moves the end of what is free.
fn allocates(function: &Function) -> bool {
    fn any(statements: &[Statement]) -> bool {
        statements.iter().any(|statement| match statement {
            Statement::Instruction(instruction) => {
                matches!(instruction.opcode.as_str(), "alloca" | "stacksave" | "stackrestore")
            }
            Statement::Block(inner) => any(inner),
            _ => false,
        })
    }
    function.body.as_deref().is_some_and(any)
}
