//! Reads lists of runs, one run with its points and entries, and interrupted runs. A filter selects runs and entries.

use crate::record::{EntryRow, KernelRow, Outcome, PointRow, RunCommand, RunId, RunRow, Shown};
use crate::store::Store;
use crate::write::unpack;
use crate::{Result, StoreError};
use lanework_lab::TimedRecord;
use lanework_lab::timing::rfc3339;
use rusqlite::types::{FromSql, Value as SqlValue};
use rusqlite::{Row, params_from_iter};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

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

/// Criteria that select runs; empty ones match everything. Names must match completely, ignoring case, except that a
/// GPU's name may match in part.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The ladder.
    pub ladder: Option<String>,
    /// The rung, or a library that its ladder compares with.
    pub rung: Option<String>,
    /// The user's kernel, by its name or its file.
    pub kernel: Option<String>,
    /// A part of the device's name.
    pub gpu: Option<String>,
    /// The earliest time, RFC 3339 in UTC; see [`since`].
    pub since: Option<String>,
    /// A prefix of the revision of the user's checkout.
    pub revision: Option<String>,
    /// The accepted verdicts.
    pub verdicts: Vec<String>,
    /// The accepted commands.
    pub kinds: Vec<&'static str>,
    /// Maximum number of runs, newest first.
    pub limit: Option<usize>,
}

impl Filter {
    /// SQL conditions on `run`, `r`, and their values; `entry` is the alias of the entries that must match, if any.
    pub(crate) fn conditions(&self) -> (String, Vec<SqlValue>) {
        let mut values = Vec::new();
        let mut add = |text: &str, value: String| {
            values.push(SqlValue::Text(value));
            text.replace('?', &format!("?{}", values.len()))
        };
        let mut of_run = Vec::new();
        if let Some(gpu) = &self.gpu {
            of_run.push(add("instr(lower(r.gpu), lower(?)) > 0", gpu.clone()));
        }
        if let Some(since) = &self.since {
            of_run.push(add("r.started >= ?", since.clone()));
        }
        if let Some(revision) = &self.revision {
            of_run.push(add("substr(r.revision, 1, length(?)) = ?", revision.clone()));
        }
        if !self.kinds.is_empty() {
            let kinds: Vec<String> =
                self.kinds.iter().map(|kind| add("?", (*kind).to_owned())).collect();
            of_run.push(format!("r.kind IN ({})", kinds.join(", ")));
        }
        let mut of_entry = Vec::new();
        if let Some(ladder) = &self.ladder {
            of_entry.push(add("lower(e.ladder) = lower(?)", ladder.clone()));
        }
        if let Some(rung) = &self.rung {
            of_entry.push(add("e.ladder IS NOT NULL AND lower(e.name) = lower(?)", rung.clone()));
        }
        if let Some(kernel) = &self.kernel {
            let text = "e.ladder IS NULL AND (lower(e.name) = lower(?) OR e.file = ?)";
            of_entry.push(add(text, kernel.clone()));
        }
        if !self.verdicts.is_empty() {
            let verdicts: Vec<String> =
                self.verdicts.iter().map(|verdict| add("lower(?)", verdict.clone())).collect();
            of_entry.push(format!("e.verdict IN ({})", verdicts.join(", ")));
        }
        if !of_entry.is_empty() {
            let of_entry = of_entry.join(" AND ");
            of_run
                .push(format!("EXISTS (SELECT 1 FROM entry e WHERE e.run = r.id AND {of_entry})"));
        }
        let text = of_run.iter().map(|condition| format!(" AND ({condition})")).collect();
        (text, values)
    }
}

/// Parses a time: a date, a time in UTC, or an age such as `7d`, `12h`, `30m`.
///
/// # Errors
/// A description of the valid forms.
pub fn since(text: &str) -> Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    since_at(text, now).ok_or_else(|| StoreError::Request {
        what: format!("`{text}` is not a time"),
        help: "give a date as 2026-11-22, a time as 2026-11-22T16:00:00Z, or how long ago as 7d, 12h or 30m".to_owned(),
    })
}

fn since_at(text: &str, now: u64) -> Option<String> {
    let units = [('d', 86_400), ('h', 3600), ('m', 60), ('w', 7 * 86_400)];
    if let Some((unit, seconds)) = units.into_iter().find(|(unit, _)| text.ends_with(*unit)) {
        let count: u64 = text.strip_suffix(unit)?.parse().ok()?;
        return Some(rfc3339(now.saturating_sub(count.checked_mul(seconds)?)));
    }
    let form = |text: &str, of: &str| {
        let fits = |(found, like): (char, char)| match like {
            '0' => found.is_ascii_digit(),
            like => found == like,
        };
        text.chars().count() == of.len() && text.chars().zip(of.chars()).all(fits)
    };
    let in_range = |at: usize, range: std::ops::RangeInclusive<u32>| {
        text.get(at..at + 2).and_then(|two| two.parse().ok()).is_some_and(|n| range.contains(&n))
    };
    let date = |whole: &str| form(text, whole) && in_range(5, 1..=12) && in_range(8, 1..=31);
    if date("0000-00-00") {
        return Some(format!("{text}T00:00:00Z"));
    }
    let time = date("0000-00-00T00:00:00Z")
        && in_range(11, 0..=23)
        && in_range(14, 0..=59)
        && in_range(17, 0..=59);
    time.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates_or_how_long_ago() {
        let now = 1_795_363_200;
        for (text, expected) in [
            ("2026-11-22", Some("2026-11-22T00:00:00Z")),
            ("2026-11-22T10:20:30Z", Some("2026-11-22T10:20:30Z")),
            ("1d", Some("2026-11-21T16:00:00Z")),
            ("90m", Some("2026-11-22T14:30:00Z")),
            ("999999999999999999d", None),
            ("2026-13-01", None),
            ("2026-11-22T25:00:00Z", None),
            ("yesterday", None),
            ("2026-1-1", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(since_at(text, now).as_deref(), expected, "{text}");
        }
    }
}
