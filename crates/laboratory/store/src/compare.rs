//! Comparing stored runs: which kernels of two sides were timed on the same problem, and whether the sides can be
//! compared at all. The verdict on a pair is [`compare_samples`]'s.

use crate::error::Result;
use crate::filter::Filter;
use crate::record::{EntryRow, RunId};
use crate::store::Store;
use lanework_lab::{ComparisonRecord, TimedRecord, compare_samples};
use std::collections::BTreeMap;

/// What makes two timed kernels the same question: ladder, name, file, problem and state of the cache.
type Key = (String, String, String, String);

/// The timed kernels of one or several runs; of a question that was asked several times, the newest.
#[derive(Clone, Debug, Default)]
pub struct Side {
    kernels: BTreeMap<Key, TimedRecord>,
}

/// Two sides beside each other.
#[derive(Clone, Debug)]
pub struct Sides {
    /// A comparison for each question that both sides have.
    pub compared: Vec<ComparisonRecord>,
    /// What only the first side has, and what only the second has, in words.
    pub unpaired: [Vec<String>; 2],
}

/// A field of a record in words.
type Field = fn(&TimedRecord) -> String;

fn key(timed: &TimedRecord) -> Key {
    let problem: Vec<String> =
        timed.problem.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let file = timed.subject.file.clone().unwrap_or_default();
    (timed.subject.title(), file, problem.join(" "), timed.cache.name().to_owned())
}

impl Side {
    /// The timed kernels among `entries`, the oldest first.
    pub fn of(entries: impl IntoIterator<Item = EntryRow>) -> Side {
        let timed = entries.into_iter().filter_map(|entry| entry.timed);
        Side { kernels: timed.map(|timed| (key(&timed), timed)).collect() }
    }

    /// Whether nothing was timed.
    pub fn is_empty(&self) -> bool {
        self.kernels.is_empty()
    }

    /// Only what `wanted` accepts by its title, `ladder/rung` or a kernel's name.
    pub fn only(mut self, wanted: impl Fn(&str) -> bool) -> Side {
        self.kernels.retain(|(title, ..), _| wanted(title));
        self
    }

    /// Whether both have an answer to some question.
    fn meets(&self, other: &Side) -> bool {
        self.kernels.keys().any(|key| other.kernels.contains_key(key))
    }

    /// Why the two cannot be compared: other GPUs, other protocols of measuring. `None` where they can.
    pub fn refusal(&self, other: &Side) -> Option<String> {
        let differ = |what, of: Field| self.differ(other, what, of);
        differ("GPUs", |timed| timed.device.name.clone())
            .or_else(|| differ("protocols of measuring", |timed| timed.protocol.to_string()))
    }

    /// What may make the two differ beside the kernels: another driver, another GPU of the same name.
    pub fn warnings(&self, other: &Side) -> Vec<String> {
        let all = [
            self.differ(other, "drivers", |timed| timed.device.driver.clone()),
            self.differ(other, "GPUs of this name", |timed| {
                timed.device.uuid.clone().unwrap_or_default()
            }),
            self.differ(other, "versions of Lanework", |timed| timed.version.clone()),
        ];
        all.into_iter().flatten().collect()
    }

    /// That a field differs, with its values, if so.
    fn differ(&self, other: &Side, what: &str, of: Field) -> Option<String> {
        let [a, b] = [self, other].map(|side| side.words(of));
        (a != b).then(|| format!("the {what} differ: {a} and {b}"))
    }

    /// The values of a field, each once.
    fn words(&self, of: Field) -> String {
        let mut words: Vec<String> = self.kernels.values().map(of).collect();
        words.sort();
        words.dedup();
        words.join(", ")
    }

    /// Compares `other` with this side.
    pub fn compare(&self, other: &Side) -> Sides {
        let both = self.kernels.iter().filter_map(|(key, a)| Some((a, other.kernels.get(key)?)));
        let compared = both.map(|(a, b)| compare_samples(a, b)).collect();
        let lacks = |side: &Side, other: &Side| -> Vec<String> {
            let only = side.kernels.keys().filter(|key| !other.kernels.contains_key(key));
            only.map(|(title, _, problem, cache)| format!("{title} ({problem}, {cache})")).collect()
        };
        Sides { compared, unpaired: [lacks(self, other), lacks(other, self)] }
    }
}

impl Store {
    /// The timed kernels of the runs that `filter` asks for.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn side(&self, filter: &Filter) -> Result<Side> {
        let mut entries = Vec::new();
        for run in self.runs(filter)? {
            entries.extend(self.entries(run.id)?);
        }
        Ok(Side::of(entries))
    }

    /// The newest run that timed something of what `wanted` accepts, and the newest before it that timed some of the same.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn last_two(&self, wanted: impl Fn(&str) -> bool) -> Result<Option<[(RunId, Side); 2]>> {
        let mut last: Option<(RunId, Side)> = None;
        for run in self.runs(&Filter::default())?.iter().rev() {
            let side = Side::of(self.entries(run.id)?).only(&wanted);
            match last.take() {
                None if side.is_empty() => {}
                None => last = Some((run.id, side)),
                Some(newest) if side.meets(&newest.1) => return Ok(Some([(run.id, side), newest])),
                newest => last = newest,
            }
        }
        Ok(None)
    }
}
