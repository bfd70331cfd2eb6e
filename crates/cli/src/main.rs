//! The `lanework` command: run, check, profile and draw kernels of PTX and CUDA C++ files, and climb the
//! ladders of kernels that come with it.
//!
//! Exit codes: 0 when all is well, 1 when a check failed, 2 for bad input or usage, 3 when a comparison found what is
//! slower.

mod args;
mod argument;
mod checked;
mod commands;
mod driver;
mod features;
mod findings;
#[cfg(feature = "report")]
mod gather;
mod kernel_file;
mod kernel_timing;
mod known_gpus;
mod npy;
mod pictures;
mod points;
mod problem;
mod program;
mod ptxas;
mod repository;
mod sarif;
mod saving;
mod source;
mod struct_argument;
mod subject;
mod suggest;
mod tables;

use args::{
    Arguments, BenchKernelArgs, CheckKernelArgs, Command, CompareKernelArgs, InspectFileArgs,
    InspectProgramArgs, KernelArgs, LookKernelArgs, LookProgramArgs, ProfileKernelArgs,
};
use lanework_terminal::arguments::parse;
use lanework_terminal::failure::Outcome;
use lanework_terminal::{failure, finish, start, stopped};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    failure::report_bugs_politely();
    #[cfg(feature = "judge")]
    if let Some(code) = commands::judge::worker() {
        return code;
    }
    let line: Vec<OsString> = std::env::args_os().collect();
    if ptxas::is_meant(&line) {
        return ptxas::run(&line);
    }
    let line = match start(args::with_separator(line)) {
        Ok(line) => line,
        Err(code) => return code,
    };
    let outcome = if let Some(line) = file_command("check", &line) {
        let args = parse::<CheckKernelArgs>(line);
        failure::catch_bugs(|| commands::check::run_kernel(&args))
    } else if let Some(line) = file_command("profile", &line) {
        let args = parse::<ProfileKernelArgs>(line);
        failure::catch_bugs(|| commands::profile::run_kernel(&args))
    } else if let Some(line) = file_command("look", &line) {
        let args = parse::<LookKernelArgs>(line);
        failure::catch_bugs(|| commands::look::run_kernel(&args))
    } else if let Some(line) = inspected_file(&line) {
        let args = parse::<InspectFileArgs>(line);
        failure::catch_bugs(|| commands::inspect::run(&args))
    } else if let Some(line) = file_command("bench", &line) {
        let args = parse::<BenchKernelArgs>(line);
        failure::catch_bugs(|| commands::bench::run_kernel(&args))
    } else if let Some(line) = file_command("compare", &line) {
        let args = parse::<CompareKernelArgs>(line);
        failure::catch_bugs(|| commands::compare::run_kernel(&args))
    } else if let Some(line) = program_command("look", &line) {
        let args = parse::<LookProgramArgs>(line);
        failure::catch_bugs(|| commands::look::run_program(&args))
    } else if let Some(line) = program_command("inspect", &line) {
        let args = parse::<InspectProgramArgs>(line);
        failure::catch_bugs(|| commands::inspect::run_program(&args))
    } else if let Some(line) = file_command("run", &line) {
        let args = parse::<KernelArgs>(line);
        failure::catch_bugs(|| commands::kernel::run(&args))
    } else {
        let arguments = match Arguments::parse_line(&line) {
            Ok(arguments) => arguments,
            Err(error) => match args::moved(&error) {
                Some(failure) => return stopped::report(&failure),
                None => stopped::usage(&error),
            },
        };
        failure::catch_bugs(|| run(arguments.command))
    };
    finish(outcome)
}

/// The command line from the command on, if it is `command`. clap shows the first word as its name.
fn line_of(command: &str, line: &[OsString]) -> Option<Vec<OsString>> {
    let mut arguments = line.iter().skip(1);
    arguments.next().filter(|given| *given == command)?;
    let name = OsString::from(format!("lanework {command}"));
    Some(std::iter::once(name).chain(arguments.cloned()).collect())
}

/// The command line if it is `command` with a PTX or CUDA C++ file among its arguments. Such a file takes other
/// options than a rung.
fn file_command(command: &str, line: &[OsString]) -> Option<Vec<OsString>> {
    let line = line_of(command, line)?;
    let is_file = |argument: &OsString| {
        Path::new(argument).extension().is_some_and(|kind| kind == "ptx" || kind == "cu")
    };
    let own = line.split(|argument| argument == "--").next().unwrap_or_default();
    own.iter().skip(1).any(is_file).then_some(line)
}

/// The command line if it is `inspect` with a file, which may have any name that is not a rung's.
fn inspected_file(line: &[OsString]) -> Option<Vec<OsString>> {
    file_command("inspect", line).or_else(|| {
        let line = line_of("inspect", line)?;
        let own = line.split(|argument| argument == "--").next().unwrap_or_default();
        own.iter().skip(1).any(|argument| Path::new(argument).is_file()).then_some(line)
    })
}

/// The command line if it is `command` with a program after `--`.
fn program_command(command: &str, line: &[OsString]) -> Option<Vec<OsString>> {
    line_of(command, line).filter(|line| line.iter().any(|argument| argument == "--"))
}

/// Runs a command.
///
/// # Errors
/// The errors of the command.
fn run(command: Command) -> Outcome {
    match command {
        Command::Devices(args) => commands::devices::run(&args),
        Command::List(args) => commands::list::run(&args),
        Command::Hello(args) => commands::hello::run(&args),
        Command::Climb(args) if args.ladder.as_deref() == Some(commands::several::NAME) => {
            commands::several::run(&args)
        }
        Command::Climb(args) => commands::climb::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Roofline(args) => commands::roofline::run(&args),
        Command::Sweep(args) => commands::sweep::run(&args),
        Command::Tune(args) => commands::tune::run(&args),
        #[cfg(feature = "history")]
        Command::History(args) => commands::history::run(&args),
        #[cfg(not(feature = "history"))]
        Command::History(_) => Err(features::built_without("history")),
        #[cfg(feature = "report")]
        Command::Report(args) => commands::report::run(&args),
        #[cfg(not(feature = "report"))]
        Command::Report(_) => Err(features::built_without("report")),
        Command::Check(args) => commands::check::run(&args),
        Command::Profile(args) => commands::profile::run(&args),
        Command::Look(args) => commands::look::run(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::Streams(args) => commands::streams::run(&args),
        Command::Inspect(args) => commands::inspect::run_rungs(&args),
        Command::Exec(args) => commands::exec::run(&args),
        #[cfg(feature = "judge")]
        Command::Judge(args) => commands::judge::run(&args),
        #[cfg(not(feature = "judge"))]
        Command::Judge(_) => Err(features::built_without("judge")),
        Command::New(args) => commands::new::run(&args),
        Command::Gpus(args) => commands::gpus::run(&args),
    }
}
