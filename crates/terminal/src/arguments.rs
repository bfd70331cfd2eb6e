//! Parsing of command lines, and the options that several commands take.

use crate::failure::{Failure, Outcome};
use crate::{screen, stopped, words};
use clap::{Args, Command, Parser};
use lanework::Backend;
use std::ffi::OsString;

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
/// A remedy, if it is not such a number.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 3600.0 => Ok(seconds),
        _ => Err("give a number of seconds over 0 and up to 3600".to_owned()),
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
        screen::apply(&matches);
        T::from_arg_matches(&matches)
    });
    parsed.unwrap_or_else(|error| stopped::usage(&error))
}

/// The command with `--lang`, `--color` and `--columns`, its help in the language of the user.
pub fn with_common_options(command: Command) -> Command {
    words::command(screen::with_options(command))
}

/// The command whose options accept negative numbers as values: the value's parser reports invalid ones.
pub fn with_negative_values(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let is_option = !arg.is_positional() && arg.get_action().takes_values();
        if is_option { arg.allow_negative_numbers(true) } else { arg }
    });
    command.mut_subcommands(with_negative_values)
}
