//! Moves of a session: to a step, to the next or the previous stop, and by lines.
//!
//! A search forward starts at the current step. What it needs to know about the steps before, the current line of each warp,
//! is in the state of the stopped block. If clusters run at the same time, the state is incomplete, and the search starts
//! before the block.

use crate::session::breakpoints::{BreakpointSearch, Hit, WarpLines};
use crate::session::stepping::{StepKind, StepSearch, StepUnit};
use crate::session::{Session, StopReason};
use crate::timeline::{Replayed, Visitor};
use lanework_emulator::Fault;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

impl Session<'_> {
    /// Goes to a step, or to the end of the launch if it has fewer steps.
    ///
    /// # Errors
    /// If the launch cannot be replayed.
    pub fn go_to(&mut self, step: u64, reason: StopReason) -> Result<(), Fault> {
        let replayed = self.timeline.go_to(step)?;
        self.land(replayed, reason);
        Ok(())
    }

    /// Takes the state of a replay that stopped.
    fn land(&mut self, Replayed { step, at, moment }: Replayed, reason: StopReason) {
        let ended = step >= self.timeline.steps();
        self.reason = match (&self.timeline.end().fault, ended) {
            (Some(_), true) => StopReason::Fault,
            (None, true) => StopReason::End,
            _ => reason,
        };
        (self.step, self.at, self.moment) = (step, at, moment);
        self.frame = 0;
        let (block, thread) = self.focus;
        // Keep the thread if it takes part in the step.
        if let Some((place, mask)) = at
            && (place.block != block || place.warp != thread / 32 || mask >> (thread % 32) & 1 == 0)
        {
            self.focus = (place.block, place.warp * 32 + mask.trailing_zeros() % 32);
        }
    }

    /// Runs forward, or backward, to the next stop.
    ///
    /// # Errors
    /// If the launch cannot be replayed. If a condition cannot be evaluated, the result is the text of the error.
    pub fn go_on(&mut self, back: bool) -> Result<Option<String>, Fault> {
        if !back {
            let search = self.search(self.step + 1, u64::MAX, false);
            return self.stop_of(search);
        }
        let hit = self.last_stop()?;
        let Some(Hit { step, number, thread, error }) = hit else {
            self.go_to(0, StopReason::Start)?;
            return Ok(None);
        };
        self.go_to(step, StopReason::Breakpoint(number))?;
        self.focus_on(thread);
        Ok(error.map(|why| condition_error(number, &why)))
    }

    /// Goes to the first stop of the launch, or to its end.
    ///
    /// # Errors
    /// As [`Session::go_on`].
    pub fn go_to_first_stop(&mut self) -> Result<Option<String>, Fault> {
        self.stop_of(self.search(0, u64::MAX, false))
    }

    /// Goes to the first stop that a search finds, or to the end; returns the error of its condition.
    fn stop_of(&mut self, mut search: BreakpointSearch) -> Result<Option<String>, Fault> {
        if search.from > self.step && self.is_sequential() {
            search.first = self.step;
            search.lines = self.lines();
        }
        let (search, replayed) = self.timeline.replay(search.from.min(self.step), search)?;
        let Some(Hit { number, thread, error, .. }) = search.hit else {
            self.go_to(u64::MAX, StopReason::End)?;
            return Ok(None);
        };
        self.land(replayed, StopReason::Breakpoint(number));
        self.focus_on(thread);
        Ok(error.map(|why| condition_error(number, &why)))
    }

    /// Selects a thread of the current step's warp.
    fn focus_on(&mut self, thread: u32) {
        if let Some((place, _)) = self.at.filter(|(place, _)| place.warp == thread / 32) {
            self.focus = (place.block, thread);
        }
    }

    /// Whether each cluster runs to its end before the next one starts.
    fn is_sequential(&self) -> bool {
        let target = self.timeline.target();
        !target.config.cooperative && !target.program.polls(target.config.entry)
    }

    /// The lines at which the warps of the current cluster are. Unknown for warps that a jump may have brought to their next
    /// instruction: they count as arriving there.
    fn lines(&self) -> WarpLines {
        let kernel = &self.scope.kernel;
        let targets = kernel.labels.iter().filter_map(|label| kernel.insts.get(*label));
        let targets: HashSet<u32> = targets.map(|inst| inst.origin).collect();
        let mut lines = WarpLines::default();
        for block in self.moment.iter().flat_map(|moment| &moment.blocks) {
            for (index, warp) in block.warps.iter().enumerate() {
                let at = warp.lanes.iter().find(|at| at.executing).map(|at| at.instruction);
                if let Some(at) = at.filter(|at| !targets.contains(at)) {
                    lines.set(&self.scope, (block.block, index as u32), at);
                }
            }
        }
        lines
    }

    pub(super) fn search(&self, from: u64, until: u64, last: bool) -> BreakpointSearch {
        let enabled = self.breakpoints.iter().filter(|breakpoint| breakpoint.enabled);
        BreakpointSearch {
            scope: Arc::clone(&self.scope),
            breakpoints: enabled.cloned().collect(),
            from,
            until,
            last,
            first: 0,
            lines: WarpLines::default(),
            values: HashMap::new(),
            hit: None,
        }
    }

    fn last_stop(&self) -> Result<Option<Hit>, Fault> {
        self.backward(
            self.step,
            |session, from, until| session.search(from, until, true),
            |s| s.hit,
        )
    }

    /// Searches the intervals between snapshots before a step, the last one first.
    fn backward<V: Visitor, R>(
        &self,
        before: u64,
        search: impl Fn(&Session<'_>, u64, u64) -> V,
        result: impl Fn(V) -> Option<R>,
    ) -> Result<Option<R>, Fault> {
        let mut until = before;
        for from in self.timeline.replay_starts().into_iter().rev().filter(|from| *from < before) {
            let (found, _) = self.timeline.replay(from, search(self, from, until))?;
            if let Some(found) = result(found) {
                return Ok(Some(found));
            }
            // Only the preceding interval can tell whether a change precedes the first step of this one.
            until = from + 1;
        }
        Ok(None)
    }

    /// Steps forward or backward.
    ///
    /// # Errors
    /// If the launch cannot be replayed.
    pub fn take_step(&mut self, kind: StepKind, unit: StepUnit, back: bool) -> Result<(), Fault> {
        let start = self.timeline.block_start(self.focus.0).unwrap_or(0).min(self.step);
        if !back && self.is_sequential() {
            let search = StepSearch {
                first: self.step,
                lines: self.lines(),
                ..self.step_search(kind, unit, back)
            };
            let (search, replayed) = self.timeline.replay(start, search)?;
            if let Some((_, thread)) = search.found {
                let block = self.focus.0;
                self.land(replayed, StopReason::Stepped);
                self.focus = (block, thread);
                return Ok(());
            }
        }
        // The end of a thread is before the current step, or the search needs all steps of the block.
        let search = self.step_search(kind, unit, back);
        let (search, _) = self.timeline.replay(start, search)?;
        match (search.found, search.last) {
            (Some((step, thread)), _) => {
                let block = self.focus.0;
                self.go_to(step, StopReason::Stepped)?;
                self.focus = (block, thread);
                Ok(())
            }
            (None, _) if back => self.go_to(start, StopReason::Start),
            (None, Some(last)) if search.ended || unit == StepUnit::Block => {
                self.go_to(last, StopReason::ThreadEnds)
            }
            (None, _) => self.go_to(u64::MAX, StopReason::End),
        }
    }

    fn step_search(&self, kind: StepKind, unit: StepUnit, back: bool) -> StepSearch {
        let place = self.place_of(self.focus.0, self.focus.1);
        let depth = self.scope.code.place(place.instruction).map_or(0, |place| place.depth);
        StepSearch {
            scope: Arc::clone(&self.scope),
            kind,
            unit,
            focus: self.focus,
            now: self.step,
            first: 0,
            depth,
            back,
            lines: WarpLines::default(),
            found: None,
            last: None,
            ended: false,
        }
    }
}

fn condition_error(number: u32, why: &str) -> String {
    format!("the condition of breakpoint {number}: {why}")
}
