//! A finding as text: message, source line with a caret, threads, call stack, help.

use crate::findings::kinds::Level;
use crate::findings::report::{CodeLocation, Report};
use lanework_engine::fault::SourceLocation;
use lanework_ptx_ir::cpp_names::readable;
use std::fmt::{self, Write};
use std::path::Path;

/// Maximum number of calls, or of pairs of accesses, in a finding.
const MOST_LINES: usize = 8;

/// A place with the text of its line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quote {
    /// File and line, as `kernel.cu:7`.
    pub place: String,
    /// The line's text, if the file is readable.
    pub source: Option<String>,
}

impl Quote {
    /// The line of a source file, or the place alone for PTX without a file.
    fn of(location: Option<&SourceLocation>, text_line: u32) -> Quote {
        match location {
            Some(SourceLocation { file, line, .. }) => {
                let text = source_file(file).unwrap_or_default();
                let line_of = |number: usize| text.lines().nth(number).map(str::to_owned);
                let source = (*line as usize).checked_sub(1).and_then(line_of);
                Quote { place: format!("{file}:{line}"), source }
            }
            None => {
                let spot = CodeLocation { location: None, text_line };
                Quote { place: spot.to_string(), source: None }
            }
        }
    }
}

/// Reads a source file. The compiler records paths relative to the workspace root, and tests run in
/// their crate's folder, so a relative path is searched in the current folder and all its
/// ancestors.
pub fn source_file(file: &str) -> Option<String> {
    let path = Path::new(file);
    let here = std::env::current_dir().ok();
    let around = here.iter().filter(|_| path.is_relative()).flat_map(|here| here.ancestors());
    let mut candidates = std::iter::once(path.to_owned()).chain(around.map(|at| at.join(path)));
    candidates.find_map(|candidate| std::fs::read_to_string(candidate).ok())
}

/// Prints a line of source with a caret under the column.
fn excerpt(text: &mut String, line: u32, column: u32, source: Option<&str>) {
    let Some(source) = source.filter(|source| !source.trim().is_empty()) else { return };
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let source = source.trim_end();
    let start = match column {
        0 => source.chars().take_while(|c| c.is_whitespace()).count(),
        column => column as usize - 1,
    };
    let blank: String =
        source.chars().take(start).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let word = |c: &char| c.is_alphanumeric() || *c == '_' || *c == '.';
    let width = match column {
        0 => source.chars().count() - start,
        _ => source.chars().skip(start).take_while(word).count(),
    };
    let carets = "^".repeat(width.max(1));
    let _ = writeln!(text, "{margin} |\n{number} | {source}\n{margin} | {blank}{carets}");
}

/// Prints the call stack of an instruction, innermost first.
fn calls(text: &mut String, callers: &[SourceLocation]) {
    for at in callers.iter().take(MOST_LINES) {
        let _ = writeln!(text, "  = called at {at}");
    }
    if callers.len() > MOST_LINES {
        let _ = writeln!(text, "  = and {} calls around it", callers.len() - MOST_LINES);
    }
}

/// Prints the lines of two stream operations that race, if known: in kernels with the lines that launched them.
fn of_streams(text: &mut String, report: &Report, at: &Quote, other_at: Option<&Quote>) {
    if report.line() > 0 {
        let column = report.location.as_ref().map_or(0, |location| location.column);
        let shown = if column > 0 { format!(":{column}") } else { String::new() };
        let _ = writeln!(text, "  --> {}{shown}", at.place);
        excerpt(text, report.line(), column, at.source.as_deref());
    }
    calls(text, &report.callers);
    let Some((other, quote)) = report.other.as_ref().zip(other_at) else { return };
    let (line, column) =
        other.location.as_ref().map_or((other.text_line, 0), |at| (at.line, at.column));
    if line > 0 {
        let _ = writeln!(
            text,
            "  = the other access is in `{}`\n  --> {}",
            readable(&other.instruction),
            quote.place
        );
        excerpt(text, line, column, quote.source.as_deref());
        calls(text, &other.callers);
    }
}

/// Formats a finding with its source lines; `color` highlights its level for a terminal.
pub fn describe(report: &Report, at: &Quote, other_at: Option<&Quote>, color: bool) -> String {
    let level = report.kind.info().level;
    let (paint, plain) = match (color, level) {
        (false, _) => ("", ""),
        (true, Level::Error) => ("\x1b[1m\x1b[31m", "\x1b[0m"),
        (true, Level::Warning) => ("\x1b[1m\x1b[33m", "\x1b[0m"),
    };
    let mut text = format!("{paint}{}[{}]{plain}: {}\n", level.name(), report.kind, report.message);
    let triple = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    if report.kind.is_of_streams() {
        of_streams(&mut text, report, at, other_at);
    } else if !report.kernel.is_empty() {
        // Findings outside of kernels, such as leaks, have no place.
        let column = report.location.as_ref().map_or(0, |location| location.column);
        let shown = if column > 0 { format!(":{column}") } else { String::new() };
        let _ = writeln!(text, "  --> {}{shown}", at.place);
        excerpt(&mut text, report.line(), column, at.source.as_deref());
        calls(&mut text, &report.callers);
        let (thread, block) = (triple(report.thread), triple(report.block));
        let _ =
            write!(text, "  = thread {thread} of block {block} in `{}`", readable(&report.kernel));
        let _ = match report.instruction.as_str() {
            "" => writeln!(text),
            instruction => writeln!(text, ", `{instruction}`"),
        };
    }
    if let (Some(other), Some(quote)) = (&report.other, other_at)
        && !report.kind.is_of_streams()
    {
        let (thread, block) = (triple(other.thread), triple(other.block));
        let _ = writeln!(
            text,
            "  = the other access: `{}` by thread {thread} of block {block}\n  --> {}",
            other.instruction, quote.place
        );
        let (line, column) =
            other.location.as_ref().map_or((other.text_line, 0), |at| (at.line, at.column));
        excerpt(&mut text, line, column, quote.source.as_deref());
        calls(&mut text, &other.callers);
    }
    for pair in report.also.iter().take(MOST_LINES) {
        let (other, access) = (&pair.other, &pair.access);
        let _ = match pair.in_next_iteration {
            true => writeln!(
                text,
                "  = the same barrier is missing between the access at {other} in one iteration and the access at {access} in the next"
            ),
            false => writeln!(text, "  = the same barrier is missing between {other} and {access}"),
        };
    }
    if report.also.len() > MOST_LINES {
        let _ = writeln!(text, "  = and {} more such pairs", report.also.len() - MOST_LINES);
    }
    if !report.allocated.is_empty() {
        let _ = writeln!(text, "  = {}", report.allocated);
    }
    if report.count > 1 {
        let _ = match report.counted.as_str() {
            "" => writeln!(text, "  = {} times in all", report.count),
            counted => writeln!(text, "  = {} times in all: {counted}", report.count),
        };
    }
    if !report.help.is_empty() {
        let _ = writeln!(text, "  = help: {}", report.help);
    }
    text
}

/// As `lanework check` prints it, with source lines if the files are readable.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = Quote::of(self.location.as_ref(), self.text_line);
        let of_other = |other: &crate::findings::report::OtherAccess| {
            Quote::of(other.location.as_ref(), other.text_line)
        };
        let other = self.other.as_ref().map(of_other);
        f.write_str(describe(self, &at, other.as_ref(), false).trim_end())
    }
}
