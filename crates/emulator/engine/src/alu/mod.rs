//! The handlers of computing instructions: the engine's one table from opcode to handler.

#[macro_use]
pub mod macros;
mod address;
pub mod affine;
pub mod atomic;
mod carry;
mod compare;
mod convert;
mod directed;
mod double;
mod eight;
mod half;
mod integer;
mod logic;
mod moves;
mod product;
mod single;
#[cfg(test)]
mod tests;
mod video;

use crate::alu_operation::{AluOperation, hot1, rare1};
use crate::asynchrony::mbarrier::Mbarrier;
use crate::number::single::canonical;
use lanework_ptx_ir::opcode::Alu;

/// The handlers of an opcode.
pub fn handlers(op: Alu) -> &'static AluOperation {
    match op {
        Alu::Address(op) => address::handlers(op),
        Alu::CanonicalNan => hot1(|a: f32| canonical(a)),
        Alu::Carry(op) => carry::handlers(op),
        Alu::Compare(op) => compare::handlers(op),
        Alu::Convert(op) => convert::handlers(op),
        Alu::SmallFloat(op) => eight::handlers(op),
        Alu::Video(op) => video::handlers(op),
        Alu::Integer(op) => integer::handlers(op),
        Alu::Logic(op) => logic::handlers(op),
        Alu::Move(op) => moves::handlers(op),
        Alu::PendingCount => {
            rare1(|state: u64| Mbarrier::from_bits(state).map_or(0, |this| this.pending))
        }
        Alu::Product(op) => product::handlers(op),
        Alu::Single(op) => single::handlers(op),
        Alu::Double(op) => double::handlers(op),
        Alu::Directed(op) => directed::handlers(op),
        Alu::Half(op) => half::handlers(op),
    }
}
