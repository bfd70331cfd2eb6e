//! Limits on the CPU time of a program. A limit on CPU time, unlike one on elapsed time, allows the same amount of work on a
//! busy machine.
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
    /// The elapsed time at which the limit may be reached, from the last reading. Until then, no further reading is needed.
    earliest: Cell<Duration>,
}

impl ComputeLimit {
    /// A limit for a program that has just been started.
    pub fn of_program(limit: Duration, id: u32) -> ComputeLimit {
        let path = format!("/proc/{id}/schedstat");
        ComputeLimit { limit, started: Instant::now(), path, earliest: Cell::new(limit) }
    }

    /// Whether the limit is reached.
    pub fn is_over(&self) -> bool {
        let passed = self.started.elapsed();
        if passed <= self.earliest.get() {
            return false;
        }
        let spent = computed(&self.path).unwrap_or(passed);
        self.earliest.set(passed + self.limit.saturating_sub(spent));
        spent > self.limit || passed > self.limit * BUSY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_reached_when_the_program_has_used_its_cpu_time() {
        let this = std::process::id();
        let long = ComputeLimit::of_program(Duration::from_secs(3600), this);
        let short = ComputeLimit::of_program(Duration::from_millis(1), this);
        while !short.is_over() {}
        assert!(!long.is_over());
    }
}
