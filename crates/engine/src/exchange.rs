//! Instructions of a warp that its lanes execute at several places: a shuffle in each branch, say.
//!
//! *Rule.* PTX ISA, `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`: an executing thread waits until all threads of the member
//! mask have executed the instruction with the same qualifiers and the same mask; that it is one instruction is asked for up to
//! sm_6x only. From sm_70 on ptxas calls one function from all places, so that lanes of both branches exchange values; lanes
//! at instructions with other qualifiers, or at `bar.warp.sync`, wait for ever. An H100 did both (driver 13.0, 2026-11-23).
//!
//! Splits that have met go on one after the other. Each takes along what the others' lanes brought.

use crate::lanes::fetch_cold;
use crate::machine::{Op, Warp};
use crate::slot::{Elem, Lanes};
use crate::warp_table;
use lanework_ptx_ir::opcode::warp::WarpOp;

/// Kinds of instructions, in the low byte of the number of one; the mode is in the next, and a flag for a negated predicate
/// in the third.
const SHUFFLE: u32 = 1;
const VOTE: u32 = 2;
const MATCH: u32 = 3;
const ELECT: u32 = 4;
const REDUCE: u32 = 5;
const NEGATED: u32 = 1 << 16;

/// An instruction that lanes come together for, as a number: `bar.warp.sync` is 0.
pub fn number(op: Option<WarpOp>) -> u32 {
    let kind = match op {
        Some(WarpOp::Shuffle(_)) => SHUFFLE,
        Some(WarpOp::Vote { .. }) => VOTE,
        Some(WarpOp::Match { .. }) => MATCH,
        Some(WarpOp::Elect) => ELECT,
        Some(WarpOp::Reduce(_)) => REDUCE,
        _ => return 0,
    };
    // A vote's mode has its negation in the second byte.
    kind | op.map_or(0, |op| warp_table::handler(op).1) << 8
}

/// Its name and qualifiers: lanes meet at instructions with the same.
pub fn qualifiers(number: u32) -> u32 {
    number & !NEGATED
}

/// What the lanes of all splits that met bring to an instruction.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// The lanes.
    pub lanes: u32,
    /// Whether this split is the first of them to go on.
    pub leads: bool,
    values: [u64; 32],
}

impl Exchange {
    /// Adds lanes that wait at an operation.
    ///
    /// # Safety
    /// It is one of the warp's at which lanes come together.
    pub unsafe fn add(&mut self, warp: &Warp, op: *const Op, lanes: u32) {
        // SAFETY: slots are valid by the assembler.
        let values = unsafe {
            let op = &*op;
            if op.d & 0xff == VOTE {
                let negated = if op.d & NEGATED != 0 { u32::MAX } else { 0 };
                let bits = *warp.at(op.c).cast::<u32>() ^ negated;
                Lanes(std::array::from_fn(|lane| u64::from(bits >> lane & 1)))
            } else {
                fetch_cold::<u64>(warp, op.c)
            }
        };
        self.lanes |= lanes;
        for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
            self.values[lane] = values.0[lane];
        }
    }
}

impl Warp {
    /// The lanes that take part in the instruction of the warp that comes next.
    pub fn participants(&self) -> u32 {
        self.mask | self.exchange.as_ref().map_or(0, |exchange| exchange.lanes)
    }

    /// Whether what synchronises these lanes is to be told by this split: each of several that met would tell it, the later ones
    /// when the first have gone on already.
    pub fn tells_sync(&self) -> bool {
        self.exchange.as_ref().is_none_or(|exchange| exchange.leads)
    }

    /// The values that lanes bring to this instruction, of which `own` are those of this split, and the lanes that take part.
    pub fn brought<T: Elem>(&mut self, mut own: Lanes<T>) -> (Lanes<T>, u32) {
        let Some(exchange) = self.exchange.take() else { return (own, self.mask) };
        for lane in (0..32).filter(|lane| exchange.lanes & !self.mask & 1 << lane != 0) {
            own.0[lane] = T::from64(exchange.values[lane]);
        }
        (own, self.mask | exchange.lanes)
    }

    /// The same of predicates, a bit for each lane.
    pub fn brought_bits(&mut self, own: u32) -> (u32, u32) {
        let Some(exchange) = self.exchange.take() else { return (own, self.mask) };
        let others = exchange.lanes & !self.mask;
        let bits = (0..32).fold(0, |bits, lane| bits | (exchange.values[lane] as u32 & 1) << lane);
        (own & !others | bits & others, self.mask | exchange.lanes)
    }
}
