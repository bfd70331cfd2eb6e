//! Splitting of texts, and spacing between Chinese and Latin.

/// Chinese characters, and the punctuation that goes with them.
pub fn is_chinese(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{FF00}'..='\u{FF60}')
}

/// Chinese punctuation, which takes no spaces.
pub fn is_mark(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FF60}')
}

/// Appends a part: no space between Chinese characters and none at full-width punctuation, one between Chinese and
/// Latin.
pub fn join(out: &mut String, part: &str) {
    let before = out.trim_end().chars().next_back();
    let after = part.trim_start().chars().next();
    if let (Some(before), Some(after)) = (before, after) {
        let spaces = out.len() - out.trim_end().len() + part.len() - part.trim_start().len();
        let both = is_chinese(before) && is_chinese(after);
        if spaces == 1 && (both || is_mark(before) || is_mark(after)) {
            out.truncate(out.trim_end().len());
            out.push_str(part.trim_start());
            return;
        }
        let letters = is_chinese(before) != is_chinese(after);
        let word = match is_chinese(before) {
            true => after.is_ascii_alphanumeric() || "`.%[_+-".contains(after),
            false => before.is_ascii_alphanumeric() || "`%])".contains(before),
        };
        if spaces == 0 && letters && word && !is_mark(before) && !is_mark(after) {
            out.push(' ');
        }
    }
    out.push_str(part);
}

/// Position of the opening parenthesis that matches one at the end of the text.
pub fn opening(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth == 0 => return Some(at),
            '(' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits the text at separators outside of parentheses and quotes.
pub fn apart<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let (mut parts, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0i32, false);
    for (at, c) in text.char_indices() {
        match c {
            '`' => quoted = !quoted,
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 && !quoted && at >= start && text[at..].starts_with(separator) {
            parts.push(&text[start..at]);
            start = at + separator.len();
        }
    }
    parts.push(&text[start..]);
    parts
}
