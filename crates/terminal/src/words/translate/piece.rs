//! Pieces of a line: an entry that matches a piece as a whole, else the parts between separators, colors,
//! columns and brackets.

use crate::words::catalogue::{Catalogue, Entry, TemplatePart};
use crate::words::spacing::{apart, is_chinese, is_mark, join, opening};
use lanework::report::layout::columns;

/// The start of an escape code.
const ESCAPE: char = '\u{1b}';

/// The best matching entry for a text, with the contents of its holes.
pub(super) fn best<'c, 't>(
    catalogue: &'c Catalogue,
    text: &'t str,
) -> Option<(&'c Entry, Vec<&'t str>)>
where
    't: 'c,
{
    let mut found: Option<(&Entry, Vec<&str>)> = None;
    if let Some(entry) = catalogue.exact(text) {
        return Some((entry, Vec::new()));
    }
    for entry in catalogue.candidates(text) {
        if found.as_ref().is_some_and(|(known, _)| known.weight >= entry.weight) {
            continue;
        }
        if let Some(held) = entry.fits(text) {
            found = Some((entry, held));
        }
    }
    found
}

/// The translation of the text as a whole. A single word is looked up only if it cannot be a name.
pub(super) fn whole(catalogue: &Catalogue, text: &str, word: bool) -> Option<String> {
    if !word && !text.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        return None;
    }
    best(catalogue, text).map(|(entry, held)| fill(catalogue, entry, &held))
}

/// The translation with its holes filled.
pub(super) fn fill(catalogue: &Catalogue, entry: &Entry, held: &[&str]) -> String {
    let mut values = Vec::new();
    let mut before = "";
    for part in &entry.parts {
        match part {
            TemplatePart::Text(text) => before = text,
            TemplatePart::Hole(name) => {
                let quoted = before.ends_with(['`', '\'', '"']);
                let value = held.get(values.len()).copied().unwrap_or_default();
                let value = match quoted {
                    true => value.to_owned(),
                    false => piece(catalogue, value, true).0,
                };
                values.push((*name, value));
                before = "";
            }
        }
    }
    let mut out = String::new();
    let mut unnamed = 0;
    for part in &entry.chinese {
        match part {
            TemplatePart::Text(text) => join(&mut out, text),
            TemplatePart::Hole(name) => {
                let of_name = |(known, _): &&(&str, String)| known == name;
                let value = match name.is_empty() {
                    true => {
                        unnamed += 1;
                        values.get(unnamed - 1)
                    }
                    false => values.iter().find(of_name),
                };
                let value = value.map_or("", |(_, value)| value);
                match value.strip_prefix(", ").filter(|_| out.ends_with(is_chinese)) {
                    Some(rest) => join(&mut out, &format!("，{rest}")),
                    None => join(&mut out, value),
                }
            }
        }
    }
    out
}

/// Separators at which text is split, the outermost first, and the Chinese form of each.
const SEPARATORS: [(&str, &str); 8] = [
    (WIDE_GAP, WIDE_GAP),
    (". ", "。"),
    ("; ", "；"),
    (LABEL, "："),
    (" = ", " = "),
    (", ", "，"),
    (" - ", " - "),
    (NO_BREAK, NO_BREAK),
];

/// Separates a name from the text about it, which may begin with a name, too.
const LABEL: &str = ": ";

/// Separates a place from its code.
const WIDE_GAP: &str = "\u{a0}\u{a0}";

/// Separates a name from its figure.
const NO_BREAK: &str = "\u{a0}";

/// Punctuation at the end of a text.
const ENDS: [(&str, &str); 3] = [(".", "。"), (":", "："), (",", "，")];

/// A piece of a line, and whether any of it was translated.
pub(super) fn piece(catalogue: &Catalogue, text: &str, word: bool) -> (String, bool) {
    let core = text.trim();
    if !core.contains(|c: char| c.is_ascii_alphabetic()) {
        return (text.to_owned(), false);
    }
    let lead = &text[..text.len() - text.trim_start().len()];
    let trail = &text[lead.len() + core.len()..];
    match unpadded(catalogue, core, word) {
        // No space follows full-width punctuation.
        Some(said) if said.ends_with(is_mark) && trail == " " => (format!("{lead}{said}"), true),
        Some(said) => (format!("{lead}{said}{trail}"), true),
        None => (text.to_owned(), false),
    }
}

