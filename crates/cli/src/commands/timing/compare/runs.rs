//! `lanework compare` on stored results: two runs, two revisions, or the last run with the previous
//! one.

use super::asked::Stored;
use crate::args::CompareArgs;
use crate::saving::failed;
use lanework_lab::{ComparisonRecord, Verdict};
use lanework_store::{Filter, RunId, Side, Sides, Store, place};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{duration, note, print, print_json};
use lanework_terminal::table::{Cell, Column, Table, Tone, listed, prose, shown};

/// Compares two sides of the store.
///
/// # Errors
/// If a run is unknown, the runs cannot be compared, or a kernel of the second is slower.
pub fn run(args: &CompareArgs, asked: &Stored) -> Outcome {
    let store = Store::read(&place(args.save.store.as_deref()).map_err(failed)?).map_err(failed)?;
    let (names, [a, b]) = sides(&store, args, asked)?;
    for (side, name) in [(&a, &names[0]), (&b, &names[1])] {
        if side.is_empty() {
            return Err(Failure::input(
                format_args!("{name} has no times to compare"),
                "only runs on a GPU have times; `lanework history` lists the runs",
            ));
        }
    }
    if let Some(why) = a.refusal(&b) {
        return Err(Failure::input(
            format_args!("{} and {} cannot be compared: {why}", names[0], names[1]),
            "compare runs of one GPU and one version, or measure again",
        ));
    }
    let sides = a.compare(&b);
    if sides.compared.is_empty() {
        return Err(Failure::input(
            format_args!("{} and {} have no kernel on the same problem", names[0], names[1]),
            "`lanework history show RUN` shows the contents of a run",
        ));
    }
    let warnings = a.warnings(&b);
    if args.json {
        warnings.iter().for_each(|why| note(&format!("warning: {why}")));
        print_json(&sides.compared)?;
    } else {
        print(&describe(&names, &sides, &warnings))?;
    }
    verdict(&sides.compared)
}

/// The two sides with their names.
///
/// # Errors
/// If a run is unknown.
fn sides(
    store: &Store,
    args: &CompareArgs,
    asked: &Stored,
) -> Result<([String; 2], [Side; 2]), Failure> {
    // Only for the named ladder or rung.
    let wanted = |title: &str| match (&args.first, asked) {
        (Some(name), Stored::Revisions(..) | Stored::Last) => {
            title == name || title.split_once('/').is_some_and(|(ladder, _)| ladder == name)
        }
        _ => true,
    };
    match asked {
        Stored::Runs(a, b) => {
            store.run(RunId(*a)).map_err(failed)?;
            store.run(RunId(*b)).map_err(failed)?;
            let side = |run: &i64| store.entries(RunId(*run)).map(Side::of).map_err(failed);
            Ok(([format!("run {a}"), format!("run {b}")], [side(a)?, side(b)?]))
        }
        Stored::Revisions(a, b) => {
            let side = |revision: &String| {
                let filter = Filter { revision: Some(revision.clone()), ..Filter::default() };
                Ok::<_, Failure>(store.side(&filter).map_err(failed)?.only(wanted))
            };
            Ok(([format!("revision {a}"), format!("revision {b}")], [side(a)?, side(b)?]))
        }
        Stored::Last => {
            let Some([(a, of_a), (b, of_b)]) = store.last_two(wanted).map_err(failed)? else {
                return Err(Failure::input(
                    format_args!(
                        "{} has no two runs that timed the same kernel",
                        store.path().display()
                    ),
                    "store runs with --save; `lanework history` lists them",
                ));
            };
            Ok(([format!("run {a}"), format!("run {b}")], [of_a, of_b]))
        }
    }
}

/// The comparisons as a table.
fn describe(names: &[String; 2], sides: &Sides, warnings: &[String]) -> String {
    let mut rows = Table::new([
        Column::name("kernel"),
        Column::label("problem").rank(4),
        Column::label("cache").rank(5),
        Column::number(names[0].as_str()).rank(2),
        Column::number(names[1].as_str()).rank(2),
        Column::number("change").rank(0),
        Column::number("95 % interval").rank(1),
        Column::label("verdict").rank(0),
    ]);
    let percent = |ratio: f64| format!("{:+.2} %", 100.0 * (ratio - 1.0));
    for ComparisonRecord { a, b, ratio, interval, verdict, .. } in &sides.compared {
        let problem: Vec<String> =
            a.problem.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let tone = match verdict {
            Verdict::Fast => Tone::Good,
            Verdict::Slow | Verdict::Invalid => Tone::Bad,
            Verdict::Ambiguous => Tone::Weak,
        };
        let range = match interval[1] < f64::MAX {
            true => format!("{} to {}", percent(interval[0]), percent(interval[1])),
            false => String::new(),
        };
        rows.row([
            Cell::from(a.subject.title()),
            problem.join(" ").into(),
            a.cache.name().into(),
            duration(a.summary.median_ns).into(),
            duration(b.summary.median_ns).into(),
            percent(*ratio).into(),
            range.into(),
            Cell::from(verdict.name()).tone(tone),
        ]);
    }
    let mut text = shown(&rows);
    for record in &sides.compared {
        if matches!(record.verdict, Verdict::Ambiguous | Verdict::Invalid) {
            text.push_str(&listed("  ", &format!("{}: {}", record.a.subject.title(), record.why)));
        }
    }
    for (name, only) in names.iter().zip(&sides.unpaired) {
        for kernel in only {
            text.push_str(&listed("  ", &format!("only in {name}: {kernel}")));
        }
    }
    for why in warnings {
        text.push_str(&prose(&format!("warning: {why}")));
    }
    text + &prose(
        "Time of the second over the first. Stored runs did not alternate, so differences below 1 % are not resolved; \
         `lanework compare A B` alternates between two kernels.",
    )
}

/// The outcome of comparisons: the worst verdict.
///
/// # Errors
/// A kernel that is slower; else a comparison that is invalid.
fn verdict(compared: &[ComparisonRecord]) -> Outcome {
    let with = |verdict: Verdict| {
        let of = compared.iter().filter(move |record| record.verdict == verdict);
        let lines = of.map(|record| format!("  {}: {}", record.b.subject.title(), record.why));
        lines.collect::<Vec<_>>()
    };
    let (slow, invalid) = (with(Verdict::Slow), with(Verdict::Invalid));
    if !slow.is_empty() {
        let count = slow.len();
        return Err(Failure::Regression(format!(
            "{count} kernels are slower\n{}",
            slow.join("\n")
        )));
    }
    match invalid.as_slice() {
        [] => Ok(()),
        lines => Err(Failure::Check(format!(
            "{} comparisons are INVALID\n{}",
            lines.len(),
            lines.join("\n")
        ))),
    }
}
