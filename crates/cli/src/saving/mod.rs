//! Stores results if `--save` is given. Commands do not use the store's types, so they also build without the store.

#[cfg(not(feature = "history"))]
mod missing;
#[cfg(feature = "history")]
mod store;

#[cfg(not(feature = "history"))]
pub use missing::{Saving, Store};
#[cfg(feature = "history")]
pub use store::{Saving, Store, failed};

use crate::args::SaveOptions;
use lanework_lab::{ClimbRecord, ComparisonRecord, DeviceRecord, TimedRecord};
use lanework_terminal::failure::Failure;
use serde_json::Value;
use std::collections::BTreeMap;

/// The command that stores a run.
#[derive(Clone, Copy, Debug)]
pub enum RunKind {
    Bench,
    Climb,
    Compare,
    Sweep,
    Tune,
}

/// A run to begin or to resume.
#[cfg_attr(not(feature = "history"), allow(dead_code))]
pub struct Plan<'a> {
    /// The command.
    pub kind: RunKind,
    /// Everything that determines its results, except for the device and the versions, which are added.
    pub request: Value,
    /// Number of points of the run.
    pub points: usize,
    /// Where it runs.
    pub device: &'a DeviceRecord,
}

impl<'a> Plan<'a> {
    /// The plan of timed kernels. Such runs are never resumed.
    pub fn of_timed(kind: RunKind, points: usize, device: &'a DeviceRecord) -> Plan<'a> {
        Plan { kind, request: Value::Null, points, device }
    }
}

/// The result at a point.
#[cfg_attr(not(feature = "history"), allow(dead_code))]
pub enum Point<'a> {
    /// A climb, with the samples of its rungs.
    Climb(&'a ClimbRecord),
    /// A timed kernel.
    Timed(&'a TimedRecord),
    /// Two kernels, their samples interleaved.
    Compared(&'a ComparisonRecord),
    /// The counters of a kernel of files.
    Counts { entry: &'a str, files: &'a str, counters: &'a Value },
    /// No result.
    Missing { reason: Missing, why: &'a str, problem: &'a BTreeMap<String, String> },
}

/// Why a point has no result.
#[derive(Clone, Copy, Debug)]
pub enum Missing {
    /// The problem is impossible there.
    Skipped,
    /// The climb failed.
    Failed,
}

impl Missing {
    /// Its name in JSON and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Missing::Skipped => "skipped",
            Missing::Failed => "failed",
        }
    }
}

/// A point of a run that is resumed.
pub struct StoredPoint {
    /// Its index in the plan.
    pub position: usize,
    /// Its parameters by name.
    pub problem: BTreeMap<String, String>,
    /// The name of its outcome.
    pub outcome: &'static str,
    /// Why it has no result.
    pub why: Option<String>,
    /// The climb, in JSON.
    pub record: Value,
}

impl SaveOptions {
    /// Whether results are stored.
    pub fn asked(&self) -> bool {
        self.save || self.store.is_some()
    }

    /// These options, with `--save` if `also`.
    pub fn with(&self, also: bool) -> SaveOptions {
        SaveOptions { save: self.save || also, store: self.store.clone() }
    }
}

/// The JSON form of a climb.
///
/// # Errors
/// If it has none.
pub fn json_of(climb: &ClimbRecord) -> Result<Value, Failure> {
    serde_json::to_value(climb)
        .map_err(|error| Failure::Check(format!("the result cannot be written as JSON: {error}")))
}
