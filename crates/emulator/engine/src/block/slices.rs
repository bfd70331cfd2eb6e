//! Scheduler passes over the warps of a block; each warp runs for a time slice.

use crate::block::barriers::BarrierForm;
use crate::block::worker::{PassOutcome, State, Worker, limit_fault};
use crate::device::limits::Fuel;
use crate::fault::{Located, RawFault};
use crate::instrument::hook::Wants;
use crate::machine::Stop;
use lanework_ptx_ir::kernel::MemorySpace;

/// Instructions of a time slice where a warp spins until another warp has run.
pub(crate) const SPINNING_SLICE: u64 = 1 << 10;
/// Instructions of a time slice when warps run interleaved: fewer than the distance by which a GPU's warps drift apart while one waits for memory.
const INTERLEAVED_SLICE: u64 = 32;

impl Worker<'_> {
    /// Runs every warp that can run for a time slice.
    pub(crate) fn pass(&mut self) -> Result<PassOutcome, Located> {
        let mut order = std::mem::take(&mut self.order);
        let result = self.run_slices(&mut order);
        self.order = order;
        result
    }

    fn run_slices(&mut self, order: &mut [usize]) -> Result<PassOutcome, Located> {
        let count = order.len();
        let mut progress = false;
        self.stepped = false;
        if self.shape.schedule.seed().is_some() {
            for i in (1..count).rev() {
                let j = self.draw(i as u64 + 1) as usize;
                order.swap(i, j);
            }
        }
        for &w in order.iter() {
            match self.states[w] {
                State::Ready => {
                    progress = true;
                    self.run_slice(w)?;
                }
                State::Polling => {
                    self.states[w] = State::Ready;
                    self.run_slice(w)?;
                    progress |= self.states[w] != State::Polling;
                }
                _ => {}
            }
        }
        if self.plain > 0 {
            self.open_plain_barriers()?;
        }
        self.turns = if self.stepped { 0 } else { self.turns + 1 };
        // Computing warps use up short slices, too; many short slices count as one long one.
        let computes = self.interleaved && self.turns < self.time_slice / INTERLEAVED_SLICE;
        Ok(match progress {
            _ if self.done as usize == count => PassOutcome::Done,
            true if self.stepped || computes => PassOutcome::Progress,
            true => PassOutcome::Spins,
            false => PassOutcome::Idle,
        })
    }

    /// Runs one warp until it stops, or reports the limit that the launch has reached.
    fn run_slice(&mut self, w: usize) -> Result<(), Located> {
        if self.shape.fuel.is_none() {
            return self.run_until_stop(w);
        }
        let spent = self.shape.fuel.as_deref().and_then(Fuel::spent);
        if let Some((kind, note)) = spent {
            let mask = self.warps[w].mask;
            let raw = RawFault::of_lanes(kind, MemorySpace::Generic, mask, note);
            return Err(self.locate(w, raw));
        }
        let before = self.warps[w].instructions;
        let result = self.run_until_stop(w);
        if let Some(fuel) = &self.shape.fuel {
            fuel.spend(self.warps[w].instructions - before);
        }
        result
    }

    fn run_until_stop(&mut self, w: usize) -> Result<(), Located> {
        let slice = match self.shape.schedule.seed() {
            _ if self.slice_override.is_some() => self.slice_override.unwrap_or(self.time_slice),
            Some(_) => 64 + self.draw(1024),
            None if self.interleaved => INTERLEAVED_SLICE,
            None if self.seen_spinning => SPINNING_SLICE,
            None => self.time_slice,
        };
        let limit = self.shape.max_instructions.unwrap_or(u64::MAX);
        if self.warps[w].independent {
            return self.run_splits(w, limit);
        }
        loop {
            let warp = &mut self.warps[w];
            warp.slice_end = (warp.instructions + slice).min(limit);
            // SAFETY: the warp was started with code for its register file.
            let stop = unsafe { warp.run() };
            self.stepped |= !matches!(stop, Stop::Yield | Stop::Wait | Stop::Widen);
            match stop {
                Stop::Running | Stop::Done => {
                    self.end(w);
                    return Ok(());
                }
                Stop::Barrier => {
                    if self.warps[w].mask != self.warps[w].live {
                        self.split_warp(w, stop);
                        return Ok(());
                    }
                    // SAFETY: a warp stops at an operation of its code (`Warp::stop_at`), which the launch keeps
                    // alive.
                    let form = BarrierForm::unpacked(unsafe { (*self.warps[w].stopped_at).imm });
                    let in_order = Wants::BARRIERS | Wants::SYNCHRONIZATION;
                    match form.plain {
                        Some(number) if !self.context.hook.wants(in_order) => {
                            self.states[w] = State::Plain(number);
                            self.plain += 1;
                        }
                        _ => self.arrive(w)?,
                    }
                    return Ok(());
                }
                Stop::Yield if self.warps[w].instructions >= limit => {
                    return Err(self.locate(w, limit_fault(&self.warps[w], limit)));
                }
                Stop::Yield => {
                    self.yielded = true;
                    if self.may_spin(w) {
                        self.seen_spinning = true;
                        self.split_warp(w, stop);
                    }
                    return Ok(());
                }
                Stop::Converge | Stop::Align => {
                    self.split_warp(w, stop);
                    return Ok(());
                }
                Stop::Wait => {
                    self.warps[w].yield_to_sibling();
                    self.states[w] = State::Polling;
                    return Ok(());
                }
                Stop::Widen => self.widen(w),
                Stop::Fault => return Err(self.faulted(w, limit)),
            }
        }
    }
}
