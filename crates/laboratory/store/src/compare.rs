//! Compares stored runs: finds the kernels of two sides that were timed on the same problem, and decides whether the
//! sides are comparable. [`compare_samples`] gives the verdict on each pair.

use crate::Result;
use crate::read::Filter;
use crate::record::{EntryRow, RunId};
use crate::store::Store;
use lanework_lab::{ComparisonRecord, TimedRecord, compare_samples};
use std::collections::BTreeMap;

/// The key by which timed kernels match: ladder, name, file, problem and cache state.
type Key = (String, String, String, String);

/// The timed kernels of one or more runs; for each key, the newest.
#[derive(Clone, Debug, Default)]
pub struct Side {
    kernels: BTreeMap<Key, TimedRecord>,
}

/// The comparison of two sides.
#[derive(Clone, Debug)]
pub struct Sides {
    /// One comparison for each key of both sides.
    pub compared: Vec<ComparisonRecord>,
    /// Descriptions of the kernels without a partner, by side.
    pub unpaired: [Vec<String>; 2],
}

/// A field of a record as text.
type Field = fn(&TimedRecord) -> String;

fn key(timed: &TimedRecord) -> Key {
    let problem: Vec<String> =
        timed.problem.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let file = timed.subject.file.clone().unwrap_or_default();
    (timed.subject.title(), file, problem.join(" "), timed.cache.name().to_owned())
}

impl Side {
    /// The timed kernels among `entries`, which are sorted oldest first.
    pub fn of(entries: impl IntoIterator<Item = EntryRow>) -> Side {
        let timed = entries.into_iter().filter_map(|entry| entry.timed);
        Side { kernels: timed.map(|timed| (key(&timed), timed)).collect() }
    }

    /// Whether the side has no timed kernels.
    pub fn is_empty(&self) -> bool {
        self.kernels.is_empty()
    }

    /// Keeps the kernels whose title, `ladder/rung` or a kernel's name, `wanted` accepts.
    pub fn only(mut self, wanted: impl Fn(&str) -> bool) -> Side {
        self.kernels.retain(|(title, ..), _| wanted(title));
        self
    }

    /// Whether the sides share a key.
    fn meets(&self, other: &Side) -> bool {
        self.kernels.keys().any(|key| other.kernels.contains_key(key))
    }

    /// Why the two are not comparable: different GPUs or measurement protocols. `None` if they are.
    pub fn refusal(&self, other: &Side) -> Option<String> {
        let differ = |what, of: Field| self.differ(other, what, of);
        differ("GPUs", |timed| timed.device.name.clone())
            .or_else(|| differ("measurement protocols", |timed| timed.protocol.to_string()))
    }

    /// Possible causes of a difference other than the kernels: a different driver, a different GPU of the same model.
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

    /// A message with both values if a field differs.
    fn differ(&self, other: &Side, what: &str, of: Field) -> Option<String> {
        let [a, b] = [self, other].map(|side| side.words(of));
        (a != b).then(|| format!("the {what} differ: {a} and {b}"))
    }

    /// The distinct values of a field.
    fn words(&self, of: Field) -> String {
        let mut words: Vec<String> = self.kernels.values().map(of).collect();
        words.sort();
        words.dedup();
        words.join(", ")
    }

    /// Compares `other` with this side as the baseline.
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
    /// The timed kernels of the runs that match `filter`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn side(&self, filter: &Filter) -> Result<Side> {
        let mut entries = Vec::new();
        for run in self.runs(filter)? {
            entries.extend(self.entries(run.id)?);
        }
        Ok(Side::of(entries))
    }

    /// The newest run that timed a kernel accepted by `wanted`, and the newest run before it that timed one of the
    /// same kernels.
    ///
    /// # Errors
    /// If the store cannot be read.
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
