//! The sanitizer of a run: its parts while a launch runs, beside the livelock probe.

use crate::findings::kinds::Checks;
use crate::findings::report::Report;
use crate::footprint::LaunchShadow;
use crate::livelock::LivelockProbe;
use crate::parts::{AwayParts, Parts};
use lanework_engine::fault::Located;

/// What is known of a cluster that waits in another seat than the one that runs.
pub struct Away {
    /// What the parts know of it.
    pub parts: AwayParts,
    /// How long it has been spinning, and for what it waits.
    pub probe: LivelockProbe,
}

/// Checks a launch. One worker runs it, for the shadow memory of global memory is one for all blocks.
pub struct Sanitizer {
    /// What is looked for.
    pub checks: Checks,
    /// The parts, from the start of the launch to its end.
    pub parts: Option<Parts>,
    /// Looks for spins that never end, in the cluster that runs.
    pub probe: LivelockProbe,
    /// The seat of the cluster that runs.
    pub seat: usize,
    /// The clusters in the other seats.
    pub seats: Vec<Option<Box<Away>>>,
    /// What was found.
    pub reports: Vec<Report>,
    /// The shadow of global memory when the launch has ended, where the checks ask for it.
    pub shadow: Option<LaunchShadow>,
}

// SAFETY: the pointers inside go to global memory, whose lock the launch holds, and to the shared memory
// of the blocks that its worker runs.
unsafe impl Send for Sanitizer {}

impl Sanitizer {
    /// For one launch.
    pub fn new(checks: Checks) -> Sanitizer {
        let (parts, probe) = (None, LivelockProbe::default());
        Sanitizer {
            checks,
            parts,
            probe,
            seat: 0,
            seats: Vec::new(),
            reports: Vec::new(),
            shadow: None,
        }
    }

    /// Whether a cluster that waited in another seat for what is in memory may go on.
    pub fn others_may_go_on(&self) -> bool {
        let others = self.seats.iter().enumerate().filter(|(seat, _)| *seat != self.seat);
        others.filter_map(|(_, away)| away.as_ref()).any(|away| away.probe.woken())
    }

    /// Keeps a fault as a report; gives it back if it is no finding.
    pub fn keep(&mut self, block: [u32; 3], located: Located) -> Option<Located> {
        let fault = located.clone();
        self.parts.as_mut()?.fault_of(block, located).map(|_| fault)
    }
}
