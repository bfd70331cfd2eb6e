//! The handlers of computing instructions: the engine's one table from opcode to handler.

#[macro_use]
mod macros;
mod carry;
mod moves;

use crate::engine::pure::Pure;
use crate::ir::opcode::Alu;

/// The handlers of an opcode.
pub fn handlers(op: Alu) -> &'static Pure {
    match op {
        Alu::Carry(op) => carry::handlers(op),
        Alu::Move(op) => moves::handlers(op),
    }
}
