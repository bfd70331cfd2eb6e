//! Opcodes of computing instructions, as data: what to compute, on which types, with which rounding and
//! modifiers. They name no handler and no mnemonic; the engine's table (`engine::alu`) gives each its
//! handlers, and the passes ask for facts here.

pub mod address;
pub mod carry;
pub mod integer;
pub mod logic;
pub mod moves;
pub mod product;

use crate::ir::types::{Class, Width};
use address::AddressOp;
use carry::CarryOp;
use integer::IntegerOp;
use logic::LogicOp;
use moves::MoveOp;
use product::ProductOp;

/// A computing instruction: each lane's result is a function of that lane's operands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alu {
    /// Arithmetic on addresses.
    Address(AddressOp),
    /// An f32, with every NaN replaced by the one that a GPU's arithmetic makes.
    CanonicalNan,
    /// Sums and differences over the carry flag.
    Carry(CarryOp),
    /// Integer arithmetic but for products.
    Integer(IntegerOp),
    /// Functions of bits.
    Logic(LogicOp),
    /// Copies, and registers taken apart and put together.
    Move(MoveOp),
    /// The arrivals that an mbarrier's state waits for.
    PendingCount,
    /// Products of integers.
    Product(ProductOp),
}

impl Alu {
    /// Copies a register.
    pub const fn copy(width: Width) -> Alu {
        Alu::Move(MoveOp::Copy(width))
    }

    /// Whether operands of these classes, none of them varying, give an affine result.
    pub fn keeps_affine(self, operands: &[Class]) -> bool {
        match self {
            Alu::Address(op) => op.keeps_affine(),
            Alu::Integer(op) => op.keeps_affine(),
            Alu::Logic(op) => op.keeps_affine(operands),
            Alu::Move(op) => op.keeps_affine(),
            Alu::Product(op) => op.keeps_affine(operands),
            Alu::CanonicalNan | Alu::Carry(_) | Alu::PendingCount => false,
        }
    }
}
