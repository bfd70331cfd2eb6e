//! The `lanework` command: climb the ladders, run a rung on your own data, see what devices there
//! are.
//!
//! Exit codes: 0 when all is well, 1 when a check failed, 2 for bad input or usage.

mod args;
mod argument;
mod book;
mod commands;
mod experiments;
mod failure;
mod fidelity_page;
mod findings;
mod npy;
mod output;
mod pictures;
mod problem;
mod profiles;
mod source;
mod subject;
mod suggest;
mod tables;

use args::{Arguments, CheckKernelArgs, Command, KernelArgs, LookKernelArgs, ProfileKernelArgs};
use clap::Parser;
use failure::Failure;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    failure::report_bugs_politely();
    let outcome = if names_a_kernel("check", std::env::args_os().skip(1)) {
        let args = CheckKernelArgs::parse_from(std::env::args_os().skip(1));
        failure::catch_bugs(|| commands::check::run_kernel(&args))
    } else if names_a_kernel("profile", std::env::args_os().skip(1)) {
        let args = ProfileKernelArgs::parse_from(std::env::args_os().skip(1));
        failure::catch_bugs(|| commands::profile::run_kernel(&args))
    } else if names_a_kernel("look", std::env::args_os().skip(1)) {
        let args = LookKernelArgs::parse_from(std::env::args_os().skip(1));
        failure::catch_bugs(|| commands::look::run_kernel(&args))
    } else if names_a_kernel("run", std::env::args_os().skip(1)) {
        let args = KernelArgs::parse_from(std::env::args_os().skip(1));
        failure::catch_bugs(|| commands::kernel::run(&args))
    } else {
        let arguments = Arguments::parse();
        failure::catch_bugs(|| run(arguments.command))
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Whether the command line is `COMMAND FILE ..` with a file of PTX or CUDA C++, which has options of
/// its own.
fn names_a_kernel(command: &str, mut arguments: impl Iterator<Item = OsString>) -> bool {
    let is_run = arguments.next().is_some_and(|given| given == command);
    let is_file = |argument: OsString| {
        Path::new(&argument).extension().is_some_and(|kind| kind == "ptx" || kind == "cu")
    };
    is_run && arguments.next().is_some_and(is_file)
}

/// Runs a command.
///
/// # Errors
/// What the command's own `run` says.
fn run(command: Command) -> Outcome {
    match command {
        Command::Devices(args) => commands::devices::run(&args),
        Command::List(args) => commands::list::run(&args),
        Command::Hello(args) => commands::hello::run(&args),
        Command::Climb(args) => commands::climb::run(&args),
        Command::Sweep(args) => commands::sweep::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Profile(args) => commands::profile::run(&args),
        Command::Look(args) => commands::look::run(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::Experiments(args) => commands::experiments::run(&args),
        Command::Book(args) => commands::book::run(&args),
        Command::Fidelity(args) => commands::fidelity::run(&args),
        Command::Streams(args) => commands::streams::run(&args),
        Command::Inspect(args) => commands::inspect::run(&args),
        Command::Coverage(args) => commands::coverage::run(&args),
        Command::Conform(args) => commands::conform::run(&args),
        Command::Gpus(args) => commands::gpus::run(&args),
    }
}

/// What a command returns.
type Outcome = Result<(), Failure>;
