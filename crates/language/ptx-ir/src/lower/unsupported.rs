//! What lowering says of something that the emulator does not know.

/// What a rule does not know: the message, and what to do.
pub struct Unsupported {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl Unsupported {
    /// One with a remedy.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Unsupported {
        Unsupported { message: message.into(), help: help.into() }
    }
}

/// Results of rules.
pub type LoweringResult<T = ()> = Result<T, Unsupported>;
