//! `lanework tune`: finds the fastest rung and parameters for a problem on a GPU, and stores them for
//! programs to look up.

use crate::args::TuneArgs;
use crate::commands::ladders::climb::check_rungs;
use crate::problem::{find_family, request};
use crate::saving::{Plan, Point, RunKind, Saving, Store};
use lanework::tuned::{Choice, Key, TUNED_VARIABLE, Tuned, default_place, shape_class};
use lanework::{Backend, Device};
use lanework_lab::{Cache, Candidate, DeviceRecord, Family, OnGpu, Tuning, best, candidates};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{duration, note, print, print_json};
use lanework_terminal::progress::Progress;
use lanework_terminal::table::{Cell, Column, Table, Tone, listed, prose, shown};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Default seconds of a candidate's first measurement.
const LOOK: f64 = 1.0;

/// Finds and stores the fastest candidate, unless it is already known.
///
/// # Errors
/// On the emulator; when no candidate runs, or the file of choices cannot be read or written.
pub fn run(args: &TuneArgs) -> Outcome {
    let file = place(args.tuned.as_deref())?;
    let Some(ladder) = &args.ladder else { return list(&Tuned::read(&file)?, args.json) };
    let family = find_family(ladder)?;
    check_rungs(&family, &args.rungs)?;
    let device = Device::open(&args.on.device)?;
    if device.backend() == Backend::Emulator {
        return Err(Failure::input(
            "nothing can be tuned on the emulator, which does not model time",
            "run on a GPU with --device cuda:0; `lanework sweep` counts the same rungs and parameters",
        ));
    }
    let (candidates, restricted) = asked(args, &family, device.backend())?;
    let shape = shape(&family, &candidates, &device, args.hot)?;
    let key = Key::of(&device, ladder, &shape);
    let known = Tuned::read(&file)?;
    if let Some(choice) = known.lookup(&key).filter(|_| !args.again && !restricted) {
        return show_known(&key, choice, args.json);
    }
    let store = args.save.open()?;
    let tuning = {
        let progress = Progress::of(&format!("tuning {ladder}"), candidates.len() as u64);
        let mut say = |what: &str| progress.say(what);
        let mut contest = OnGpu {
            family: &family,
            candidates: &candidates,
            device: &device,
            cache: if args.hot { Cache::Hot } else { Cache::Cold },
            look: Duration::from_secs_f64(args.time_limit.unwrap_or(LOOK)),
            progress: &mut say,
        };
        best(candidates.len(), &mut contest)
    };
    save(store, args, &tuning, &DeviceRecord::of(&device))?;
    let Some(winner) = tuning.winner else {
        let why = tuning.looks.iter().find_map(|look| look.time.as_ref().err());
        let why = why.map_or("there are no candidates", String::as_str);
        return Err(Failure::Check(format!("no candidate has a time: {why}")));
    };
    let choice = choice(&candidates[winner]);
    if restricted {
        note("note: not all rungs and parameters were tried, so the choice is not stored");
    } else {
        Tuned::record(&file, &key, &choice)?;
    }
    show(
        &TunedChoice { key: &key, choice: &choice, candidates: &candidates, tuning: &tuning },
        args.json,
    )
}

/// The file of choices.
///
/// # Errors
/// If nothing names it and there is no home folder.
fn place(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let place = given.map(Path::to_owned).or_else(default_place);
    place.ok_or_else(|| {
        Failure::input(
            "the user's data folder is not known",
            format_args!("name the file of choices with --tuned FILE or {TUNED_VARIABLE}"),
        )
    })
}

/// The extents: the problem sets them, so tuning does not choose them.
const EXTENTS: [&str; 10] = ["size", "heads", "rows", "cols", "m", "n", "k", "lda", "ldb", "ldc"];

/// The candidates, and whether the options exclude some.
///
/// # Errors
/// Several values of an extent, several element types.
fn asked(
    args: &TuneArgs,
    family: &Family,
    backend: Backend,
) -> Result<(Vec<Candidate>, bool), Failure> {
    let mut problem = request(&args.numbers, backend)?;
    let mut axes: Vec<(&'static str, Vec<u64>)> = Vec::new();
    for (name, values) in &args.problem.0 {
        match (EXTENTS.contains(name), values.as_slice()) {
            (true, [value]) => problem = problem.with(name, *value),
            (true, _) => {
                return Err(Failure::input(
                    format_args!("--{name} has several values, but one command tunes one problem"),
                    "give one value, and run the command for each",
                ));
            }
            (false, values) => axes.push((name, values.to_vec())),
        }
    }
    let restricted = !args.rungs.is_empty() || !axes.is_empty();
    let given = |name: &str| axes.iter().any(|(had, _)| *had == name);
    let silent = family.sweep.iter().filter(|(name, _)| !EXTENTS.contains(name) && !given(name));
    let silent: Vec<_> = silent.map(|(name, values)| (*name, values.to_vec())).collect();
    axes.extend(silent);
    Ok((candidates(family, &problem, &axes, &args.rungs), restricted))
}

/// The class of the problem.
///
/// # Errors
/// If no candidate makes a problem.
fn shape(
    family: &Family,
    candidates: &[Candidate],
    device: &Device,
    hot: bool,
) -> Result<String, Failure> {
    let mut refused = None;
    for candidate in candidates {
        let case = family.case(&candidate.request);
        match case.and_then(|case| case.check_fits(device).map(|()| case)) {
            Ok(case) => {
                let shape = shape_class(&case.extents(), case.element());
                return Ok(if hot { format!("{shape}, hot") } else { shape });
            }
            Err(why) => refused = refused.or(Some(why)),
        }
    }
    match refused {
        Some(why) => Err(why.into()),
        None => Err(Failure::input("there are no candidates", "name rungs of the ladder")),
    }
}

/// The choice that programs look up.
fn choice(candidate: &Candidate) -> Choice {
    let parameters = candidate.parameters.iter();
    parameters.fold(Choice::new(&candidate.rung), |choice, (name, value)| choice.with(name, *value))
}

/// A choice as text.
fn words(choice: &Choice) -> String {
    let parameters = choice.parameters.iter().map(|(name, value)| format!(", {name} {value}"));
    choice.kernel.clone() + &parameters.collect::<String>()
}

/// A choice in JSON.
#[derive(Serialize)]
struct ChoiceJson<'a> {
    gpu: &'a str,
    driver: &'a str,
    version: &'a str,
    operation: &'a str,
    shape: &'a str,
    kernel: &'a str,
    parameters: &'a BTreeMap<String, u64>,
}

