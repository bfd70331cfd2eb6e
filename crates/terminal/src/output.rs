//! Output: text in the language of the user, files, and JSON for machines. Text is wrapped at spaces to the width of
//! the terminal; quoted source is not, nor are tables if `--columns` is given.
//!
//! If standard output is not a terminal, lines are not limited, so that a file is complete. If `COLUMNS` is set,
//! it applies in both cases.

pub use lanework::emulator::words::{bytes, short_count, thousands};

use crate::excerpt::fitted;
use crate::failure::Failure;
use crate::words;
use anstream::ColorChoice;
use clap::{Arg, ArgMatches, Command};
use lanework::report::layout::{columns, hanging};
use serde::Serialize;
use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{IsTerminal, Write};
#[cfg(unix)]
use std::os::fd::AsFd as AsStream;
#[cfg(windows)]
use std::os::windows::io::AsHandle as AsStream;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints text to standard output, in the user's language. A closed pipe ends the command without a message, with the exit
/// code of a program that such a write ends.
///
/// # Errors
/// If the output cannot be written.
pub fn print(text: &str) -> Result<(), Failure> {
    print_data(&wrapped(&words::say(text), width()))
}

/// Prints data to standard output: JSON, CSV, PTX, source. It is the same in every language.
///
/// # Errors
/// If the output cannot be written.
pub fn print_data(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Prints a note on standard error, in the user's language.
pub fn note(text: &str) {
    note_data(&wrapped(&words::say(text), width_of_errors()));
}

/// Prints a line on standard error without translating or wrapping it. Ignores errors, such as a full disk.
pub fn note_data(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// Writes a file. It is the same in every language.
///
/// # Errors
/// If it cannot be written, with its path.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| not_written(path, &error))
}

/// Checks that a file can be written, before the work whose result it will hold. Its contents stay
/// unchanged.
///
/// # Errors
/// If it cannot be written, with its path.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    let there = path.exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| not_written(path, &error))?;
    if !there {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// The text of a file; `help` describes the expected contents.
///
/// # Errors
/// If it cannot be read, or is not text.
pub fn read_text(path: &Path, help: &str) -> Result<String, Failure> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|error| {
        Failure::input(format_args!("{name} cannot be read: {error}"), "check the path")
    })?;
    if bytes.starts_with(b"\x7fELF") {
        return Err(Failure::input(
            format_args!("{name} is compiled code, not text"),
            "a program runs after `--`, such as `lanework inspect -- ./program`; of a cubin, give the PTX that it was compiled from",
        ));
    }
    String::from_utf8(bytes).map_err(|_| Failure::input(format_args!("{name} is not text"), help))
}

fn not_written(path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(format_args!("{} cannot be written: {error}", path.display()), "check the path")
}

/// Whether [`print_json`] was called.
static PRINTED_JSON: AtomicBool = AtomicBool::new(false);

/// Whether the command has printed its JSON value.
pub fn json_was_printed() -> bool {
    PRINTED_JSON.load(Ordering::Relaxed)
}

/// Prints one JSON value and a line end.
///
/// # Errors
/// If the output cannot be written.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    PRINTED_JSON.store(true, Ordering::Relaxed);
    let text = serde_json::to_string_pretty(value).map_err(|error| {
        Failure::Check(format!("the result cannot be written as JSON: {error}"))
    })?;
    print_data(&format!("{text}\n"))
}

/// Whether the command line asks for JSON.
pub fn asks_for_json() -> bool {
    std::env::args_os().take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

/// Nanoseconds in a suitable unit.
pub fn duration(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.2} us", ns / 1e3),
        ns if ns < 1e9 => format!("{:.3} ms", ns / 1e6),
        ns => format!("{:.3} s", ns / 1e9),
    }
}

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

/// Reads the choice of color from a command line that is not parsed yet, so that errors and help follow it.
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

/// Stores the options of every command from a parsed command line.
pub fn apply(matches: &ArgMatches) {
    let matches = matches.subcommand().map_or(matches, |(_, inner)| inner);
    let columns = matches.try_get_many::<String>("columns").ok().flatten();
    if let Some(columns) = columns {
        // A process has one command line.
        let _ = COLUMNS.set(columns.cloned().collect());
    }
}

/// The columns that `--columns` named, if given.
pub fn columns_asked() -> Option<&'static [String]> {
    COLUMNS.get().map(Vec::as_slice)
}

/// Width of a line of help.
pub fn of_help() -> usize {
    const MOST: usize = 100;
    width().map_or(MOST, |width| width.min(MOST))
}

