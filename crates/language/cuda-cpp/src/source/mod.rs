//! Source files, positions in them, and problems: errors and warnings, rendered in rustc's layout with similarly spelled
//! names as suggestions.
//!
//! As in clang and rustc, all files share one range of positions, so a [`Span`] needs no file number.

mod diagnostics;

pub use diagnostics::Diagnostic;

use std::fmt::Write;

/// A range of source text, and the macro expansion that produced it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Position of the first byte.
    pub low: u32,
    /// Position after the last byte.
    pub high: u32,
    /// Index into [`SourceMap::expansions`] plus 1; 0 outside macros.
    pub expansion: u32,
}

impl Span {
    /// From the start of `self` to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        if self.expansion == other.expansion && other.high >= self.low {
            Span { high: other.high, ..self }
        } else {
            self
        }
    }

    /// The position after the last byte.
    pub fn end(self) -> Span {
        Span { low: self.high, ..self }
    }
}

/// One use of a macro.
#[derive(Clone, Debug)]
pub struct MacroUse {
    /// Name of the macro.
    pub name: String,
    /// The position of the macro's name where it was used.
    pub call: Span,
}

/// A source file.
#[derive(Debug)]
pub struct SourceFile {
    /// The name shown in errors.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Position of its first byte.
    pub start: u32,
    /// Whether the file is one of the built-in headers.
    pub builtin: bool,
    lines: Vec<u32>,
}

/// A position for users: file, line and column, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    /// The file's name.
    pub file: &'a str,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// All files of one compilation.
#[derive(Debug, Default)]
pub struct SourceMap {
    /// The files, by position.
    pub files: Vec<SourceFile>,
    /// Macro uses, by number.
    pub expansions: Vec<MacroUse>,
}

impl SourceMap {
    /// Adds a file, and returns its number; `None` if no positions are left.
    pub fn add(&mut self, name: &str, text: &str, builtin: bool) -> Option<usize> {
        let start = self.files.last().map_or(0, |file| file.start + file.text.len() as u32 + 1);
        let end = u64::from(start) + text.len() as u64 + 1;
        if end > u64::from(u32::MAX / 2) {
            return None;
        }
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect();
        let (name, text) = (name.to_owned(), text.to_owned());
        self.files.push(SourceFile { name, text, start, builtin, lines });
        Some(self.files.len() - 1)
    }

    /// The file that contains a position.
    pub fn file(&self, position: u32) -> Option<&SourceFile> {
        let after = self.files.partition_point(|file| file.start <= position);
        self.files.get(after.checked_sub(1)?)
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        let Some(file) = self.file(span.low) else { return "" };
        let (low, high) = ((span.low - file.start) as usize, span.high.saturating_sub(file.start));
        file.text.get(low..high as usize).unwrap_or("")
    }

    /// Whether two spans are the same place of one file that is included twice.
    pub fn same_place(&self, a: Span, b: Span) -> bool {
        let (Some(first), Some(second)) = (self.file(a.low), self.file(b.low)) else {
            return false;
        };
        // The paths may differ: `../common.h` and `./common.h`.
        let name = |file: &SourceFile| file.name.rsplit('/').next().map(str::to_owned);
        a.low - first.start == b.low - second.start
            && name(first) == name(second)
            && first.text == second.text
    }

    /// The location of a span's first byte.
    pub fn location(&self, span: Span) -> Option<Location<'_>> {
        let file = self.file(span.low)?;
        let offset = (span.low - file.start).min(file.text.len() as u32);
        let line = file.lines.partition_point(|&start| start <= offset);
        let start = *file.lines.get(line.checked_sub(1)?)? as usize;
        let column = file.text.get(start..offset as usize)?.chars().count() + 1;
        Some(Location { file: &file.name, line, column })
    }

    /// Whether a span is in a built-in header.
    pub fn is_builtin(&self, span: Span) -> bool {
        self.file(span.low).is_some_and(|file| file.builtin)
    }

    /// The span in the user's source: outside of macros of built-in headers.
    pub fn written(&self, span: Span) -> Span {
        let mut span = span;
        for _ in 0..64 {
            if !self.is_builtin(span) {
                break;
            }
            let Some(used) = self.expansions.get((span.expansion as usize).wrapping_sub(1)) else {
                break;
            };
            span = used.call;
        }
        span
    }
}

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
        let texts: Vec<String> = self.list.iter().map(|problem| render(problem, map)).collect();
        texts.join("\n")
    }
}

