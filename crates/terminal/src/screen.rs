//! Width and color of the terminal, and the options that override them.
//!
//! If standard output is not a terminal, lines are not limited, so that a file is complete. If `COLUMNS` is set,
//! it applies in both cases.

use anstream::ColorChoice;
use clap::{Arg, ArgMatches, Command};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::sync::OnceLock;

/// The columns that `--columns` names.
static COLUMNS: OnceLock<Vec<String>> = OnceLock::new();

const HEADING: &str = "Terminal";

/// The command with the options of every command.
pub fn with_options(command: Command) -> Command {
    let color = Arg::new("color")
        .long("color")
        .value_name("WHEN")
        .value_parser(["auto", "always", "never"])
        .default_value("auto")
        .hide_possible_values(true)
        .help("Color the output: auto (on a terminal, unless NO_COLOR is set), always, never");
    let columns = Arg::new("columns")
        .long("columns")
        .value_name("NAMES")
        .value_delimiter(',')
        .help(
            "Columns of tables to show, or `all` [default: those that fit the terminal, or COLUMNS if set; all \
             in a pipe or file]",
        );
    [color, columns]
        .into_iter()
        .fold(command, |command, arg| command.arg(arg.global(true).help_heading(HEADING)))
}

/// Takes the choice of color from a command line that is not parsed yet, so that errors and help follow it.
pub fn color_of(line: impl IntoIterator<Item = OsString>) {
    let mut line = line.into_iter().take_while(|argument| argument != "--");
    while let Some(argument) = line.next() {
        let Some(argument) = argument.to_str() else { continue };
        let when = match argument.strip_prefix("--color") {
            Some("") => line.next().and_then(|when| when.into_string().ok()),
            Some(when) => when.strip_prefix('=').map(str::to_owned),
            None => None,
        };
        match when.as_deref() {
            Some("always") => ColorChoice::Always.write_global(),
            Some("never") => ColorChoice::Never.write_global(),
            _ => {}
        }
    }
}

/// Takes the options of every command from a parsed command line.
pub fn apply(matches: &ArgMatches) {
    let matches = matches.subcommand().map_or(matches, |(_, inner)| inner);
    let columns = matches.try_get_many::<String>("columns").ok().flatten();
    if let Some(columns) = columns {
        // A process has one command line.
        let _ = COLUMNS.set(columns.cloned().collect());
    }
}

/// The columns that were asked for.
pub fn columns_asked() -> Option<&'static [String]> {
    COLUMNS.get().map(Vec::as_slice)
}

/// Columns of a line of help.
pub fn of_help() -> usize {
    const MOST: usize = 100;
    width().map_or(MOST, |width| width.min(MOST))
}

/// Columns of a line of standard output; `None` if there is no limit.
pub fn width() -> Option<usize> {
    width_of(&std::io::stdout())
}

/// The same for standard error.
pub fn width_of_errors() -> Option<usize> {
    width_of(&std::io::stderr())
}

fn width_of(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let given = given.filter(|columns| *columns > 0);
    given.or_else(|| {
        let size = stream.is_terminal().then(|| terminal_size::terminal_size_of(stream)).flatten();
        // A terminal without a known size, such as a serial line, reports 0.
        size.map(|(width, _)| usize::from(width.0)).filter(|columns| *columns > 0)
    })
}
