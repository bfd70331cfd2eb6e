//! What a step of a ladder gives, as one word.

use serde::Serialize;

/// What a step from one rung to the next gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// The time is shorter.
    Faster,
    /// The times cannot be told apart.
    NoFaster,
    /// The time is longer.
    Slower,
    /// Some counts are smaller, and none is larger.
    Cheaper,
    /// Some counts are smaller, others are larger.
    Mixed,
    /// No count is smaller, some are larger.
    Dearer,
    /// No count has changed.
    Unchanged,
}

impl Step {
    /// Whether the step may be a gain, by what is known of it.
    pub fn gains(self) -> bool {
        matches!(self, Step::Faster | Step::Cheaper | Step::Mixed)
    }
}
