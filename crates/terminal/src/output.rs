//! Output: text in the language of the user, files, JSON for machines.

use crate::failure::Failure;
use crate::screen::wrapped;
use crate::{screen, words};
use serde::Serialize;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints text to standard output, in the user's language. A closed pipe ends the command without a message.
///
/// # Errors
/// If the output cannot be written.
pub fn print(text: &str) -> Result<(), Failure> {
    print_data(&wrapped(&words::say(text), screen::width()))
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
    anstream::eprintln!("{}", wrapped(&words::say(text), screen::width_of_errors()));
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

/// Whether standard output has its JSON value.
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

pub use lanework::emulator::words::{bytes, short_count, thousands};

/// Nanoseconds in a suitable unit.
pub fn duration(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.2} us", ns / 1e3),
        ns if ns < 1e9 => format!("{:.3} ms", ns / 1e6),
        ns => format!("{:.3} s", ns / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_leaves_files_as_they_are() {
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
}
