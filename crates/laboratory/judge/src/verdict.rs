//! The verdict: right, wrong or refused, with the first reason, as plain data.

use crate::candidates::compare::{Closeness, Counterexample};
use lanework_lab::TimedRecord;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the verdict's JSON form.
pub const SCHEMA: u32 = 1;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// Every result was right, and no rule was broken.
    Right,
    /// A result was wrong.
    Wrong,
    /// A rule was broken, or the candidate cannot be run.
    Refused,
}

/// Everything there is to know of one candidate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The version of Lanework.
    pub version: String,
    /// What was found.
    pub verdict: Found,
    /// The first reason, where it is not right.
    pub reason: Option<Reason>,
    /// The task's file.
    pub task: String,
    /// The candidate's file.
    pub candidate: String,
    /// FNV-1a of the candidate's PTX, where there is one.
    pub ptx_hash: Option<String>,
    /// The seed that all problems were drawn from.
    pub seed: u64,
    /// The problems, in the order in which they were tried.
    pub problems: Vec<ProblemRecord>,
    /// Launches on the emulator.
    pub launches: u64,
    /// How the timed problem was tried.
    pub timed_problem: TimedProblem,
    /// How close right results were.
    pub closeness: Option<Closeness>,
    /// Whether the same data gave the same bits under several schedules; `None` where that was not tried.
    pub deterministic: Option<bool>,
    /// What is worth knowing, and no reason to refuse.
    pub notes: Vec<String>,
    /// The time, where there is a GPU.
    pub time: Option<TimedRecord>,
}

/// Why a candidate is not right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// The kind, one of [`KINDS`].
    pub kind: String,
    /// What was found, in a sentence.
    pub why: String,
    /// The line of the source or of the PTX, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The problem on which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<ProblemRecord>,
    /// The first wrong element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Counterexample>,
}

/// A problem, as far as it takes to draw it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemRecord {
    /// The extents.
    pub extents: BTreeMap<String, u64>,
    /// The kind of values.
    pub values: String,
    /// The seed of the data.
    pub seed: u64,
}

/// How the problem on which candidates are timed was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimedProblem {
    /// On the emulator, with every access checked or not.
    Emulator,
    /// On a GPU, before and after timing.
    Gpu,
    /// Not at all.
    NotTried,
}

/// The kinds of reasons, with what each means. The sanitizer's kinds are reasons, too.
pub const KINDS: [(&str, &str); 23] = [
    ("source", "the source has an `#include` of a file, or is too large"),
    ("compile", "it does not compile, or not in time"),
    ("ptx", "it is not valid PTX, or uses what the emulator does not know"),
    ("entry", "it has no kernel of the task's name"),
    ("signature", "the kernel's parameters are not those of the task"),
    ("launch", "its launch is missing, not valid or more than a device has"),
    ("timer", "it reads a clock or a timer"),
    ("printf", "it prints"),
    ("placement", "it reads on which multiprocessor or in which slot it runs"),
    ("endless", "a launch did not end within its limits, or waits for ever"),
    ("fault", "a launch was stopped by a fault, a `trap` or a failed assert"),
    ("nothing-written", "no byte of an output was written"),
    ("not-written", "part of an output was not written"),
    ("input-changed", "an input was written"),
    ("canary", "memory beside the buffers was written"),
    ("state", "a variable of the module holds something else after a launch"),
    ("wrong", "a result is wrong"),
    ("lower-precision", "a result is that of a narrower number format"),
    ("stale", "a result is right in a fresh module only, not after other launches"),
    ("schedule", "a result is right only in the order in which the blocks were started"),
    ("timed-problem", "the result is wrong at the timed extents, or there only without checks"),
    ("not-tried", "the timed problem is too large for the emulator, and there is no GPU"),
    ("implausible", "the time is less than memory and arithmetic of the GPU allow"),
];

impl Reason {
    /// A reason of this kind.
    pub fn new(kind: &str, why: impl Into<String>) -> Self {
        Reason {
            kind: kind.to_owned(),
            why: why.into(),
            place: None,
            problem: None,
            counterexample: None,
        }
    }

    /// Whether it is that of a result, and not of a rule.
    pub fn is_of_result(&self) -> bool {
        [
            "wrong",
            "lower-precision",
            "stale",
            "schedule",
            "timed-problem",
            "nothing-written",
            "not-written",
        ]
        .contains(&self.kind.as_str())
    }
}

impl Verdict {
    /// In a few lines: the verdict, the reason, the first counterexample.
    pub fn words(&self) -> String {
        let name = match self.verdict {
            Found::Right => "right",
            Found::Wrong => "wrong",
            Found::Refused => "refused",
        };
        let mut text = format!("{name}: {}", self.candidate);
        if let Some(reason) = &self.reason {
            text += &format!("\n  {}: {}", reason.kind, reason.why);
            if let Some(place) = &reason.place {
                text += &format!("\n  --> {place}");
            }
            if let Some(found) = &reason.counterexample {
                let index: Vec<String> = found.index.iter().map(u64::to_string).collect();
                text += &format!(
                    "\n  {}[{}] is {}, should be {}",
                    found.output,
                    index.join(", "),
                    found.got,
                    found.expected
                );
                if found.tolerance > 0.0 {
                    text += &format!(" +- {:.1e}", found.tolerance);
                }
                text += &format!("; {} of {} elements are wrong", found.wrong, found.of);
            }
            if let Some(problem) = &reason.problem {
                text += &format!("\n  on {problem}");
            }
        }
        text += &format!(
            "\n  {} problems, {} launches, seed {}",
            self.problems.len(),
            self.launches,
            self.seed
        );
        if let (Found::Right, Some(closeness)) = (self.verdict, &self.closeness) {
            text += &format!(
                "; at most {:.0} % of the tolerance used",
                100.0 * closeness.tolerance_used
            );
        }
        for note in &self.notes {
            text += &format!("\n  note: {note}");
        }
        if let Some(time) = &self.time {
            let [low, high] = time.summary.interval_ns;
            text += &format!(
                "\n  {:.2} us on {} (95 % interval {:.2} to {:.2}, {} samples)",
                time.summary.median_ns / 1e3,
                time.device.name,
                low / 1e3,
                high / 1e3,
                time.summary.count
            );
        }
        text
    }
}

impl std::fmt::Display for ProblemRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (name, value) in &self.extents {
            write!(f, "{name} = {value}, ")?;
        }
        write!(f, "{} values, seed {}", self.values, self.seed)
    }
}
