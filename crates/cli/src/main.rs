//! The `lanework` command: climb the ladders, run a rung on your own data, see what devices there
//! are.
//!
//! Exit codes: 0 when all is well, 1 when a check failed, 2 for bad input or usage.

mod args;
mod book;
mod commands;
mod experiments;
mod failure;
mod npy;
mod output;
mod problem;
mod suggest;
mod tables;

use args::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    failure::report_bugs_politely();
    let arguments = Arguments::parse();
    let outcome = failure::catch_bugs(|| match arguments.command {
        Command::Devices(args) => commands::devices::run(&args),
        Command::List(args) => commands::list::run(&args),
        Command::Hello(args) => commands::hello::run(&args),
        Command::Climb(args) => commands::climb::run(&args),
        Command::Sweep(args) => commands::sweep::run(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::Experiments(args) => commands::experiments::run(&args),
        Command::Book(args) => commands::book::run(&args),
        Command::Streams(args) => commands::streams::run(&args),
        Command::Gpus(args) => commands::gpus::run(&args),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// What a command returns.
type Outcome = Result<(), Failure>;
