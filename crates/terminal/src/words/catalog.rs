//! The catalog: pairs of an English text and its translation, with holes for variable parts.
//!
//! A file is pairs of lines with empty lines between them; lines that begin with `# ` are comments. `{name}` is a
//! hole for any text and `{n}`, with one letter, a hole for one word. Braces around anything but a name are literal.

use std::collections::HashMap;

/// The files, one per area of the program.
const CHINESE: &[(&str, &str)] = &[
    ("clap", include_str!("../../words/zh/clap.txt")),
    ("help", include_str!("../../words/zh/help.txt")),
    ("composed", include_str!("../../words/zh/composed.txt")),
    ("debug", include_str!("../../words/zh/debug.txt")),
    ("command", include_str!("../../words/zh/command.txt")),
    ("history", include_str!("../../words/zh/history.txt")),
    ("lab", include_str!("../../words/zh/lab.txt")),
    ("judge", include_str!("../../words/zh/judge.txt")),
    ("bench", include_str!("../../words/zh/bench.txt")),
    ("report", include_str!("../../words/zh/report.txt")),
    ("time", include_str!("../../words/zh/time.txt")),
    ("sanitizer", include_str!("../../words/zh/sanitizer.txt")),
    ("engine", include_str!("../../words/zh/engine.txt")),
    ("library", include_str!("../../words/zh/library.txt")),
    ("cuda", include_str!("../../words/zh/cuda.txt")),
    ("driver", include_str!("../../words/zh/driver.txt")),
    ("ptx", include_str!("../../words/zh/ptx.txt")),
];

/// An entry with fewer bytes outside of its holes is hardly more than holes.
const SHORT: usize = 4;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// Literal text.
    Text(&'static str),
    /// Anything, by name.
    Hole(&'static str),
}

/// An entry.
#[derive(Debug)]
pub struct Entry {
    /// The file and line of the English text.
    #[cfg(test)]
    pub place: (&'static str, usize),
    /// The English text.
    pub parts: Vec<TemplatePart>,
    /// The translation in parts.
    pub chinese: Vec<TemplatePart>,
    /// The bytes of the English text outside of holes: if several entries match, the one with the most wins.
    pub weight: usize,
}

/// All entries of a language.
pub struct Catalog {
    entries: Vec<Entry>,
    /// Entries without holes, by their text.
    exact: HashMap<&'static str, usize>,
    /// Entries with holes, by one of their words.
    by_word: HashMap<&'static str, Vec<usize>>,
}

impl Catalog {
    /// The Chinese catalog.
    pub fn chinese() -> Catalog {
        Catalog::of(CHINESE)
    }

    /// The catalog of these files, each with the name of its area. A line without a partner is skipped here; a
    /// test reports it.
    pub fn of(files: &[(&'static str, &'static str)]) -> Catalog {
        let mut entries = Vec::new();
        for (area, text) in files {
            let mut english = None;
            for (number, line) in text.lines().enumerate() {
                let line = line.trim_end();
                if line.starts_with("# ") {
                } else if line.is_empty() {
                    english = None;
                } else if let Some(english) = english.take() {
                    entries.push(Entry::new(area, number, english, line));
                } else {
                    english = Some(line);
                }
            }
        }
        let (mut exact, mut by_word) = (HashMap::new(), HashMap::<_, Vec<usize>>::new());
        for (index, entry) in entries.iter().enumerate() {
            match entry.parts.as_slice() {
                [TemplatePart::Text(text)] => {
                    exact.insert(*text, index);
                }
                parts => by_word.entry(rarest(parts)).or_default().push(index),
            }
        }
        Catalog { entries, exact, by_word }
    }

    /// All entries.
    #[cfg(test)]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry without holes that is this text.
    pub fn exact(&self, text: &str) -> Option<&Entry> {
        self.exact.get(text).map(|index| &self.entries[*index])
    }

    /// The translation of a word or phrase without context.
    pub fn of_term(&self, text: &str) -> Option<&'static str> {
        match self.exact(text)?.chinese.as_slice() {
            [TemplatePart::Text(chinese)] => Some(chinese),
            _ => None,
        }
    }

    /// The entries with holes that may fit the text.
    pub fn candidates<'c>(&'c self, text: &'c str) -> impl Iterator<Item = &'c Entry> {
        let words = words(text).chain(std::iter::once(""));
        let found = words.filter_map(|word| self.by_word.get(word));
        found.flatten().map(|index| &self.entries[*index])
    }
}

impl Entry {
    fn new(
        _area: &'static str,
        _line: usize,
        english: &'static str,
        chinese: &'static str,
    ) -> Entry {
        let (parts, chinese) = (parts(english), parts(chinese));
        let length = |part: &TemplatePart| match part {
            TemplatePart::Text(text) => text.len(),
            TemplatePart::Hole(_) => 0,
        };
        let weight = parts.iter().map(length).sum();
        Entry {
            #[cfg(test)]
            place: (_area, _line),
            parts,
            chinese,
            weight,
        }
    }

    /// Matches the text, and returns the values of the holes in order.
    pub fn fits<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let mut held = Vec::new();
        // A hole holds no columns, only one word if its name is one letter, and no list if there is almost no text
        // around the holes.
        let one = |name: &str, held: &str| {
            !held.is_empty()
                && !held.contains("  ")
                && (name.len() != 1 || !held.contains(' '))
                && (self.weight >= SHORT
                    || ![", ", "; ", ": "].iter().any(|mark| held.contains(mark)))
        };
        let fit = fits(&self.parts, text, &mut held, &one);
        // A leading label is not part of the text after it.
        let labeled = matches!(self.parts.first(), Some(TemplatePart::Hole(_)))
            && held.first().is_some_and(|held| held.contains(": ") || held.ends_with(':'));
        (fit && !labeled).then_some(held)
    }
}

