//! Opcodes of computing instructions, as data: what to compute, on which types, with which rounding and
//! modifiers. They name no handler and no mnemonic; the engine's table (`engine::alu`) gives each its
//! handlers, and the passes ask for facts here.

pub mod carry;
pub mod moves;

use crate::ir::types::{Class, Width};
use carry::CarryOp;
use moves::MoveOp;

/// A computing instruction: each lane's result is a function of that lane's operands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alu {
    /// Sums and differences over the carry flag.
    Carry(CarryOp),
    /// Copies, and registers taken apart and put together.
    Move(MoveOp),
}

impl Alu {
    /// Copies a register.
    pub const fn copy(width: Width) -> Alu {
        Alu::Move(MoveOp::Copy(width))
    }

    /// Whether operands of these classes, none of them varying, give an affine result.
    pub fn keeps_affine(self, _operands: &[Class]) -> bool {
        match self {
            Alu::Carry(_) => false,
            Alu::Move(op) => op.keeps_affine(),
        }
    }
}
