//! Status codes of libraries. They carry no message, so messages go to standard error.

use crate::call::line;
use crate::failure::{Failure, FailureKind};

/// A library's status code.
pub trait Status: Sized {
    /// Name of the library.
    const LIBRARY: &'static str;
    /// Help text for accesses outside of allocations.
    const MEMORY_ADVICE: &'static str;

    /// The status for a common failure.
    fn of(kind: FailureKind) -> Self;
}

/// Returns a status and reports why.
///
/// # Errors
/// Always returns the status.
pub fn refuse<T, S: Status>(status: S, why: &str) -> Result<T, S> {
    line(&format_args!("{}'s stand-in: {why}", S::LIBRARY));
    Err(status)
}

/// Reports a failure, and returns its status.
pub fn said<S: Status>(failure: Failure) -> S {
    let (library, why) = (S::LIBRARY, failure.why);
    match failure.kind {
        FailureKind::Memory => {
            line(&format_args!("{library}'s stand-in: {why}; {}", S::MEMORY_ADVICE))
        }
        _ => line(&format_args!("{library}'s stand-in: {why}")),
    }
    S::of(failure.kind)
}

/// Implements [`Answer`](crate::Answer) for a library's [`Status`]: `answers!(Status);`.
#[macro_export]
macro_rules! answers {
    ($status:ty) => {
        impl From<$crate::Failure> for $status {
            fn from(failure: $crate::Failure) -> $status {
                $crate::said(failure)
            }
        }

        impl $crate::Answer for $status {
            fn code(self, _name: &str) -> i32 {
                self as i32
            }
        }
    };
}
