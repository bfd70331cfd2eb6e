//! A contest's problem and its outcome: a row of the table.

use lanework_bench::{Cache, ComparisonRecord, TimedRecord, Work};

/// A problem of a contest.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Its row of the targets' table, such as `sum`.
    pub group: &'static str,
    /// What is computed, and its size.
    pub title: String,
    /// The peer, for the table.
    pub peer: &'static str,
    pub work: Work,
    pub cache: Cache,
    /// The ratio to be reached: the peer's time over ours.
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
    /// Ours, beside a time of the peer in nanoseconds that was taken elsewhere.
    Beside(Box<TimedRecord>, f64),
    /// Both results were right.
    Verified,
    /// Why there is no time.
    Failed(String),
}
