//! Shared by the commands `lanework` and `lanework-lab`: parsing, options of several commands, tables, progress,
//! reports of failures with exit codes, and the translation of everything that a terminal shows.
//!
//! A command's `main` is [`start`], its own parser, and [`finish`]:
//!
//! ```no_run
//! use lanework_terminal::{failure, finish, output, parse, start};
//!
//! #[derive(clap::Parser)]
//! struct Arguments {}
//!
//! fn main() -> std::process::ExitCode {
//!     let line = match start(std::env::args_os().collect()) {
//!         Ok(line) => line,
//!         Err(code) => return code,
//!     };
//!     let _arguments = parse::<Arguments>(line);
//!     finish(failure::catch_bugs(|| output::print("text for people, in their language\n")))
//! }
//! ```

mod excerpt;
pub mod failure;
pub mod output;
pub mod progress;
pub mod table;
pub mod words;

use clap::{Args, Command, Parser};
use failure::{Failure, Outcome};
use lanework::Backend;
use lanework::emulator::Fault;
use output::{asks_for_json, json_was_printed, note, print_json, width_of_errors, wrapped};
use serde::Serialize;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Reads the language and the choice of color from the command line, and returns the line without `--lang`.
///
/// # Errors
/// An exit code, after an error message, if `LANEWORK_LANG` names an unknown language.
pub fn start(line: Vec<OsString>) -> Result<Vec<OsString>, ExitCode> {
    let (line, language) = words::without_option(line);
    match words::choose(language, &|name| std::env::var(name).ok()) {
        Ok(language) => words::speak(language),
        Err(other) => {
            return Err(report(&Failure::input(
                format_args!("LANEWORK_LANG is `{other}`, which is not a supported language"),
                "set it to en or zh, or unset it",
            )));
        }
    }
    output::color_of(line.iter().skip(1).cloned());
    Ok(line)
}

/// Checks that `--columns` named columns of the printed tables, prints the failure, and returns the exit code.
pub fn finish(outcome: Outcome) -> ExitCode {
    match outcome.and_then(|()| table::check_columns()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => report(&failure),
    }
}

/// The device, for every command that takes one.
#[derive(Clone, Debug, Args)]
pub struct On {
    /// Where to run: best (a GPU if there is one), emulator, or cuda:N.
    #[arg(long, default_value = "best", value_name = "DEVICE")]
    pub device: String,
}

/// Parses a positive number of seconds, at most 3600.
///
/// # Errors
/// If it is not such a number; the message says what to give.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 3600.0 => Ok(seconds),
        _ => Err("give a number of seconds greater than 0 and up to 3600".to_owned()),
    }
}

/// Rejects a time limit on the emulator, which has no times to sample.
///
/// # Errors
/// If there is a limit for the emulator.
pub fn check_time_limit(limit: Option<f64>, backend: Backend) -> Outcome {
    match (limit, backend) {
        (Some(seconds), Backend::Emulator) => Err(Failure::input(
            format_args!("--time-limit {seconds} is not used: the emulator does not model time"),
            "remove --time-limit, or run on a GPU with --device cuda:0",
        )),
        _ => Ok(()),
    }
}

/// Parses a command line; prints the error or the help and ends the process if there is nothing to run.
pub fn parse<T: Parser>(line: Vec<OsString>) -> T {
    let command = with_negative_values(with_common_options(T::command()));
    let parsed = command.try_get_matches_from(line).and_then(|matches| {
        output::apply(&matches);
        T::from_arg_matches(&matches)
    });
    parsed.unwrap_or_else(|error| usage(&error))
}

/// The command with `--lang`, `--color` and `--columns`, its help in the language of the user.
pub fn with_common_options(command: Command) -> Command {
    words::command(output::with_options(command))
}

/// The command whose options accept negative numbers as values: the value's parser reports invalid ones.
pub fn with_negative_values(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let is_option = !arg.is_positional() && arg.get_action().takes_values();
        if is_option { arg.allow_negative_numbers(true) } else { arg }
    });
    command.mut_subcommands(with_negative_values)
}

