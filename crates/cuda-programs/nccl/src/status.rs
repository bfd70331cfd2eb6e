//! Status codes and failures.

use std::ffi::CStr;

/// `ncclResult_t`, other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    Cuda = 1,
    System = 2,
    Internal = 3,
    InvalidArgument = 4,
    InvalidUsage = 5,
    Remote = 6,
}

/// Why a call failed.
#[derive(Clone, Debug)]
pub struct Failure {
    pub status: Status,
    pub why: String,
}

/// Result of a call.
pub type Result<T = ()> = std::result::Result<T, Failure>;

/// A failure.
pub fn failure(status: Status, why: impl Into<String>) -> Failure {
    Failure { status, why: why.into() }
}

/// Fails.
///
/// # Errors
/// Always.
pub fn refuse<T>(status: Status, why: impl Into<String>) -> Result<T> {
    Err(failure(status, why))
}

/// The text of a status.
pub fn text(code: i32) -> &'static CStr {
    match code {
        0 => c"no error",
        1 => c"unhandled cuda error (run with LANEWORK_TRACE=1 for details)",
        2 => c"unhandled system error",
        3 => c"internal error",
        4 => c"invalid argument",
        5 => c"invalid usage",
        6 => c"remote process exited or there was a network error",
        7 => c"NCCL operation in progress",
        _ => c"unknown result code",
    }
}
