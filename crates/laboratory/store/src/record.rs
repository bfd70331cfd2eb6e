//! The records of the store: runs, points and entries, as they are read and as they are written; the number of a run,
//! and the stored words for commands and outcomes.

use lanework_lab::{ComparisonRecord, DeviceRecord, TimedRecord, Verdict, Verified};
use serde::Serialize;
use serde_json::{Value, json};
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
    /// The request; a later run with an equal request can continue this one.
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

/// A new run.
#[derive(Clone, Debug)]
pub struct NewRun<'a> {
    /// The command of the run.
    pub kind: RunCommand,
    /// The words of the command line.
    pub command: &'a [String],
    /// The request; a later run with an equal request can continue this one.
    pub request: &'a Value,
    /// Expected number of points.
    pub points: usize,
    /// The device.
    pub device: &'a DeviceRecord,
    /// The revision of the user's checkout, with a `+` when it has changes.
    pub revision: Option<&'a str>,
}

/// A completed point.
#[derive(Clone, Debug)]
pub struct NewPoint {
    /// Its position in the run, from 0.
    pub position: usize,
    /// Its outcome.
    pub outcome: Outcome,
    /// Why it was skipped or failed.
    pub why: Option<String>,
    /// The problem by name.
    pub problem: BTreeMap<String, String>,
    /// The climb's record without its rungs, or null.
    pub record: Value,
    /// The kernels, in order.
    pub entries: Vec<NewEntry>,
}

/// A kernel, a library or a comparison at a point.
#[derive(Clone, Debug)]
pub struct NewEntry {
    pub(crate) shown: Shown,
    pub(crate) ladder: Option<String>,
    pub(crate) name: String,
    pub(crate) file: Option<String>,
    pub(crate) verdict: String,
    pub(crate) record: Value,
    pub(crate) timed: Option<TimedRecord>,
}

impl NewPoint {
    /// Converts the JSON form of a climb and its times by rung to a point.
    pub fn of_climb(
        position: usize,
        climb: Value,
        mut timed: BTreeMap<String, TimedRecord>,
    ) -> NewPoint {
        let mut record = climb;
        let problem = problem_of(&record);
        let ladder = record["ladder"].as_str().unwrap_or_default().to_owned();
        let rungs = record.get_mut("rungs").map_or(Value::Null, Value::take);
        let entries = rungs.as_array().into_iter().flatten().map(|rung| {
            let time = rung["name"].as_str().and_then(|name| timed.remove(name));
            NewEntry::rung(&ladder, rung, time)
        });
        let entries = entries.collect();
        NewPoint { position, outcome: Outcome::Done, why: None, problem, record, entries }
    }

    /// A point without a result.
    pub fn without(
        position: usize,
        outcome: Outcome,
        why: &str,
        problem: BTreeMap<String, String>,
    ) -> NewPoint {
        let why = Some(why.to_owned());
        NewPoint { position, outcome, why, problem, record: Value::Null, entries: Vec::new() }
    }

    /// The point of one timed kernel.
    pub fn of_timed(position: usize, timed: TimedRecord) -> NewPoint {
        let problem = timed.problem.clone();
        let entries = vec![NewEntry::timed(timed)];
        let (outcome, record) = (Outcome::Done, Value::Null);
        NewPoint { position, outcome, why: None, problem, record, entries }
    }

    /// The point of a user's kernel with its counters as JSON.
    pub fn of_counts(position: usize, name: &str, file: &str, counters: Value) -> NewPoint {
        let entry = NewEntry {
            shown: Shown::Counts,
            ladder: None,
            name: name.to_owned(),
            file: Some(file.to_owned()),
            verdict: "unverified".to_owned(),
            record: json!({ "counters": counters }),
            timed: None,
        };
        let (outcome, problem) = (Outcome::Done, BTreeMap::new());
        NewPoint {
            position,
            outcome,
            why: None,
            problem,
            record: Value::Null,
            entries: vec![entry],
        }
    }

