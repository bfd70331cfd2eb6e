//! Opcodes of computing instructions, as data: what to compute, on which types, with which rounding and
//! modifiers. They name no handler and no mnemonic; the engine's table (`engine::alu`) gives each its
//! handlers, and the passes ask for facts here.

pub mod carry;

use crate::ir::uniformity::Class;
use carry::CarryOp;

/// A computing instruction: each lane's result is a function of that lane's operands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alu {
    /// Sums and differences over the carry flag.
    Carry(CarryOp),
}

impl Alu {
    /// Whether operands of these classes, none of them varying, give an affine result.
    pub fn keeps_affine(self, _operands: &[Class]) -> bool {
        match self {
            Alu::Carry(_) => false,
        }
    }
}
