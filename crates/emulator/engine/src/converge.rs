//! Instructions of a warp that its lanes execute at several places: a shuffle in each branch, say.
//!
//! *Rule.* PTX ISA, `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`: an executing thread waits until all threads of the member
//! mask have executed the instruction with the same qualifiers and the same mask; that it is one instruction is asked for up to
//! sm_6x only. From sm_70 on ptxas calls one function from all places, so that lanes of both branches exchange values; lanes
//! at instructions with other qualifiers, or at `bar.warp.sync`, wait for ever. An H100 did both (2026-11-23).
//!
//! Splits that have met go on one after the other. Each takes along what the others' lanes brought.

use crate::exchange::Exchange;
use crate::lanes::fetch_cold;
use crate::machine::{Op, Warp};
use crate::slot::Lanes;
use crate::warp_table;
use lanework_ptx_ir::opcode::sync::WarpOp;

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

/// Adds lanes that wait at an operation.
///
/// # Safety
/// It is one of the warp's at which lanes come together.
pub unsafe fn add(exchange: &mut Exchange, warp: &Warp, op: *const Op, lanes: u32) {
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots lie in it.
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
    exchange.lanes |= lanes;
    for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
        exchange.values[lane] = values.0[lane];
    }
}
