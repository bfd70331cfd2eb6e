//! Writes runs: begins a run, adds its points one by one, finishes it; also deletes runs.

use crate::error::{Result, StoreError};
use crate::record::{NewEntry, NewPoint, NewRun, RunId};
use crate::samples::pack;
use crate::store::Store;
use lanework_lab::timing::utc_now;
use rusqlite::{Transaction, TransactionBehavior, params};
use serde_json::Value;

impl Store {
    /// Begins a run.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn begin(&mut self, run: &NewRun<'_>) -> Result<RunId> {
        let json = |value: serde_json::Result<String>| value.map_err(unwritable);
        let command = json(serde_json::to_string(run.command))?;
        let device = json(serde_json::to_string(run.device))?;
        self.write_all(|transaction| {
            transaction.execute(
                "INSERT INTO run (kind, command, request, started, points, gpu, device, revision, version)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                params![
                    run.kind.name(),
                    command,
                    run.request.to_string(),
                    utc_now(),
                    run.points as i64,
                    run.device.name,
                    device,
                    run.revision,
                    env!("CARGO_PKG_VERSION"),
                ],
            )?;
            Ok(RunId(transaction.last_insert_rowid()))
        })
    }

    /// Adds a point; it is on disk when this returns. Returns `false` if the run already has the point, because
    /// another process continued the same run.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn add(&mut self, run: RunId, point: &NewPoint) -> Result<bool> {
        let packed = point.entries.iter().map(Packed::of).collect::<serde_json::Result<Vec<_>>>();
        let packed = packed.map_err(unwritable)?;
        let problem = serde_json::to_string(&point.problem).map_err(unwritable)?;
        let position = point.position as i64;
        self.write_all(|transaction| {
            let added = transaction.execute(
                "INSERT OR IGNORE INTO point (run, position, outcome, why, problem, record)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    run.0,
                    position,
                    point.outcome.name(),
                    point.why,
                    problem,
                    point.record.to_string()
                ],
            )?;
            if added == 0 {
                return Ok(false);
            }
            let mut insert = transaction.prepare(
                "INSERT INTO entry (run, position, place, kind, ladder, name, file, verdict, median_ns, low_ns,
                    high_ns, record, timed, samples)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            )?;
            for (place, (entry, packed)) in point.entries.iter().zip(&packed).enumerate() {
                let summary = entry.timed.as_ref().map(|timed| &timed.summary);
                insert.execute(params![
                    run.0,
                    position,
                    place as i64,
                    entry.shown.name(),
                    entry.ladder,
                    entry.name,
                    entry.file,
                    entry.verdict,
                    summary.map(|summary| summary.median_ns),
                    summary.map(|summary| summary.interval_ns[0]),
                    summary.map(|summary| summary.interval_ns[1]),
                    entry.record.to_string(),
                    packed.timed,
                    packed.samples,
                ])?;
            }
            Ok(true)
        })
    }

    /// Finishes a run after its last point.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn finish(&mut self, run: RunId) -> Result<()> {
        self.write_all(|transaction| {
            let now = utc_now();
            transaction
                .execute("UPDATE run SET finished = ?2 WHERE id = ?1", params![run.0, now])
                .map(drop)
        })
    }

    /// Deletes runs with their points and entries: all of them, or none if one does not exist.
    ///
    /// # Errors
    /// If a run does not exist, or the store cannot be written.
    pub fn delete(&mut self, runs: &[RunId]) -> Result<()> {
        for run in runs {
            self.run(*run)?;
        }
        self.write_all(|transaction| {
            let mut delete = transaction.prepare("DELETE FROM run WHERE id = ?1")?;
            runs.iter().try_for_each(|run| delete.execute([run.0]).map(drop))
        })
    }

    /// Executes `work` in one transaction, which is on disk when this returns.
    fn write_all<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let path = self.path().to_owned();
        let attempt = || {
            let transaction =
                self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = work(&transaction)?;
            transaction.commit().map(|()| value)
        };
        attempt().map_err(|error| StoreError::of(&path, error))
    }
}

/// An entry's times, in the form of the columns.
struct Packed {
    timed: Option<String>,
    samples: Option<Vec<u8>>,
}

impl Packed {
    fn of(entry: &NewEntry) -> serde_json::Result<Packed> {
        let Some(timed) = &entry.timed else { return Ok(Packed { timed: None, samples: None }) };
        let samples = Some(pack(&timed.samples)?);
        let mut value = serde_json::to_value(timed)?;
        if let Value::Object(fields) = &mut value {
            fields.remove("samples");
        }
        Ok(Packed { timed: Some(value.to_string()), samples })
    }
}

/// The error of a record without a JSON form.
fn unwritable(error: serde_json::Error) -> StoreError {
    StoreError::Request {
        what: format!("the record has no JSON form: {error}"),
        help: "please report it with the command line".to_owned(),
    }
}
