//! Signals that end a checked process: a launch that runs stops, and its findings are kept before the process ends.

use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

/// Launches that run.
static RUNNING: AtomicUsize = AtomicUsize::new(0);
/// The signal that arrived while a launch ran; 0 if none did.
static PENDING: AtomicI32 = AtomicI32::new(0);

/// Counts a launch while it runs.
pub(super) struct Running;

impl Running {
    pub(super) fn begin() -> Running {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(unix)]
mod unix {
    use super::{PENDING, RUNNING};
    use std::sync::atomic::Ordering;

    const SIGHUP: i32 = 1;
    const SIGINT: i32 = 2;
    const SIGTERM: i32 = 15;
    const DEFAULT: usize = 0;

    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
        fn raise(number: i32) -> i32;
    }

    extern "C" fn on_signal(number: i32) {
        if RUNNING.load(Ordering::SeqCst) > 0 {
            PENDING.store(number, Ordering::SeqCst);
            lanework_emulator::interrupt(true);
        } else {
            end_by(number);
        }
    }

    /// Lets a signal do what it does without a handler.
    fn end_by(number: i32) {
        // SAFETY: both are async-signal-safe and take no pointers but a handler, which is the constant `SIG_DFL`.
        unsafe {
            signal(number, DEFAULT);
            raise(number);
        }
    }

    /// Catches the signals for which the program has no handler.
    pub fn catch() {
        let handler = on_signal as extern "C" fn(i32) as usize;
        for number in [SIGHUP, SIGINT, SIGTERM] {
            // SAFETY: `handler` is an `extern "C" fn(i32)`, as `signal` requires, and calls only what is async-signal-safe. A handler
            // of the program, or an inherited "ignore", is put back.
            unsafe {
                let before = signal(number, handler);
                if before != DEFAULT {
                    signal(number, before);
                }
            }
        }
    }

    /// Ends the process by the signal that stopped a launch, if there was one, after a report.
    pub fn end_if_interrupted(report: impl FnOnce()) {
        let number = PENDING.load(Ordering::SeqCst);
        if number != 0 {
            report();
            end_by(number);
        }
    }
}

#[cfg(unix)]
pub(super) use unix::{catch, end_if_interrupted};

/// Catches the signals that end a process.
#[cfg(not(unix))]
pub(super) fn catch() {}

/// Ends the process by the signal that stopped a launch, if there was one, after a report.
#[cfg(not(unix))]
pub(super) fn end_if_interrupted(_report: impl FnOnce()) {}
