//! Statuses, and what is said with them.

use std::io::Write;

/// `curandStatus_t`, other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    NotInitialized = 101,
    AllocationFailed = 102,
    TypeError = 103,
    OutOfRange = 104,
    LengthNotMultiple = 105,
    LaunchFailure = 201,
    InitializationFailed = 203,
    Internal = 999,
}

/// The result of a call.
pub type Result<T = ()> = std::result::Result<T, Status>;

/// Writes a line where the program's errors go. Where it cannot be written, the program goes on.
pub fn line(text: &dyn std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "lanework: {text}");
}

/// Refuses something with a sentence, where the program's output is.
pub fn refuse<T>(status: Status, why: &str) -> Result<T> {
    line(&format_args!("cuRAND's stand-in: {why}"));
    Err(status)
}