/// Maximum number of macro uses shown per position.
const MACROS: usize = 4;

/// Renders one problem with its source lines.
fn render(problem: &SourceProblem, map: &SourceMap) -> String {
    let kind = match problem.severity {
        Severity::Error => "error",
        Severity::Unsupported => "error[unsupported]",
        Severity::Warning => "warning",
    };
    let mut text = format!("{kind}: {}\n", problem.message);
    let width = widest(problem, map);
    excerpt(&mut text, map, map.written(problem.span), &problem.label, width);
    macros(&mut text, map, map.written(problem.span), width);
    for note in &problem.notes {
        match note.span {
            Some(span) if !map.is_builtin(span) => {
                let _ = writeln!(text, "note: {}", note.text);
                excerpt(&mut text, map, span, "", width);
            }
            _ => {
                let _ = writeln!(text, "{:width$} = note: {}", "", note.text);
            }
        }
    }
    if let Some(help) = &problem.help {
        let _ = writeln!(text, "{:width$} = help: {help}", "");
    }
    text
}

/// Number of digits of the largest line number.
fn widest(problem: &SourceProblem, map: &SourceMap) -> usize {
    let spans = problem.notes.iter().filter_map(|note| note.span).chain([problem.span]);
    let lines = spans.filter_map(|span| map.location(map.written(span))).map(|at| at.line);
    lines.max().unwrap_or(1).to_string().len()
}

/// Renders the marked source line.
fn excerpt(text: &mut String, map: &SourceMap, span: Span, label: &str, width: usize) {
    let Some(at) = map.location(span) else { return };
    let Some(file) = map.file(span.low) else { return };
    let _ = writeln!(text, "{:width$}--> {}:{}:{}", "", at.file, at.line, at.column);
    let line = file.text.lines().nth(at.line - 1).unwrap_or("");
    let shown: String = line.chars().map(|c| if c == '\t' { ' ' } else { c }).take(240).collect();
    let marked = map.text(span).lines().next().unwrap_or("").chars().count();
    let room = shown.chars().count().saturating_sub(at.column - 1).max(1);
    let marks = "^".repeat(marked.clamp(1, room));
    let gap = if label.is_empty() { "" } else { " " };
    let _ = writeln!(text, "{:width$} |", "");
    let _ = writeln!(text, "{:>width$} | {}", at.line, shown.trim_end());
    let _ = writeln!(text, "{:width$} | {:2$}{marks}{gap}{label}", "", "", at.column - 1);
}

/// Renders the macros whose expansions contain a span.
fn macros(text: &mut String, map: &SourceMap, span: Span, width: usize) {
    let mut expansion = span.expansion;
    for _ in 0..MACROS {
        let Some(used) = map.expansions.get((expansion as usize).wrapping_sub(1)) else { break };
        let _ = writeln!(text, "note: in the expansion of macro `{}`", used.name);
        excerpt(text, map, used.call, "", width);
        expansion = used.call.expansion;
    }
}

/// The candidate most similar to a misspelled name, if any is similar enough.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in
        candidates.filter(|candidate| *candidate != name && !candidate.starts_with('<'))
    {
        let distance = edit_distance(name, candidate, limit);
        if distance <= limit && best.is_none_or(|(known, _)| distance < known) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Number of insertions, deletions, replacements and exchanges of neighbors between two names; if above `limit`, any
/// larger number.
fn edit_distance(a: &str, b: &str, limit: usize) -> usize {
    if a.len().abs_diff(b.len()) > limit || a.len() > 64 || b.len() > 64 {
        return limit + 1;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let change = rows[i][j]
                + usize::from(!x.eq_ignore_ascii_case(y))
                + usize::from(x != y && x.eq_ignore_ascii_case(y));
            let mut least = change.min(row[j] + 1).min(rows[i][j + 1] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows.last().and_then(|row| row.last()).copied().unwrap_or(limit + 1)
}
