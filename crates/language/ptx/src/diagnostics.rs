//! Diagnostics of PTX text: position, message and remedy; and the error of linking.

use std::fmt::{self, Display, Formatter};

/// Maximum number of problems reported for one text. Later ones are usually consequences of earlier ones.
const MOST: usize = 20;

/// Maximum number of characters of a source line shown around the problem.
const WINDOW: usize = 160;

/// One problem in a PTX text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file of the text, if known.
    pub file: Option<String>,
    /// Line of the text, from 1; 0 if a program built the module, so there is no text.
    pub line: usize,
    /// Column in characters, from 1; 0 if only the line is known.
    pub column: usize,
    /// Number of characters that the problem covers, at least 1.
    pub width: usize,
    /// The message, one sentence without a final period.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
    /// The whole line of the text; may be empty.
    pub source_line: String,
}

impl Display for Diagnostic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        if self.line > 0 {
            let (line, column) = (self.line, self.column);
            write!(f, "\n{margin}--> ")?;
            match (&self.file, column) {
                (Some(file), 0) => write!(f, "{file}:{line}")?,
                (Some(file), _) => write!(f, "{file}:{line}:{column}")?,
                (None, 0) => write!(f, "PTX text, line {line}")?,
                (None, _) => write!(f, "PTX text, line {line}, column {column}")?,
            }
        }
        if !self.source_line.trim().is_empty() {
            let (shown, before) = self.window();
            write!(f, "\n{margin} |\n{number} | {shown}\n{margin} |")?;
            if self.column > 0 {
                let room = shown.chars().count().saturating_sub(before.chars().count()).max(1);
                write!(f, " {before}{}", "^".repeat(self.width.clamp(1, room)))?;
            }
        }
        match &self.help {
            Some(help) => write!(f, "\n{margin} = help: {help}"),
            None => Ok(()),
        }
    }
}

impl Diagnostic {
    /// The part of the line to show, and the indentation (tabs kept) of the caret below it.
    fn window(&self) -> (String, String) {
        let column = self.column.saturating_sub(1);
        let skipped = if column < WINDOW * 3 / 4 { 0 } else { column - WINDOW / 2 };
        let shown: String = self.source_line.chars().skip(skipped).take(WINDOW).collect();
        let blank = |c: char| if c == '\t' { '\t' } else { ' ' };
        let before = shown.chars().take(column - skipped).map(blank).collect();
        (shown.trim_end().to_owned(), before)
    }
}

/// The problems of a PTX text in text order: at least 1, at most 20.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    more: usize,
}

impl Diagnostics {
    /// The problems, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// The same problems, with the file name of the text.
    #[must_use]
    pub fn in_file(mut self, name: &str) -> Diagnostics {
        self.list.iter_mut().for_each(|problem| problem.file = Some(name.to_owned()));
        self
    }

    /// The number of problems beyond the ones kept.
    pub fn left_out(&self) -> usize {
        self.more
    }
}

impl Display for Diagnostics {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.list.iter().enumerate() {
            write!(f, "{}{diagnostic}", if index > 0 { "\n\n" } else { "" })?;
        }
        match self.more {
            0 => Ok(()),
            1 => write!(f, "\n\n... and 1 more problem"),
            more => write!(f, "\n\n... and {more} more problems"),
        }
    }
}

impl std::error::Error for Diagnostics {}

/// Collects problems up to the limit.
#[derive(Default)]
pub(crate) struct Collector {
    list: Vec<Diagnostic>,
    more: usize,
}

impl Collector {
    /// Adds a problem, or only counts it if the list is full.
    pub(crate) fn push(&mut self, diagnostic: impl FnOnce() -> Diagnostic) {
        if self.list.len() < MOST {
            self.list.push(diagnostic());
        } else {
            self.more += 1;
        }
    }

    /// Returns `value` if there are no problems, else the problems.
    pub(crate) fn finish<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.list.is_empty() {
            Ok(value)
        } else {
            Err(Diagnostics { list: self.list, more: self.more })
        }
    }
}

/// Why modules cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError {
    /// The message, one sentence without a final period, naming the files.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(column: usize, source_line: &str) -> Diagnostic {
        Diagnostic {
            file: None,
            line: 7,
            column,
            width: 3,
            message: "expected a register, found `;`".to_owned(),
            help: Some("name the destination".to_owned()),
            source_line: source_line.to_owned(),
        }
    }

    #[test]
    fn shows_the_line_with_a_caret_under_the_column() {
        let text = sample(5, "\tadd ;").to_string();
        assert_eq!(
            text,
            "error: expected a register, found `;`\n --> PTX text, line 7, column 5\n  |\n7 | \tadd ;\n  \
             | \t   ^^\n  = help: name the destination"
        );
    }

    #[test]
    fn the_file_name_replaces_ptx_text() {
        let mut problems = Collector::default();
        problems.push(|| sample(5, ""));
        problems.push(|| sample(0, ""));
        let text = problems.finish(()).expect_err("two").in_file("a.ptx").to_string();
        assert!(text.contains("\n --> a.ptx:7:5\n") && text.contains("\n --> a.ptx:7\n"), "{text}");
    }

    #[test]
    fn a_long_line_is_shown_around_the_column() {
        let line = "x".repeat(10_000) + "###" + &"y".repeat(10_000);
        let text = sample(10_001, &line).to_string();
        let lines: Vec<&str> = text.lines().collect();
        let caret = lines[4].find('^').expect("a caret");
        assert_eq!(&lines[3][caret..caret + 3], "###");
        assert!(text.len() < 1_000);
    }

    #[test]
    fn keeps_twenty_and_counts_the_rest() {
        let mut collector = Collector::default();
        (0..23).for_each(|_| collector.push(|| sample(1, "x")));
        let diagnostics = collector.finish(()).expect_err("problems");
        assert_eq!(diagnostics.iter().count(), 20);
        assert_eq!(diagnostics.left_out(), 3);
        assert!(diagnostics.to_string().ends_with("... and 3 more problems"));
    }
}
