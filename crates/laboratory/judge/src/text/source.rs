//! The text of a task file, and errors in it with line and column.

use std::fmt;

/// An error in a task file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskError {
    /// Path of the file.
    pub file: String,
    /// The line, from 1; 0 for an error of the whole file.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The text of the line.
    pub text: String,
    /// The error.
    pub why: String,
    /// How to fix it.
    pub help: String,
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  --> {}", self.why, self.file)?;
        if self.line > 0 {
            let (line, gap) = (self.line, " ".repeat(self.line.to_string().len()));
            write!(f, ":{line}:{}\n {gap} |\n {line} | {}", self.column, self.text)?;
            write!(f, "\n {gap} | {}^", " ".repeat(self.column.saturating_sub(1)))?;
        }
        if self.help.is_empty() { Ok(()) } else { write!(f, "\n  = help: {}", self.help) }
    }
}

impl std::error::Error for TaskError {}

/// A file and its text.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Its name in messages.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// The error at a byte of the text.
    pub fn error(&self, at: usize, why: impl Into<String>, help: impl Into<String>) -> TaskError {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &self.text[..at];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        TaskError {
            file: self.name.to_owned(),
            line: before.matches('\n').count() + 1,
            column: self.text[start..at].chars().count() + 1,
            text: self.text[start..].lines().next().unwrap_or_default().to_owned(),
            why: why.into(),
            help: help.into(),
        }
    }
}
