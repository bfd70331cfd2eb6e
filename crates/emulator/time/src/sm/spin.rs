//! Atomics on shared memory without hardware support, such as sums of floats. ptxas emits a compare-and-swap loop: load the
//! word, compute, and swap unless the word has changed.
//!
//! In each round, at most one lane per address succeeds, and only if no other warp of the block has changed the word since
//! this warp loaded it. So the updates of one address are serialized across all warps.

use crate::sm::Simulation;
use crate::sm::pipes::Stall;
use crate::sm::warp::SpinLoop;
use crate::trace::{AccessTarget, Traffic};

/// Instructions of a round beyond the load and the swap: the sum, and the comparison with its branch.
const SLOTS: [f64; 2] = [1.0, 2.0];

impl Simulation<'_> {
    /// The traffic record of a warp's current operation, if the operation is such a loop.
    fn spinning(&self, at: usize) -> Option<Traffic> {
        let warp = &self.warps[at];
        if !self.work.lowered.spins[warp.operation.run as usize] {
            return None;
        }
        let traced = self.blocks[warp.block].traced;
        let step = warp.first_step + warp.operation.step;
        let records = &self.work.trace.blocks[traced].warps[warp.warp].traffic;
        let record = records.get(records.partition_point(|record| record.step < step))?;
        (record.step == step && record.target == AccessTarget::Shared).then_some(*record)
    }

    /// If the warp's operation is such a loop, issues the next half of a round and returns true.
    pub(super) fn spin(&mut self, time: f64, scheduler: usize, at: usize) -> bool {
        let Some(record) = self.spinning(at) else { return false };
        let timings = &self.work.model.timings;
        let word = (self.warps[at].block, record.first);
        let rounds = record.rounds.max(1);
        let state = self.warps[at].spin.unwrap_or(SpinLoop { left: rounds, loaded: None });
        let (state, next) = match state.loaded {
            None => {
                let start = self.memory.pass(time, 1.0);
                self.pipes.take_slots(scheduler, SLOTS[0]);
                let ready = start + timings.shared_latency + timings.fma_latency;
                (SpinLoop { loaded: Some(start), ..state }, ready)
            }
            Some(loaded) => {
                let lanes = f64::from(state.left) * timings.shared_swap_interval;
                let start = self.memory.pass(time, lanes.max(2.0));
                self.pipes.take_slots(scheduler, SLOTS[1]);
                let changed = self.swapped.get(&word).is_some_and(|&last| last > loaded);
                let left = state.left - u32::from(!changed);
                if !changed {
                    self.swapped.insert(word, start);
                }
                let ready = start + timings.shared_swap_latency + timings.predicate_latency;
                (SpinLoop { left, loaded: None }, ready + timings.branch_penalty)
            }
        };
        let warp = &mut self.warps[at];
        warp.next = next;
        if state.left > 0 {
            warp.spin = Some(state);
            (warp.eligible, warp.reason) = (next, Stall::ShortScoreboard);
            return true;
        }
        warp.spin = None;
        let operation = warp.operation;
        self.regions.write(&mut self.warps[at], operation, next, Stall::ShortScoreboard);
        self.advance(at);
        true
    }
}