/// Words: runs of letters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty())
}

/// The longest word that no hole can run into.
fn rarest(parts: &[TemplatePart]) -> &'static str {
    let mut longest = "";
    for (index, part) in parts.iter().enumerate() {
        let TemplatePart::Text(text) = part else { continue };
        let mut text: &'static str = text;
        if index > 0 {
            text = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        }
        if index + 1 < parts.len() {
            text = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        }
        longest = words(text).fold(longest, |a, b| if b.len() > a.len() { b } else { a });
    }
    longest
}

/// Whether the text matches these parts; returns the contents of each hole. Each must pass `one`.
fn fits<'t>(
    parts: &[TemplatePart],
    text: &'t str,
    held: &mut Vec<&'t str>,
    one: &dyn Fn(&str, &str) -> bool,
) -> bool {
    match parts {
        [] => text.is_empty(),
        [TemplatePart::Text(own), rest @ ..] => {
            text.strip_prefix(own).is_some_and(|text| fits(rest, text, held, one))
        }
        [TemplatePart::Hole(name)] => {
            held.push(text);
            one(name, text)
        }
        [TemplatePart::Hole(name), rest @ ..] => {
            let Some(TemplatePart::Text(next)) = rest.first() else { return false };
            // A quote in backticks ends at the next backtick.
            let quoted = next.starts_with('`');
            let whole = |at: usize| one(name, &text[..at]) && !(quoted && text[..at].contains('`'));
            for (at, _) in text.match_indices(next).filter(|(at, _)| whole(*at)) {
                let known = held.len();
                held.push(&text[..at]);
                if fits(rest, &text[at..], held, one) {
                    return true;
                }
                held.truncate(known);
            }
            false
        }
    }
}

/// A line of the catalog in parts.
fn parts(line: &'static str) -> Vec<TemplatePart> {
    let (mut parts, mut rest, mut from) = (Vec::new(), line, 0);
    while let Some(open) = rest[from..].find('{').map(|at| at + from) {
        let name = rest[open + 1..].split('}').next().unwrap_or_default();
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
        if !is_name || rest.len() < open + name.len() + 2 {
            from = open + 1;
            continue;
        }
        if open > 0 {
            parts.push(TemplatePart::Text(&rest[..open]));
        }
        parts.push(TemplatePart::Hole(name));
        (rest, from) = (&rest[open + name.len() + 2..], 0);
    }
    if !rest.is_empty() {
        parts.push(TemplatePart::Text(rest));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_match_the_text_between_their_neighbors() {
        let entry = Entry::new("", 0, "{n} of {total} `{name}` {1}", "{total} 中的 {n}");
        assert_eq!(entry.fits("3 of 4 `a of b` {2}"), None);
        let entry = Entry::new("", 0, "{n} of {total} `{name}` {a, b}", "{total} 中的 {n}");
        assert_eq!(entry.fits("3 of 4 `a of b` {a, b}"), Some(vec!["3", "4", "a of b"]));
        assert_eq!(entry.fits("3 of  `a` {a, b}"), None, "a hole is not empty");
    }
}
