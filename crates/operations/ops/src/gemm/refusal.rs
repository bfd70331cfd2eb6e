//! Errors for invalid requests.

use lanework::{Error, Result};

/// Rejects an invalid request.
pub(crate) fn refused<T>(why: String, help: &str) -> Result<T> {
    Err(Error::Request { why, help: help.to_owned() })
}
