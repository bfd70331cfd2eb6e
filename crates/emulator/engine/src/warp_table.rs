//! The handlers of instructions of a warp: the engine's table from opcode to handler.

use crate::cross;
use crate::handler::Tiers;
use crate::heap::{Free, Malloc};
use crate::print::Print;
use crate::shape::{
    Immediate, MAYBE_TRUTH, MAYBE_VALUE, MAYBE_VARYING, OperandKind, Shape, TEST, VALUE, VARYING,
};
use lanework_ptx_ir::opcode::sync::{ShuffleMode, VoteMode, WarpOp, WarpReduction};

/// The handler of an opcode, and the number that tells it the mode.
pub fn handler(op: WarpOp) -> (Tiers, u32) {
    match op {
        WarpOp::Shuffle(mode) => (Tiers::cold::<cross::Shuffle>(), shuffle_mode(mode)),
        WarpOp::Vote { mode, negated } => {
            let mode = match mode {
                VoteMode::All => 0,
                VoteMode::Any => 1,
                VoteMode::Uniform => 2,
                VoteMode::Ballot => 3,
            };
            (Tiers::cold::<cross::Vote>(), mode | u32::from(negated) << 8)
        }
        WarpOp::Match { all } => (Tiers::cold::<cross::Match>(), u32::from(all)),
        WarpOp::ActiveMask => (Tiers::cold::<cross::ActiveMask>(), 0),
        WarpOp::Elect => (Tiers::cold::<cross::Elect>(), 0),
        WarpOp::Reduce(how) => {
            let mode = match how {
                WarpReduction::Add => cross::REDUX_ADD,
                WarpReduction::MinUnsigned => cross::REDUX_MIN_U,
                WarpReduction::MaxUnsigned => cross::REDUX_MAX_U,
                WarpReduction::MinSigned => cross::REDUX_MIN_S,
                WarpReduction::MaxSigned => cross::REDUX_MAX_S,
                WarpReduction::And => cross::REDUX_AND,
                WarpReduction::Or => cross::REDUX_OR,
                WarpReduction::Xor => cross::REDUX_XOR,
            };
            (Tiers::cold::<cross::Redux>(), mode)
        }
        WarpOp::Clock { high } => (Tiers::cold::<cross::Clock>(), u32::from(high)),
        WarpOp::Print => (Tiers::cold::<Print>(), 0),
        WarpOp::Malloc => (Tiers::cold::<Malloc>(), 0),
        WarpOp::Free => (Tiers::cold::<Free>(), 0),
    }
}

/// The operands of an opcode's handler.
pub fn shape(op: WarpOp) -> Shape {
    let none = OperandKind::Number;
    match op {
        WarpOp::Shuffle(_) => {
            Shape::new(MAYBE_VARYING, VALUE, VALUE, VALUE).with(Immediate::Predicate)
        }
        WarpOp::Vote { mode: VoteMode::Ballot, .. } => Shape::new(MAYBE_VALUE, TEST, VALUE, none),
        WarpOp::Vote { .. } => Shape::new(MAYBE_TRUTH, TEST, VALUE, none),
        WarpOp::Match { .. } => {
            Shape::new(MAYBE_VARYING, VALUE, VALUE, none).with(Immediate::Predicate)
        }
        WarpOp::ActiveMask | WarpOp::Clock { .. } => Shape::new(MAYBE_VALUE, none, none, none),
        WarpOp::Elect => Shape::new(MAYBE_VARYING, VALUE, none, none).with(Immediate::Predicate),
        WarpOp::Reduce(_) => Shape::new(MAYBE_VALUE, VALUE, VALUE, none),
        WarpOp::Print | WarpOp::Malloc | WarpOp::Free => Shape::new(VARYING, VALUE, VALUE, none),
    }
}

/// A mode as a number.
fn shuffle_mode(mode: ShuffleMode) -> u32 {
    match mode {
        ShuffleMode::Up => 0,
        ShuffleMode::Down => 1,
        ShuffleMode::Butterfly => 2,
        ShuffleMode::Index => 3,
    }
}