    /// The point of a comparison: both kernels, then the verdict.
    pub fn of_comparison(position: usize, comparison: ComparisonRecord) -> NewPoint {
        let ComparisonRecord { a, b, interleaved, ratio, interval, verdict, why } = comparison;
        let mut point = NewPoint::of_timed(position, a.clone());
        let record = json!({
            "interleaved": interleaved, "ratio": ratio, "interval": interval,
            "verdict": verdict, "why": why,
        });
        let entry = NewEntry {
            shown: Shown::Comparison,
            ladder: b.subject.ladder.clone(),
            name: format!("{} / {}", b.subject.name, a.subject.name),
            file: b.subject.file.clone(),
            verdict: verdict_word(verdict).to_owned(),
            record,
            timed: None,
        };
        point.entries.extend([NewEntry::timed(b), entry]);
        point
    }
}

impl NewEntry {
    /// A rung of a climb from its JSON form, with its times if it was timed.
    pub fn rung(ladder: &str, rung: &Value, timed: Option<TimedRecord>) -> NewEntry {
        let text = |key: &str| rung[key].as_str();
        let invalid = timed.as_ref().is_some_and(|timed| timed.invalid.is_some());
        let verdict = match (rung["verified"].as_bool(), text("rejection")) {
            (Some(true), _) if invalid || rung["time"]["invalid"].is_string() => "invalid",
            (Some(true), _) => "verified",
            (_, Some(rejection)) => rejection,
            _ if text("skipped").is_some() => "skipped",
            _ => "failed",
        };
        let shown = match (&timed, rung["counters"].is_object()) {
            (Some(_), _) => Shown::Timed,
            (None, true) => Shown::Counts,
            (None, false) => Shown::Nothing,
        };
        NewEntry {
            shown,
            ladder: Some(ladder.to_owned()),
            name: text("name").unwrap_or_default().to_owned(),
            file: None,
            verdict: verdict.to_owned(),
            record: rung.clone(),
            timed,
        }
    }

    /// A timed kernel.
    pub fn timed(timed: TimedRecord) -> NewEntry {
        let verdict = match (&timed.invalid, timed.verified) {
            (Some(_), _) => "invalid",
            (None, Verified::Nothing) => "unverified",
            (None, _) => "verified",
        };
        NewEntry {
            shown: Shown::Timed,
            ladder: timed.subject.ladder.clone(),
            name: timed.subject.name.clone(),
            file: timed.subject.file.clone(),
            verdict: verdict.to_owned(),
            record: Value::Null,
            timed: Some(timed),
        }
    }
}

/// The stored word for a verdict.
fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fast => "fast",
        Verdict::Slow => "slow",
        Verdict::Ambiguous => "ambiguous",
        Verdict::Invalid => "invalid",
    }
}

/// The problem of a climb's record: extents, settings, element and seed, by name.
fn problem_of(climb: &Value) -> BTreeMap<String, String> {
    let word = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let list = |key: &str| climb[key].as_array().into_iter().flatten();
    let extents = list("extents").map(word).zip(list("size").map(word));
    let known = lanework_lab::PARAMETERS.iter().map(|parameter| parameter.name);
    let others = known.filter(|name| *name != "size").chain(["element", "seed"]);
    let others = others.filter_map(|name| Some((name.to_owned(), word(climb.get(name)?))));
    extents.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_problem_of_a_climb_is_its_extents_and_settings() {
        let climb = json!({
            "ladder": "transpose", "extents": ["rows", "cols"], "size": [70, 45], "block": 16,
            "element": "f32", "bytes": 1, "seed": 1, "rungs": [
                {"name": "naive", "verified": true, "counters": {}, "time": null},
                {"name": "padded", "verified": false, "rejection": "wrong", "counters": null},
                {"name": "tile", "verified": false, "skipped": "too large", "counters": null},
            ],
        });
        let point = NewPoint::of_climb(3, climb, BTreeMap::new());
        let words = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let expected =
            [("rows", "70"), ("cols", "45"), ("block", "16"), ("element", "f32"), ("seed", "1")];
        assert_eq!(point.problem, expected.map(words).into());
        assert_eq!(point.record["rungs"], Value::Null);
        let found: Vec<_> =
            point.entries.iter().map(|entry| (entry.shown, entry.verdict.as_str())).collect();
        let expected =
            [(Shown::Counts, "verified"), (Shown::Nothing, "wrong"), (Shown::Nothing, "skipped")];
        assert_eq!(found, expected);
    }
}
