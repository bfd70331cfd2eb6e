//! Scheduler passes over the warps of a block, each of which runs for a time slice.

use super::worker::{BARRIERS, Round, State, Worker, limit_fault};
use crate::allowance::Allowance;
use crate::fault::{Located, RawFault};
use crate::hook::Wants;
use crate::machine::Stop;
use lanework_ptx_ir::kernel::MemorySpace;

/// Instructions of a warp's turn where warps spin until another has had its turn.
const SPINNING_TURN: u64 = 1 << 10;
impl Worker<'_> {
    /// Gives every warp its turn.
    pub(super) fn round(&mut self) -> Result<Round, Located> {
        let mut order = std::mem::take(&mut self.order);
        let result = self.turns(&mut order);
        self.order = order;
        result
    }

    fn turns(&mut self, order: &mut [usize]) -> Result<Round, Located> {
        let count = order.len();
        let mut progress = false;
        if self.shape.seed.is_some() {
            for i in (1..count).rev() {
                let j = self.draw(i as u64 + 1) as usize;
                order.swap(i, j);
            }
        }
        for &w in order.iter() {
            match self.states[w] {
                State::Ready => {
                    progress = true;
                    self.turn(w)?;
                }
                State::Asking => {
                    self.states[w] = State::Ready;
                    self.turn(w)?;
                    progress |= self.states[w] != State::Asking;
                }
                _ => {}
            }
        }
        if self.plain > 0 {
            self.meet()?;
        }
        Ok(match progress {
            _ if self.done as usize == count => Round::Done,
            true => Round::Progress,
            false => Round::Idle,
        })
    }

    /// Runs one warp until it stops, unless the launch has had its share.
    #[inline]
    fn turn(&mut self, w: usize) -> Result<(), Located> {
        if self.shape.allowance.is_none() {
            return self.take_turn(w);
        }
        let spent = self.shape.allowance.as_deref().and_then(Allowance::spent);
        if let Some((kind, note)) = spent {
            let mask = self.warps[w].mask;
            let raw = RawFault::of_lanes(kind, MemorySpace::Generic, mask, note);
            return Err(self.locate(w, raw));
        }
        let before = self.warps[w].instructions;
        let result = self.take_turn(w);
        if let Some(allowance) = &self.shape.allowance {
            allowance.spend(self.warps[w].instructions - before);
        }
        result
    }

    fn take_turn(&mut self, w: usize) -> Result<(), Located> {
        let turn = match self.shape.seed {
            _ if self.turn_set.is_some() => self.turn_set.unwrap_or(self.turn),
            Some(_) => 64 + self.draw(1024),
            None if self.spun => SPINNING_TURN,
            None => self.turn,
        };
        let limit = self.shape.max_instructions.unwrap_or(u64::MAX);
        if self.warps[w].apart {
            return self.turn_apart(w, limit);
        }
        loop {
            let warp = &mut self.warps[w];
            warp.turn_end = (warp.instructions + turn).min(limit);
            // SAFETY: the warp was started with code for its register file.
            let stop = unsafe { warp.run() };
            match stop {
                Stop::Running | Stop::Done => {
                    self.end(w);
                    return Ok(());
                }
                Stop::Barrier => {
                    // SAFETY: a warp stops at an operation of its code.
                    let imm = unsafe { (*self.warps[w].stopped_at).imm };
                    let in_order = Wants::BARRIERS | Wants::SYNCHRONISATION;
                    if imm >> 16 & 1 == 0 || self.context.hook.wants(in_order) {
                        return self.arrive(w);
                    }
                    self.states[w] = State::Plain((imm >> 24) as usize & (BARRIERS - 1));
                    self.plain += 1;
                    return Ok(());
                }
                Stop::Yield if self.warps[w].instructions >= limit => {
                    return Err(self.locate(w, limit_fault(&self.warps[w], limit)));
                }
                Stop::Yield => {
                    self.yielded = true;
                    if self.may_spin(w) {
                        self.spun = true;
                        self.part(w, stop);
                    }
                    return Ok(());
                }
                Stop::Converge => {
                    self.part(w, stop);
                    return Ok(());
                }
                Stop::Wait => {
                    self.warps[w].rotate();
                    self.states[w] = State::Asking;
                    return Ok(());
                }
                Stop::Widen => self.widen(w),
                Stop::Fault => return Err(self.faulted(w, limit)),
            }
        }
    }
}
