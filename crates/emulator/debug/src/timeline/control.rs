//! Lets another thread follow a replay and interrupt it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Steps between two looks at the control: a power of two.
pub(super) const STRIDE: u64 = 1 << 12;

/// The progress of the current replay, and the request to interrupt it.
#[derive(Debug, Default)]
pub struct RunControl {
    step: AtomicU64,
    interrupt: AtomicBool,
}

impl RunControl {
    /// The last known step of the current replay.
    pub fn step(&self) -> u64 {
        self.step.load(Ordering::Relaxed)
    }

    /// Asks the current replay, and those after it, to end with an error.
    pub fn interrupt(&self) {
        self.interrupt.store(true, Ordering::Relaxed);
    }

    /// Withdraws the request to interrupt; returns whether there was one.
    pub fn take_interrupt(&self) -> bool {
        self.interrupt.swap(false, Ordering::Relaxed)
    }

    /// Whether replays are to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Records the progress of a replay.
    pub(super) fn reach(&self, step: u64) {
        self.step.store(step, Ordering::Relaxed);
    }
}
