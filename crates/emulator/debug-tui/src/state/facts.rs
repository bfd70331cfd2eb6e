//! Findings, marks of the timeline, answers about writers, and the effect of a key.

use lanework_debug::launches::LaunchMove;

/// The effect of a key on the session as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyEffect {
    /// The session continues.
    Stay,
    /// The session ends.
    Quit,
    /// Another launch of the program follows.
    Leave(LaunchMove),
}

/// A finding of the sanitizer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingLine {
    /// The finding, in one line.
    pub text: String,
    /// Its file and line.
    pub place: Option<(String, u32)>,
    /// The step of its access, if it was found.
    pub step: Option<u64>,
}

/// The kind of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkKind {
    /// A stop at a breakpoint or watchpoint.
    Stop,
    /// A finding.
    Finding,
}

/// A mark on the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// The step.
    pub step: u64,
    /// The kind.
    pub kind: MarkKind,
}

/// The last answer to `who wrote` or `who read`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterNote {
    /// The element.
    pub of: String,
    /// The step at which the user asked.
    pub asked: u64,
    /// The answer.
    pub text: String,
    /// The step of the access, if there was one.
    pub step: Option<u64>,
}
