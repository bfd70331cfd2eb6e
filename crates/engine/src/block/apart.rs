//! Warps whose lanes run apart: some wait for others of their warp, at a lock that one of them holds
//! or at an instruction that names them all, and a stack of meeting points would never let those run.
//!
//! Such a warp goes on in the code in which every register is varying, as several ways that take
//! turns, until all its lanes are at one place again.

use super::worker::{Part, State, Waits, Worker, limit_fault};
use crate::control::members;
use crate::fault::{FaultKind, Located, RawFault};
use crate::machine::{Stop, Warp};
use crate::program::Assembled;
use crate::way::Way;
use lanework_ptx_ir::kernel::{MemoryKind, MemorySpace, Opcode};

/// Instructions of a way's turn: short, for the others may be spinning until it has ended.
const TURN: u64 = 256;
/// Instructions after which a diverged warp may be spinning, and after which one of a kernel may
/// whose lanes were seen to.
const PATIENCE: [u64; 2] = [1 << 20, 1 << 14];

/// The rest of a basic block that two ways entered is run once by both together.
fn once_less(visits: &mut [[u64; 2]], assembled: &Assembled, warp: &Warp, way: &Way) {
    let code = assembled.wide();
    let at = warp.pc(way.at);
    let block = code.visits.partition_point(|(start, _)| *start <= at);
    if let Some(block) = block.checked_sub(1)
        && code.visits[block].1 < at
    {
        visits[block][0] -= 1;
    }
}

impl Worker<'_> {
    /// Whether the executing lanes of a warp may be spinning until lanes that are pending do
    /// something: it has run long, and the kernel looks at what others write.
    pub(super) fn may_spin(&self, w: usize) -> bool {
        let warp = &self.warps[w];
        let looks = |opcode: &Opcode| match opcode {
            Opcode::Memory(op) => {
                op.volatile || op.order.strong.is_some() || matches!(op.kind, MemoryKind::Atomic(_))
            }
            _ => false,
        };
        warp.mask != warp.live
            && warp.instructions >= PATIENCE[usize::from(self.spun)]
            && self.assembled.kernel.insts.iter().any(|inst| looks(&inst.opcode))
    }

    /// Parts the lanes that stopped from those that are pending.
    pub(super) fn part(&mut self, w: usize, stop: Stop) {
        if !self.warps[w].widened {
            self.widen(w);
        }
        self.warps[w].apart = true;
        self.put_aside(w, stop);
    }

    /// Puts the way that the warp follows among its parts: as two if there are lanes pending.
    fn put_aside(&mut self, w: usize, stop: Stop) {
        let warp = &self.warps[w];
        let waits = match stop {
            Stop::Converge => Waits::Lanes(members(warp)),
            Stop::Barrier => Waits::Barrier,
            _ => Waits::No,
        };
        let way = warp.way();
        let rest = way.of(!warp.mask, warp).map(|way| Part { way, waits: Waits::No });
        let this = way.of(warp.mask, warp).map(|way| Part { way, waits });
        self.parts[w].extend(rest);
        self.parts[w].extend(this);
    }

    /// Gives every part of a warp a turn.
    pub(super) fn turn_apart(&mut self, w: usize, limit: u64) -> Result<(), Located> {
        let (mut ran, mut asking) = (false, true);
        for part in std::mem::take(&mut self.parts[w]) {
            if part.waits != Waits::No {
                self.parts[w].push(part);
                continue;
            }
            ran = true;
            let warp = &mut self.warps[w];
            warp.follow(&part.way);
            warp.turn_end = (warp.instructions + TURN).min(limit);
            // SAFETY: the warp was started with code for its register file.
            let stop = unsafe { warp.run() };
            self.yielded |= stop == Stop::Yield;
            match stop {
                Stop::Running | Stop::Done => {}
                Stop::Fault => return Err(self.faulted(w, limit)),
                Stop::Yield if self.warps[w].instructions >= limit => {
                    return Err(self.locate(w, limit_fault(&self.warps[w], limit)));
                }
                Stop::Wait => {
                    let warp = &mut self.warps[w];
                    (warp.waiting, warp.waits_at) = (warp.mask, warp.stopped_at);
                    self.put_aside(w, stop);
                    continue;
                }
                stop => self.put_aside(w, stop),
            }
            asking = false;
        }
        self.reunite(w);
        if self.parts[w].is_empty() && self.warps[w].apart {
            self.end(w);
        } else if !ran && self.warps[w].apart {
            return Err(self.estranged(w));
        } else if ran && asking {
            self.states[w] = State::Asking;
        }
        Ok(())
    }

    /// Joins parts at one place, and lets go those whose lanes have come.
    fn reunite(&mut self, w: usize) {
        let mut parts: Vec<Part> = Vec::new();
        'all: for part in std::mem::take(&mut self.parts[w]) {
            // Lanes may have exited since.
            let Some(mut way) = part.way.of(u32::MAX, &self.warps[w]) else { continue };
            for other in &mut parts {
                let Some(both) = other.waits.with(part.waits) else { continue };
                match other.way.join(way) {
                    Ok(()) => {
                        other.waits = both;
                        once_less(
                            &mut self.context.visits,
                            self.assembled,
                            &self.warps[w],
                            &other.way,
                        );
                        continue 'all;
                    }
                    Err(back) => way = back,
                }
            }
            parts.push(Part { way, waits: part.waits });
        }
        let live = self.warps[w].live;
        let here = parts.iter().filter(|part| matches!(part.waits, Waits::Lanes(_)));
        let here = here.fold(0, |lanes, part| lanes | part.way.mask);
        for part in &mut parts {
            if let Waits::Lanes(named) = part.waits
                && named & live & !here == 0
            {
                part.waits = Waits::No;
                part.way.at = part.way.at.wrapping_add(1);
            }
        }
        if let [only] = &parts[..]
            && only.way.mask == live
        {
            self.warps[w].follow(&only.way);
            self.warps[w].apart = false;
            parts.clear();
        }
        self.parts[w] = parts;
    }

    /// The fault of a warp whose parts all wait for each other.
    fn estranged(&mut self, w: usize) -> Located {
        let live = self.warps[w].live;
        let at_barrier = self.parts[w].iter().position(|part| part.waits == Waits::Barrier);
        let part = &self.parts[w][at_barrier.unwrap_or(0)];
        let here = part.way.mask.count_ones();
        let (kind, note) = match part.waits {
            Waits::Lanes(named) => {
                let missing = named & live & !part.way.mask;
                let note = format!(
                    "{here} threads of warp {w} wait for {} others of the warp (lanes {missing:#010x}), which wait elsewhere",
                    missing.count_ones()
                );
                (FaultKind::Deadlock, note)
            }
            _ => {
                let missing = (live & !part.way.mask).count_ones();
                let note = format!(
                    "{here} threads of warp {w} reached the barrier while {missing} others of the warp are on another path"
                );
                (FaultKind::BarrierDivergence, note)
            }
        };
        let raw = RawFault::of_lanes(kind, MemorySpace::Shared, part.way.mask, note);
        let way = part.way.clone();
        self.warps[w].follow(&way);
        self.locate(w, raw)
    }
}
