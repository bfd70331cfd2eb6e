//! What lowering says of something that the emulator does not know.

/// What a decode rule says when it refuses: the message, and what to do.
pub struct Refusal {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl Refusal {
    /// A refusal with a remedy.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), help: help.into() }
    }
}

/// Results of rules.
pub type Rule<T = ()> = Result<T, Refusal>;
