//! Helpers for the tests of all crates: skipped tests, pseudo-terminals, and files with expected output.
//!
//! - [`skip`] reports a test that cannot run here. `scripts/test.sh` counts these reports, and a test that needs a
//!   missing tool must call it before it returns.
//! - `pty` runs a command on a pseudo-terminal.
//! - [`expect_file`] compares a text with a file. `LANEWORK_BLESS=1` writes the file instead.

#[cfg(unix)]
pub mod pty;

use std::io::Write;
use std::path::Path;

/// Reports that the test `what` did not run, because of `why`.
///
/// The report is one line, `SKIPPED: what: why`, on the standard error of the process. The test harness does not
/// capture it, so it shows for tests that pass.
pub fn skip(what: &str, why: &str) {
    // One write per line: lines of parallel tests do not mix. A closed pipe is no reason to fail a test.
    let _ = std::io::stderr().write_all(format!("SKIPPED: {what}: {why}\n").as_bytes());
}

/// Whether `LANEWORK_BLESS` is set: tests then write expected files instead of comparing them.
pub fn bless() -> bool {
    std::env::var_os("LANEWORK_BLESS").is_some()
}

/// Compares `actual` with the file at `path`, or writes the file if [`bless`] says so.
///
/// # Panics
/// If they differ, with the first different line and the command that updates the file; if the file cannot be read
/// or written.
#[track_caller]
pub fn expect_file(path: impl AsRef<Path>, actual: &str) {
    let path = path.as_ref();
    if bless() {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        }
        return std::fs::write(path, actual).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let expected =
        std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if let Some(difference) = first_difference(&expected, actual) {
        panic!(
            "{} differs: {difference}\nif this is right, run the test with LANEWORK_BLESS=1",
            path.display()
        );
    }
}

/// The first line in which the texts differ, in words; none if they are equal.
fn first_difference(expected: &str, actual: &str) -> Option<String> {
    if expected == actual {
        return None;
    }
    let (mut old, mut new) = (expected.lines(), actual.lines());
    for line in 1.. {
        match (old.next(), new.next()) {
            (Some(old), Some(new)) if old == new => {}
            (None, None) => break,
            (old, new) => {
                let text = |line: Option<&str>| {
                    line.map_or("no line".to_owned(), |line| format!("`{line}`"))
                };
                return Some(format!("line {line}: expected {}, found {}", text(old), text(new)));
            }
        }
    }
    Some("the ends of lines differ".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_different_line_is_named() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        let found = first_difference("a\nb\n", "a\nc\n").unwrap();
        assert_eq!(found, "line 2: expected `b`, found `c`");
        let shorter = first_difference("a\nb\n", "a\n").unwrap();
        assert_eq!(shorter, "line 2: expected `b`, found no line");
        assert_eq!(first_difference("a\n", "a").unwrap(), "the ends of lines differ");
    }

    #[test]
    #[should_panic(expected = "LANEWORK_BLESS=1")]
    fn a_file_that_differs_fails() {
        expect_file(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), "other");
    }
}
