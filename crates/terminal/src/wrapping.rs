//! Wraps lines that are wider than the terminal, such as errors and findings, at spaces. Quoted source is not wrapped, nor
//! are tables if `--columns` is given.

use crate::screen::columns_asked;
use lanework::report::layout::{columns, hanging};
use std::borrow::Cow;

/// A text whose lines fit so many columns.
pub fn wrapped(text: &str, width: Option<usize>) -> Cow<'_, str> {
    let Some(width) = width.filter(|_| columns_asked().is_none()) else { return text.into() };
    if text.split('\n').all(|line| stays(line, width)) {
        return text.into();
    }
    let of = |line: &str| match stays(line, width) {
        true => line.to_owned(),
        false => wrapped_line(line, width),
    };
    text.split('\n').map(of).collect::<Vec<_>>().join("\n").into()
}

/// Columns of a text that may hold escape codes.
fn shown(text: &str) -> usize {
    columns(&anstream::adapter::strip_str(text).to_string())
}

/// Whether a line fits, or quotes source.
fn stays(line: &str, width: usize) -> bool {
    if line.len() <= width || shown(line) <= width {
        return true;
    }
    let plain = anstream::adapter::strip_str(line).to_string();
    let plain = plain.trim_start().trim_start_matches(|letter: char| letter.is_ascii_digit());
    plain.trim_start().starts_with('|') || plain.starts_with("--> ")
}

/// A longer line in several, those after the first indented as its text is.
fn wrapped_line(line: &str, width: usize) -> String {
    let label = &line[..label(line)];
    if !line.contains('\u{1b}') {
        return hanging(label, &line[label.len()..], width).trim_end_matches('\n').to_owned();
    }
    let indent = shown(label);
    let (mut text, mut taken) = (label.to_owned(), indent);
    for (number, word) in line[label.len()..].split(' ').enumerate() {
        let wide = shown(word);
        if number > 0 && taken + 1 + wide > width {
            text.push_str(&format!("\n{}", " ".repeat(indent)));
            taken = indent;
        } else if number > 0 {
            text.push(' ');
            taken += 1;
        }
        text.push_str(word);
        taken += wide;
    }
    text
}

/// Bytes of the blanks that a line begins with, and of a label such as `= help: `.
fn label(line: &str) -> usize {
    let blanks = line.len() - line.trim_start_matches(' ').len();
    let rest = &line[blanks..];
    let named = rest.strip_prefix("= ").and_then(|rest| rest.find(": ").map(|at| at + 4));
    blanks + named.filter(|long| *long < 16).unwrap_or(if rest.starts_with("= ") { 2 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_wrapped_under_their_text() {
        let text = "error: one two three\n  = help: four five six\n  12 | a long line of source";
        let said = wrapped(text, Some(16));
        assert_eq!(
            said,
            "error: one two\nthree\n  = help: four\n          five\n          six\n  12 | a long line of source"
        );
        assert_eq!(wrapped(text, None), text);
        assert_eq!(wrapped(text, Some(80)), text);
    }

    #[test]
    fn escape_codes_take_no_columns() {
        let said = wrapped("\u{1b}[1merror:\u{1b}[0m one two three", Some(14));
        assert_eq!(said, "\u{1b}[1merror:\u{1b}[0m one two\nthree");
    }
}
