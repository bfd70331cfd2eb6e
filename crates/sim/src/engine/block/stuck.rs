//! Clusters of a checked launch that will never get on, because warps spin: they wait in a loop for what
//! nobody is left to do.
//!
//! Now and then a trial is made: a few rounds of short turns in which every write is compared with what
//! was there. If all warps that can run come back to where they were, with the same registers, while
//! memory kept still, they will do so for ever, whatever the order of their turns. Lanes that are
//! pending get their own turns first.

use super::apart::Part;
use super::{Located, State, Team, Worker};
use crate::engine::context::RawFault;
use crate::engine::fault::FaultKind;
use crate::engine::op::Stop;
use crate::engine::stillness::{Reads, Stillness};
use crate::engine::way::Way;
use crate::ir::kernel::MemorySpace;
use crate::sanitizer::named;

/// Instructions of a turn in a trial.
pub(super) const TRIAL_TURN: u64 = 1 << 9;
/// Rounds of a trial.
const TRIAL_ROUNDS: u32 = 1 << 6;
/// Rounds after which a first trial is made though no warp has used up a turn.
const PATIENCE: u64 = 1 << 12;
/// Groups of warps told apart in words.
const MOST_GROUPS: usize = 8;

/// All that decides what a warp does next, but for memory.
#[derive(PartialEq)]
struct Standing {
    state: State,
    live: u32,
    way: Way,
    parts: Vec<Part>,
    registers: Vec<u8>,
}

/// When trials are made, and the one under way.
#[derive(Default)]
pub(super) struct Watch {
    rounds: u64,
    yields: u64,
    next: [u64; 2],
    trial: Option<Trial>,
}

struct Trial {
    rounds: u32,
    /// Round at which standings are noted anew.
    again: u32,
    /// By rank and warp.
    noted: Vec<Vec<Standing>>,
    /// Those that have come back to what was noted.
    back: Vec<Vec<bool>>,
    /// Whether waits have ended early in this round.
    gave_up: bool,
    changes: u64,
    printed: usize,
}

impl Worker<'_> {
    fn standing(&self, w: usize) -> Standing {
        let warp = &self.warps[w];
        let code = match warp.widened {
            true => self.assembled.wide(),
            false => &self.assembled.code,
        };
        // SAFETY: the warp's register file is as large as its code says.
        let registers = unsafe { std::slice::from_raw_parts(warp.regs, code.register_bytes) };
        Standing {
            state: self.states[w],
            live: warp.live,
            way: warp.way(),
            parts: self.parts[w].clone(),
            registers: registers.to_vec(),
        }
    }

    /// Warps whose pending lanes have had no turn.
    fn divided(&self) -> Vec<usize> {
        let spins = |w: &usize| {
            let warp = &self.warps[*w];
            self.states[*w] == State::Ready && !warp.apart && warp.mask != warp.live
        };
        (0..self.warps.len()).filter(spins).collect()
    }

    /// Where the warps are, in words; `whose` says of which block.
    fn whereabouts(&self, whose: &str) -> Vec<String> {
        let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
        for (w, warp) in self.warps.iter().enumerate() {
            let does = match self.states[w] {
                State::Done => continue,
                State::Ready => "",
                State::Plain(_) | State::Waiting(_) => " waiting at a barrier",
                State::Asking => " waiting",
            };
            let pc = warp.pc(warp.stopped_at) as usize;
            let origin = self.assembled.code.origin_of.get(pc).copied().unwrap_or(0);
            let origin = self.assembled.kernel.origins.get(origin as usize);
            let place = match origin {
                Some(o) => match &o.location {
                    Some(location) => format!("{does} at {location}"),
                    None => format!("{does} at line {} of the PTX text", o.text_line),
                },
                None => does.to_owned(),
            };
            match groups.iter_mut().find(|(known, _)| *known == place) {
                Some((_, warps)) => warps.push(w),
                None => groups.push((place, vec![w])),
            }
        }
        groups
            .into_iter()
            .map(|(place, warps)| format!("; {}{whose}{place}", listed(&warps)))
            .collect()
    }
}

