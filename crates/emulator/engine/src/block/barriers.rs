//! The barriers of a block: arrived and waiting warps, and the fault if a barrier never completes.

use crate::block::worker::{BARRIERS, Barrier, State, Worker};
use crate::fault::{FaultKind, Located, RawFault};
use crate::instructions::asynchrony::waits_for;
use crate::instrument::event::Wants;
use crate::machine::context::{Body, fault};
use crate::machine::{Op, Stop, Warp};
use lanework_ptx_ir::kernel::{BarrierKind, MemorySpace, Reduction};

fn op_ref(warp: &Warp) -> &Op {
    // SAFETY: a warp stops at an operation of its code (`Warp::stop_at`), which the launch keeps alive.
    unsafe { &*warp.stopped_at }
}

impl Worker<'_> {
    /// Records that a warp has ended.
    pub(crate) fn end(&mut self, w: usize) {
        self.states[w] = State::Done;
        self.done += 1;
        if let Some(instrument) = self.context.instrument(Wants::EDGES) {
            instrument.warp_end(w);
        }
        if self.waiting > 0 {
            for b in 0..BARRIERS {
                self.complete(b);
            }
        }
    }

    /// After a pass: if all warps are at plain barriers, the usual case, they continue together; otherwise
    /// they arrive one by one.
    pub(crate) fn open_plain_barriers(&mut self) -> Result<(), Located> {
        let plain = std::mem::take(&mut self.plain);
        let first = self.states.iter().find(|s| matches!(s, State::Plain(_))).copied();
        let all = plain + self.done == self.states.len() as u32
            && self.states.iter().all(|s| *s == State::Done || Some(*s) == first);
        if all {
            if self.context.hook.wants(Wants::BRANCHES) {
                self.tell_arrivals();
            }
            for (warp, state) in self.warps.iter_mut().zip(&mut self.states) {
                if *state != State::Done {
                    warp.stopped_at = warp.stopped_at.wrapping_add(1);
                    *state = State::Ready;
                }
            }
            return Ok(());
        }
        for w in 0..self.states.len() {
            if matches!(self.states[w], State::Plain(_)) {
                self.arrive(w)?;
            }
        }
        Ok(())
    }

    /// Reports to the instrument that all live warps arrive at their barrier.
    #[cold]
    #[inline(never)]
    fn tell_arrivals(&mut self) {
        let running = self.warps.iter().zip(&self.states).filter(|(_, s)| **s != State::Done);
        for (warp, _) in running {
            let place = self.context.place(warp, op_ref(warp));
            // SAFETY: this worker alone uses its instrument, and handlers, which borrow it, do not run now.
            unsafe { self.context.hook.any() }.barrier(place, warp.mask);
        }
    }

    pub(crate) fn deadlock(&self) -> Located {
        if let Some(polling) = self.states.iter().position(|s| *s == State::Polling) {
            return self.polling_deadlock(polling);
        }
        let waiting = self.states.iter().position(|s| matches!(s, State::Waiting(_))).unwrap_or(0);
        let number = match self.states[waiting] {
            State::Waiting(b) => b,
            _ => 0,
        };
        let barrier = &self.barriers[number];
        let arrived = barrier.arrived * 32;
        let note = match barrier.threads {
            Some(threads) => {
                format!("barrier {number} waits for {threads} threads, {arrived} arrived")
            }
            None => format!(
                "barrier {number} waits for every thread of the block, {arrived} arrived and the others wait elsewhere"
            ),
        };
        let raw = RawFault::of_lanes(
            FaultKind::Deadlock,
            MemorySpace::Shared,
            self.warps[waiting].mask,
            note,
        );
        self.locate(waiting, raw)
    }

    /// The fault of a warp that polls for a value that never arrives.
    fn polling_deadlock(&self, w: usize) -> Located {
        let warp = &self.warps[w];
        // SAFETY: the warp stopped there with `Stop::Wait`.
        let what = unsafe { waits_for(warp.waits_at, warp) };
        let raw = RawFault::of_lanes(
            FaultKind::Deadlock,
            MemorySpace::Shared,
            warp.waiting,
            format!("warp {w} waits for {what}, and no other warp can continue"),
        );
        let pc = warp.pc(warp.waits_at) as usize;
        let origin = self.assembled.code.origin_of.get(pc).copied().unwrap_or(0);
        Located { raw, origin, warp: w as u32 }
    }

    /// Releases a barrier if all that it waits for have arrived.
    pub(crate) fn complete(&mut self, number: usize) {
        let running = self.states.len() as u32 - self.done;
        let barrier = &self.barriers[number];
        let full = match barrier.threads {
            Some(threads) => barrier.arrived * 32 >= threads,
            None => barrier.arrived > 0 && barrier.arrived >= running,
        };
        if !full {
            return;
        }
        let empty = Barrier::default();
        let mut barrier = std::mem::replace(&mut self.barriers[number], empty);
        let mut released = std::mem::take(&mut barrier.waiting);
        self.waiting -= released.len();
        if let Some(instrument) = self.context.instrument(Wants::SYNCHRONIZATION) {
            instrument.barrier_open(number, &released, barrier.threads.is_none());
        }
        for w in released.drain(..) {
            self.leave(w, &barrier);
        }
        // The emptied list keeps its memory for the next time.
        self.barriers[number].waiting = released;
    }
}

