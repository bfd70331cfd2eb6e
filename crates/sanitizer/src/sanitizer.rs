//! The sanitizer of a run: its parts while a launch runs, beside the livelock probe.

use super::kinds::Checks;
use super::livelock::LivelockProbe;
use super::memory_changes::Reads;
use super::parts::Parts;
use super::report::Report;
use lanework_engine::fault::Located;

/// A block that waits for what may be done by one that runs later: its place, the fault, and what it
/// reads.
pub type Held = ([u32; 3], Located, Reads);

/// Checks a launch. One worker runs it, for the shadow memory of global memory is one for all blocks.
pub struct Sanitizer {
    /// What is looked for.
    pub checks: Checks,
    /// The parts, from the start of the launch to its end.
    pub parts: Option<Parts>,
    /// Looks for spins that never end.
    pub probe: LivelockProbe,
    /// Blocks that wait for later ones.
    pub held: Vec<Held>,
    /// What was found.
    pub reports: Vec<Report>,
}

// SAFETY: the pointers inside go to global memory, whose lock the launch holds, and to the shared memory
// of the blocks that its worker runs.
unsafe impl Send for Sanitizer {}

impl Sanitizer {
    /// For one launch.
    pub fn new(checks: Checks) -> Sanitizer {
        let (parts, probe) = (None, LivelockProbe::default());
        Sanitizer { checks, parts, probe, held: Vec::new(), reports: Vec::new() }
    }

    /// Keeps a fault as a report; gives it back if it is no finding.
    pub fn keep(&mut self, block: [u32; 3], located: Located) -> Option<Located> {
        let fault = located.clone();
        self.parts.as_mut()?.fault_of(block, located).map(|_| fault)
    }
}
