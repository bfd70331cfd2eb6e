//! Matrix instructions with their registers.

use super::places::Places;
use crate::slot::Slot;
use lanework_ptx_ir::opcode::matrix::MatrixOp;

/// A matrix instruction with its registers; operations point to it with their immediate.
pub struct Plan {
    /// What it does.
    pub op: MatrixOp,
    /// Destinations.
    pub dst: Vec<Slot>,
    /// Sources, as [`MatrixOp`] orders them.
    pub src: Vec<Slot>,
    /// Whether the instrument wants to know of its accesses.
    pub observed: bool,
    /// Where the elements of a product belong.
    pub places: Places,
}

impl Plan {
    /// A plan for an instruction with these registers.
    pub fn new(op: MatrixOp, dst: Vec<Slot>, src: Vec<Slot>, observed: bool) -> Plan {
        let places = match &op {
            MatrixOp::Multiply(this) if this.quads.is_none() => Places::of(this),
            _ => Places::default(),
        };
        Plan { op, dst, src, observed, places }
    }
}