/// `warp 3`, `warps 0-3, 7`.
fn listed(warps: &[usize]) -> String {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for &w in warps {
        match runs.last_mut() {
            Some(run) if run[1] + 1 == w => run[1] = w,
            _ => runs.push([w, w]),
        }
    }
    let shown = runs.iter().map(|[a, b]| if a == b { a.to_string() } else { format!("{a}-{b}") });
    let word = if warps.len() == 1 { "warp" } else { "warps" };
    format!("{word} {}", shown.collect::<Vec<_>>().join(", "))
}

impl Team<'_> {
    /// After a round of turns of a checked cluster: makes trials now and then.
    ///
    /// # Errors
    /// The spin that holds up all for ever.
    pub(super) fn watch(&mut self) -> Result<(), (usize, Located)> {
        let yielded = self.blocks.iter_mut().fold(false, |any, block| {
            let yielded = std::mem::take(&mut block.yielded);
            any | yielded
        });
        let watch = &mut self.watch;
        watch.rounds += 1;
        watch.yields += u64::from(yielded);
        let Some(mut trial) = watch.trial.take() else {
            let [rounds, yields] = watch.next;
            if watch.yields > yields || watch.rounds > rounds.max(PATIENCE) {
                watch.next = [2 * watch.rounds, 2 * watch.yields];
                self.begin_trial();
            }
            return Ok(());
        };
        trial.rounds += 1;
        if trial.rounds > TRIAL_ROUNDS || !self.keeps_still(&trial) {
            self.end_trial();
            return Ok(());
        }
        let all = self.all_back(&mut trial);
        if all {
            if self.part_divided() {
                self.begin_trial();
                return Ok(());
            }
            if let Some(located) = self.spins() {
                self.end_trial();
                return Err(located);
            }
        }
        if trial.rounds == trial.again {
            trial.again *= 2;
            trial.noted = self.standings();
        }
        self.watch.trial = Some(trial);
        Ok(())
    }

    fn standings(&self) -> Vec<Vec<Standing>> {
        let of = |block: &Worker<'_>| (0..block.warps.len()).map(|w| block.standing(w)).collect();
        self.blocks.iter().map(of).collect()
    }

    fn printed(&self) -> usize {
        self.blocks.iter().map(|block| block.context.printed.len()).sum()
    }

    fn begin_trial(&mut self) {
        for block in &mut self.blocks {
            block.short_turns = true;
            block.context.stillness = Some(Box::new(Stillness::new(block.warps.len())));
        }
        if let Some(checks) = &mut self.checks {
            checks.follow_all(true);
        }
        let back = self.blocks.iter().map(|block| vec![false; block.warps.len()]).collect();
        self.watch.trial = Some(Trial {
            rounds: 0,
            again: 1,
            noted: self.standings(),
            back,
            gave_up: false,
            changes: self.cluster.changes,
            printed: self.printed(),
        });
    }

    fn end_trial(&mut self) {
        self.watch.trial = None;
        for block in &mut self.blocks {
            block.short_turns = false;
            block.context.stillness = None;
        }
        if let Some(checks) = &mut self.checks {
            checks.follow_all(false);
        }
    }

    /// The cluster has ended.
    pub(super) fn end_watch(&mut self) {
        self.end_trial();
        self.watch = Watch::default();
    }

    fn keeps_still(&mut self, trial: &Trial) -> bool {
        let mut still = trial.changes == self.cluster.changes && trial.printed == self.printed();
        for block in &mut self.blocks {
            still &= block.context.stillness.as_mut().is_some_and(|this| !this.changed());
        }
        still
    }

    /// Whether all that can run have come back to where they were. Waits of others end early then, and
    /// these must come back, too.
    fn all_back(&mut self, trial: &mut Trial) -> bool {
        let (mut runs, mut ready, mut asking) = (false, true, true);
        let gave_up = std::mem::take(&mut trial.gave_up);
        for (rank, block) in self.blocks.iter().enumerate() {
            if !self.cluster.running[rank] {
                continue;
            }
            for w in 0..block.warps.len() {
                let back = &mut trial.back[rank][w];
                match block.states[w] {
                    State::Ready => {
                        *back = *back || block.standing(w) == trial.noted[rank][w];
                        (runs, ready) = (true, ready & *back);
                    }
                    State::Asking => {
                        *back = *back || (gave_up && block.standing(w) == trial.noted[rank][w]);
                        asking &= *back;
                    }
                    _ => {}
                }
            }
        }
        if ready && !asking {
            trial.gave_up = true;
            for block in &mut self.blocks {
                for (warp, state) in block.warps.iter_mut().zip(&block.states) {
                    warp.gives_up |= *state == State::Asking;
                }
            }
        }
        runs && ready && asking
    }

    /// Gives lanes that are pending turns of their own; whether there are any.
    fn part_divided(&mut self) -> bool {
        let mut parted = false;
        for block in &mut self.blocks {
            for w in block.divided() {
                (block.spun, parted) = (true, true);
                block.part(w, Stop::Yield);
            }
        }
        parted
    }

    /// All come back for ever: the spin to report.
    fn spins(&mut self) -> Option<(usize, Located)> {
        let mut found = None;
        for (rank, block) in self.blocks.iter().enumerate().rev() {
            if !self.cluster.running[rank] {
                continue;
            }
            let looks = block.context.stillness.as_ref().map(|this| &this.looks);
            for w in (0..block.warps.len()).rev().filter(|w| block.states[*w] == State::Ready) {
                let look = looks.and_then(|looks| looks[w]);
                if look.is_some() || found.is_none() {
                    found = Some((rank, w, look));
                }
            }
        }
        let (rank, w, look) = found?;
        self.spin_reads = self.blocks[rank].context.stillness.as_ref().map(|this| this.reads());
        let block = &self.blocks[rank];
        let others = self.whereabouts();
        let located = match look {
            Some(look) => {
                let checks = self.checks.as_ref();
                let near = checks.and_then(|checks| checks.place(look.space, look.address));
                let place = near.as_ref().map_or(format!("{:#x}", look.address), named);
                let note = format!(
                    "warp {w} spins: it reads the {} bytes at {place} again and again, and nobody is left to change them{others}",
                    look.bytes
                );
                let raw = RawFault {
                    address: Some(look.address),
                    bytes: look.bytes,
                    ..RawFault::of_lanes(FaultKind::Deadlock, look.space, 1 << look.lane, note)
                };
                Located { raw, origin: look.instruction, warp: w as u32 }
            }
            None => {
                let note =
                    format!("warp {w} spins in a loop that reads nothing and has no end{others}");
                let mask = block.warps[w].mask;
                block.locate(
                    w,
                    RawFault::of_lanes(FaultKind::Deadlock, MemorySpace::Generic, mask, note),
                )
            }
        };
        Some((rank, located))
    }

    /// Where all warps are, to be added to a message.
    pub(super) fn whereabouts(&self) -> String {
        let several = self.blocks.len() > 1;
        let mut all = Vec::new();
        for (rank, block) in self.blocks.iter().enumerate() {
            let whose =
                if several { format!(" of the block of rank {rank}") } else { String::new() };
            all.extend(block.whereabouts(&whose));
        }
        if all.len() > MOST_GROUPS {
            all.truncate(MOST_GROUPS);
            all.push("; and others".to_owned());
        }
        all.concat()
    }

    /// What the spin that ended the last cluster read of global memory, where that was what ended it.
    pub fn take_spin(&mut self) -> Option<Reads> {
        self.spin_reads.take()
    }
}
