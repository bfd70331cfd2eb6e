//! Independent thread scheduling (the CUDA programming guide, Volta and later): some lanes of a
//! warp wait for other lanes of it, for a lock that one of these holds, or at an instruction that
//! names them all. With a reconvergence stack alone, the lanes that they wait for would never run.
//!
//! Such a warp continues in the code in which every register is varying, as several splits that run one
//! after the other, until all its lanes are at one place again. Limits: a warp that spins in lanes of one
//! split is detected only after it has run for a long time, and only in kernels that read what other
//! threads write.

use crate::assemble::code::Assembled;
use crate::block::barriers::not_all_here;
use crate::block::worker::{ScheduledSplit, State, Waits, Worker, limit_fault};
use crate::fault::{FaultKind, Located, RawFault};
use crate::instructions::control::members;
use crate::instrument::event::Wants;
use crate::machine::divergence::{Exchange, WarpSplit, qualifiers};
use crate::machine::{Op, Stop, Warp, divergence};
use lanework_ptx_ir::kernel::{MemoryKind, MemorySpace, Opcode};

/// Instructions of a split's time slice: short, because the other splits may be spinning until it has ended.
const SPLIT_SLICE: u64 = 256;
/// Instructions after which a diverged warp is suspected of spinning: normally, in a kernel that may poll global memory, and
/// once lanes of a warp were seen to spin in this launch.
const PATIENCE: [u64; 3] = [1 << 20, 1 << 16, 1 << 14];

/// If two splits enter a basic block and merge, they run the rest of it together, so it counts once.
fn uncount_visit(visits: &mut [[u64; 2]], assembled: &Assembled, warp: &Warp, split: &WarpSplit) {
    let code = assembled.wide();
    let at = warp.pc(split.at);
    let block = code.visits.partition_point(|(start, _)| *start <= at);
    if let Some(block) = block.checked_sub(1)
        && code.visits[block].1 < at
    {
        visits[block][0] -= 1;
    }
}