/// The immediate of a barrier operation: its kind and alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierForm {
    /// The operation.
    pub kind: BarrierKind,
    /// Whether it combines the negation of its predicate.
    pub negated: bool,
    /// Whether all threads of a warp must be at this very instruction.
    pub aligned: bool,
    /// The barrier's number, if it is constant and the barrier waits for all threads: the usual `bar.sync`.
    pub plain: Option<usize>,
}

const KINDS: [BarrierKind; 5] = [
    BarrierKind::Sync,
    BarrierKind::Arrive,
    BarrierKind::Reduce(Reduction::Count),
    BarrierKind::Reduce(Reduction::All),
    BarrierKind::Reduce(Reduction::Any),
];

impl BarrierForm {
    /// Packs it into an immediate.
    pub fn packed(self) -> u64 {
        let kind = KINDS.iter().position(|kind| *kind == self.kind).unwrap_or(0) as u64;
        let plain = self.plain.map_or(0, |number| 1 << 16 | (number as u64) << 24);
        kind | u64::from(self.negated) << 8 | u64::from(self.aligned) << 9 | plain
    }

    /// Unpacks the immediate of a barrier operation.
    pub fn unpacked(imm: u64) -> BarrierForm {
        BarrierForm {
            kind: KINDS[(imm & 0xff) as usize % KINDS.len()],
            negated: imm >> 8 & 1 != 0,
            aligned: imm >> 9 & 1 != 0,
            plain: (imm >> 16 & 1 != 0).then_some((imm >> 24) as usize & 15),
        }
    }
}

/// A barrier: the scheduler reads the operands, so the warp only stops here.
pub struct BarrierOperation;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for BarrierOperation {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        if warp.mask != warp.live {
            warp.retire();
        }
        // Independently scheduled lanes reconverge first; if the barrier is not aligned, other lanes of the
        // warp may also arrive at another one.
        let apart = warp.mask != warp.live && !warp.independent;
        if apart && BarrierForm::unpacked(op.imm).aligned {
            // The other lanes run on until they exit, so the result does not depend on which side of the branch runs first.
            if warp.others_only_exit() {
                return warp.stop_at(op, Stop::Align);
            }
            let note = not_all_here(warp.index as usize, warp.mask, warp.live);
            let (kind, space) = (FaultKind::BarrierDivergence, MemorySpace::Shared);
            return fault(warp, op, RawFault::of_lanes(kind, space, warp.mask, note));
        }
        warp.stop_at(op, Stop::Barrier)
    }
}

/// The message for lanes at a barrier that the other lanes of their warp do not reach.
pub fn not_all_here(warp: usize, here: u32, live: u32) -> String {
    let (here, missing) = (here.count_ones(), (live & !here).count_ones());
    format!(
        "{here} threads of warp {warp} reached the barrier while {missing} others of the warp are on another path"
    )
}

#[cfg(test)]
mod tests {
    use crate::block::barriers::*;

    #[test]
    fn a_form_is_packed_and_read_again() {
        for kind in KINDS {
            for plain in [None, Some(0), Some(15)] {
                for (negated, aligned) in
                    [(false, false), (false, true), (true, false), (true, true)]
                {
                    let form = BarrierForm { kind, negated, aligned, plain };
                    assert_eq!(BarrierForm::unpacked(form.packed()), form);
                }
            }
        }
    }
}
