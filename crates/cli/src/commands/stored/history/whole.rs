//! One run in full, as text.

use crate::tables::points::{Climb, Without, describe};
use lanework_store::{EntryRow, Exported, RunRow};
use lanework_terminal::output::{duration, thousands};
use lanework_terminal::table::{Column, Table, listed, prose, shown};

/// One run in full.
pub(super) fn describe_run(Exported { run, points, entries }: &Exported) -> String {
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