impl<'a> ChoiceJson<'a> {
    fn of(key: &'a Key, choice: &'a Choice) -> Self {
        let Key { gpu, driver, version, operation, shape } = key;
        let Choice { kernel, parameters } = choice;
        ChoiceJson { gpu, driver, version, operation, shape, kernel, parameters }
    }
}

/// Prints every choice.
///
/// # Errors
/// If the output cannot be written.
fn list(tuned: &Tuned, json: bool) -> Outcome {
    if json {
        let all: Vec<ChoiceJson<'_>> =
            tuned.iter().map(|(key, choice)| ChoiceJson::of(key, choice)).collect();
        return print_json(&all);
    }
    let mut rows = Table::new([
        Column::name("operation"),
        Column::label("shape").rank(0),
        Column::label("choice").rank(0),
        Column::label("GPU").rank(1),
        Column::label("driver").rank(2),
        Column::label("version").rank(3),
    ]);
    for (key, choice) in tuned.iter() {
        let Key { gpu, driver, version, operation, shape } = key;
        let cells = [operation, shape, &words(choice), gpu, driver, version];
        rows.row(cells.map(|cell| Cell::from(cell.as_str())));
    }
    match rows.is_empty() {
        true => print(
            "nothing is tuned yet; `lanework tune LADDER` on a GPU finds the fastest choice\n",
        ),
        false => print(&shown(&rows)),
    }
}

/// Prints a choice that was known.
///
/// # Errors
/// If the output cannot be written.
fn show_known(key: &Key, choice: &Choice, json: bool) -> Outcome {
    match json {
        true => print_json(&ChoiceJson::of(key, choice)),
        false => print(&prose(&format!(
            "already tuned: {} ({}) on {}: {}; --again measures again",
            key.operation,
            key.shape,
            key.gpu,
            words(choice)
        ))),
    }
}

/// The outcome in JSON.
struct TunedChoice<'a> {
    key: &'a Key,
    choice: &'a Choice,
    candidates: &'a [Candidate],
    tuning: &'a Tuning,
}

/// Prints the results.
///
/// # Errors
/// If the output cannot be written.
fn show(found: &TunedChoice<'_>, json: bool) -> Outcome {
    match json {
        true => print_json(&ChoiceJson::of(found.key, found.choice)),
        false => print(&describe(found)),
    }
}

fn describe(TunedChoice { key, choice: chosen, candidates, tuning }: &TunedChoice<'_>) -> String {
    let mut rows = Table::new([
        Column::name("candidate"),
        Column::number("first look").rank(0),
        Column::label("interleaved").rank(1),
    ]);
    let name = |candidate: usize| words(&choice(&candidates[candidate]));
    let mut text = String::new();
    for look in &tuning.looks {
        let Ok(timed) = &look.time else { continue };
        let meeting =
            tuning.meetings.iter().find(|(_, challenger, _)| *challenger == look.candidate);
        let met = meeting.map(|(champion, _, record)| {
            let change = 100.0 * (record.ratio - 1.0);
            format!("{} {change:+.2} % against {}", record.verdict.name(), name(*champion))
        });
        let best = tuning.winner == Some(look.candidate);
        let cell = Cell::from(name(look.candidate));
        let time = match &timed.invalid {
            Some(_) => "INVALID".to_owned(),
            None => duration(timed.summary.median_ns),
        };
        rows.row([
            if best { cell.tone(Tone::Good) } else { cell },
            time.into(),
            met.unwrap_or_default().into(),
        ]);
    }
    text.push_str(&shown(&rows));
    for look in &tuning.looks {
        if let Err(why) = &look.time {
            text.push_str(&listed("  ", &format!("{}: skipped: {why}", name(look.candidate))));
        }
    }
    text + &prose(&format!(
        "chosen for {} ({}) on {}: {}",
        key.operation,
        key.shape,
        key.gpu,
        words(chosen)
    ))
}

/// Stores measurements and comparisons, if there is a `store`.
///
/// # Errors
/// If the store cannot be written.
fn save(store: Option<Store>, args: &TuneArgs, tuning: &Tuning, device: &DeviceRecord) -> Outcome {
    let looks = tuning.looks.iter().filter_map(|look| look.time.as_ref().ok());
    let meetings = tuning.meetings.iter().map(|(_, _, record)| Point::Compared(record));
    let points: Vec<Point<'_>> = looks.map(|timed| Point::Timed(timed)).chain(meetings).collect();
    let plan = Plan::of_timed(RunKind::Tune, points.len(), device);
    Saving::whole(store, &args.save, &plan, &points)
}
