//! Statuses, and what is said with them.

use std::io::Write;

/// `cufftResult`, other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    InvalidPlan = 1,
    AllocationFailed = 2,
    InvalidType = 3,
    InvalidValue = 4,
    Internal = 5,
    ExecutionFailed = 6,
    SetupFailed = 7,
    InvalidSize = 8,
    NoWorkspace = 13,
    NotSupported = 16,
}

/// The result of a call.
pub type Result<T = ()> = std::result::Result<T, Status>;

/// Writes a line where the program's errors go. Where it cannot be written, the program goes on.
pub fn line(text: &dyn std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "lanework: {text}");
}

/// Refuses something with a sentence, where the program's output is.
pub fn refuse<T>(status: Status, why: &str) -> Result<T> {
    line(&format_args!("cuFFT's stand-in: {why}"));
    Err(status)
}
