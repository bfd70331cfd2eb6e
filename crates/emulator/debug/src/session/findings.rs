//! The sanitizer's findings about the launch, and the steps of their accesses.

use crate::data::evaluate::coordinates;
use crate::session::Session;
use crate::session::breakpoints::BreakpointKind;
use crate::timeline::{StepAt, Visitor};
use lanework_emulator::sanitize::Report;
use lanework_emulator::{Access, Fault, SourceLocation};

/// Finds the step of an access that a finding names.
struct FindingSearch {
    block: u64,
    thread: u32,
    /// The instructions that the finding may mean.
    instructions: Vec<u32>,
    address: Option<u64>,
    /// The last step to consider.
    until: u64,
    /// Whether to find the last step instead of the first.
    last: bool,
    /// The first or last step of the thread at one of the instructions.
    step: Option<u64>,
    /// The same, but only steps that access the address.
    exact: Option<u64>,
}

impl FindingSearch {
    fn keep(place: &mut Option<u64>, step: u64, last: bool) {
        if last || place.is_none() {
            *place = Some(step);
        }
    }
}

impl Visitor for FindingSearch {
    fn step(&mut self, at: &StepAt<'_>) -> bool {
        let own = at.place.block == self.block && at.place.warp == self.thread / 32;
        let active = own && at.mask >> (self.thread % 32) & 1 != 0;
        if active && at.step < self.until && self.instructions.contains(&at.place.instruction) {
            FindingSearch::keep(&mut self.step, at.step, self.last);
        }
        at.step >= self.until || !self.last && self.exact.is_some()
    }

    fn access(&mut self, step: u64, access: &Access<'_>) {
        let lane = self.thread % 32;
        let own = access.place.block == self.block
            && access.place.warp == self.thread / 32
            && access.mask >> lane & 1 != 0
            && self.instructions.contains(&access.place.instruction);
        let at = access.addresses[lane as usize];
        let near = |address: u64| address.wrapping_sub(at) < u64::from(access.bytes);
        if own && self.address.is_some_and(near) && step < self.until {
            FindingSearch::keep(&mut self.exact, step, self.last);
        }
    }

    fn wants_accesses(&self) -> bool {
        self.address.is_some()
    }

    fn cluster_end(&mut self, blocks: &[u64]) {
        if blocks.contains(&self.block) {
            self.until = 0;
        }
    }
}

/// A step, with its block and thread.
pub type FoundStep = (u64, (u64, u32));

/// A place that a finding names.
struct FindingPlace<'r> {
    location: Option<&'r SourceLocation>,
    /// The calls around it, if they are known: copies of an inlined function differ only in them.
    callers: Option<&'r [SourceLocation]>,
    text_line: u32,
    instruction: &'r str,
    block: [u32; 3],
    thread: [u32; 3],
}

/// The linear index of coordinates.
pub fn linear(shape: [u32; 3], at: [u32; 3]) -> u64 {
    let [x, y, _] = shape.map(u64::from);
    let [i, j, k] = at.map(u64::from);
    (k * y + j) * x + i
}

impl Session<'_> {
    /// The sanitizer's findings. The first call checks the launch.
    ///
    /// # Errors
    /// If the launch cannot be checked or replayed.
    pub fn findings(&mut self) -> Result<&[Report], Fault> {
        if self.findings.is_none() {
            self.timeline.restore()?;
            let target = self.timeline.target();
            let checks = target.emulator.checks().unwrap_or_default();
            // In another order, the accesses that race may have other threads.
            let checked = target.emulator.check_in_order(
                target.program,
                target.config,
                target.arguments,
                (checks, self.timeline.schedule()),
            )?;
            self.findings = Some(checked.reports);
            self.timeline.go_to(self.step)?;
        }
        Ok(self.findings.as_deref().unwrap_or_default())
    }

    /// The step and thread of a finding's access, or of the other access of its race. Findings are numbered from 0.
    ///
    /// # Errors
    /// If the launch cannot be replayed.
    pub fn step_of_finding(&self, index: usize, other: bool) -> Result<Option<FoundStep>, Fault> {
        let Some(report) = self.findings.as_ref().and_then(|all| all.get(index)) else {
            return Ok(None);
        };
        let own = FindingPlace {
            location: report.location.as_ref(),
            callers: Some(&report.callers),
            text_line: report.text_line,
            instruction: &report.instruction,
            block: report.block,
            thread: report.thread,
        };
        let first = self.find_access(&own, report.address, u64::MAX, false)?;
        let Some(second) = report.other.as_ref().filter(|_| other) else { return Ok(first) };
        let second = FindingPlace {
            location: second.location.as_ref(),
            callers: None,
            text_line: second.text_line,
            instruction: &second.instruction,
            block: second.block,
            thread: second.thread,
        };
        // The other access of a race precedes the reported one.
        let until = first.map_or(u64::MAX, |(step, _)| step);
        let found = self.find_access(&second, report.address, until, true)?;
        if found.is_some() { Ok(found) } else { self.find_access(&second, None, until, true) }
    }

    /// Adds a breakpoint at the step of a finding; returns its number, or `None` if no step of the recording matches.
    ///
    /// # Errors
    /// If the launch cannot be replayed.
    pub fn break_at_finding(&mut self, index: usize, text: String) -> Result<Option<u32>, Fault> {
        let Some((step, (_, thread))) = self.step_of_finding(index, false)? else {
            return Ok(None);
        };
        let number = self.add_breakpoint(BreakpointKind::Step(step, thread), None, text);
        self.at_findings.push((number, index));
        Ok(Some(number))
    }

    /// Moves the breakpoints at findings to the steps of a new recording. One whose access is not in it is disabled.
    pub(super) fn find_findings_again(&mut self) -> Result<(), Fault> {
        for (number, index) in self.at_findings.clone() {
            let found = self.step_of_finding(index, false)?;
            if let Some(own) = self.breakpoints.iter_mut().find(|one| one.number == number) {
                own.enabled = found.is_some();
                if let Some((step, (_, thread))) = found {
                    own.kind = BreakpointKind::Step(step, thread);
                }
            }
        }
        Ok(())
    }

    fn find_access(
        &self,
        place: &FindingPlace<'_>,
        address: Option<u64>,
        until: u64,
        last: bool,
    ) -> Result<Option<FoundStep>, Fault> {
        let scope = self.scope();
        let origins = scope.kernel.origins.iter().enumerate();
        let instructions = origins.filter(|(_, origin)| {
            origin.text_line == place.text_line
                && origin.name == place.instruction
                && origin.location.as_ref() == place.location
                && place.callers.is_none_or(|callers| callers == &origin.callers[..])
        });
        let instructions = instructions.map(|(index, _)| index as u32).collect();
        let block = linear(scope.grid, place.block);
        let thread = linear(scope.block, place.thread) as u32;
        debug_assert_eq!(coordinates(scope.block, thread.into()), place.thread);
        let search = FindingSearch {
            block,
            thread,
            instructions,
            address,
            until,
            last,
            step: None,
            exact: None,
        };
        let start = self.timeline().block_start(block).unwrap_or(0);
        let (found, _) = self.timeline().replay(start, search)?;
        Ok(found.exact.or(found.step).map(|step| (step, (block, thread))))
    }
}
