//! The barriers of a block: who has arrived, who waits, and what it means when nobody comes.

use super::worker::{BARRIERS, Barrier, State, Worker};
use crate::asynchrony::handler::waits_for;
use crate::fault::{FaultKind, Located, RawFault};
use crate::hook::Wants;
use crate::machine::{Op, Warp};
use crate::slot::{NO_SLOT, SCALAR, Slot};
use lanework_ptx_ir::kernel::MemorySpace;

fn op_ref(warp: &Warp) -> &Op {
    // SAFETY: a warp stops at an operation of its code, which outlives the worker.
    unsafe { &*warp.stopped_at }
}

impl Worker<'_> {
    /// A warp has ended.
    pub(super) fn end(&mut self, w: usize) {
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

    /// After a pass: the warps at plain barriers go on if they are all there is, the usual case;
    /// otherwise they arrive one by one.
    pub(super) fn open_plain_barriers(&mut self) -> Result<(), Located> {
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

    /// Tells the instrument that all warps that have not ended arrive at their barrier.
    #[cold]
    #[inline(never)]
    fn tell_arrivals(&mut self) {
        let running = self.warps.iter().zip(&self.states).filter(|(_, s)| **s != State::Done);
        for (warp, _) in running {
            let place = self.context.place(warp, op_ref(warp));
            // SAFETY: this worker alone uses its instrument.
            unsafe { self.context.hook.any() }.barrier(place, warp.mask);
        }
    }

    pub(super) fn deadlock(&self) -> Located {
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

    /// The deadlock of a warp that polls for what does not come.
    fn polling_deadlock(&self, w: usize) -> Located {
        let warp = &self.warps[w];
        // SAFETY: the warp stopped there with `Stop::Wait`.
        let what = unsafe { waits_for(warp.waits_at, warp) };
        let raw = RawFault::of_lanes(
            FaultKind::Deadlock,
            MemorySpace::Shared,
            warp.waiting,
            format!("warp {w} waits for {what}, and no other warp can go on"),
        );
        let pc = warp.pc(warp.waits_at) as usize;
        let origin = self.assembled.code.origin_of.get(pc).copied().unwrap_or(0);
        Located { raw, origin, warp: w as u32 }
    }

    fn scalar_operand(&self, w: usize, slot: Slot) -> u32 {
        use crate::lanes::Source;
        let warp = &self.warps[w];
        if slot & SCALAR != 0 && warp.mask & 1 != 0 {
            // SAFETY: the assembler gave a slot of this register file, in scalar form.
            return unsafe { u32::pair(warp, slot)[0] };
        }
        let lane = warp.mask.trailing_zeros() as usize & 31;
        // SAFETY: the assembler gave a slot of this register file.
        unsafe { u32::fetch(warp, slot).0[lane] }
    }

    /// A warp arrives at the barrier it stopped at.
    pub(super) fn arrive(&mut self, w: usize) -> Result<(), Located> {
        // SAFETY: a warp stops at an operation of its code.
        let op: Op = unsafe { *self.warps[w].stopped_at };
        let number = self.scalar_operand(w, op.b) as usize;
        let threads = (op.c != NO_SLOT).then(|| self.scalar_operand(w, op.c));
        let place = self.context.place(&self.warps[w], op_ref(&self.warps[w]));
        if let Some(instrument) = self.context.instrument(Wants::BRANCHES | Wants::BARRIERS) {
            instrument.barrier(place, self.warps[w].mask);
        }
        let bad = match threads {
            _ if number >= BARRIERS => {
                Some(format!("barrier {number} does not exist; blocks have barriers 0 to 15"))
            }
            Some(t) if t == 0 || t % 32 != 0 => {
                Some(format!("a barrier counts whole warps: {t} threads is not a multiple of 32"))
            }
            Some(t) if self.barriers[number].threads.is_some_and(|other| other != t) => {
                Some(format!("threads disagree about how many barrier {number} waits for"))
            }
            _ => None,
        };
        if let Some(note) = bad {
            let raw = RawFault::of_lanes(
                FaultKind::BarrierDivergence,
                MemorySpace::Shared,
                self.warps[w].mask,
                note,
            );
            return Err(self.locate(w, raw));
        }
        if let Some(instrument) = self.context.instrument(Wants::SYNCHRONISATION) {
            instrument.barrier_arrive(w, number, op.imm & 0xff != 1);
        }
        let barrier = &mut self.barriers[number];
        if barrier.arrived == 0 {
            barrier.all = true;
        }
        barrier.arrived += 1;
        if threads.is_some() {
            barrier.threads = threads;
        }
        if op.imm & 0xff >= 2 {
            let warp = &self.warps[w];
            // SAFETY: the operand is a predicate of this register file.
            let bits = unsafe { *warp.at(op.d).cast::<u32>() };
            let bits = if op.imm >> 8 != 0 { !bits } else { bits } & warp.mask;
            barrier.count += bits.count_ones();
            barrier.all &= bits == warp.mask;
            barrier.any |= bits != 0;
        }
        if op.imm & 0xff == 1 {
            self.arrived_only = true;
            self.warps[w].stopped_at = self.warps[w].stopped_at.wrapping_add(1);
        } else {
            barrier.waiting.push(w);
            self.waiting += 1;
            self.states[w] = State::Waiting(number);
        }
        self.complete(number);
        Ok(())
    }

    /// Releases a barrier if all that it waits for have arrived.
    pub(super) fn complete(&mut self, number: usize) {
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
        if let Some(instrument) = self.context.instrument(Wants::SYNCHRONISATION) {
            instrument.barrier_open(number, &released, barrier.threads.is_none());
        }
        for w in released.drain(..) {
            // SAFETY: a warp stops at an operation of its code.
            let op: Op = unsafe { *self.warps[w].stopped_at };
            let value = match op.imm & 0xff {
                2 => Some(barrier.count),
                3 => Some(u32::from(barrier.all)),
                4 => Some(u32::from(barrier.any)),
                _ => None,
            };
            if let (Some(value), true) = (value, op.a != NO_SLOT) {
                let warp = &mut self.warps[w];
                // SAFETY: the destination is a register of this register file: a predicate for
                // `and` and `or`, else a word.
                unsafe {
                    use crate::lanes::Sink;
                    use crate::slot::Lanes;
                    if op.imm & 0xff == 2 {
                        u32::put(warp, op.a, Lanes([value; 32]));
                    } else {
                        bool::put(warp, op.a, Lanes([value != 0; 32]));
                    }
                }
            }
            self.warps[w].stopped_at = self.warps[w].stopped_at.wrapping_add(1);
            self.states[w] = State::Ready;
        }
        // The list's memory serves the next time.
        self.barriers[number].waiting = released;
    }
}
