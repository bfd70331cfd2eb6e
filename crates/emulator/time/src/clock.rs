//! Limits on the CPU time of a thread or a process. A limit on CPU time, unlike one on elapsed time, allows the same amount of
//! work on a busy machine.
//!
//! On Linux, `/proc/*/schedstat` has the CPU time. Elsewhere, the limit applies to the elapsed time.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Maximum elapsed time, as a multiple of the limit.
const BUSY: u32 = 16;

fn computed(path: &str) -> Option<Duration> {
    let text = std::fs::read_to_string(path).ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// A limit on CPU time.
#[derive(Clone, Debug)]
pub struct ComputeLimit {
    limit: Duration,
    started: Instant,
    path: String,
    /// The CPU time at the first reading.
    before: Cell<Option<Duration>>,
    /// The elapsed time at which the limit may be reached, from the last reading. Until then, no further reading is needed.
    earliest: Cell<Duration>,
}

impl ComputeLimit {
    /// A limit for the thread that first calls [`ComputeLimit::is_over`], counted from that call.
    pub fn of_thread(limit: Duration) -> ComputeLimit {
        let (path, before) = ("/proc/thread-self/schedstat".to_owned(), Cell::new(None));
        ComputeLimit { limit, started: Instant::now(), path, before, earliest: Cell::new(limit) }
    }

    /// A limit for a program that has just been started.
    pub fn of_program(limit: Duration, id: u32) -> ComputeLimit {
        let (path, before) = (format!("/proc/{id}/schedstat"), Cell::new(Some(Duration::ZERO)));
        ComputeLimit { limit, started: Instant::now(), path, before, earliest: Cell::new(limit) }
    }

    /// The same limit for another thread.
    pub fn fork(&self) -> ComputeLimit {
        ComputeLimit { before: Cell::new(None), earliest: Cell::new(self.limit), ..self.clone() }
    }

    /// Whether the limit is reached.
    pub fn is_over(&self) -> bool {
        if self.before.get().is_none() {
            self.before.set(computed(&self.path));
        }
        let passed = self.started.elapsed();
        if passed <= self.earliest.get() {
            return false;
        }
        let both = computed(&self.path).zip(self.before.get());
        let spent = both.map_or(passed, |(now, before)| now.saturating_sub(before));
        self.earliest.set(passed + self.limit.saturating_sub(spent));
        spent > self.limit || passed > self.limit * BUSY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_reached_when_the_thread_has_used_its_cpu_time() {
        let long = ComputeLimit::of_thread(Duration::from_secs(3600));
        let short = ComputeLimit::of_thread(Duration::from_millis(1));
        while !short.is_over() {}
        assert!(!long.is_over() && short.fork().started == short.started);
    }
}
