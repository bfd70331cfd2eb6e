//! The sanitizer's state for a launch: the checks and the livelock probe, with those of suspended
//! clusters.

use crate::findings::kinds::Checks;
use crate::findings::report::Report;
use crate::footprint::LaunchShadow;
use crate::livelock::LivelockProbe;
use crate::parts::{AwayParts, Parts};
use lanework_engine::fault::Located;

/// State of a suspended cluster.
pub struct Away {
    /// Its checks.
    pub parts: AwayParts,
    /// Its livelock probe: how long it has been spinning, and the bytes it waits for.
    pub probe: LivelockProbe,
}

/// Checks a launch. One worker runs it, because all blocks share the shadow of global memory.
pub struct Sanitizer {
    /// The enabled checks.
    pub checks: Checks,
    /// The checks' state, from the start to the end of the launch.
    pub parts: Option<Parts>,
    /// Livelock probe of the running cluster.
    pub probe: LivelockProbe,
    /// Seat of the running cluster.
    pub seat: usize,
    /// The clusters in the other seats.
    pub seats: Vec<Option<Box<Away>>>,
    /// The findings.
    pub reports: Vec<Report>,
    /// The shadow of global memory after the launch, if requested.
    pub shadow: Option<LaunchShadow>,
}

// SAFETY: the pointers refer to global memory, whose lock the launch holds, and to shared memory of
// blocks that this sanitizer's worker runs. The engine moves an instrument between threads only
// while no worker runs.
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

    /// Whether a suspended cluster that waited for memory can continue.
    pub fn others_may_go_on(&self) -> bool {
        let others = self.seats.iter().enumerate().filter(|(seat, _)| *seat != self.seat);
        others.filter_map(|(_, away)| away.as_ref()).any(|away| away.probe.woken())
    }

    /// Records a fault as a finding; returns it if it is not one.
    pub fn keep(&mut self, block: [u32; 3], located: Located) -> Option<Located> {
        let fault = located.clone();
        self.parts.as_mut()?.fault_of(block, located).map(|_| fault)
    }
}
