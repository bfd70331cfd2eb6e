//! The reconvergence stack of a warp (SIMT stack): its splits wait on it for each other.

use crate::instructions::cross;
use crate::machine::lanes::fetch_cold;
use crate::machine::slot::{Elem, Lanes};
use crate::machine::{DEPTH, NO_RECONVERGENCE, Op, ReconvergenceEntry, Stop, Warp};
use lanework_ptx_ir::opcode::memory::WarpOp;

impl Warp {
    /// Pushes an entry. A split makes the masks strictly smaller, so the
    /// stack never holds more than two entries per split.
    #[inline]
    pub fn push(&mut self, entry: ReconvergenceEntry) {
        debug_assert!(self.depth < DEPTH);
        if self.depth < DEPTH {
            self.stack[self.depth] = entry;
            self.depth += 1;
        }
    }

    /// After [`Stop::Wait`]: yields to a sibling split, which reconverges at the same place, if there is one;
    /// the waiting split may wait for it.
    pub fn yield_to_sibling(&mut self) {
        (self.waiting, self.waits_at) = (self.mask, self.stopped_at);
        while self.depth > 0 && self.stack[self.depth - 1].reconvergence_pc == self.reconvergence_pc
        {
            let next = self.stack[self.depth - 1];
            if next.mask & self.live == 0 {
                self.depth -= 1;
                continue;
            }
            let siblings = self.stack[..self.depth].iter().rev();
            let first = self.depth
                - siblings
                    .take_while(|entry| entry.reconvergence_pc == self.reconvergence_pc)
                    .count();
            let this = ReconvergenceEntry {
                pc: self.pc(self.stopped_at),
                mask: self.mask,
                reconvergence_pc: self.reconvergence_pc,
            };
            self.stack.copy_within(first..self.depth - 1, first + 1);
            self.stack[first] = this;
            self.mask = next.mask & self.live;
            // SAFETY: `Branch` pushed the entries of the reconvergence stack, with indices that the assembler stored in
            // operations of this code.
            self.stopped_at = unsafe { self.op(next.pc) };
            return;
        }
    }

    /// Counts lanes that only wait to exit as exited: they have no work left, and a barrier does not wait for
    /// them.
    pub fn retire(&mut self) {
        for lane in 0..32 {
            let bit = 1 << lane;
            if self.live & !self.mask & bit == 0 {
                continue;
            }
            let next = self.stack[..self.depth].iter().rev().find(|entry| entry.mask & bit != 0);
            // SAFETY: `Branch` pushed the entries of the reconvergence stack, with indices that the assembler stored in
            // operations of this code.
            if next.is_some_and(|entry| unsafe { (*self.op(entry.pc)).ends() }) {
                self.live &= !bit;
            }
        }
    }

    /// Whether the lanes that are elsewhere are in branches whose sides meet only where they exit.
    #[cold]
    pub fn others_only_exit(&self) -> bool {
        let mut elsewhere = self.live & !self.mask;
        let mut meeting = self.reconvergence_pc;
        for entry in self.stack[..self.depth].iter().rev() {
            // SAFETY: `Branch` pushed the entries of the reconvergence stack, with indices that the assembler stored in
            // operations of this code.
            let exits = || meeting == NO_RECONVERGENCE || unsafe { (*self.op(meeting)).ends() };
            let waits = entry.pc == meeting;
            if entry.mask & elsewhere != 0 && (waits || !exits()) {
                return false;
            }
            elsewhere &= !entry.mask;
            meeting = if waits { entry.reconvergence_pc } else { meeting };
        }
        true
    }

    /// Pops the stack and continues there; stops when no lane is left.
    ///
    /// # Safety
    /// The program counters on the stack are valid.
    pub unsafe fn pop(&mut self, op: *const Op) -> *const Op {
        while self.depth > 0 {
            self.depth -= 1;
            let entry = self.stack[self.depth];
            self.mask = entry.mask & self.live;
            self.reconvergence_pc = entry.reconvergence_pc;
            if self.mask != 0 {
                // SAFETY: `Branch` pushed the entries of the reconvergence stack, with indices that the assembler
                // stored in operations of this code.
                return unsafe { self.op(entry.pc) };
            }
        }
        self.mask = 0;
        self.stop_at(op, Stop::Done)
    }

    /// Whether other lanes may still arrive at an operation that all lanes must execute together:
    /// the two sides of a branch may have converged only at a warp instruction.
    pub fn may_align(&mut self) -> bool {
        if self.mask != self.live {
            self.retire();
        }
        self.mask != self.live && !self.alone
    }
}

/// A split of a warp: its lanes, where they are, and the reconvergence stack above them.
#[derive(Clone, Debug, PartialEq)]
pub struct WarpSplit {
    /// The lanes of this split.
    pub mask: u32,
    /// The operation at which they continue.
    pub at: *const Op,
    /// Their reconvergence PC.
    pub reconvergence_pc: u32,
    /// The reconvergence stack, its top last.
    pub stack: Vec<ReconvergenceEntry>,
}

