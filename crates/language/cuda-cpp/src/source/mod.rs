//! Source files, and positions in them.
//!
//! As in clang and rustc, all files share one range of positions, so a [`Span`] needs no file number.

pub mod diagnostics;
mod render;
pub mod similar;

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
