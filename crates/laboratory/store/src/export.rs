//! Exports runs with their points, kernels and samples as CSV, JSON or Markdown.

use crate::record::{EntryRow, PointRow, RunRow};
use lanework_lab::TimedSample;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A line per kernel at a point (RFC 4180).
    Csv,
    /// A line per raw sample (RFC 4180).
    Samples,
    /// One JSON array of runs, with every sample.
    Json,
    /// A table per run.
    Markdown,
}

/// A run with its points and kernels.
#[derive(Clone, Debug, Serialize)]
pub struct Exported {
    /// The run.
    #[serde(flatten)]
    pub run: RunRow,
    /// The outcome of each point.
    #[serde(rename = "at")]
    pub points: Vec<PointRow>,
    /// The kernels, with every sample.
    pub entries: Vec<EntryRow>,
}

/// Columns of [`Format::Csv`].
const COLUMNS: &str = "\
    run command started gpu driver revision version point shown ladder name file problem verdict \
    why median_ns low_ns high_ns min_ns samples gigabytes_per_second gigaflops_per_second \
    load_sectors store_sectors shared_load_conflicts shared_store_conflicts warp_instructions";

/// Columns of [`Format::Samples`].
const OF_SAMPLES: &str = "\
    run point kernel sample ns sm_mhz memory_mhz watts celsius throttle off_clock";

/// The text of `runs` in `format`.
///
/// # Errors
/// If a run has no JSON form.
pub fn export(runs: &[Exported], format: Format) -> serde_json::Result<String> {
    match format {
        Format::Json => Ok(serde_json::to_string_pretty(runs)? + "\n"),
        Format::Csv => Ok(csv(runs)),
        Format::Samples => Ok(samples(runs)),
        Format::Markdown => Ok(markdown(runs)),
    }
}

/// A problem as `rows=70 cols=45`.
fn words(problem: &BTreeMap<String, String>) -> String {
    let words: Vec<String> =
        problem.iter().map(|(name, value)| format!("{name}={value}")).collect();
    words.join(" ")
}

/// A value, or an empty cell.
fn cell<T: ToString>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// Why an entry has no figure, or an invalid one.
fn why(entry: &EntryRow) -> String {
    let of_time = entry.timed.as_ref().and_then(|timed| timed.invalid.clone());
    let of_record = ["error", "skipped", "why"];
    let of_record =
        || of_record.iter().find_map(|key| entry.record[key].as_str()).map(str::to_owned);
    cell(of_time.or_else(of_record))
}

/// A counter of an entry, by its path.
fn counter(entry: &EntryRow, path: &str) -> String {
    cell(entry.record["counters"].pointer(path).filter(|value| value.is_number()))
}

fn csv(runs: &[Exported]) -> String {
    let mut text = String::new();
    line(&mut text, COLUMNS.split(' '));
    for Exported { run, points, entries } in runs {
        let of_run = || {
            let RunRow { id, kind, started, device, revision, version, .. } = run;
            [
                id.to_string(),
                kind.name().to_owned(),
                started.clone(),
                device.name.clone(),
                device.driver.clone(),
                cell(revision.as_ref()),
                version.clone(),
            ]
        };
        for entry in entries {
            let timed = entry.timed.as_ref();
            let summary = timed.map(|timed| &timed.summary);
            let of_entry = [
                entry.position.to_string(),
                entry.shown.name().to_owned(),
                cell(entry.ladder.as_ref()),
                entry.name.clone(),
                cell(entry.file.as_ref()),
                words(&entry.problem),
                entry.verdict.clone(),
                why(entry),
                cell(summary.map(|of| of.median_ns)),
                cell(summary.map(|of| of.interval_ns[0])),
                cell(summary.map(|of| of.interval_ns[1])),
                cell(summary.map(|of| of.min_ns)),
                cell(summary.map(|of| of.count)),
                cell(timed.map(|timed| timed.gigabytes_per_second())),
                cell(timed.map(|timed| timed.gigaflops_per_second())),
                counter(entry, "/global_load/sectors"),
                counter(entry, "/global_store/sectors"),
                counter(entry, "/shared_load/bank_conflicts"),
                counter(entry, "/shared_store/bank_conflicts"),
                counter(entry, "/warp_instructions"),
            ];
            line(&mut text, of_run().into_iter().chain(of_entry));
        }
        // A point without kernels has a line, too: its reason is a result.
        for point in points.iter().filter(|point| point.why.is_some()) {
            let mut fields = of_run().to_vec();
            fields.extend([point.position.to_string(), "none".to_owned()]);
            fields.extend([const { String::new() }; 3]);
            fields.extend([
                words(&point.problem),
                point.outcome.name().to_owned(),
                cell(point.why.as_ref()),
            ]);
            fields.resize(COLUMNS.split(' ').count(), String::new());
            line(&mut text, fields);
        }
    }
    text
}