/// Prints the failure and returns its exit code. If the command line requests JSON and nothing has been printed yet,
/// the failure goes to standard output as one JSON object.
pub fn report(failure: &Failure) -> ExitCode {
    let json = match failure {
        Failure::OutputClosed => return ExitCode::from(CLOSED),
        Failure::Program(code) => return ExitCode::from(*code),
        Failure::Check(message) => ErrorJson::new("check", message, 1),
        Failure::Input(message) => ErrorJson::new("input", message, 2),
        Failure::Incomplete(code, message) => ErrorJson::new("incomplete", message, *code),
        Failure::Regression(message) => ErrorJson::new("regression", message, 3),
        Failure::Library(error) => ErrorJson::of(error),
        Failure::Bug => ErrorJson::new("bug", "lanework has a bug", BUG),
    };
    if !matches!(failure, Failure::Bug) {
        let red = anstyle::AnsiColor::Red.on_default().bold();
        let message = format!("{red}error:{red:#} {}", json.message);
        note(&message);
    }
    let code = json.exit_code;
    json.print_if_asked();
    ExitCode::from(code)
}

/// The exit code if the reader closed the output. A shell reports the same code for a program that SIGPIPE ends. It is not
/// 0, because the command may have stopped before it had checked everything.
const CLOSED: u8 = 128 + 13;

/// The exit code of a bug: `EX_SOFTWARE` in sysexits.h.
const BUG: u8 = 70;

/// Ends the process if the command line cannot be parsed, or requests help.
pub fn usage(error: &clap::Error) -> ! {
    let text = words::of_clap(error);
    // Ignore broken pipes.
    let _ = match error.use_stderr() {
        true => {
            let text = wrapped(&text, width_of_errors());
            anstream::stderr().write_all(text.as_bytes())
        }
        false => anstream::stdout().write_all(text.as_bytes()),
    };
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    if error.use_stderr() {
        ErrorJson::new("usage", error.to_string().trim_end(), code).print_if_asked();
    }
    std::process::exit(code.into())
}

/// Why a command stopped, in JSON.
#[derive(Serialize)]
pub struct ErrorJson {
    /// The kind of error: `check`, `input`, `usage` and so on, or the name of a fault or of an error of the library.
    kind: &'static str,
    /// The message, as on standard error.
    message: String,
    /// The exit code.
    exit_code: u8,
    /// The location of a kernel's fault.
    #[serde(flatten)]
    place: Option<PlaceJson>,
}

/// The location of a kernel's fault, as JSON.
#[derive(Serialize)]
struct PlaceJson {
    kernel: String,
    block: [u32; 3],
    thread: [u32; 3],
    instruction: String,
    file: Option<String>,
    line: u32,
    address: Option<u64>,
}

impl ErrorJson {
    fn new(kind: &'static str, message: &str, exit_code: u8) -> ErrorJson {
        // Diagnostics of PTX already begin with `error: `.
        let message = message.strip_prefix("error: ").unwrap_or(message).to_owned();
        ErrorJson { kind, message, exit_code, place: None }
    }

    /// An error of the library.
    pub fn of(error: &lanework::Error) -> ErrorJson {
        let code = if error.is_kernel_fault() { 1 } else { 2 };
        let place = error.fault().map(PlaceJson::of);
        ErrorJson { place, ..ErrorJson::new(error.kind(), &error.to_string(), code) }
    }

    /// A fault that stopped a kernel.
    pub fn of_fault(fault: &Fault) -> ErrorJson {
        let place = Some(PlaceJson::of(fault));
        ErrorJson { place, ..ErrorJson::new(fault.kind.name(), &fault.to_string(), 1) }
    }

    /// The same error with another exit code.
    #[must_use]
    pub fn with_code(self, exit_code: u8) -> ErrorJson {
        ErrorJson { exit_code, ..self }
    }

    /// Prints the object if the command line asks for JSON and none was printed.
    fn print_if_asked(self) {
        #[derive(Serialize)]
        struct Stopped {
            error: ErrorJson,
        }
        if asks_for_json() && !json_was_printed() {
            // An error while printing must not replace the failure.
            let _ = print_json(&Stopped { error: self });
        }
    }
}

impl PlaceJson {
    fn of(fault: &Fault) -> PlaceJson {
        PlaceJson {
            kernel: fault.kernel.clone(),
            block: fault.block,
            thread: fault.thread,
            instruction: fault.instruction.clone(),
            file: fault.location.as_ref().map(|at| at.file.clone()),
            line: fault.location.as_ref().map_or(fault.text_line, |at| at.line),
            address: fault.address,
        }
    }
}
