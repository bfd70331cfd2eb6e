//! Renders problems as text, in rustc's layout.

use super::diagnostics::{Severity, SourceProblem};
use super::{SourceMap, Span};
use std::fmt::Write;

/// Maximum number of macro uses shown per position.
const MACROS: usize = 4;

/// Renders one problem with its source lines.
pub(super) fn render(problem: &SourceProblem, map: &SourceMap) -> String {
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
