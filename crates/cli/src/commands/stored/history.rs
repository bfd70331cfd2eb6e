//! `lanework history`: the runs that were stored, a line each, or one in full.

use crate::args::{ExportFormat, Filters, HistoryAction, HistoryArgs};
use crate::saving::failed;
use crate::tables::points::{Climb, Without, describe};
use lanework_store::{
    EntryRow, Exported, Filter, Format, KernelRow, RunCommand, RunId, RunRow, Store, export, place,
    since,
};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{duration, print, print_data, print_json, thousands, write};
use lanework_terminal::table::{Cell, Column, Table, Tone, listed, prose, shown};

/// Lists, shows, exports or deletes runs.
///
/// # Errors
/// If the store cannot be read or written, or a run is unknown.
pub fn run(args: &HistoryArgs) -> Outcome {
    check_usage(args)?;
    let file = place(args.store.as_deref()).map_err(failed)?;
    let filter = filter(&args.filters)?;
    let runs: Vec<RunId> = args.runs.iter().map(|run| RunId(*run)).collect();
    if args.action == HistoryAction::Delete {
        // Do not create a missing store.
        drop(Store::read(&file).map_err(failed)?);
        let mut store = Store::write(&file).map_err(failed)?;
        store.delete(&runs).map_err(failed)?;
        return print(&format!("{} runs deleted from {}\n", runs.len(), file.display()));
    }
    let store = Store::read(&file).map_err(failed)?;
    match args.action {
        HistoryAction::Show => {
            let runs =
                runs.into_iter().map(|run| whole(&store, run)).collect::<Result<Vec<_>, _>>()?;
            match args.json {
                true => print_json(&runs),
                false => runs.iter().try_for_each(|run| print(&describe_run(run))),
            }
        }
        HistoryAction::Export => {
            let runs = match runs.is_empty() {
                true => store.runs(&filter).map_err(failed)?.iter().map(|run| run.id).collect(),
                false => runs,
            };
            let runs =
                runs.into_iter().map(|run| whole(&store, run)).collect::<Result<Vec<_>, _>>()?;
            let format = if args.json { ExportFormat::Json } else { args.format };
            let text = export(&runs, format_of(format)).map_err(|error| {
                Failure::Check(format!("the runs cannot be written as JSON: {error}"))
            })?;
            match &args.output {
                Some(file) => write(file, &text),
                None => print_data(&text),
            }
        }
        HistoryAction::List | HistoryAction::Delete => {
            let runs = store.runs(&filter).map_err(failed)?;
            match args.json {
                true => print_json(&runs),
                false => list(&store, &runs),
            }
        }
    }
}

/// Checks that the options match the action.
///
/// # Errors
/// The option that does not match, and the valid ones.
fn check_usage(args: &HistoryArgs) -> Outcome {
    let filters = args.filters.given();
    let refuse = |what: &str, help: &str| Err(Failure::input(what, help));
    match args.action {
        HistoryAction::List if !args.runs.is_empty() => refuse(
            "`lanework history list` takes no run numbers",
            "show one: lanework history show 12",
        ),
        HistoryAction::Show | HistoryAction::Delete if args.runs.is_empty() => {
            refuse("no run is given", "give its number; `lanework history` lists the runs")
        }
        HistoryAction::Show | HistoryAction::Delete if filters => {
            refuse("filters cannot be used with run numbers", "remove the filters")
        }
        HistoryAction::Export if filters && !args.runs.is_empty() => {
            refuse("filters cannot be used with run numbers", "remove one or the other")
        }
        action if args.output.is_some() && action != HistoryAction::Export => {
            refuse("--output is for exports", "lanework history export 12 --output FILE")
        }
        _ => Ok(()),
    }
}

impl Filters {
    /// Whether any option was given.
    fn given(&self) -> bool {
        let texts =
            [&self.ladder, &self.rung, &self.kernel, &self.gpu, &self.since, &self.revision];
        let lists = [&self.verdict, &self.command];
        texts.iter().any(|text| text.is_some())
            || lists.iter().any(|list| !list.is_empty())
            || self.last.is_some()
    }
}

/// The filter of the options.
///
/// # Errors
/// Values that match no run.
fn filter(filters: &Filters) -> Result<Filter, Failure> {
    let unknown = |what: &str, word: &str, known: &[&str]| {
        Failure::input(
            format_args!("no {what} is called `{word}`"),
            format_args!("available: {}", known.join(", ")),
        )
    };
    if let Some(word) =
        filters.verdict.iter().find(|word| !VERDICTS.contains(&word.to_lowercase().as_str()))
    {
        return Err(unknown("verdict", word, &VERDICTS));
    }
    let kinds = filters.command.iter().map(|word| {
        let known = ["climb", "sweep", "bench", "compare", "tune"];
        RunCommand::named(word)
            .map(RunCommand::name)
            .ok_or_else(|| unknown("command that stores", word, &known))
    });
    let (of_rung, rung) = match filters.rung.as_deref().and_then(|rung| rung.split_once('/')) {
        Some((ladder, rung)) => (Some(ladder.to_owned()), Some(rung.to_owned())),
        None => (None, filters.rung.clone()),
    };
    Ok(Filter {
        ladder: filters.ladder.clone().or(of_rung),
        rung,
        kernel: filters.kernel.clone(),
        gpu: filters.gpu.clone(),
        since: filters.since.as_deref().map(since).transpose().map_err(failed)?,
        revision: filters.revision.clone(),
        verdicts: filters.verdict.clone(),
        kinds: kinds.collect::<Result<_, _>>()?,
        limit: filters.last,
    })
}

