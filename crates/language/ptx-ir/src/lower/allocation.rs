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
    /// Leaves room for the register's first value, where a body may need it.
    pub(super) fn start_allocation(&mut self, body: &'m [Statement]) {
        let reached = self.call_graph.below(body);
        let mut reached = reached.into_iter().filter_map(|name| self.call_graph.function(name));
        if allocates_in(body) || reached.any(allocates) {
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
    function.body.as_deref().is_some_and(allocates_in)
}

fn allocates_in(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Instruction(instruction) => {
            matches!(instruction.opcode.as_str(), "alloca" | "stacksave" | "stackrestore")
        }
        Statement::Block(inner) => allocates_in(inner),
        _ => false,
    })
}
