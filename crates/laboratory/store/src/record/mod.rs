//! The records of the store: runs, points and entries as they are read, the number of a run, and the stored words for
//! commands and outcomes.

mod new;

pub use new::{NewEntry, NewPoint, NewRun};

use lanework_lab::{DeviceRecord, TimedRecord};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// The number of a run; numbers are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RunId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Defines an enum whose variants have the words that the store and its readers use.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$of])* $variant,)+ }

        impl $name {
            /// The stored word.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }

            /// The variant with this word.
            pub fn named(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$variant),)+ _ => None }
            }
        }
    };
}

words! {
    /// The command of a run.
    RunCommand {
        /// `climb`.
        Climb = "climb",
        /// `sweep`.
        Sweep = "sweep",
        /// `bench`.
        Bench = "bench",
        /// `compare`.
        Compare = "compare",
        /// `tune`.
        Tune = "tune",
    }
}

words! {
    /// The outcome of a point.
    Outcome {
        /// It ran; its entries have the results.
        Done = "done",
        /// It is impossible and did not run.
        Skipped = "skipped",
        /// The device failed.
        Failed = "failed",
    }
}

words! {
    /// The kind of an entry's data. Times and counts are never mixed.
    Shown {
        /// Times measured on a GPU.
        Timed = "timed",
        /// Counts from the emulator.
        Counts = "counts",
        /// The verdict on two other entries of the point.
        Comparison = "comparison",
        /// Only a reason.
        Nothing = "none",
    }
}

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
