//! Problems as plain data, for editors: positions in the main file, without rendered text.

use super::{Problems, Severity, SourceMap, SourceProblem};

/// A problem at a place of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// `error`, `unsupported` or `warning`.
    pub severity: &'static str,
    /// The message: one line, without a period at the end.
    pub message: String,
    /// Text next to the marked source; may be empty.
    pub label: String,
    /// How to fix it; may be empty.
    pub help: String,
    /// Related facts, each with its line in the main file, or 0.
    pub notes: Vec<(String, u32)>,
    /// The file; empty if the problem has no place.
    pub file: String,
    /// The line, from 1; 0 if the problem has no place.
    pub line: u32,
    /// The first column in characters, from 1.
    pub column: u32,
    /// Number of marked characters on this line, at least 1.
    pub width: u32,
}

impl Diagnostic {
    fn of(problem: &SourceProblem, map: &SourceMap) -> Diagnostic {
        let span = map.written(problem.span);
        let at = map.location(span);
        let severity = match problem.severity {
            Severity::Error => "error",
            Severity::Unsupported => "unsupported",
            Severity::Warning => "warning",
        };
        let notes = problem.notes.iter().map(|note| {
            let line = note.span.filter(|span| !map.is_builtin(*span));
            let line = line.and_then(|span| map.location(span)).map_or(0, |at| at.line as u32);
            (note.text.clone(), line)
        });
        let marked = map.text(span).lines().next().unwrap_or("").chars().count();
        Diagnostic {
            severity,
            message: problem.message.clone(),
            label: problem.label.clone(),
            help: problem.help.clone().unwrap_or_default(),
            notes: notes.collect(),
            file: at.as_ref().map_or(String::new(), |at| at.file.to_owned()),
            line: at.as_ref().map_or(0, |at| at.line as u32),
            column: at.as_ref().map_or(0, |at| at.column as u32),
            width: marked.max(1) as u32,
        }
    }
}

impl Problems {
    /// All problems as plain data.
    pub fn diagnostics(&self, map: &SourceMap) -> Vec<Diagnostic> {
        self.list().iter().map(|problem| Diagnostic::of(problem, map)).collect()
    }
}
