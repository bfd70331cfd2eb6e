//! The numbers of the protocol.

use std::time::Duration;

/// Difference of two kernels' times, as a part of one, that a comparison resolves: buffers at other addresses alone
/// make differences of this size.
pub const RESOLUTION: f64 = 0.005;

/// When sampling stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Samples that must be in.
    pub samples: usize,
    /// Time that sampling lasts at least.
    pub at_least: Duration,
    /// Width of the median's 95 % interval, as a part of the median, that is narrow enough.
    pub narrow: f64,
    /// Time that sampling lasts at most, but for these rounds.
    pub limit: Duration,
    /// Rounds of two kernels that must be in even when the time is over: with fewer than 6 there is no interval.
    pub rounds: usize,
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            samples: 30,
            at_least: Duration::from_millis(500),
            narrow: 0.005,
            limit: Duration::from_secs(15),
            rounds: 0,
        }
    }
}

impl Plan {
    /// The protocol's plan with another limit.
    pub fn within(limit: Duration) -> Plan {
        Plan { limit, at_least: Plan::default().at_least.min(limit), ..Plan::default() }
    }
}
