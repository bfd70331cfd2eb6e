//! Timed kernels with every sample.

use super::climb::{Accuracy, Device};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A timed kernel.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Timed {
    /// Time of the measurement, RFC 3339.
    pub taken: String,
    /// The measured kernel.
    pub subject: Subject,
    /// The device.
    pub device: Device,
    /// Revision of the user's checkout.
    pub revision: Option<String>,
    /// The problem, by name.
    pub problem: BTreeMap<String, String>,
    /// Every sample.
    pub samples: Vec<Sample>,
    /// Summary of the samples.
    pub summary: Summary,
    /// Why the figure cannot be right.
    pub invalid: Option<String>,
    /// The accuracy of its result.
    pub accuracy: Option<Accuracy>,
}

/// The measured kernel.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Subject {
    /// `rung`, `kernel`, `operation` or `peer`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The ladder.
    pub ladder: Option<String>,
    /// The file.
    pub file: Option<String>,
}

/// One sample.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    /// Nanoseconds.
    pub ns: f64,
    /// Clock of the multiprocessors.
    pub sm_mhz: Option<f64>,
    /// Power.
    pub watts: Option<f64>,
    /// Temperature.
    pub celsius: Option<f64>,
    /// Whether the clock differed from the settled one.
    pub off_clock: bool,
}

/// Summary of samples.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// Median in nanoseconds.
    pub median_ns: f64,
    /// 95 % interval of the median.
    pub interval_ns: [f64; 2],
    /// Fastest sample.
    pub min_ns: f64,
    /// Number of samples.
    pub count: u64,
}
