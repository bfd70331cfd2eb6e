//! The handlers of ALU instructions: the engine's one table from opcode to handler.

#[macro_use]
mod macros;
pub(crate) mod atomic;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod logic;
pub(crate) mod moves;
pub(crate) mod narrow;
pub(crate) mod operation;
#[cfg(test)]
mod tests;

use crate::instructions::alu::operation::{AluOperation, hot1, rare1};
use crate::instructions::asynchrony::mbarrier::Mbarrier;
use crate::number::single::canonical;
use lanework_ptx_ir::opcode::Alu;

/// The handlers of an opcode.
pub fn handlers(op: Alu) -> &'static AluOperation {
    match op {
        Alu::Address(op) => moves::address_handlers(op),
        Alu::CanonicalNan => hot1(|a: f32| canonical(a)),
        Alu::Carry(op) => integer::carry_handlers(op),
        Alu::Compare(op) => compare::handlers(op),
        Alu::Convert(op) => convert::handlers(op),
        Alu::SmallFloat(op) => narrow::eight_handlers(op),
        Alu::Video(op) => logic::video_handlers(op),
        Alu::Integer(op) => integer::handlers(op),
        Alu::Logic(op) => logic::handlers(op),
        Alu::Move(op) => moves::handlers(op),
        Alu::PendingCount => {
            rare1(|state: u64| Mbarrier::from_bits(state).map_or(0, |this| this.pending))
        }
        Alu::Product(op) => integer::product_handlers(op),
        Alu::Single(op) => float::handlers(op),
        Alu::Double(op) => float::double_handlers(op),
        Alu::Directed(op) => float::directed_handlers(op),
        Alu::Half(op) => narrow::handlers(op),
    }
}
