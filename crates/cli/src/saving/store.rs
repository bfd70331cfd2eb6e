//! Stores runs in the history.

use super::{Missing, Plan, Point, RunKind, StoredPoint, json_of};
use crate::args::SaveOptions;
use lanework_lab::timing::PROTOCOL;
use lanework_lab::{ClimbRecord, TimedRecord};
pub use lanework_store::Store;
use lanework_store::{NewPoint, NewRun, Outcome, RunId, StoreError, place};
use lanework_terminal::failure::Failure;
use lanework_terminal::output::note;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The failure of the store.
pub fn failed(error: StoreError) -> Failure {
    Failure::Input(error.to_string())
}

impl From<RunKind> for lanework_store::RunCommand {
    fn from(kind: RunKind) -> Self {
        match kind {
            RunKind::Bench => lanework_store::RunCommand::Bench,
            RunKind::Climb => lanework_store::RunCommand::Climb,
            RunKind::Compare => lanework_store::RunCommand::Compare,
            RunKind::Sweep => lanework_store::RunCommand::Sweep,
            RunKind::Tune => lanework_store::RunCommand::Tune,
        }
    }
}

impl Plan<'_> {
    /// The key of resumable runs: a stored run with an equal key can be resumed.
    fn identity(&self) -> Value {
        json!({
            "kind": lanework_store::RunCommand::from(self.kind).name(), "request": self.request, "device": self.device,
            "protocol": PROTOCOL, "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

impl SaveOptions {
    /// Opens the store for writing if results are to be stored. Commands open it before they start to work, so that an
    /// unwritable file fails immediately.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(&self) -> Result<Option<Store>, Failure> {
        if !self.asked() {
            return Ok(None);
        }
        let file = place(self.store.as_deref()).map_err(failed)?;
        Store::write(&file).map(Some).map_err(failed)
    }

    /// The option that names the store in a command, with a space before, or nothing.
    fn as_option(&self) -> String {
        let named = self.store.as_ref().map(|file| format!(" --store {}", file.display()));
        named.unwrap_or_default()
    }
}

/// A run that is being stored.
pub struct Saving {
    store: Store,
    run: RunId,
}

impl Saving {
    /// Begins a run.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn begin(mut store: Store, plan: &Plan<'_>) -> Result<Saving, Failure> {
        let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
        let command: Vec<String> = words.collect();
        let run = store.begin(&NewRun {
            kind: plan.kind.into(),
            command: &command,
            request: &plan.identity(),
            points: plan.points,
            device: plan.device,
            revision: lanework_lab::timing::revision().as_deref(),
        });
        Ok(Saving { run: run.map_err(failed)?, store })
    }

    /// Resumes the newest interrupted run of the same plan, and returns its points; without one, returns the store.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn resume(
        store: Store,
        plan: &Plan<'_>,
    ) -> Result<Result<(Saving, Vec<StoredPoint>), Store>, Failure> {
        let unfinished = store.unfinished(&plan.identity()).map_err(failed)?;
        let Some(run) = unfinished else { return Ok(Err(store)) };
        let points = store.points(run.id).map_err(failed)?.into_iter().map(|point| StoredPoint {
            position: point.position,
            problem: point.problem,
            outcome: point.outcome.name(),
            why: point.why,
            record: point.record,
        });
        let points = points.collect();
        Ok(Ok((Saving { store, run: run.id }, points)))
    }

    /// The store, unchanged.
    pub fn into_store(self) -> Store {
        self.store
    }

    /// The number of the run.
    pub fn run(&self) -> i64 {
        self.run.0
    }

    /// Stores all points of a run in one transaction, if there is a store.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn whole(
        store: Option<Store>,
        options: &SaveOptions,
        plan: &Plan<'_>,
        points: &[Point<'_>],
    ) -> Result<(), Failure> {
        let Some(store) = store else { return Ok(()) };
        let mut saving = Saving::begin(store, plan)?;
        points.iter().enumerate().try_for_each(|(position, point)| saving.add(position, point))?;
        saving.finish(options)
    }

    /// Stores the point of this index.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn add(&mut self, position: usize, point: &Point<'_>) -> Result<(), Failure> {
        let point = match *point {
            Point::Climb(climb) => NewPoint::of_climb(position, json_of(climb)?, timed_of(climb)),
            Point::Timed(timed) => NewPoint::of_timed(position, timed.clone()),
            Point::Compared(record) => NewPoint::of_comparison(position, record.clone()),
            Point::Counts { entry, files, counters } => {
                NewPoint::of_counts(position, entry, files, counters.clone())
            }
            Point::Missing { reason, why, problem } => {
                let outcome = match reason {
                    Missing::Skipped => Outcome::Skipped,
                    Missing::Failed => Outcome::Failed,
                };
                NewPoint::without(position, outcome, why, problem.clone())
            }
        };
        self.store.add(self.run, &point).map_err(failed)?;
        Ok(())
    }

    /// Ends the run, and prints its location.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn finish(mut self, options: &SaveOptions) -> Result<(), Failure> {
        self.store.finish(self.run).map_err(failed)?;
        let (run, store) = (self.run, options.as_option());
        note(&format!(
            "note: stored as run {run} in {}: `lanework history show {run}{store}`",
            self.store.path().display()
        ));
        Ok(())
    }
}

/// The samples of a climb by rung.
fn timed_of(climb: &ClimbRecord) -> BTreeMap<String, TimedRecord> {
    let timed = climb.rungs.iter().map(|rung| (rung.name, rung.timed.as_ref()));
    timed.filter_map(|(name, timed)| Some((name.to_owned(), timed?.clone()))).collect()
}
