//! Writes runs: begins a run, adds its points one by one, finishes it; also deletes runs.
//!
//! The raw samples of a timed kernel are a blob. Format 1: the byte 1; the number of samples, 32 bits, little-endian;
//! each sample's nanoseconds as a 64-bit float, little-endian, bit for bit; then JSON: an array of `[count, object]`,
//! run-length encoded monitor readings for that many consecutive samples. Monitor readings change more slowly than
//! samples, so the runs are few. A new field in a sample's record needs no new format.

use crate::record::{NewEntry, NewPoint, NewRun, RunId};
use crate::store::Store;
use crate::{Result, StoreError};
use lanework_lab::TimedSample;
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

/// An entry's times as column values.
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

/// The format version that is written.
const FORMAT: u8 = 1;

/// The monitor readings of a sample, as JSON without the sample's time.
fn beside(sample: &TimedSample) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(sample)?;
    if let Value::Object(fields) = &mut value {
        fields.remove("ns");
    }
    Ok(value)
}

/// Encodes `samples` as a blob.
///
/// # Errors
/// If a sample has no JSON form.
pub fn pack(samples: &[TimedSample]) -> serde_json::Result<Vec<u8>> {
    let mut blob = vec![FORMAT];
    blob.extend((samples.len() as u32).to_le_bytes());
    blob.extend(samples.iter().flat_map(|sample| sample.ns.to_le_bytes()));
    let mut runs: Vec<(u32, Value)> = Vec::new();
    for sample in samples {
        let seen = beside(sample)?;
        match runs.last_mut() {
            Some((count, last)) if *last == seen => *count += 1,
            _ => runs.push((1, seen)),
        }
    }
    blob.extend(serde_json::to_vec(&runs)?);
    Ok(blob)
}

/// Decodes a blob.
///
/// # Errors
/// A description of the defect.
pub fn unpack(blob: &[u8]) -> std::result::Result<Vec<TimedSample>, String> {
    let short = || "the samples are cut short".to_owned();
    let (&format, rest) = blob.split_first().ok_or_else(short)?;
    if format != FORMAT {
        return Err(format!("the samples have format {format}"));
    }
    let (count, rest) = rest.split_first_chunk::<4>().ok_or_else(short)?;
    let count = u32::from_le_bytes(*count) as usize;
    let (times, runs) =
        count.checked_mul(8).and_then(|bytes| rest.split_at_checked(bytes)).ok_or_else(short)?;
    let runs: Vec<(usize, Value)> =
        serde_json::from_slice(runs).map_err(|error| format!("the samples: {error}"))?;
    let total = runs.iter().try_fold(0usize, |sum, (count, _)| sum.checked_add(*count));
    if total != Some(count) {
        return Err(format!("{count} samples, but {} of the monitor", total.unwrap_or(0)));
    }
    let seen = runs.iter().flat_map(|(count, seen)| std::iter::repeat_n(seen, *count));
    let times = times
        .chunks_exact(8)
        .map(|bytes| f64::from_le_bytes(bytes.try_into().expect("chunks of eight")));
    times
        .zip(seen)
        .map(|(ns, seen)| {
            let mut value = seen.clone();
            let fields = value.as_object_mut().ok_or("a monitor's record is not an object")?;
            fields.insert("ns".to_owned(), 0.0.into());
            let sample: TimedSample =
                serde_json::from_value(value).map_err(|error| format!("a sample: {error}"))?;
            Ok(TimedSample { ns, ..sample })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<TimedSample> {
        let of = |index: u32| TimedSample {
            ns: 1000.0 + f64::from(index) / 3.0,
            sm_mhz: (!index.is_multiple_of(100)).then_some(1980 - index / 300 * 15),
            watts: Some(411.25),
            throttle: if index > 900 { vec!["power cap".to_owned()] } else { Vec::new() },
            off_clock: index == 17,
            ..TimedSample::default()
        };
        (0..1000).map(of).collect()
    }

    #[test]
    fn packed_samples_round_trip_and_are_compact() {
        let samples = some();
        let blob = pack(&samples).expect("a blob");
        assert_eq!(unpack(&blob).expect("samples"), samples);
        assert!(blob.len() < 8 * samples.len() + 4000, "{} bytes", blob.len());
        assert_eq!(unpack(&pack(&[]).expect("a blob")), Ok(Vec::new()));
        let odd = [TimedSample { ns: f64::INFINITY, ..TimedSample::default() }];
        assert_eq!(unpack(&pack(&odd).expect("a blob")).expect("samples"), odd);
    }

    #[test]
    fn a_damaged_blob_is_an_error() {
        let blob = pack(&some()).expect("a blob");
        for length in [0, 1, 4, 5, 100, blob.len() - 1] {
            assert!(unpack(&blob[..length]).is_err(), "{length} bytes");
        }
        let mut newer = blob.clone();
        newer[0] = 2;
        assert_eq!(unpack(&newer), Err("the samples have format 2".to_owned()));
        let mut more = blob;
        more[1] ^= 1;
        assert!(unpack(&more).is_err());
    }
}
