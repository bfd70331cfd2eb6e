//! The reconvergence stack of a warp (SIMT stack): its splits wait on it for each other.

use crate::machine::{DEPTH, Op, ReconvergenceEntry, Stop, Warp};

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

    /// After [`Stop::Wait`]: yields to a sibling split, one that reconverges at the same place, where there
    /// is one, for it may be what the waiting one waits for.
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
            // SAFETY: entries hold the indices of operations of this warp's code.
            self.stopped_at = unsafe { self.op(next.pc) };
            return;
        }
    }

    /// Counts lanes that wait only to end as ended: they have nothing left to do, and a barrier does
    /// not wait for them.
    pub fn retire(&mut self) {
        for lane in 0..32 {
            let bit = 1 << lane;
            if self.live & !self.mask & bit == 0 {
                continue;
            }
            let next = self.stack[..self.depth].iter().rev().find(|entry| entry.mask & bit != 0);
            // SAFETY: entries hold the indices of operations of this warp's code.
            if next.is_some_and(|entry| unsafe { (*self.op(entry.pc)).ends() }) {
                self.live &= !bit;
            }
        }
    }

    /// Pops the stack and goes on there; stops when no lane is left.
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
                // SAFETY: entries hold the indices of operations of this warp's code.
                return unsafe { self.op(entry.pc) };
            }
        }
        self.mask = 0;
        self.stop_at(op, Stop::Done)
    }

    /// Whether lanes are elsewhere that may yet come to an operation that all have to execute together, as they do where both
    /// sides of a branch have met at an instruction of the warp before.
    pub fn may_align(&mut self) -> bool {
        if self.mask != self.live {
            self.retire();
        }
        self.mask != self.live && !self.alone
    }
}
