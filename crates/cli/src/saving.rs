//! Storing what a command finds, where it was asked to.

use crate::args::SaveOptions;
use crate::failure::Failure;
use crate::output::note;
use lanework_lab::timing::PROTOCOL;
use lanework_lab::{ClimbRecord, DeviceRecord, TimedRecord};
use lanework_store::{Kind, NewPoint, NewRun, Outcome, PointRow, RunId, Store, StoreError, place};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Failure::Input(error.to_string())
    }
}

/// A run that is being stored.
pub struct Saving {
    store: Store,
    run: RunId,
}

/// A run that may begin or go on.
pub struct Plan<'a> {
    /// The command.
    pub kind: Kind,
    /// What decides its results, beside the device and the versions, which are added.
    pub request: Value,
    /// Points that it will have.
    pub points: usize,
    /// Where it runs.
    pub device: &'a DeviceRecord,
}

impl<'a> Plan<'a> {
    /// The plan of timed kernels, which no other run goes on with.
    pub fn of_timed(kind: Kind, points: usize, device: &'a DeviceRecord) -> Plan<'a> {
        Plan { kind, request: Value::Null, points, device }
    }

    /// What a run must have in common with this one to go on with it.
    fn identity(&self) -> Value {
        json!({
            "kind": self.kind.name(), "request": self.request, "device": self.device, "protocol": PROTOCOL,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

impl SaveOptions {
    /// Whether results are stored.
    pub fn asked(&self) -> bool {
        self.save || self.store.is_some()
    }

    /// Opens the store for writing, where results are stored: before the work, so that a file that cannot be written is
    /// known at once.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(&self) -> Result<Option<Store>, Failure> {
        if !self.asked() {
            return Ok(None);
        }
        Ok(Some(Store::write(&place(self.store.as_deref())?)?))
    }

    /// The same, saving in any case where `also`.
    pub fn with(&self, also: bool) -> SaveOptions {
        SaveOptions { save: self.save || also, store: self.store.clone() }
    }

    /// The option that names the store in a command, with a space before, or nothing.
    pub fn as_option(&self) -> String {
        let named = self.store.as_ref().map(|file| format!(" --store {}", file.display()));
        named.unwrap_or_default()
    }
}

impl Saving {
    /// Begins a run.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn begin(mut store: Store, plan: &Plan<'_>) -> Result<Saving, Failure> {
        let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
        let command: Vec<String> = words.collect();
        let run = store.begin(&NewRun {
            kind: plan.kind,
            command: &command,
            request: &plan.identity(),
            points: plan.points,
            device: plan.device,
            revision: lanework_lab::timing::revision().as_deref(),
        })?;
        Ok(Saving { store, run })
    }

    /// Goes on with the newest run of the same plan that was interrupted, if there is one; with its points.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn resume(
        store: Store,
        plan: &Plan<'_>,
    ) -> Result<Result<(Saving, Vec<PointRow>), Store>, Failure> {
        let Some(run) = store.unfinished(&plan.identity())? else { return Ok(Err(store)) };
        let points = store.points(run.id)?;
        Ok(Ok((Saving { store, run: run.id }, points)))
    }

    /// The store, of which nothing was changed.
    pub fn into_store(self) -> Store {
        self.store
    }

    /// The number of the run.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// The store's file.
    pub fn file(&self) -> &Path {
        self.store.path()
    }

    /// Stores points that are all there, as a run of its own; where `store` is none, nothing.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn whole(
        store: Option<Store>,
        options: &SaveOptions,
        plan: &Plan<'_>,
        points: &[NewPoint],
    ) -> Result<(), Failure> {
        let Some(store) = store else { return Ok(()) };
        let mut saving = Saving::begin(store, plan)?;
        points.iter().try_for_each(|point| saving.add(point))?;
        saving.finish(options)
    }

    /// Stores a climb as a point.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn climb(&mut self, position: usize, climb: &ClimbRecord) -> Result<(), Failure> {
        self.add(&NewPoint::of_climb(position, json_of(climb)?, timed_of(climb)))
    }

    /// Stores why there is nothing at a point.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn without(
        &mut self,
        position: usize,
        outcome: Outcome,
        why: &str,
        problem: BTreeMap<String, String>,
    ) -> Result<(), Failure> {
        self.add(&NewPoint::without(position, outcome, why, problem))
    }

    /// Stores a point.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn add(&mut self, point: &NewPoint) -> Result<(), Failure> {
        self.store.add(self.run, point)?;
        Ok(())
    }

    /// Ends the run, and says where it is.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn finish(mut self, options: &SaveOptions) -> Result<(), Failure> {
        self.store.finish(self.run)?;
        let (run, store) = (self.run, options.as_option());
        note(&format!(
            "note: stored as run {run} in {}: `lanework history show {run}{store}`",
            self.file().display()
        ));
        Ok(())
    }
}

/// The JSON form of a climb.
///
/// # Errors
/// When it has none.
pub fn json_of(climb: &ClimbRecord) -> Result<Value, Failure> {
    serde_json::to_value(climb)
        .map_err(|error| Failure::Check(format!("the result cannot be written as JSON: {error}")))
}

/// What was timed of a climb, by rung.
fn timed_of(climb: &ClimbRecord) -> BTreeMap<String, TimedRecord> {
    let timed = climb.rungs.iter().map(|rung| (rung.name, rung.timed.as_ref()));
    timed.filter_map(|(name, timed)| Some((name.to_owned(), timed?.clone()))).collect()
}
