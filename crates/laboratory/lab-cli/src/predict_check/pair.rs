//! A measured kernel with its prediction.

use serde::{Deserialize, Serialize};

/// A measured kernel with its prediction.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeasuredPair {
    /// The ladder or the program.
    pub problem: String,
    /// The rung or the kernel.
    pub name: String,
    /// `ladders`, or the half of the programs: `tuning` or `test`.
    pub suite: String,
    /// Measured nanoseconds.
    pub measured_ns: f64,
    /// Predicted nanoseconds.
    pub predicted_ns: f64,
    /// The predicted interval.
    pub interval_ns: [f64; 2],
    /// The predicted limit.
    pub limiter: String,
    /// The larger of the times that the bytes and the operations take at the GPU's rates.
    pub roofline_ns: f64,
}

impl MeasuredPair {
    /// Predicted over measured time, less 1.
    pub fn error(&self) -> f64 {
        self.predicted_ns / self.measured_ns - 1.0
    }

    /// Whether the interval holds the measured time.
    pub fn covered(&self) -> bool {
        self.interval_ns[0] <= self.measured_ns && self.measured_ns <= self.interval_ns[1]
    }
}
