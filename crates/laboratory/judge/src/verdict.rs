//! The verdict: right, wrong or refused, with the first reason, as plain data. A comparison of the result with the
//! expected one, element by element, describes the first wrong element.

use crate::references::approx::Approx;
use crate::references::expected::{Expected, Right};
use crate::task::Element;
use lanework_lab::TimedRecord;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the verdict's JSON schema.
pub const SCHEMA: u32 = 1;

/// The outcome of a judgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// Every result was right, and the candidate broke no rule.
    Right,
    /// A result was wrong.
    Wrong,
    /// The candidate broke a rule or cannot run.
    Refused,
}

/// Complete record of one judgment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of Lanework.
    pub version: String,
    /// The outcome.
    pub verdict: Found,
    /// The first reason, unless the candidate is right.
    pub reason: Option<Reason>,
    /// Path of the task.
    pub task: String,
    /// Path of the candidate.
    pub candidate: String,
    /// FNV-1a hash of the candidate's PTX, if it has any.
    pub ptx_hash: Option<String>,
    /// Seed of all problems.
    pub seed: u64,
    /// The problems, in the order of the tests.
    pub problems: Vec<ProblemRecord>,
    /// Number of launches on the emulator.
    pub launches: u64,
    /// Where the timed problem ran.
    pub timed_problem: TimedProblem,
    /// Distance of the right results from the expected ones.
    pub closeness: Option<Closeness>,
    /// Whether the same data gave the same bits under several schedules; `None` if not tested.
    pub deterministic: Option<bool>,
    /// Remarks that do not lead to a refusal.
    pub notes: Vec<String>,
    /// The measured time, if a GPU was available.
    pub time: Option<TimedRecord>,
}

/// Why a candidate is not right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// The kind, one of [`KINDS`].
    pub kind: String,
    /// A one-sentence description.
    pub why: String,
    /// The line of the source or the PTX, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The problem that exposed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<ProblemRecord>,
    /// The first wrong element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Counterexample>,
}

/// The parameters from which a problem can be redrawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemRecord {
    /// The extents.
    pub extents: BTreeMap<String, u64>,
    /// The kind of values.
    pub values: String,
    /// The seed of the data.
    pub seed: u64,
}

/// Where the timed problem ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimedProblem {
    /// On the emulator, with or without checked accesses.
    Emulator,
    /// On a GPU, before and after timing.
    Gpu,
    /// Not tested.
    NotTried,
}

/// The kinds of reasons, with their meanings. The sanitizer's kinds are reasons, too.
pub const KINDS: [(&str, &str); 23] = [
    ("source", "the source has an `#include` of a file, or is too large"),
    ("compile", "it does not compile, or not in time"),
    ("ptx", "it is not valid PTX, or uses a feature that the emulator does not support"),
    ("entry", "it has no kernel with the task's name"),
    ("signature", "the kernel's parameters are not those of the task"),
    ("launch", "its launch is missing, not valid or more than a device has"),
    ("timer", "it reads a clock or a timer"),
    ("printf", "it prints"),
    ("placement", "it reads the number of its multiprocessor or slot"),
    ("endless", "a launch did not end within its limits, or waits forever"),
    ("fault", "a launch was stopped by a fault, a `trap` or a failed assert"),
    ("nothing-written", "no byte of an output was written"),
    ("not-written", "part of an output was not written"),
    ("input-changed", "an input was written"),
    ("canary", "memory outside of the buffers was written"),
    ("state", "a launch changed a variable of the module"),
    ("wrong", "a result is wrong"),
    ("lower-precision", "a result is that of a narrower number format"),
    ("stale", "a result is right in a fresh module only, not after other launches"),
    ("schedule", "a result is right only in the order in which the blocks were started"),
    ("timed-problem", "the result is wrong at the timed extents, or there only without checks"),
    ("not-tried", "the timed problem is too large for the emulator, and there is no GPU"),
    ("implausible", "the time is below the minimum that the GPU's memory and arithmetic allow"),
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

    /// Whether it concerns a result rather than a rule.
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
    /// A summary of a few lines: the verdict, the reason, the first counterexample.
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

/// Accuracy of a result that passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Closeness {
    /// Elements compared.
    pub elements: u64,
    /// Largest fraction of its tolerance that any element used; 1 is the limit.
    pub tolerance_used: f64,
    /// Largest relative error of an element whose expected value is not 0.
    pub max_relative: f64,
}

/// Describes a wrong result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counterexample {
    /// The output.
    pub output: String,
    /// Indices of the first wrong element.
    pub index: Vec<u64>,
    /// Its value.
    pub got: String,
    /// The expected value.
    pub expected: String,
    /// The largest error allowed.
    pub tolerance: f64,
    /// Number of wrong elements.
    pub wrong: u64,
    /// Number of elements compared.
    pub of: u64,
}

/// A result to compare with the expected one.
pub struct Compared<'a> {
    /// The output's name.
    pub name: &'a str,
    /// Its type.
    pub element: Element,
    /// Its shape.
    pub shape: &'a [u64],
    /// Its contents.
    pub bytes: &'a [u8],
}

