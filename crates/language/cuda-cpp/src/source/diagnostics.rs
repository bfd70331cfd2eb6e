//! Errors and warnings, collected during compilation.

use super::{SourceMap, Span};

/// Severity of a [`SourceProblem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The source does not compile.
    Error,
    /// The source may be correct, but this construct is not implemented.
    Unsupported,
    /// Suspicious source.
    Warning,
}

/// An additional line of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The text.
    pub text: String,
    /// The source that it refers to.
    pub span: Option<Span>,
}

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceProblem {
    /// Its severity.
    pub severity: Severity,
    /// The message: one line, without a period at the end.
    pub message: String,
    /// The source that causes it.
    pub span: Span,
    /// Text next to the marked source.
    pub label: String,
    /// Related source.
    pub notes: Vec<Remark>,
    /// How to fix it.
    pub help: Option<String>,
}

impl SourceProblem {
    /// An error.
    pub fn error(span: Span, message: impl Into<String>) -> SourceProblem {
        SourceProblem {
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// A construct that is not implemented.
    pub fn unsupported(span: Span, what: impl std::fmt::Display) -> SourceProblem {
        let message = format!("{what} is not supported");
        SourceProblem { severity: Severity::Unsupported, ..SourceProblem::error(span, message) }
    }

    /// A warning.
    pub fn warning(span: Span, message: impl Into<String>) -> SourceProblem {
        SourceProblem { severity: Severity::Warning, ..SourceProblem::error(span, message) }
    }

    /// Sets the text next to the marked source.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> SourceProblem {
        self.label = text.into();
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, span: Span, text: impl Into<String>) -> SourceProblem {
        self.notes.push(Remark { text: text.into(), span: Some(span) });
        self
    }

    /// Sets the advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> SourceProblem {
        self.help = Some(text.into());
        self
    }
}

/// Maximum number of errors that are kept.
const MOST: usize = 50;

/// The problems found so far.
#[derive(Debug, Default)]
pub struct Problems {
    list: Vec<SourceProblem>,
    errors: usize,
}

impl Problems {
    /// Adds a problem, unless there is already one with the same position and text.
    pub fn push(&mut self, problem: SourceProblem) {
        let known =
            |old: &SourceProblem| old.span == problem.span && old.message == problem.message;
        if self.list.iter().any(known) {
            return;
        }
        if problem.severity != Severity::Warning {
            self.errors += 1;
            if self.errors > MOST {
                return;
            }
        }
        self.list.push(problem);
    }

    /// Whether there is an error or an unsupported construct.
    pub fn failed(&self) -> bool {
        self.errors > 0
    }

    /// The number of errors, unsupported constructs included.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Whether there are so many errors that compilation should stop.
    pub fn full(&self) -> bool {
        self.errors > MOST
    }

    /// All problems.
    pub fn list(&self) -> &[SourceProblem] {
        &self.list
    }

    /// Adds a note to the last problem.
    pub fn amend(&mut self, span: Span, text: impl Into<String>) {
        if let Some(last) = self.list.last_mut() {
            last.notes.push(Remark { text: text.into(), span: Some(span) });
        }
    }

    /// Forgets the problems after a mark, because a trial parse failed.
    pub fn rewind(&mut self, mark: (usize, usize)) {
        self.list.truncate(mark.0);
        self.errors = mark.1;
    }

    /// A mark for [`Problems::rewind`].
    pub fn mark(&self) -> (usize, usize) {
        (self.list.len(), self.errors)
    }

    /// Renders all problems, ordered by severity, then by position.
    pub fn render(&self, map: &SourceMap) -> String {
        let texts: Vec<String> =
            self.list.iter().map(|problem| super::render::render(problem, map)).collect();
        texts.join("\n")
    }
}