fn format_of(format: ExportFormat) -> Format {
    match format {
        ExportFormat::Csv => Format::Csv,
        ExportFormat::Samples => Format::Samples,
        ExportFormat::Json => Format::Json,
        ExportFormat::Markdown => Format::Markdown,
    }
}

/// A run with all that belongs to it.
///
/// # Errors
/// If the run is unknown.
fn whole(store: &Store, run: RunId) -> Result<Exported, Failure> {
    Ok(Exported {
        run: store.run(run).map_err(failed)?,
        points: store.points(run).map_err(failed)?,
        entries: store.entries(run).map_err(failed)?,
    })
}

/// The verdicts of entries, the most important first.
const VERDICTS: [&str; 10] = [
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
fn list(store: &Store, runs: &[RunRow]) -> Outcome {
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

/// One run in full.
fn describe_run(Exported { run, points, entries }: &Exported) -> String {
    let RunRow { id, kind, device, started, finished, revision, version, .. } = run;
    let mut text = format!("run {id}: lanework {}\n", run.command.join(" "));
    let ended = match finished {
        Some(finished) => format!("to {finished}"),
        None => format!("interrupted or not done: {} of {} points", run.points_done, run.points),
    };
    let revision = revision.as_ref().map_or(String::new(), |of| format!(", revision {of}"));
    text.push_str(&prose(&format!(
        "{} on {} (driver {}), {started} {ended}, Lanework {version}{revision}",
        kind.name(),
        device.name,
        device.driver
    )));
    let climbs: Vec<Climb> = points.iter().filter_map(|point| Climb::of(&point.record)).collect();
    let without = points.iter().filter_map(|point| {
        let (problem, outcome) = (point.problem.clone(), point.outcome.name());
        Some(Without { problem, outcome, why: point.why.clone()? })
    });
    // Ladders have different rungs, so each has a table.
    let mut ladders: Vec<Vec<Climb>> = Vec::new();
    for climb in climbs {
        match ladders.last_mut() {
            Some(last) if last[0].ladder == climb.ladder => last.push(climb),
            _ => ladders.push(vec![climb]),
        }
    }
    for ladder in &ladders {
        text.push_str(&format!("\n{}\n{}", ladder[0].ladder, describe(ladder, &[])));
    }
    text.push_str(&describe(&[], &without.collect::<Vec<_>>()));
    let in_climbs: Vec<usize> = points
        .iter()
        .filter(|point| point.record.is_object())
        .map(|point| point.position)
        .collect();
    let own = |entry: &&EntryRow| !in_climbs.contains(&entry.position);
    let own: Vec<&EntryRow> = entries.iter().filter(own).collect();
    if !own.is_empty() {
        text.push_str(&kernels(&own));
    }
    for entry in entries {
        if let Some(why) = entry.timed.as_ref().and_then(|timed| timed.invalid.as_ref()) {
            text.push_str(&listed("  ", &format!("{}: INVALID: {why}", entry.title())));
        }
    }
    text
}

/// Kernels and comparisons that belong to no climb.
fn kernels(entries: &[&EntryRow]) -> String {
    let mut rows = Table::new([
        Column::name("kernel"),
        Column::label("problem").rank(3),
        Column::number("median").rank(0),
        Column::number("+-").rank(4),
        Column::number("samples").rank(5),
        Column::label("verdict").rank(1),
        Column::text("said").rank(2),
    ]);
    for entry in entries {
        let problem: Vec<String> =
            entry.problem.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let summary = entry.timed.as_ref().map(|timed| &timed.summary);
        let half = |of: &lanework_lab::SummaryRecord| {
            let width = of.interval_ns[1] - of.interval_ns[0];
            format!("{:.2} %", 100.0 * width / of.median_ns / 2.0)
        };
        rows.row([
            entry.title(),
            problem.join(" "),
            summary.map_or(String::new(), |of| duration(of.median_ns)),
            summary.map_or(String::new(), half),
            summary.map_or(String::new(), |of| of.count.to_string()),
            entry.verdict.clone(),
            said(entry),
        ]);
    }
    format!("\n{}", shown(&rows))
}

/// The reason for a comparison's verdict, or the counts of a kernel.
fn said(entry: &EntryRow) -> String {
    let counted = entry.record["counters"]["warp_instructions"].as_u64();
    let counted = counted.map(|count| format!("counted: {} warp instructions", thousands(count)));
    let why = entry.record["why"].as_str().map(str::to_owned);
    why.or(counted).unwrap_or_default()
}
