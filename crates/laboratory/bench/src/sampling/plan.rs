//! The numbers of the protocol.

use std::time::Duration;

/// Smallest relative difference of two times that a comparison resolves: other buffer addresses alone cause
/// differences of this size.
pub const RESOLUTION: f64 = 0.005;

/// When sampling stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The fewest samples.
    pub samples: usize,
    /// The least time of sampling.
    pub at_least: Duration,
    /// Width of the median's 95 % interval, relative to the median, at which sampling stops.
    pub narrow: f64,
    /// The longest time of sampling, except for the rounds below.
    pub limit: Duration,
    /// The fewest rounds of two kernels, even if the time is over: fewer than 6 have no interval.
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
    /// The protocol's plan with another time limit.
    pub fn within(limit: Duration) -> Plan {
        Plan { limit, at_least: Plan::default().at_least.min(limit), ..Plan::default() }
    }
}
