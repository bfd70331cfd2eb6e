//! The options of an emulator.

use lanework_engine::limits::{self, Limits, Schedule};
use lanework_sanitizer::Checks;

/// Options of an [`Emulator`](crate::Emulator).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The device's limits.
    pub limits: Limits,
    /// Host threads that run blocks; `None` takes one per core, and more than the cores is capped.
    pub workers: Option<usize>,
    /// The order of time slices.
    pub schedule: Schedule,
    /// Warp instructions after which one warp is taken to be stuck; `None` for no limit.
    pub max_instructions: Option<u64>,
    /// Warp instructions of all warps together after which a launch is stopped; `None` for no limit.
    pub total_instructions: Option<u64>,
    /// Time after which a launch is stopped; `None` for no limit.
    pub time_limit: Option<std::time::Duration>,
    /// Run every register as 32 separate lanes, with no analysis of uniform and affine values. Slow;
    /// the reference that the fast engine is compared with.
    pub all_varying: bool,
    /// Check every access while kernels run; see [`crate::sanitize`].
    pub checks: Option<Checks>,
    /// Fresh global memory holds zeros, as mostly on a GPU that no program has used before. If accesses are checked,
    /// and by default, it holds 0xCD bytes.
    pub zeroed: bool,
    /// Check assembled code before it runs, against an error in the emulator itself. It takes about a
    /// tenth of the time of assembly, so the default is on in debug builds and off in release builds.
    pub verify: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            limits: Limits::default(),
            workers: None,
            schedule: Schedule::default(),
            max_instructions: None,
            total_instructions: None,
            time_limit: None,
            all_varying: false,
            checks: None,
            zeroed: false,
            verify: cfg!(debug_assertions),
        }
    }
}

impl Options {
    /// The device's options.
    pub(crate) fn device(&self) -> limits::Options {
        limits::Options {
            limits: self.limits.clone(),
            workers: self.workers,
            schedule: self.schedule,
            max_instructions: self.max_instructions,
            total_instructions: self.total_instructions,
            time_limit: self.time_limit,
            all_varying: self.all_varying,
            gaps: self.checks.is_some(),
            zeroed: self.zeroed,
            verify: self.verify,
        }
    }
}