impl Worker<'_> {
    /// Whether the executing lanes of a warp may be spinning until lanes on the stack act: it has run for
    /// a long time, and the kernel reads data that other threads write.
    pub(crate) fn may_spin(&self, w: usize) -> bool {
        let warp = &self.warps[w];
        let looks = |opcode: &Opcode| match opcode {
            Opcode::Memory(op) => {
                op.volatile || op.order.strong.is_some() || matches!(op.kind, MemoryKind::Atomic(_))
            }
            _ => false,
        };
        let [normally, polling, once_seen] = PATIENCE;
        let patience = match (self.seen_spinning, self.shape.polls) {
            (true, _) => once_seen,
            (false, true) => polling,
            (false, false) => normally,
        };
        warp.mask != warp.live
            && warp.instructions >= patience
            && self.assembled.kernel.insts.iter().any(|inst| looks(&inst.opcode))
    }

    /// Separates the lanes that stopped from those on the stack.
    pub(crate) fn split_warp(&mut self, w: usize, stop: Stop) {
        if !self.warps[w].widened {
            self.widen(w);
        }
        self.warps[w].independent = true;
        self.suspend(w, stop);
    }

    /// Adds the split that the warp runs to its splits, as two if lanes are on the stack.
    fn suspend(&mut self, w: usize, stop: Stop) {
        let warp = &self.warps[w];
        let waits = match stop {
            Stop::Converge => Waits::Lanes(members(warp)),
            Stop::Barrier => Waits::Barrier,
            Stop::Align => Waits::Aligned,
            _ => Waits::No,
        };
        let split = warp.current_split();
        let rest = split.of(!warp.mask, warp).map(|split| ScheduledSplit::new(split, Waits::No));
        let this = split.of(warp.mask, warp).map(|split| ScheduledSplit::new(split, waits));
        self.splits[w].extend(rest);
        self.splits[w].extend(this);
    }

    /// Runs every split of a warp for a time slice.
    pub(crate) fn run_splits(&mut self, w: usize, limit: u64) -> Result<(), Located> {
        let (mut ran, mut polling) = (false, true);
        let mut all = std::mem::take(&mut self.splits[w]).into_iter();
        while let Some(one) = all.next() {
            if one.waits != Waits::No {
                self.splits[w].push(one);
                continue;
            }
            ran = true;
            let warp = &mut self.warps[w];
            warp.resume(&one.split);
            warp.exchange = one.exchange;
            warp.slice_end = (warp.instructions + SPLIT_SLICE).min(limit);
            // SAFETY: the warp was started with code for its register file.
            let stop = unsafe { warp.run() };
            self.yielded |= stop == Stop::Yield;
            self.stepped |= !matches!(stop, Stop::Yield | Stop::Wait);
            match stop {
                Stop::Running | Stop::Done => {}
                Stop::Fault => {
                    // An instrument may look at the splits that have not run.
                    self.splits[w].extend(all);
                    return Err(self.faulted(w, limit));
                }
                Stop::Yield if self.warps[w].instructions >= limit => {
                    return Err(self.locate(w, limit_fault(&self.warps[w], limit)));
                }
                Stop::Wait => {
                    let warp = &mut self.warps[w];
                    (warp.waiting, warp.waits_at) = (warp.mask, warp.stopped_at);
                    self.suspend(w, stop);
                    continue;
                }
                stop => self.suspend(w, stop),
            }
            polling = false;
        }
        self.reconverge(w);
        if self.splits[w].is_empty() && self.warps[w].independent {
            self.end(w);
        } else if self.warps[w].independent && self.all_at_barriers(w) {
            self.arrive_apart(w)?;
        } else if let Some(one) = self.splits[w].iter_mut().find(|one| one.waits == Waits::Aligned)
            && !ran
        {
            // The instruction itself reports which lanes are missing.
            one.waits = Waits::No;
            self.warps[w].alone = true;
        } else if !ran && self.warps[w].independent {
            return Err(self.intra_warp_deadlock(w));
        } else if ran && polling {
            self.states[w] = State::Polling;
        }
        Ok(())
    }

    /// Merges splits at one place, and releases those whose lanes have all arrived.
    fn reconverge(&mut self, w: usize) {
        let mut splits: Vec<ScheduledSplit> = Vec::new();
        'all: for one in std::mem::take(&mut self.splits[w]) {
            // Lanes may have exited since.
            let Some(mut split) = one.split.of(u32::MAX, &self.warps[w]) else { continue };
            for other in &mut splits {
                let Some(both) = other.waits.with(one.waits) else { continue };
                match other.split.join(split) {
                    Ok(()) => {
                        other.waits = both;
                        uncount_visit(
                            &mut self.context.visits,
                            self.assembled,
                            &self.warps[w],
                            &other.split,
                        );
                        continue 'all;
                    }
                    Err(back) => split = back,
                }
            }
            splits.push(ScheduledSplit { split, ..one });
        }
        let live = self.warps[w].live;
        self.meet(w, &mut splits);
        if let [only] = &splits[..]
            && only.split.mask == live
        {
            self.warps[w].resume(&only.split);
            self.warps[w].independent = false;
            splits.clear();
        }
        self.splits[w] = splits;
    }

    /// Releases the splits whose lanes have arrived: at one instruction, or at several with the same qualifiers and the same
    /// mask.
    fn meet(&self, w: usize, splits: &mut [ScheduledSplit]) {
        let (warp, live) = (&self.warps[w], self.warps[w].live);
        // SAFETY: a split stops at an operation of its warp's code (`Warp::stop_at`), which the launch keeps alive.
        let number = |at: *const Op| unsafe { (*at).d };
        let same = |at: *const Op| qualifiers(number(at));
        let mut gone = Vec::new();
        let waiting: Vec<(u32, *const Op, u32)> = splits
            .iter()
            .filter_map(|one| match one.waits {
                Waits::Lanes(named) => Some((named, one.split.at, one.split.mask)),
                _ => None,
            })
            .collect();
        for one in splits {
            let Waits::Lanes(named) = one.waits else { continue };
            let at = one.split.at;
            let meets = |other: &&(u32, *const Op, u32)| {
                other.1 == at || other.0 == named && same(other.1) == same(at)
            };
            let here = waiting.iter().filter(meets).fold(0, |lanes, other| lanes | other.2);
            if named & live & !here != 0 {
                continue;
            }
            // `bar.warp.sync` exchanges nothing, but instruments learn which lanes converged.
            let told = self.context.hook.wants(Wants::SYNCHRONIZATION);
            if here != one.split.mask && (number(at) != 0 || told) {
                let leads = !gone.contains(&(named, same(at)));
                let mut exchange = Exchange { leads, ..Exchange::default() };
                for (_, at, lanes) in waiting.iter().filter(meets) {
                    // SAFETY: each split stopped at a `Converge` of its warp's code, which the launch keeps alive; its
                    // slots are in the warp's register file.
                    unsafe { divergence::add(&mut exchange, warp, *at, *lanes) };
                }
                one.exchange = Some(Box::new(exchange));
            }
            gone.push((named, same(at)));
            one.waits = Waits::No;
            one.split.at = at.wrapping_add(1);
        }
    }

    /// The fault of a warp whose splits all wait for each other.
    fn intra_warp_deadlock(&mut self, w: usize) -> Located {
        let live = self.warps[w].live;
        let place = |one: &ScheduledSplit| self.warps[w].pc(one.split.at);
        let at_barrier = self.splits[w].iter().filter(|one| one.waits == Waits::Barrier);
        let at_barrier = at_barrier.min_by_key(|one| place(one));
        let named = self.splits[w].iter().filter(|one| matches!(one.waits, Waits::Lanes(_)));
        let named = named.min_by_key(|one| place(one));
        // Report the earlier of the two places: the lanes at the later one have passed it, so it is
        // inside a branch.
        let one = match (at_barrier, named) {
            (Some(barrier), Some(named)) if place(barrier) < place(named) => barrier,
            (barrier, named) => match named.or(barrier) {
                Some(one) => one,
                None => &self.splits[w][0],
            },
        };
        let here = one.split.mask.count_ones();
        let (kind, note) = match one.waits {
            Waits::Lanes(named) => {
                let missing = named & live & !one.split.mask;
                let barrier = self.splits[w]
                    .iter()
                    .any(|other| other.waits == Waits::Barrier && other.split.mask & missing != 0);
                let wait = if barrier { "at a barrier" } else { "elsewhere" };
                let note = format!(
                    "{here} threads of warp {w} wait for {} others of the warp (lanes {missing:#010x}), which wait {wait}; the member mask is {named:#010x}",
                    missing.count_ones()
                );
                let kind = if barrier { FaultKind::BarrierDivergence } else { FaultKind::Deadlock };
                (kind, note)
            }
            _ => (FaultKind::BarrierDivergence, not_all_here(w, one.split.mask, live)),
        };
        let raw = RawFault::of_lanes(kind, MemorySpace::Shared, one.split.mask, note);
        let split = one.split.clone();
        self.warps[w].resume(&split);
        self.locate(w, raw)
    }
}