/// Width of standard output; `None` if there is no limit.
pub fn width() -> Option<usize> {
    width_of(&std::io::stdout())
}

/// Width of standard error; `None` if there is no limit.
pub fn width_of_errors() -> Option<usize> {
    width_of(&std::io::stderr())
}

fn width_of(stream: &(impl IsTerminal + AsStream)) -> Option<usize> {
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let given = given.filter(|columns| *columns > 0);
    given.or_else(|| {
        let size = stream.is_terminal().then(|| terminal_size::terminal_size_of(stream)).flatten();
        // A terminal without a known size, such as a serial line, reports 0.
        size.map(|(width, _)| usize::from(width.0)).filter(|columns| *columns > 0)
    })
}

/// Wraps the lines of a text to `width` columns.
pub(crate) fn wrapped(text: &str, width: Option<usize>) -> Cow<'_, str> {
    let Some(width) = width.filter(|_| columns_asked().is_none()) else { return text.into() };
    let fits = |line: &str| line.len() <= width || shown(line) <= width;
    if text.split('\n').all(fits) {
        return text.into();
    }
    let text = &fitted(text, width);
    let of = |line: &str| match stays(line, width) {
        true => line.to_owned(),
        false => wrapped_line(line, width),
    };
    text.split('\n').map(of).collect::<Vec<_>>().join("\n").into()
}

/// Displayed width of a text that may hold escape codes.
fn shown(text: &str) -> usize {
    columns(&anstream::adapter::strip_str(text).to_string())
}

/// Whether a line fits, or quotes source.
fn stays(line: &str, width: usize) -> bool {
    if line.len() <= width || shown(line) <= width {
        return true;
    }
    let plain = anstream::adapter::strip_str(line).to_string();
    let plain = plain.trim_start().trim_start_matches(|letter: char| letter.is_ascii_digit());
    plain.trim_start().starts_with('|') || plain.starts_with("--> ")
}

/// Wraps one line; the lines after the first are indented like its text.
fn wrapped_line(line: &str, width: usize) -> String {
    let label = &line[..label(line)];
    if !line.contains('\u{1b}') {
        return hanging(label, &line[label.len()..], width).trim_end_matches('\n').to_owned();
    }
    let indent = shown(label);
    let (mut text, mut taken) = (label.to_owned(), indent);
    for (number, word) in line[label.len()..].split(' ').enumerate() {
        let wide = shown(word);
        if number > 0 && taken + 1 + wide > width {
            text.push_str(&format!("\n{}", " ".repeat(indent)));
            taken = indent;
        } else if number > 0 {
            text.push(' ');
            taken += 1;
        }
        text.push_str(word);
        taken += wide;
    }
    text
}

/// Bytes of the blanks that a line begins with, and of a label such as `= help: `.
fn label(line: &str) -> usize {
    let blanks = line.len() - line.trim_start_matches(' ').len();
    let rest = &line[blanks..];
    let named = rest.strip_prefix("= ").and_then(|rest| rest.find(": ").map(|at| at + 4));
    blanks + named.filter(|long| *long < 16).unwrap_or(if rest.starts_with("= ") { 2 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checking_a_path_changes_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let (there, new) = (folder.path().join("there"), folder.path().join("new"));
        std::fs::write(&there, "kept").expect("written");
        assert!(check_writable(&there).is_ok() && check_writable(&new).is_ok());
        assert_eq!(std::fs::read_to_string(&there).expect("a file"), "kept");
        assert!(!new.exists());
        let Err(Failure::Input(text)) = check_writable(&folder.path().join("no/file")) else {
            panic!()
        };
        assert!(text.contains("cannot be written"), "{text}");
    }

    #[test]
    fn times_have_units() {
        assert_eq!(duration(1_234.0), "1.23 us");
    }

    #[test]
    fn long_lines_are_wrapped_under_their_text() {
        let text = "error: one two three\n  = help: four five six\n  12 | a long line of source";
        let said = wrapped(text, Some(16));
        assert_eq!(
            said,
            "error: one two\nthree\n  = help: four\n          five\n          six\n  12 | a long line of source"
        );
        assert_eq!(wrapped(text, None), text);
        assert_eq!(wrapped(text, Some(80)), text);
    }

    #[test]
    fn escape_codes_take_no_columns() {
        let said = wrapped("\u{1b}[1merror:\u{1b}[0m one two three", Some(14));
        assert_eq!(said, "\u{1b}[1merror:\u{1b}[0m one two\nthree");
    }
}
