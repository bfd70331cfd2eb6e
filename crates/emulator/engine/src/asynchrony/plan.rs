//! Asynchronous instructions with their registers.

use crate::slot::Slot;
use lanework_ptx_ir::opcode::asynchrony::AsyncOp;

/// An instruction with its registers; operations point to it with their immediate.
pub struct Plan {
    /// What it does.
    pub op: AsyncOp,
    /// Destinations.
    pub dst: Vec<Slot>,
    /// Sources.
    pub src: Vec<Slot>,
}
