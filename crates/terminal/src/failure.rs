//! Why a command fails: a failed check, bad input, an error of the library, a bug.

use crate::words;
use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// A check failed, or a kernel faulted: exit code 1.
    Check(String),
    /// Bad input or usage: exit code 2.
    Input(String),
    /// A check that is not complete, with its exit code.
    Incomplete(u8, String),
    /// The second side of a comparison is slower: exit code 3.
    Regression(String),
    /// An error of the library: exit code 1 for a kernel that faulted, else 2.
    Library(Box<lanework::Error>),
    /// A program that the command ran failed with this exit code and has printed its own message.
    Program(u8),
    /// The reader closed the output: no message.
    OutputClosed,
    /// A bug in this program, already reported.
    Bug,
}

/// The result of a command.
pub type Outcome = Result<(), Failure>;

impl Failure {
    /// Bad input, with a remedy.
    pub fn input(what: impl Display, help: impl Display) -> Self {
        Failure::Input(format!("{what}\n  = help: {help}"))
    }
}

impl From<lanework::Error> for Failure {
    fn from(error: lanework::Error) -> Self {
        Failure::Library(Box::new(error))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::OutputClosed,
            _ => Failure::Input(format!("the output could not be written: {error}")),
        }
    }
}

/// Installs a panic hook that prints a bug report for users to forward.
pub fn report_bugs_politely() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|at| format!(" at {}:{}", at.file(), at.line()));
        let said = panic.payload_as_str().unwrap_or("no message");
        let message = format!(
            "error: lanework has a bug{}: {said}\n  = help: please report it with the command line",
            place.unwrap_or_default()
        );
        let _ = writeln!(anstream::stderr().lock(), "{}", words::say(&message));
    }));
}

/// Runs a command; a panic in it becomes [`Failure::Bug`].
///
/// # Errors
/// The errors of the command.
pub fn catch_bugs(command: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(command)).unwrap_or(Err(Failure::Bug))
}
