//! Records read from the store.

use super::words::{Outcome, RunCommand, RunId, Shown};
use lanework_lab::{DeviceRecord, TimedRecord};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A stored run.
#[derive(Clone, Debug, Serialize)]
pub struct RunRow {
    /// Its number.
    pub id: RunId,
    /// The command of the run.
    pub kind: RunCommand,
    /// The words of the command line.
    pub command: Vec<String>,
    /// The request; a run can continue this one with an equal request.
    pub request: Value,
    /// Start time, RFC 3339 in UTC.
    pub started: String,
    /// Time of its last point; `None` if the run was interrupted or is still active.
    pub finished: Option<String>,
    /// Expected number of points.
    pub points: usize,
    /// Number of completed points.
    pub points_done: usize,
    /// The device.
    pub device: DeviceRecord,
    /// The revision of the user's checkout.
    pub revision: Option<String>,
    /// The version of Lanework.
    pub version: String,
}

/// A stored point.
#[derive(Clone, Debug, Serialize)]
pub struct PointRow {
    /// Its position in the run.
    pub position: usize,
    /// Its outcome.
    pub outcome: Outcome,
    /// Why it was skipped or failed.
    pub why: Option<String>,
    /// The problem by name.
    pub problem: BTreeMap<String, String>,
    /// The climb's record including its rungs, or null.
    pub record: Value,
}

/// The name and the verdict of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelRow {
    /// The ladder of a rung.
    pub ladder: Option<String>,
    /// Name of the rung, the kernel or the library's function.
    pub name: String,
    /// The verdict, in one word.
    pub verdict: String,
}

/// A stored entry.
#[derive(Clone, Debug, Serialize)]
pub struct EntryRow {
    /// Its run.
    pub run: RunId,
    /// The position of its point.
    pub position: usize,
    /// The kind of its data.
    pub shown: Shown,
    /// The ladder of a rung.
    pub ladder: Option<String>,
    /// Name of the rung, the kernel or the library's function.
    pub name: String,
    /// The file of a user's kernel.
    pub file: Option<String>,
    /// The verdict, in one word.
    pub verdict: String,
    /// The problem by name.
    pub problem: BTreeMap<String, String>,
    /// The JSON of the rung or the comparison, or null.
    pub record: Value,
    /// Its times, with every sample.
    pub timed: Option<TimedRecord>,
}

impl EntryRow {
    /// `ladder/name`, or only the name.
    pub fn title(&self) -> String {
        match &self.ladder {
            Some(ladder) => format!("{ladder}/{}", self.name),
            None => self.name.clone(),
        }
    }
}