fn samples(runs: &[Exported]) -> String {
    let mut text = String::new();
    line(&mut text, OF_SAMPLES.split(' '));
    for entry in runs.iter().flat_map(|run| &run.entries) {
        let samples = entry.timed.iter().flat_map(|timed| timed.samples.iter().enumerate());
        for (index, sample) in samples {
            let TimedSample { ns, sm_mhz, memory_mhz, watts, celsius, throttle, off_clock } =
                sample;
            line(
                &mut text,
                [
                    entry.run.to_string(),
                    entry.position.to_string(),
                    entry.title(),
                    index.to_string(),
                    ns.to_string(),
                    cell(*sm_mhz),
                    cell(*memory_mhz),
                    cell(*watts),
                    cell(*celsius),
                    throttle.join(" "),
                    off_clock.to_string(),
                ],
            );
        }
    }
    text
}

fn markdown(runs: &[Exported]) -> String {
    let escape =
        |text: &str| text.replace('\\', "\\\\").replace('|', "\\|").replace(['\r', '\n'], " ");
    let mut text = String::new();
    for Exported { run, points, entries } in runs {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "## Run {}: {}\n\n`{}`, {} on {}, driver {}, Lanework {}{}\n\n",
            run.id,
            run.kind.name(),
            run.command.join(" ").replace('`', "'"),
            run.started,
            escape(&run.device.name),
            escape(&run.device.driver),
            run.version,
            run.revision.as_ref().map_or(String::new(), |of| format!(", revision {of}")),
        );
        let timed = entries.iter().any(|entry| entry.timed.is_some());
        text.push_str(match timed {
            true => "| kernel | problem | median ns | 95 % interval | GB/s | GFLOP/s | samples | verdict |\n\
                     | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n",
            false => "| kernel | problem | sectors loaded | stored | bank conflicts | verdict |\n\
                      | --- | --- | ---: | ---: | ---: | --- |\n",
        });
        for entry in entries {
            let verdict = match why(entry) {
                why if why.is_empty() => entry.verdict.clone(),
                why => format!("{}: {why}", entry.verdict),
            };
            let mut cells = vec![entry.title(), words(&entry.problem)];
            match (timed, &entry.timed) {
                (true, Some(time)) => cells.extend([
                    format!("{:.1}", time.summary.median_ns),
                    format!(
                        "{:.1} to {:.1}",
                        time.summary.interval_ns[0], time.summary.interval_ns[1]
                    ),
                    format!("{:.1}", time.gigabytes_per_second()),
                    format!("{:.1}", time.gigaflops_per_second()),
                    time.summary.count.to_string(),
                ]),
                (true, None) => cells.resize(cells.len() + 5, String::new()),
                (false, _) => {
                    let conflicts = ["/shared_load/bank_conflicts", "/shared_store/bank_conflicts"];
                    let counters = &entry.record["counters"];
                    let sum = conflicts.iter().filter_map(|path| counters.pointer(path)?.as_u64());
                    cells.extend([
                        counter(entry, "/global_load/sectors"),
                        counter(entry, "/global_store/sectors"),
                        cell(counters.is_object().then(|| sum.sum::<u64>())),
                    ]);
                }
            }
            cells.push(verdict);
            let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text.push('\n');
        for point in points {
            if let Some(why) = &point.why {
                let _ = writeln!(
                    text,
                    "{}: {}: {}\n",
                    escape(&words(&point.problem)),
                    point.outcome.name(),
                    escape(why)
                );
            }
        }
    }
    text
}

/// Appends a CSV line per RFC 4180: it ends with CR LF; a field with a comma, a quote or a line end is quoted, and quotes
/// in it are doubled.
fn line<T: AsRef<str>>(text: &mut String, fields: impl IntoIterator<Item = T>) {
    let mut first = true;
    for field in fields {
        if !std::mem::take(&mut first) {
            text.push(',');
        }
        let field = field.as_ref();
        if field.contains(['"', ',', '\r', '\n']) {
            text.push('"');
            text.push_str(&field.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(field);
        }
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exported_fields_round_trip_through_a_csv_parser() {
        let lines = [
            ["plain", "with, comma", "with \"quotes\""],
            ["two\r\nlines", "", "\""],
            [",", " spaces ", "中文"],
        ];
        let mut text = String::new();
        lines.iter().for_each(|fields| line(&mut text, fields));
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let found: Vec<Vec<String>> = reader.deserialize().map(|row| row.expect("a row")).collect();
        assert_eq!(found, lines.map(|fields| fields.map(str::to_owned).to_vec()));
    }
}
