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

use args::{Arguments, Command, Grammar, grammar};
use clap::Parser;
use lanework_terminal::arguments::parse;
use lanework_terminal::failure::Outcome;
use lanework_terminal::{failure, finish, start, stopped};
use std::ffi::OsString;
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
    let args::Line { command, grammar, arguments } = grammar(&line);
    finish(match (grammar, command.as_str()) {
        (Grammar::File, "run") => run_parsed(arguments, commands::kernel::run),
        (Grammar::File, "check") => run_parsed(arguments, commands::check::run_kernel),
        (Grammar::File, "profile") => run_parsed(arguments, commands::profile::run_kernel),
        (Grammar::File, "look") => run_parsed(arguments, commands::look::run_kernel),
        (Grammar::File, "inspect") => run_parsed(arguments, commands::inspect::run),
        (Grammar::File, "bench") => run_parsed(arguments, commands::bench::run_kernel),
        (Grammar::File, "compare") => run_parsed(arguments, commands::compare::run_kernel),
        (Grammar::Program, "look") => run_parsed(arguments, commands::look::run_program),
        (Grammar::Program, "inspect") => run_parsed(arguments, commands::inspect::run_program),
        _ => match Arguments::parse_line(&line) {
            Ok(arguments) => failure::catch_bugs(|| run(arguments.command)),
            Err(error) => Err(args::moved(&error).unwrap_or_else(|| stopped::usage(&error))),
        },
    })
}

/// Parses the arguments of a command, and runs it. Ends the process if they are invalid or ask for help.
fn run_parsed<T: Parser>(arguments: Vec<OsString>, command: impl Fn(&T) -> Outcome) -> Outcome {
    let arguments = parse::<T>(arguments);
    failure::catch_bugs(|| command(&arguments))
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
