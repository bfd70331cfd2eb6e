//! The `lanework` command: runs, checks, profiles and draws kernels of PTX and CUDA C++ files, and runs the
//! built-in ladders of kernels.
//!
//! Exit codes: 0 success, 1 a check failed, 2 bad input or usage, 3 the second side of a comparison is slower, 10 to 13
//! a check that is not complete (the exit codes of [`program`]).

mod args;
mod commands;
mod findings;
#[cfg(feature = "report")]
mod gather;
mod kernel_file;
mod npy;
mod pictures;
mod problem;
mod program;
mod saving;
mod tables;

use args::{Arguments, Command, Grammar, grammar};
use clap::Parser;
use lanework_terminal::failure::Outcome;
use lanework_terminal::{failure, finish, parse, start, usage};
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    failure::report_bugs_politely();
    #[cfg(feature = "judge")]
    if let Some(code) = commands::judge::worker() {
        return code;
    }
    let line: Vec<OsString> = std::env::args_os().collect();
    if program::ptxas::is_meant(&line) {
        return program::ptxas::run(&line);
    }
    #[cfg(all(unix, feature = "host"))]
    if std::env::var_os(program::host::VARIABLE).is_some() {
        return finish(failure::catch_bugs(|| program::host::worker(&line)));
    }
    let misplaced = args::tool_of_run(&line);
    #[cfg(all(unix, feature = "host"))]
    let line = args::as_program(line, program::host::are_sources);
    let line = match start(args::with_separator(line)) {
        Ok(line) => line,
        Err(code) => return code,
    };
    if let Some(failure) = misplaced {
        return finish(Err(failure));
    }
    let args::CommandLine { command, grammar, arguments } = grammar(&line);
    finish(match (grammar, command.as_str()) {
        (Grammar::File, "run") => run_parsed(arguments, commands::kernels::run::run_file),
        (Grammar::File, "check") => run_parsed(arguments, commands::kernels::check::run_kernel),
        (Grammar::File, "profile") => run_parsed(arguments, commands::kernels::profile::run_kernel),
        (Grammar::File, "predict") => run_parsed(arguments, commands::kernels::predict::run_kernel),
        (Grammar::File, "look") => run_parsed(arguments, commands::kernels::look::run_kernel),
        (Grammar::File, "debug") => run_parsed(arguments, commands::kernels::debug::run_kernel),
        (Grammar::File, "inspect") => run_parsed(arguments, commands::kernels::inspect::run),
        (Grammar::File, "bench") => run_parsed(arguments, commands::timing::bench::run_kernel),
        (Grammar::File, "compare") => run_parsed(arguments, commands::timing::compare::run_kernel),
        #[cfg(feature = "report")]
        (Grammar::File, "report") => run_parsed(arguments, commands::stored::report::run_kernel),
        (Grammar::Program, "debug") => run_parsed(arguments, commands::kernels::debug::run_program),
        (Grammar::Program, "look") => run_parsed(arguments, commands::kernels::look::run_program),
        (Grammar::Program, "inspect") => {
            run_parsed(arguments, commands::kernels::inspect::run_program)
        }
        _ => match Arguments::parse_line(&line) {
            Ok(arguments) => failure::catch_bugs(|| run(arguments.command)),
            Err(error) => {
                let known = args::moved(&error).or_else(|| args::not_a_kernel(&error, &line));
                Err(known.unwrap_or_else(|| usage(&error)))
            }
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
        Command::Devices(args) => commands::devices::list(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::List(args) => commands::ladders::list::run(&args),
        Command::Hello(args) => commands::devices::hello(&args),
        Command::Climb(args)
            if args.ladder.as_deref() == Some(commands::ladders::climb::MULTI_GPU) =>
        {
            commands::ladders::climb::run_multi_gpu(&args)
        }
        Command::Climb(args) => commands::ladders::climb::run(&args),
        Command::Bench(args) => commands::timing::bench::run(&args),
        Command::Compare(args) => commands::timing::compare::run(&args),
        Command::Roofline(args) => commands::timing::roofline::run(&args),
        Command::Sweep(args) => commands::ladders::sweep::run(&args),
        Command::Tune(args) => commands::timing::tune::run(&args),
        #[cfg(feature = "history")]
        Command::History(args) => commands::stored::history::run(&args),
        #[cfg(not(feature = "history"))]
        Command::History(_) => Err(args::built_without("history")),
        #[cfg(feature = "report")]
        Command::Report(args) => commands::stored::report::run(&args),
        #[cfg(not(feature = "report"))]
        Command::Report(_) => Err(args::built_without("report")),
        Command::Check(args) => commands::kernels::check::run(&args),
        Command::Profile(args) => commands::kernels::profile::run(&args),
        Command::Predict(args) => commands::kernels::predict::run(&args),
        Command::Debug(args) => commands::kernels::debug::run(&args),
        Command::Look(args) => commands::kernels::look::run(&args),
        Command::Run(args) => commands::kernels::run::run(&args),
        Command::Streams(args) => commands::devices::streams(&args),
        Command::Inspect(args) => commands::kernels::inspect::run_rungs(&args),
        Command::Exec(args) => commands::kernels::exec::run(&args),
        #[cfg(feature = "judge")]
        Command::Judge(args) => commands::judge::run(&args),
        #[cfg(not(feature = "judge"))]
        Command::Judge(_) => Err(args::built_without("judge")),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => commands::mcp::run(&args),
        #[cfg(not(feature = "mcp"))]
        Command::Mcp(_) => Err(args::built_without("mcp")),
        Command::Exercise(args) => commands::exercise::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::New(args) => commands::new::run(&args),
        Command::Gpus(args) => commands::devices::gpus(&args),
    }
}
