//! Arrival of a warp at a barrier of its block, and release from it: as a whole, or as several splits that wait
//! at barriers, possibly at different instructions.

use crate::block::barriers::BarrierForm;
use crate::block::worker::{BARRIERS, Barrier, State, Waits, Worker};
use crate::fault::{FaultKind, Located, RawFault};
use crate::instrument::event::Wants;
use crate::machine::lanes::{Sink, Source};
use crate::machine::slot::{Lanes, NO_SLOT, SCALAR, Slot};
use crate::machine::{Op, Warp};
use lanework_ptx_ir::kernel::{BarrierKind, MemorySpace, Reduction};

/// The arrival of a warp's lanes at a barrier.
#[derive(Clone, Copy)]
struct Arrival {
    form: BarrierForm,
    number: usize,
    /// The threads that the barrier waits for; `None` for all of the block.
    threads: Option<u32>,
    /// The lanes that arrive.
    lanes: u32,
    /// The threads whose predicate holds, for a barrier that combines one.
    true_lanes: u32,
}

impl Arrival {
    /// The arrival of a warp's running lanes at the barrier where it stopped.
    fn new(warp: &Warp) -> Arrival {
        // SAFETY: a warp stops at an operation of its code (`Warp::stop_at`), which the launch keeps alive.
        let op: Op = unsafe { *warp.stopped_at };
        let form = BarrierForm::unpacked(op.imm);
        let true_lanes = match form.kind {
            BarrierKind::Reduce(_) => {
                // SAFETY: `d` of a barrier that reduces is the slot of a predicate in the register file of the warp
                // that stopped there.
                let bits = unsafe { *warp.at(op.d).cast::<u32>() };
                if form.negated { !bits & warp.mask } else { bits & warp.mask }
            }
            _ => 0,
        };
        Arrival {
            form,
            number: scalar_operand(warp, op.b) as usize,
            threads: (op.c != NO_SLOT).then(|| scalar_operand(warp, op.c)),
            lanes: warp.mask,
            true_lanes,
        }
    }

    /// Merges the arrival of other lanes of the warp.
    ///
    /// # Errors
    /// The reason why the warp cannot arrive in this way.
    fn with(self, other: Arrival) -> Result<Arrival, String> {
        if self.number != other.number {
            let (here, there) = (self.number, other.number);
            return Err(format!("threads of one warp wait at the barriers {here} and {there}"));
        }
        if self.form.kind != other.form.kind || self.threads != other.threads {
            let number = self.number;
            return Err(format!(
                "threads of one warp arrive at barrier {number} with different instructions"
            ));
        }
        let (lanes, true_lanes) = (self.lanes | other.lanes, self.true_lanes | other.true_lanes);
        Ok(Arrival { lanes, true_lanes, ..self })
    }

    /// Whether it brings a value that the barrier combines.
    fn reduces(&self) -> bool {
        matches!(self.form.kind, BarrierKind::Reduce(_))
    }

    /// Why this arrival does not fit the arrivals that a barrier already has.
    fn refusal(&self, barrier: &Barrier) -> Option<String> {
        let (number, expected) = (self.number, barrier.threads);
        if barrier.arrived > 0 && barrier.reduces != self.reduces() {
            return Some(format!(
                "at barrier {number} some warps combine a value (`bar.red`, as `__syncthreads_count`), and others only synchronize (`bar.sync`): the results are undefined"
            ));
        }
        match self.threads {
            Some(t) if t == 0 || t % 32 != 0 => {
                Some(format!("a barrier counts whole warps: {t} threads is not a multiple of 32"))
            }
            Some(t) if expected.is_some_and(|other| other != t) => {
                Some(format!("threads disagree about how many barrier {number} waits for"))
            }
            _ => None,
        }
    }
}

fn scalar_operand(warp: &Warp, slot: Slot) -> u32 {
    if slot & SCALAR != 0 && warp.mask & 1 != 0 {
        // SAFETY: `Arrival::new` passes operands of the barrier at which this warp stopped, so the slot is in its
        // register file; the `SCALAR` bit was tested above.
        return unsafe { u32::pair(warp, slot)[0] };
    }
    let lane = warp.mask.trailing_zeros() as usize & 31;
    // SAFETY: `Arrival::new` passes operands of the barrier at which this warp stopped, so the slot is in its register
    // file.
    unsafe { u32::fetch(warp, slot).0[lane] }
}

