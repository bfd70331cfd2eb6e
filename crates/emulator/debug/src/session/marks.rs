//! All stops of a launch, for a timeline.

use crate::session::Session;
use crate::session::breakpoints::BreakpointSearch;
use crate::timeline::{StepAt, Visitor};
use lanework_emulator::Fault;

/// A stop of the launch: its step, and the number of its breakpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopMark {
    /// The step.
    pub step: u64,
    /// The breakpoint's number.
    pub number: u32,
}

/// Collects the stops of a run.
struct StopMarks {
    search: BreakpointSearch,
    most: usize,
    found: Vec<StopMark>,
}

impl Visitor for StopMarks {
    fn step(&mut self, at: &StepAt<'_>) -> bool {
        // A search for the last stop keeps each stop until the next one.
        self.search.step(at);
        if let Some(hit) = self.search.hit.take() {
            self.found.push(StopMark { step: hit.step, number: hit.number });
        }
        self.found.len() >= self.most
    }
}

impl Session<'_> {
    /// The stops of the enabled breakpoints in the whole launch, at most `most` of them.
    ///
    /// # Errors
    /// If the launch cannot be replayed.
    pub fn stop_marks(&self, most: usize) -> Result<Vec<StopMark>, Fault> {
        if self.breakpoints().iter().all(|one| !one.enabled) {
            return Ok(Vec::new());
        }
        let search = self.search(0, u64::MAX, true);
        let marks = StopMarks { search, most, found: Vec::new() };
        let (marks, _) = self.timeline().replay(0, marks)?;
        // Restore the memory of the current step for later commands.
        self.timeline().go_to(self.step())?;
        Ok(marks.found)
    }
}
