//! `lanework history`: the runs that were stored.

use crate::args::{ExportFormat, Filters, HistoryAction, HistoryArgs};
use crate::saving::failed;
use lanework_store::{Exported, Filter, Format, RunCommand, RunId, Store, export, place, since};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_data, print_json, write};
use list::{VERDICTS, list};
use whole::describe_run;

mod list;
mod whole;

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
        // A store that is not there is not made.
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
        HistoryAction::List if !args.runs.is_empty() => {
            refuse("a list takes no numbers of runs", "show one: lanework history show 12")
        }
        HistoryAction::Show | HistoryAction::Delete if args.runs.is_empty() => {
            refuse("no run is named", "give its number; `lanework history` lists the runs")
        }
        HistoryAction::Show | HistoryAction::Delete if filters => {
            refuse("filters choose among runs, and the runs are named", "remove the filters")
        }
        HistoryAction::Export if filters && !args.runs.is_empty() => {
            refuse("filters choose among runs, and the runs are named", "remove one or the other")
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
            format_args!("there are: {}", known.join(", ")),
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
