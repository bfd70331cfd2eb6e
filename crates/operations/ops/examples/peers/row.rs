//! A contest's problem and outcome: a row of the table.

use lanework_bench::{Cache, ComparisonRecord, TimedRecord, Work};

/// A problem of a contest.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Its group in the table of targets, such as `sum`.
    pub group: &'static str,
    /// Operation and size.
    pub title: String,
    /// Name of the peer.
    pub peer: &'static str,
    pub work: Work,
    pub cache: Cache,
    /// Target ratio: the peer's time divided by ours.
    pub reach: f64,
}

/// The outcome of a contest.
pub struct Row {
    pub problem: Problem,
    pub outcome: Outcome,
}

pub enum Outcome {
    /// Times of the peer (a) and of ours (b).
    Timed(Box<ComparisonRecord>),
    /// Our time, and the peer's time in nanoseconds, measured elsewhere.
    Beside(Box<TimedRecord>, f64),
    /// Both results were correct.
    Verified,
    /// The reason why there is no time.
    Failed(String),
}