impl Worker<'_> {
    /// A whole warp arrives at the barrier it stopped at.
    pub(crate) fn arrive(&mut self, w: usize) -> Result<(), Located> {
        self.tell_of_arrival(w);
        self.mark(w, Arrival::new(&self.warps[w]))
    }

    /// The splits of a warp, which are all at unaligned barriers, arrive as one.
    pub(crate) fn arrive_apart(&mut self, w: usize) -> Result<(), Located> {
        let splits = self.splits[w].iter().map(|one| one.split.clone()).collect::<Vec<_>>();
        let mut together: Option<Arrival> = None;
        for split in &splits {
            self.warps[w].resume(split);
            self.tell_of_arrival(w);
            let arrival = Arrival::new(&self.warps[w]);
            together = match together.map(|so_far| so_far.with(arrival)) {
                None => Some(arrival),
                Some(Ok(both)) => Some(both),
                Some(Err(note)) => return Err(self.divergence(w, note)),
            };
        }
        together.map_or(Ok(()), |arrival| self.mark(w, arrival))
    }

    /// Whether all splits of a warp are at unaligned barriers.
    pub(crate) fn all_at_barriers(&self, w: usize) -> bool {
        let stands = |at: *const Op| {
            // SAFETY: a split stops at an operation of its warp's code (`Warp::stop_at`), which the launch keeps alive.
            !BarrierForm::unpacked(unsafe { (*at).imm }).aligned
        };
        let splits = &self.splits[w];
        !splits.is_empty()
            && splits.iter().all(|one| one.waits == Waits::Barrier && stands(one.split.at))
    }

    fn divergence(&self, w: usize, note: String) -> Located {
        let (kind, mask) = (FaultKind::BarrierDivergence, self.warps[w].mask);
        self.locate(w, RawFault::of_lanes(kind, MemorySpace::Shared, mask, note))
    }

    fn tell_of_arrival(&mut self, w: usize) {
        // SAFETY: a warp stops at an operation of its code (`Warp::stop_at`), which the launch keeps alive.
        let op = unsafe { &*self.warps[w].stopped_at };
        let place = self.context.place(&self.warps[w], op);
        if let Some(instrument) = self.context.instrument(Wants::BRANCHES | Wants::BARRIERS) {
            instrument.barrier(place, self.warps[w].mask);
        }
    }

    /// Counts a warp at its barrier, where it waits unless it only arrives.
    fn mark(&mut self, w: usize, arrival: Arrival) -> Result<(), Located> {
        let number = arrival.number;
        if number >= BARRIERS {
            let note = format!("barrier {number} does not exist; blocks have barriers 0 to 15");
            return Err(self.divergence(w, note));
        }
        if let Some(note) = arrival.refusal(&self.barriers[number]) {
            return Err(self.divergence(w, note));
        }
        let waits = arrival.form.kind != BarrierKind::Arrive;
        if let Some(instrument) = self.context.instrument(Wants::SYNCHRONIZATION) {
            instrument.barrier_arrive(w, number, waits);
        }
        let barrier = &mut self.barriers[number];
        if barrier.arrived == 0 {
            barrier.all = true;
        }
        barrier.arrived += 1;
        barrier.reduces = arrival.reduces();
        if arrival.threads.is_some() {
            barrier.threads = arrival.threads;
        }
        if let BarrierKind::Reduce(_) = arrival.form.kind {
            barrier.count += arrival.true_lanes.count_ones();
            barrier.all &= arrival.true_lanes == arrival.lanes;
            barrier.any |= arrival.true_lanes != 0;
        }
        if waits {
            barrier.waiting.push(w);
            self.waiting += 1;
            self.states[w] = State::Waiting(number);
        } else {
            self.arrived_only = true;
            self.go_on(w, |_| {});
        }
        self.complete(number);
        Ok(())
    }

    /// A warp continues after a completed barrier, with the combined result.
    pub(crate) fn leave(&mut self, w: usize, barrier: &Barrier) {
        let (count, all, any) = (barrier.count, barrier.all, barrier.any);
        self.go_on(w, |warp| {
            // SAFETY: a warp stops at an operation of its code (`Warp::stop_at`), which the launch keeps alive.
            let op: Op = unsafe { *warp.stopped_at };
            let kind = BarrierForm::unpacked(op.imm).kind;
            if op.a == NO_SLOT {
                return;
            }
            // SAFETY: `a` of the barrier is in the register file of the warp that stopped there; the assembler gave it
            // the form of the reduction: a word for a count, else a predicate.
            unsafe {
                match kind {
                    BarrierKind::Reduce(Reduction::Count) => {
                        u32::put(warp, op.a, Lanes([count; 32]));
                    }
                    BarrierKind::Reduce(Reduction::All) => bool::put(warp, op.a, Lanes([all; 32])),
                    BarrierKind::Reduce(Reduction::Any) => bool::put(warp, op.a, Lanes([any; 32])),
                    BarrierKind::Sync | BarrierKind::Arrive => {}
                }
            }
        });
        self.states[w] = State::Ready;
    }

    /// Runs `finish` for a warp, or for each of its splits, and moves it past its barrier.
    fn go_on(&mut self, w: usize, finish: impl Fn(&mut Warp)) {
        let warp = &mut self.warps[w];
        if !warp.independent {
            finish(warp);
            warp.stopped_at = warp.stopped_at.wrapping_add(1);
            return;
        }
        for one in &mut self.splits[w] {
            warp.resume(&one.split);
            finish(warp);
            one.split.at = one.split.at.wrapping_add(1);
            one.waits = Waits::No;
        }
    }
}