impl Compared<'_> {
    /// Compares with the expected result.
    ///
    /// # Errors
    /// The first wrong element, and the number of wrong elements.
    pub fn with(&self, expected: &Expected) -> Result<Closeness, Counterexample> {
        let size = self.element.bytes();
        let place = |index: usize| expected.at.as_ref().map_or(index, |at| at[index]);
        let bytes = |index: usize| &self.bytes[place(index) * size..][..size];
        let mut closeness = Closeness::default();
        let (mut wrong, mut first) = (0, None);
        match &expected.right {
            Right::Integers(right) => {
                closeness.elements = right.len() as u64;
                for (index, want) in right.iter().enumerate() {
                    let got = self.element.read_integer(bytes(index));
                    if got != *want {
                        wrong += 1;
                        first
                            .get_or_insert_with(|| (index, got.to_string(), want.to_string(), 0.0));
                    }
                }
            }
            Right::Numbers(right) => {
                closeness.elements = right.len() as u64;
                for (index, want) in right.iter().enumerate() {
                    let got = self.element.read(bytes(index));
                    let allowed = allowed(want, self.element);
                    if !accepts(got, want, allowed, self.element) {
                        wrong += 1;
                        first
                            .get_or_insert_with(|| (index, shown(got), shown(want.value), allowed));
                        continue;
                    }
                    let off = (got - want.value).abs();
                    if off > 0.0 && off.is_finite() {
                        closeness.tolerance_used = closeness.tolerance_used.max(off / allowed);
                        if want.value != 0.0 {
                            let relative = off / want.value.abs();
                            closeness.max_relative = closeness.max_relative.max(relative);
                        }
                    }
                }
            }
        }
        let Some((index, got, want, tolerance)) = first else { return Ok(closeness) };
        let mut rest = place(index) as u64;
        let mut at: Vec<u64> = Vec::new();
        for extent in self.shape.iter().rev() {
            at.insert(0, rest % (*extent).max(1));
            rest /= (*extent).max(1);
        }
        Err(Counterexample {
            output: self.name.to_owned(),
            index: at,
            got,
            expected: want,
            tolerance,
            wrong,
            of: closeness.elements,
        })
    }
}

fn shown(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// The error allowed: twice the first-order error bound, plus the rounding to the output's type.
pub fn allowed(want: &Approx, element: Element) -> f64 {
    let mut held = Vec::new();
    element.put(want.value, &mut held);
    if want.error == 0.0 && (element.read(&held) == want.value || !want.value.is_finite()) {
        return 0.0;
    }
    let error = 2.0 * want.error;
    error + element.unit() * (want.value.abs() + error) + element.smallest()
}

/// Whether a result is right.
pub fn accepts(got: f64, want: &Approx, allowed: f64, element: Element) -> bool {
    if want.wild && !got.is_finite() {
        return true;
    }
    if want.value.is_nan() || got.is_nan() {
        return want.value.is_nan() && got.is_nan();
    }
    if !allowed.is_finite() || got == want.value {
        return true;
    }
    if got.is_infinite() {
        return want.value.signum() == got.signum()
            && want.value.abs() + allowed >= element.largest();
    }
    if want.value.is_infinite() {
        return want.wild && got.abs() >= element.largest() * 0.5;
    }
    (got - want.value).abs() <= allowed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(got: &[f32], want: &[Approx]) -> Result<Closeness, Counterexample> {
        let bytes: Vec<u8> = got.iter().flat_map(|x| x.to_le_bytes()).collect();
        let shape = [got.len() as u64];
        let result = Compared { name: "y", element: Element::F32, shape: &shape, bytes: &bytes };
        let right = Right::Numbers(want.to_vec());
        result.with(&Expected { output: 0, at: None, right })
    }

    #[test]
    fn nan_is_right_only_where_it_is_expected() {
        let nan = Approx::exact(f64::NAN);
        assert!(compare(&[f32::NAN], &[nan]).is_ok());
        let wide = Approx { value: 1.0, error: 1e9, wild: false };
        let found = compare(&[1.0, f32::NAN], &[wide, wide]).expect_err("NaN for a number");
        assert_eq!((found.index, found.wrong), (vec![1], 1));
        assert!(compare(&[1.0], &[nan]).is_err());
        assert!(compare(&[f32::INFINITY], &[wide]).is_err());
    }

    #[test]
    fn exact_results_have_no_tolerance_and_overflow_has_its_place() {
        assert!(compare(&[3.0], &[Approx::exact(3.0)]).is_ok());
        assert!(compare(&[3.000_000_2], &[Approx::exact(3.0)]).is_err());
        assert!(
            compare(&[f32::INFINITY], &[Approx { value: 1e39, error: 1e30, wild: true }]).is_ok()
        );
        assert!(compare(&[-0.0], &[Approx::exact(0.0)]).is_ok());
    }
}
