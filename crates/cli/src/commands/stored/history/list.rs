//! The list of runs, a line each.

use crate::saving::failed;
use lanework_store::{KernelRow, RunRow, Store};
use lanework_terminal::failure::Outcome;
use lanework_terminal::output::print;
use lanework_terminal::table::{Cell, Column, Table, Tone, prose, shown};

/// The verdicts of entries, the most important first.
pub(super) const VERDICTS: [&str; 10] = [
    "wrong",
    "lower-precision",
    "failed",
    "invalid",
    "slow",
    "fast",
    "ambiguous",
    "unverified",
    "verified",
    "skipped",
];
/// Verdicts on results that must not be used.
const BAD: [&str; 4] = ["wrong", "lower-precision", "failed", "invalid"];

/// Prints the runs, a line each.
///
/// # Errors
/// If the store cannot be read.
pub(super) fn list(store: &Store, runs: &[RunRow]) -> Outcome {
    if runs.is_empty() {
        return print(&format!("no such run in {}\n", store.path().display()));
    }
    let mut rows = Table::new([
        Column::number("run").rank(0),
        Column::label("started").rank(3),
        Column::name("command"),
        Column::label("of").rank(1),
        Column::label("device").rank(2),
        Column::number("points").rank(2),
        Column::label("result").rank(1),
        Column::label("revision").rank(4),
    ]);
    for run in runs {
        let entries = store.kernels(run.id).map_err(failed)?;
        let done = match (&run.finished, run.points) {
            (Some(_), points) => points.to_string(),
            (None, points) => format!("{} of {points}", run.points_done),
        };
        rows.row([
            run.id.to_string().into(),
            run.started.replace('T', " ").trim_end_matches('Z').into(),
            Cell::from(run.kind.name()),
            titles(&entries).into(),
            run.device.name.clone().into(),
            done.into(),
            verdicts(run, &entries),
            run.revision.clone().unwrap_or_default().into(),
        ]);
    }
    print(&(shown(&rows) + &prose("`lanework history show RUN` shows one; times of day are UTC.")))
}

/// The ladders of entries, or their kernels, as a short text.
fn titles(entries: &[KernelRow]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for entry in entries {
        let name = entry.ladder.as_deref().unwrap_or(&entry.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.as_slice() {
        [name] => {
            let rungs: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
            match entries.first() {
                Some(KernelRow { ladder: Some(_), .. })
                    if rungs.iter().all(|rung| *rung == rungs[0]) =>
                {
                    format!("{name}/{}", rungs[0])
                }
                _ => (*name).to_owned(),
            }
        }
        [first, second] => format!("{first}, {second}"),
        [first, rest @ ..] => format!("{first} and {} others", rest.len()),
        [] => String::new(),
    }
}

/// The verdicts of a run, those that matter first.
fn verdicts(run: &RunRow, entries: &[KernelRow]) -> Cell {
    let count = |verdict: &&str| entries.iter().filter(|entry| entry.verdict == *verdict).count();
    let there: Vec<&str> = VERDICTS.into_iter().filter(|verdict| count(verdict) > 0).collect();
    let mut words: Vec<String> =
        there.iter().map(|verdict| format!("{} {verdict}", count(verdict))).collect();
    if run.finished.is_none() {
        words.insert(0, "interrupted".to_owned());
    }
    let bad = there.iter().any(|verdict| BAD.contains(verdict));
    let tone = match (bad, &run.finished) {
        (true, _) => Tone::Bad,
        (false, Some(_)) => Tone::Good,
        (false, None) => Tone::Weak,
    };
    Cell::from(words.join(", ")).tone(tone)
}
