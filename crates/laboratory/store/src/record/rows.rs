//! What comes out of the store.

use super::words::{Kind, Outcome, RunId, Shown};
use lanework_lab::{DeviceRecord, TimedRecord};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A run of the store.
#[derive(Clone, Debug, Serialize)]
pub struct RunRow {
    /// Its number.
    pub id: RunId,
    /// The command that made it.
    pub kind: Kind,
    /// The command line's words.
    pub command: Vec<String>,
    /// What a run must have in common with it to go on with its points.
    pub request: Value,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// When its last point was in; `None` for one that was interrupted, or is not done.
    pub finished: Option<String>,
    /// Points that it was to have.
    pub points: usize,
    /// Points that are in.
    pub points_done: usize,
    /// Where it ran.
    pub device: DeviceRecord,
    /// The revision of the user's checkout.
    pub revision: Option<String>,
    /// The version of Lanework.
    pub version: String,
}

/// A point of the store.
#[derive(Clone, Debug, Serialize)]
pub struct PointRow {
    /// Its position in the run.
    pub position: usize,
    /// What became of it.
    pub outcome: Outcome,
    /// Why it was skipped or failed.
    pub why: Option<String>,
    /// The problem by name.
    pub problem: BTreeMap<String, String>,
    /// The climb's record, its rungs among it, or null.
    pub record: Value,
}

/// The name and the verdict of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelRow {
    /// The ladder of a rung.
    pub ladder: Option<String>,
    /// Name of the rung, the kernel or the library's function.
    pub name: String,
    /// The verdict on it, in a word.
    pub verdict: String,
}

/// An entry of the store.
#[derive(Clone, Debug, Serialize)]
pub struct EntryRow {
    /// Its run.
    pub run: RunId,
    /// Its point's position.
    pub position: usize,
    /// What it shows.
    pub shown: Shown,
    /// The ladder of a rung.
    pub ladder: Option<String>,
    /// Name of the rung, the kernel or the library's function.
    pub name: String,
    /// The file of an own kernel.
    pub file: Option<String>,
    /// The verdict on it, in a word.
    pub verdict: String,
    /// The problem by name.
    pub problem: BTreeMap<String, String>,
    /// The JSON of the rung or the comparison, or null.
    pub record: Value,
    /// Its times, with every sample.
    pub timed: Option<TimedRecord>,
}

impl EntryRow {
    /// `ladder/name`, or the name alone.
    pub fn title(&self) -> String {
        match &self.ladder {
            Some(ladder) => format!("{ladder}/{}", self.name),
            None => self.name.clone(),
        }
    }
}
