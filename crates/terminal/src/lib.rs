//! Shared by the commands `lanework` and `lanework-lab`: parsing, tables, progress, errors with exit codes, and the
//! translation of everything that a terminal shows.
//!
//! A command's `main` is [`start`], its own parser, and [`finish`]:
//!
//! ```no_run
//! use lanework_terminal::{arguments, failure, finish, output, start};
//!
//! #[derive(clap::Parser)]
//! struct Arguments {}
//!
//! fn main() -> std::process::ExitCode {
//!     let line = match start(std::env::args_os().collect()) {
//!         Ok(line) => line,
//!         Err(code) => return code,
//!     };
//!     let _arguments = arguments::parse::<Arguments>(line);
//!     finish(failure::catch_bugs(|| output::print("text for people, in their language\n")))
//! }
//! ```

pub mod arguments;
pub mod failure;
pub mod output;
pub mod progress;
pub mod screen;
pub mod stopped;
pub mod table;
pub mod words;

use failure::{Failure, Outcome};
use std::ffi::OsString;
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
            return Err(stopped::report(&Failure::input(
                format_args!("LANEWORK_LANG is `{other}`, which lanework does not speak"),
                "set it to en or zh, or unset it",
            )));
        }
    }
    screen::color_of(line.iter().skip(1).cloned());
    Ok(line)
}

/// Checks that `--columns` named columns of the printed tables, prints the failure, and returns the exit code.
pub fn finish(outcome: Outcome) -> ExitCode {
    match outcome.and_then(|()| table::check_columns()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => stopped::report(&failure),
    }
}
