//! The timeline of a traced process.

use super::record::{Activity, Launched, Record};
use super::session::{Session, Tool};
use super::sink::{micros, now};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

impl Session {
    /// Records a copy between host and device, for the timeline.
    pub(crate) fn copied<T>(&self, what: &str, bytes: usize, copy: impl FnOnce() -> T) -> T {
        if !matches!(self.tool, Tool::Trace) {
            return copy();
        }
        let (start, start_us) = (Instant::now(), now());
        let done = copy();
        self.activity(what, start_us, micros(start), bytes as u64, None);
        done
    }

    /// Records an activity of this thread: a copy of `bytes`, or a launch with its counts.
    pub(super) fn activity(
        &self,
        what: &str,
        start_us: u64,
        took_us: u64,
        bytes: u64,
        launch: Option<(Launched, lanework_emulator::Counters)>,
    ) {
        thread_local! {
            static THREAD: Cell<u64> = const { Cell::new(0) };
        }
        static THREADS: AtomicU64 = AtomicU64::new(1);
        let thread = THREAD.get();
        let thread = match thread {
            0 => THREADS.fetch_add(1, Relaxed),
            thread => thread,
        };
        THREAD.set(thread);
        let what = what.to_owned();
        self.keep(Record::Activity(Box::new(Activity {
            what,
            thread,
            start_us,
            took_us,
            bytes,
            launch,
        })));
    }
}
