//! Requests that describe no problem.

use lanework::{Error, Result};

/// A request that describes no problem.
pub(crate) fn refused<T>(why: String, help: &str) -> Result<T> {
    Err(Error::Request { why, help: help.to_owned() })
}
