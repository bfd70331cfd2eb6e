//! The text of a task file, and mistakes in it with their line and column.

use std::fmt;

/// A mistake in a task file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskError {
    /// The file.
    pub file: String,
    /// Its line, from 1; 0 where the file as a whole is meant.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The text of the line.
    pub text: String,
    /// What is wrong.
    pub why: String,
    /// What to do.
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
