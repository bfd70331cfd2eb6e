//! Values and longer texts for panes.

use lanework_debug::data::evaluate::EvaluatedValue;
use unicode_width::UnicodeWidthStr;

/// A value as a short text, and whether it was ever written.
pub(super) fn short(value: &EvaluatedValue) -> (String, bool) {
    let text = value.text();
    match text.strip_suffix(" (not written yet)") {
        Some(text) => (text.to_owned(), false),
        None => (text, true),
    }
}

/// The lines of a text, cut to a width and a number.
pub(super) fn wrapped(text: &str, columns: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut row = String::new();
        for word in line.split(' ') {
            let fits = row.width() + 1 + word.width() <= columns;
            if !row.is_empty() && !fits {
                lines.push(std::mem::take(&mut row));
            }
            if !row.is_empty() {
                row.push(' ');
            }
            row.push_str(word);
        }
        lines.push(row);
    }
    lines.truncate(most.max(1));
    lines
}
