//! Records to write.

use super::{Outcome, RunCommand, Shown};
use lanework_lab::{ComparisonRecord, DeviceRecord, TimedRecord, Verdict, Verified};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A new run.
#[derive(Clone, Debug)]
pub struct NewRun<'a> {
    /// The command of the run.
    pub kind: RunCommand,
    /// The words of the command line.
    pub command: &'a [String],
    /// The request; a run can continue another with an equal request.
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
