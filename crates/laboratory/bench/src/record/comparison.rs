//! A comparison of two timed kernels, and the verdict.

use super::TimedRecord;
use serde::{Deserialize, Serialize};

/// The verdict of a comparison, on the second against the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The second is faster: the interval of the ratio is below 1.
    Fast,
    /// The second is slower: the interval of the ratio is above 1.
    Slow,
    /// The interval contains 1, or the difference is below the resolution.
    Ambiguous,
    /// One of the two figures is invalid, or they cannot be compared.
    Invalid,
}

/// A comparison of two timed kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonRecord {
    /// The first, the baseline.
    pub a: TimedRecord,
    /// The second.
    pub b: TimedRecord,
    /// Whether samples were interleaved (A B B A) in one process.
    pub interleaved: bool,
    /// Time of `b` divided by time of `a`: below 1, `b` is faster.
    pub ratio: f64,
    /// Interval of the ratio, 95 %.
    pub interval: [f64; 2],
    /// The verdict on `b`.
    pub verdict: Verdict,
    /// The verdict's reason, in a sentence.
    pub why: String,
}

impl Verdict {
    /// `FAST`, `SLOW`, `AMBIGUOUS` or `INVALID`.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Fast => "FAST",
            Verdict::Slow => "SLOW",
            Verdict::Ambiguous => "AMBIGUOUS",
            Verdict::Invalid => "INVALID",
        }
    }
}
