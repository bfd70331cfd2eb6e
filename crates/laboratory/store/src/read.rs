//! Reads lists of runs, one run with its points and entries, and interrupted runs.

use crate::error::{Result, StoreError};
use crate::filter::Filter;
use crate::record::{EntryRow, KernelRow, Outcome, PointRow, RunCommand, RunId, RunRow, Shown};
use crate::samples::unpack;
use crate::store::Store;
use lanework_lab::TimedRecord;
use rusqlite::types::FromSql;
use rusqlite::{Row, params_from_iter};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// The columns of a run, in the order of [`Store::run_of`].
const OF_RUN: &str = "r.id, r.kind, r.command, r.request, r.started, r.finished, r.points,
    (SELECT count(*) FROM point p WHERE p.run = r.id), r.device, r.revision, r.version";

impl Store {
    /// The runs that match `filter`, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn runs(&self, filter: &Filter) -> Result<Vec<RunRow>> {
        let (conditions, values) = filter.conditions();
        let limit = filter.limit.map_or(-1, |limit| limit as i64);
        let query = format!(
            "SELECT {OF_RUN} FROM run r WHERE 1{conditions} ORDER BY r.id DESC LIMIT {limit}"
        );
        let mut runs = self.rows(&query, params_from_iter(values), |row| self.run_of(row))?;
        runs.reverse();
        Ok(runs)
    }

    /// One run.
    ///
    /// # Errors
    /// If the run does not exist, or the store cannot be read.
    pub fn run(&self, id: RunId) -> Result<RunRow> {
        let query = format!("SELECT {OF_RUN} FROM run r WHERE r.id = ?1");
        let mut runs = self.rows(&query, [id.0], |row| self.run_of(row))?;
        runs.pop().ok_or_else(|| StoreError::NoRun { path: self.path().to_owned(), id: id.0 })
    }

    /// The newest unfinished run of the same request.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn unfinished(&self, request: &Value) -> Result<Option<RunRow>> {
        let query = format!(
            "SELECT {OF_RUN} FROM run r WHERE r.request = ?1 AND r.finished IS NULL ORDER BY r.id DESC LIMIT 1"
        );
        Ok(self.rows(&query, [request.to_string()], |row| self.run_of(row))?.pop())
    }

    /// The points of a run, each climb with its rungs.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn points(&self, run: RunId) -> Result<Vec<PointRow>> {
        let query = "SELECT position, outcome, why, problem, record FROM point WHERE run = ?1 ORDER BY position";
        let mut points = self.rows(query, [run.0], |row| {
            Ok(PointRow {
                position: self.position(row, 0)?,
                outcome: self.word(row, 1, Outcome::named)?,
                why: self.column(row, 2)?,
                problem: self.json(row, 3)?,
                record: self.json(row, 4)?,
            })
        })?;
        let query = "SELECT position, record FROM entry WHERE run = ?1 ORDER BY position, place";
        let rungs = self.rows(query, [run.0], |row| {
            Ok((self.position(row, 0)?, self.json::<Value>(row, 1)?))
        })?;
        let mut by_point: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
        for (position, rung) in rungs {
            by_point.entry(position).or_default().push(rung);
        }
        for point in points.iter_mut().filter(|point| point.record.is_object()) {
            point.record["rungs"] = by_point.remove(&point.position).unwrap_or_default().into();
        }
        Ok(points)
    }

    /// The names and verdicts of a run's entries, without measurements.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn kernels(&self, run: RunId) -> Result<Vec<KernelRow>> {
        let query =
            "SELECT ladder, name, verdict FROM entry WHERE run = ?1 ORDER BY position, place";
        self.rows(query, [run.0], |row| {
            Ok(KernelRow {
                ladder: self.column(row, 0)?,
                name: self.column(row, 1)?,
                verdict: self.column(row, 2)?,
            })
        })
    }

    /// The entries of a run, with every sample.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn entries(&self, run: RunId) -> Result<Vec<EntryRow>> {
        let query = "
            SELECT e.position, e.kind, e.ladder, e.name, e.file, e.verdict, p.problem, e.record, e.timed, e.samples
            FROM entry e JOIN point p ON p.run = e.run AND p.position = e.position
            WHERE e.run = ?1 ORDER BY e.position, e.place";
        self.rows(query, [run.0], |row| {
            let timed: Option<String> = self.column(row, 8)?;
            Ok(EntryRow {
                run,
                position: self.position(row, 0)?,
                shown: self.word(row, 1, Shown::named)?,
                ladder: self.column(row, 2)?,
                name: self.column(row, 3)?,
                file: self.column(row, 4)?,
                verdict: self.column(row, 5)?,
                problem: self.json(row, 6)?,
                record: self.json(row, 7)?,
                timed: timed.map(|text| self.timed(row, &text)).transpose()?,
            })
        })
    }

    /// A timed record from its JSON and its samples, in column 9.
    fn timed(&self, row: &Row<'_>, text: &str) -> Result<TimedRecord> {
        let blob: Vec<u8> = self.column(row, 9)?;
        let samples = unpack(&blob).map_err(|why| self.damaged(why))?;
        let mut value: Value = self.parsed(text)?;
        if let Value::Object(fields) = &mut value {
            fields.insert("samples".to_owned(), Value::Array(Vec::new()));
        }
        let record: TimedRecord =
            serde_json::from_value(value).map_err(|error| self.damaged(error.to_string()))?;
        Ok(TimedRecord { samples, ..record })
    }

    fn run_of(&self, row: &Row<'_>) -> Result<RunRow> {
        Ok(RunRow {
            id: RunId(self.column(row, 0)?),
            kind: self.word(row, 1, RunCommand::named)?,
            command: self.json(row, 2)?,
            request: self.json(row, 3)?,
            started: self.column(row, 4)?,
            finished: self.column(row, 5)?,
            points: self.position(row, 6)?,
            points_done: self.position(row, 7)?,
            device: self.json(row, 8)?,
            revision: self.column(row, 9)?,
            version: self.column(row, 10)?,
        })
    }

    /// Every row of a query.
    fn rows<T>(
        &self,
        query: &str,
        values: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let failed = |error| StoreError::of(self.path(), error);
        let mut statement = self.connection.prepare(query).map_err(failed)?;
        let mut rows = statement.query(values).map_err(failed)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            found.push(read(row)?);
        }
        Ok(found)
    }

    fn column<T: FromSql>(&self, row: &Row<'_>, index: usize) -> Result<T> {
        row.get(index).map_err(|error| self.damaged(error.to_string()))
    }

    fn position(&self, row: &Row<'_>, index: usize) -> Result<usize> {
        let number: i64 = self.column(row, index)?;
        usize::try_from(number).map_err(|_| self.damaged(format!("{number} is not a count")))
    }

    fn word<T>(&self, row: &Row<'_>, index: usize, named: fn(&str) -> Option<T>) -> Result<T> {
        let word: String = self.column(row, index)?;
        named(&word).ok_or_else(|| self.damaged(format!("it holds the unknown word `{word}`")))
    }

    fn json<T: DeserializeOwned>(&self, row: &Row<'_>, index: usize) -> Result<T> {
        self.parsed(&self.column::<String>(row, index)?)
    }

    fn parsed<T: DeserializeOwned>(&self, text: &str) -> Result<T> {
        serde_json::from_str(text).map_err(|error| self.damaged(error.to_string()))
    }

    fn damaged(&self, why: String) -> StoreError {
        StoreError::Damaged { path: self.path().to_owned(), why }
    }
}
