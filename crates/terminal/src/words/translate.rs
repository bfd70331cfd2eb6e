//! Translation of finished English text: lines and their parts.

mod piece;

use super::catalogue::Catalogue;
use lanework::report::layout::{columns, wrap};
use piece::{best, fill, piece, whole};

/// Lines that a sentence of the catalogue may be spread over.
const LINES: usize = 9;
/// Columns that such a sentence is wrapped to again.
const WIDTH: usize = 98;
/// Minimum bytes of an entry that may span several lines.
const LONG: usize = 40;

/// A text of any number of lines.
pub fn text(catalogue: &Catalogue, text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        match paragraph(catalogue, &lines[at..]) {
            Some((said, taken)) => {
                out.push(said);
                at += taken;
            }
            None => {
                out.push(line(catalogue, lines[at]));
                at += 1;
            }
        }
    }
    out.join("\n")
}

/// A standalone word or phrase.
pub fn term(catalogue: &Catalogue, text: &str) -> String {
    let Some(found) = catalogue.exact(text.trim()) else { return self::text(catalogue, text) };
    text.replace(text.trim(), &fill(catalogue, found, &[]))
}

/// The entry that matches the first lines, unless a single line matches one, and the number of
/// lines.
fn paragraph(catalogue: &Catalogue, lines: &[&str]) -> Option<(String, usize)> {
    let first = lines.first()?;
    let indent = &first[..first.len() - first.trim_start().len()];
    let alone = first.trim().is_empty() || is_code(first) || first.trim().contains("  ");
    if alone || whole(catalogue, first.trim(), false).is_some() {
        return None;
    }
    let mut joined = first.trim().to_owned();
    for (index, next) in lines.iter().enumerate().take(LINES).skip(1) {
        if next.trim().is_empty() || is_code(next) || next.trim().contains("  ") {
            break;
        }
        joined.push(' ');
        joined.push_str(next.trim());
        let found = best(catalogue, &joined).filter(|(entry, _)| entry.weight >= LONG);
        if let Some((entry, held)) = found {
            let said = fill(catalogue, entry, &held);
            let lines = wrap(&said, WIDTH.saturating_sub(columns(indent)));
            let lines: Vec<String> = lines.iter().map(|line| format!("{indent}{line}")).collect();
            return Some((lines.join("\n"), index + 1));
        }
    }
    None
}

/// Whether the line quotes source code.
pub(super) fn is_code(line: &str) -> bool {
    let after_number = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    after_number.trim_start().starts_with('|')
        || (line.trim_start().starts_with("--> ") && !line.trim_start().starts_with("--> PTX text"))
}

/// One line.
fn line(catalogue: &Catalogue, line: &str) -> String {
    if is_code(line) {
        // Below quoted source, a mark may be followed by words.
        let Some(mark) = line
            .find(['^', '~'])
            .filter(|mark| line[..*mark].chars().all(|c| c == ' ' || c == '|'))
        else {
            return line.to_owned();
        };
        let rest = line[mark..].trim_start_matches(['^', '~', '-']);
        let (marks, words) = line.split_at(line.len() - rest.len());
        return marks.to_owned() + &piece(catalogue, words, false).0;
    }
    piece(catalogue, line, false).0
}

#[cfg(test)]
mod tests;
