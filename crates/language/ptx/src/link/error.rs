//! The error of linking.

use std::fmt;

/// Why modules cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError {
    /// The message, one sentence without a full stop, naming the files.
    pub message: String,
    /// The remedy.
    pub help: String,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n   = help: {}", self.message, self.help)
    }
}

impl std::error::Error for LinkError {}

/// An error with a remedy.
pub(super) fn refuse(message: String, help: &str) -> LinkError {
    LinkError { message, help: help.to_owned() }
}
