//! The `lanework-lab` command: compares the emulator with recorded results of a GPU, runs the experiments, and writes
//! the generated pages of the documentation.
//!
//! Exit codes: 0 success, 1 a check failed, 2 bad input or usage.

mod args;
mod book;
mod conform;
mod coverage;
mod experiments;
mod fidelity;
mod latencies;
mod predict_check;

use args::{Arguments, Command};
use lanework_terminal::{failure, finish, parse, start};
use std::process::ExitCode;

fn main() -> ExitCode {
    failure::report_bugs_politely();
    let line = match start(std::env::args_os().collect()) {
        Ok(line) => line,
        Err(code) => return code,
    };
    let arguments = parse::<Arguments>(line);
    finish(failure::catch_bugs(|| match arguments.command {
        Command::Experiments(args) => experiments::run(&args),
        Command::Coverage(args) => coverage::run(&args),
        Command::Conform(args) => conform::run(&args),
        Command::Fidelity(args) => fidelity::run(&args),
        Command::Latencies(args) => latencies::run(&args),
        Command::PredictCheck(args) => predict_check::run(&args),
        Command::Book(args) => book::run(&args),
    }))
}