/// A piece without blanks around it.
fn unpadded(catalogue: &Catalogue, core: &str, word: bool) -> Option<String> {
    // Text before an escape code is a separate label.
    let labelled = core.starts_with(ESCAPE);
    let whole = if labelled { None } else { whole(catalogue, core, word) };
    if let Some(said) = whole.or_else(|| styled(catalogue, core)) {
        return Some(said);
    }
    if let Some(said) = in_columns(catalogue, core) {
        return Some(said);
    }
    for (end, chinese) in ENDS {
        let ended = core.strip_suffix(end).filter(|short| !short.is_empty());
        if let Some(said) = ended.and_then(|short| unpadded(catalogue, short, true)) {
            return Some(said + chinese);
        }
    }
    for (separator, chinese) in SEPARATORS {
        let mut parts = apart(core, separator);
        if separator == LABEL && parts.len() > 1 {
            parts = vec![parts[0], &core[parts[0].len() + separator.len()..]];
        }
        if parts.len() < 2 {
            continue;
        }
        let said: Vec<(String, bool)> =
            parts.iter().map(|part| piece(catalogue, part, separator == NO_BREAK)).collect();
        if said.iter().all(|(_, translated)| !translated) {
            continue;
        }
        let mut out = String::new();
        for (index, (part, translated)) in said.iter().enumerate() {
            if index > 0 {
                out.push_str(if *translated || said[index - 1].1 { chinese } else { separator });
            }
            out.push_str(part);
        }
        return Some(out);
    }
    let inner = core.strip_suffix(')')?;
    let open = opening(inner)?;
    let (before, within) = (&core[..open], &inner[open + 1..]);
    let (outside, first) = piece(catalogue, before, word);
    let (inside, second) = piece(catalogue, within, true);
    match (first, second) {
        (false, false) => None,
        (_, true) => Some(format!("{}（{inside}）", outside.trim_end())),
        (true, false) => Some(format!("{} ({inside})", outside.trim_end())),
    }
}

/// A label in a color, and what follows; else the pieces between changes of color.
fn styled(catalogue: &Catalogue, core: &str) -> Option<String> {
    if !core.contains(ESCAPE) {
        return None;
    }
    let mut out = String::new();
    let mut any = false;
    let mut rest = core;
    while !rest.is_empty() {
        let until = rest.find(ESCAPE).unwrap_or(rest.len());
        if let Some(after) = rest.strip_prefix(": ").filter(|_| any) {
            out.push('：');
            out.push_str(&piece(catalogue, after, false).0);
            break;
        }
        if until > 0 {
            let (said, translated) = piece(catalogue, &rest[..until], true);
            // No space follows full-width punctuation.
            let said = match out.trim_end_matches("\u{1b}[0m").ends_with(is_mark) {
                true => said.trim_start().to_owned(),
                false => said,
            };
            out.push_str(&said);
            any |= translated;
            rest = &rest[until..];
        }
        let code = rest.find('m').map_or(rest.len(), |at| at + 1);
        out.push_str(&rest[..code]);
        rest = &rest[code..];
        // The text after the label is looked up as a whole, including its colors.
        if out.trim_end_matches("\u{1b}[0m").ends_with(is_mark) && !rest.is_empty() {
            let (said, translated) = piece(catalogue, rest.trim_start(), false);
            out.push_str(&said);
            any |= translated;
            rest = "";
        }
    }
    any.then_some(out)
}

/// Columns are separated by two or more spaces. Each keeps its position.
fn in_columns(catalogue: &Catalogue, core: &str) -> Option<String> {
    core.find("  ")?;
    let mut out = String::new();
    let mut place = 0;
    let mut rest = core;
    // If one column is a text, a single word in another is its label, not a name.
    let any = core.split("  ").any(|part| piece(catalogue, part, false).1);
    while !rest.is_empty() {
        let until = rest.find("  ").unwrap_or(rest.len());
        let gap = rest[until..].len() - rest[until..].trim_start().len();
        let (said, _) = piece(catalogue, &rest[..until], any);
        out.push_str(&said);
        place += columns(&rest[..until]) + gap;
        if gap > 0 {
            let spaces = place.saturating_sub(columns(&out)).max(2);
            out.push_str(&" ".repeat(spaces));
        }
        rest = &rest[until + gap..];
    }
    any.then_some(out)
}
