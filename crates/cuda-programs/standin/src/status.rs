//! Statuses of a library, which have no room for a sentence: it is written where the program's errors go.

use crate::call::line;
use crate::failure::{Failure, Kind};

/// A status of a library.
pub trait Status: Sized {
    /// The library's name.
    const LIBRARY: &'static str;
    /// What to check where bytes lie outside of what is allocated.
    const MEMORY_ADVICE: &'static str;

    /// The status of what fails in every stand-in.
    fn of(kind: Kind) -> Self;
}

/// Refuses something with a sentence.
///
/// # Errors
/// Always.
pub fn refuse<T, S: Status>(status: S, why: &str) -> Result<T, S> {
    line(&format_args!("{}'s stand-in: {why}", S::LIBRARY));
    Err(status)
}

/// Says why something failed, and gives the status for it.
pub fn said<S: Status>(failure: Failure) -> S {
    let (library, why) = (S::LIBRARY, failure.why);
    match failure.kind {
        Kind::Memory => line(&format_args!("{library}'s stand-in: {why}; {}", S::MEMORY_ADVICE)),
        _ => line(&format_args!("{library}'s stand-in: {why}")),
    }
    S::of(failure.kind)
}

/// Makes a library's [`Status`] what its calls answer: `answers!(Status);`.
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