impl WarpSplit {
    /// The part of this split that consists of `lanes`, if it is not empty.
    pub fn of(&self, lanes: u32, warp: &Warp) -> Option<WarpSplit> {
        let lanes = lanes & warp.live;
        let of_lanes =
            |entry: &ReconvergenceEntry| ReconvergenceEntry { mask: entry.mask & lanes, ..*entry };
        let mut stack: Vec<ReconvergenceEntry> =
            self.stack.iter().map(of_lanes).filter(|entry| entry.mask != 0).collect();
        let (mut mask, mut at, mut reconvergence_pc) =
            (self.mask & lanes, self.at, self.reconvergence_pc);
        if mask == 0 {
            let entry = stack.pop()?;
            // SAFETY: `Branch` pushed the entries of the reconvergence stack, with indices that the assembler stored in
            // operations of this code.
            (mask, at, reconvergence_pc) =
                (entry.mask, unsafe { warp.op(entry.pc) }, entry.reconvergence_pc);
        }
        // Entries at which no lane would wait count as popped.
        while let Some(last) = stack.last()
            && last.pc == reconvergence_pc
            && last.mask == mask
        {
            reconvergence_pc = last.reconvergence_pc;
            stack.pop();
        }
        Some(WarpSplit { mask, at, reconvergence_pc, stack })
    }

    /// Merges a split at the same place with the same reconvergence stack.
    ///
    /// # Errors
    /// The other split, if they differ.
    pub fn join(&mut self, other: WarpSplit) -> Result<(), WarpSplit> {
        let place = |entry: &ReconvergenceEntry| (entry.pc, entry.reconvergence_pc);
        let same = self.at == other.at
            && self.reconvergence_pc == other.reconvergence_pc
            && self.stack.iter().map(place).eq(other.stack.iter().map(place));
        if !same {
            return Err(other);
        }
        self.mask |= other.mask;
        for (entry, others) in self.stack.iter_mut().zip(&other.stack) {
            entry.mask |= others.mask;
        }
        Ok(())
    }
}

impl Warp {
    /// The split that it runs, from where it stopped.
    pub fn current_split(&self) -> WarpSplit {
        let stack = self.stack[..self.depth].to_vec();
        WarpSplit {
            mask: self.mask,
            at: self.stopped_at,
            reconvergence_pc: self.reconvergence_pc,
            stack,
        }
    }

    /// Continues with a split.
    pub fn resume(&mut self, split: &WarpSplit) {
        (self.mask, self.stopped_at, self.reconvergence_pc) =
            (split.mask, split.at, split.reconvergence_pc);
        self.depth = split.stack.len().min(DEPTH);
        self.stack[..self.depth].copy_from_slice(&split.stack[..self.depth]);
    }
}

// Warp instructions that lanes execute at several places, such as a shuffle in each branch.
//
// *Rule.* PTX ISA, `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`: an executing thread waits until all threads of the member
// mask have executed the instruction with the same qualifiers and the same mask; up to sm_6x it must be the same instruction. From
// sm_70 on ptxas calls one function from all places, so that lanes of both branches exchange values; lanes at instructions with
// other qualifiers, or at `bar.warp.sync`, wait forever. An H100 showed both behaviors (2026-11-23).
//
// Splits that have met continue one after another. Each takes the contributions of the other splits' lanes with it.

/// Kinds of warp instructions, in the low byte of an instruction's number; the mode is in the next byte, and a flag for a
/// negated predicate in the third.
const SHUFFLE: u32 = 1;
const VOTE: u32 = 2;
const MATCH: u32 = 3;
const ELECT: u32 = 4;
const REDUCE: u32 = 5;
const NEGATED: u32 = 1 << 16;

/// The number of a warp instruction; `bar.warp.sync` is 0.
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
    kind | op.map_or(0, |op| cross::handler(op).1) << 8
}

/// The name and qualifiers in an instruction's number: lanes converge at instructions for which
/// these are equal.
pub fn qualifiers(number: u32) -> u32 {
    number & !NEGATED
}

/// Adds the contributions of lanes that wait at an operation.
///
/// # Safety
/// `op` is an operation of the warp at which lanes meet.
pub unsafe fn add(exchange: &mut Exchange, warp: &Warp, op: *const Op, lanes: u32) {
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it.
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

/// The operands that the lanes of all converged splits bring to an instruction.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// The lanes.
    pub lanes: u32,
    /// Whether this split is the first of them to continue.
    pub leads: bool,
    /// The value of each.
    pub values: [u64; 32],
}

impl Warp {
    /// The lanes that take part in the next warp instruction.
    pub fn participants(&self) -> u32 {
        self.mask | self.exchange.as_ref().map_or(0, |exchange| exchange.lanes)
    }

    /// Whether this split reports the synchronization of these lanes: if several splits met, only the first one does, because
    /// later ones would report it after the first has continued.
    pub fn tells_sync(&self) -> bool {
        self.exchange.as_ref().is_none_or(|exchange| exchange.leads)
    }

    /// The values that lanes bring to this instruction (`own` are this split's), and the participating lanes.
    pub fn brought<T: Elem>(&mut self, mut own: Lanes<T>) -> (Lanes<T>, u32) {
        let Some(exchange) = self.exchange.take() else { return (own, self.mask) };
        for lane in (0..32).filter(|lane| exchange.lanes & !self.mask & 1 << lane != 0) {
            own.0[lane] = T::from64(exchange.values[lane]);
        }
        (own, self.mask | exchange.lanes)
    }

    /// The same for predicates, with a bit for each lane.
    pub fn brought_bits(&mut self, own: u32) -> (u32, u32) {
        let Some(exchange) = self.exchange.take() else { return (own, self.mask) };
        let others = exchange.lanes & !self.mask;
        let bits = (0..32).fold(0, |bits, lane| bits | (exchange.values[lane] as u32 & 1) << lane);
        (own & !others | bits & others, self.mask | exchange.lanes)
    }
}
