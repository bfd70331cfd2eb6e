//! The emulator's speed on real PTX, compared with the demands on it and with `PoCL`, which compiles
//! the same kernels to native code.
//!
//! `cargo bench -p lanework-emulator --bench engine` runs every kernel; see [`options`] for what may follow
//! `--`. Each kernel is checked against a host reference before and after it is timed; a wrong one is
//! not timed, and the program then exits with 1. An unmet demand does not change the exit code.

mod cases;
mod demands;
mod emulated;
mod job;
mod machine;
mod measure;
mod options;
mod pocl;
mod report;

use cases::{CASES, Case};
use machine::Machine;
use measure::Label;
use options::Options;
use report::{Report, Row};
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = match Options::from_arguments(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(stop) => return stop.explain(),
    };
    let machine = Machine::describe();
    let native = match options.only {
        Some(engine) => Err(format!("only {} was asked for", engine.name())),
        None => pocl::Platform::open(),
    };
    let mut report = Report::start(&options, &machine, native.as_ref().err());
    for case in CASES.iter().filter(|case| options.selects(case.name)) {
        report.case(case, run(case, &options, &machine, native.as_ref().ok()));
    }
    report.finish()
}

/// Verifies and times one kernel on every engine, and compares it with the demands.
fn run(
    case: &'static Case,
    options: &Options,
    machine: &Machine,
    native: Option<&pocl::Platform>,
) -> Vec<Row> {
    let job = (case.job)(case.threads());
    let mut subjects = emulated::subjects(case, &job, machine);
    if let Some(platform) = native {
        subjects.extend(platform.subjects(case, &job, machine));
    }
    let wanted =
        |label: Label| options.only.is_none_or(|engine| label == Label { engine, workers: 1 });
    subjects.retain(|(label, _)| wanted(*label));
    let (mut proven, mut rows) = (Vec::new(), Vec::new());
    for (label, subject) in subjects {
        match subject.and_then(|mut subject| measure::prove(&mut *subject, &job).map(|()| subject))
        {
            Ok(subject) => proven.push((label, subject)),
            Err(why) => rows.push(Row::failed(label, why)),
        }
    }
    let timings = measure::interleaved(&mut proven, options.effort());
    for ((label, mut subject), timing) in proven.into_iter().zip(timings) {
        rows.push(match timing.and_then(|t| measure::prove(&mut *subject, &job).map(|()| t)) {
            Ok(timing) => Row::timed(label, job.lane_instructions, timing),
            Err(why) => Row::failed(label, why),
        });
    }
    rows.sort_by_key(|row| row.label);
    demands::judge(case.class, machine, &mut rows);
    rows
}
