//! String literals and comments for users of Rust sources, for the tests of the catalog.

use std::path::{Path, PathBuf};

/// A text of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The text, without escapes.
    pub text: String,
    /// Its line, counted from 1.
    pub line: usize,
    /// The macro or function that directly takes it, such as `panic` or `Column::name`.
    pub of: String,
}

/// The sources below a folder, without tests.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if path.is_dir() && name != "tests" && name != "template" {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The literals of a source and its doc comments, up to its unit tests.
pub fn literals(source: &str) -> Vec<Literal> {
    let until = source.find("\n#[cfg(test)]\nmod tests {").unwrap_or(source.len());
    let source = &source[..until];
    let bytes = source.as_bytes();
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while at < bytes.len() {
        let rest = &source[at..];
        let start = at;
        if rest.starts_with("//") {
            let text = rest.lines().next().unwrap_or_default();
            at += text.len();
            if let Some(text) = text.strip_prefix("///") {
                let text = text.trim().to_owned();
                found.push(Literal { text, line, of: "doc".to_owned() });
            }
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if let Some((text, length)) = raw(rest) {
            found.push(Literal { text, line, of: caller(&source[..at]) });
            at += length;
        } else if bytes[at] == b'"' {
            let (text, length) = quoted(rest);
            found.push(Literal { text, line, of: caller(&source[..at]) });
            at += length;
        } else if bytes[at] == b'\'' {
            at += character(rest);
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            // A word that ends in r is not a prefix of a raw string.
            while at < bytes.len()
                && (bytes[start].is_ascii_alphabetic() || bytes[start] == b'_')
                && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_')
            {
                at += 1;
            }
        }
        line += source[start..at].matches('\n').count();
    }
    found
}

/// A raw string at the start of the text, and its length.
fn raw(text: &str) -> Option<(String, usize)> {
    let after = text.strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let end = body.find(&format!("\"{}", "#".repeat(hashes)))?;
    Some((body[..end].to_owned(), 1 + hashes + 1 + end + 1 + hashes))
}

/// The string at the start of the text, without escapes, and its length.
fn quoted(text: &str) -> (String, usize) {
    let mut out = String::new();
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (out, at + 1),
            '\\' => match letters.next() {
                Some((_, 'n')) => out.push('\n'),
                Some((_, 't')) => out.push('\t'),
                Some((_, '\n')) => while letters.next_if(|(_, c)| c.is_whitespace()).is_some() {},
                Some((_, other)) => out.push(other),
                None => {}
            },
            letter => out.push(letter),
        }
    }
    (out, text.len())
}

/// The length of a character literal, or of the quote of a lifetime.
fn character(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    match letters.next() {
        Some((_, '\\')) => text[2..].find('\'').map_or(1, |end| if end == 0 { 4 } else { end + 3 }),
        Some((at, letter)) if text[at + letter.len_utf8()..].starts_with('\'') => {
            at + letter.len_utf8() + 1
        }
        _ => 1,
    }
}

/// The word before the opening parenthesis that the text ends with.
fn caller(before: &str) -> String {
    let before = before.trim_end();
    let attributes = ["reason =", "must_use =", "note =", "path =", "feature =", "rename ="];
    if let Some(attribute) = attributes.iter().find(|attribute| before.ends_with(*attribute)) {
        return (*attribute).to_owned();
    }
    let Some(before) = before.strip_suffix('(') else { return String::new() };
    let before = before.strip_suffix('!').unwrap_or(before);
    let start =
        before.rfind(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').map_or(0, |at| at + 1);
    before[start..].to_owned()
}

#[test]
fn strings_are_found_and_code_is_not() {
    let source = r####"
/// Runs it.
fn f<'a>(x: &'a str) { // "no"
    panic!("a \"b\" \
        c\n"); let c = '"'; let d = '\''; say(r#"raw "x""#, "two");
}
#[cfg(test)]
mod tests { "not this" }
"####;
    let found: Vec<(String, String, usize)> =
        literals(source).into_iter().map(|one| (one.text, one.of, one.line)).collect();
    let expected = [
        ("Runs it.", "doc", 2),
        ("a \"b\" c\n", "panic", 4),
        ("raw \"x\"", "say", 5),
        ("two", "", 5),
    ];
    let expected = expected.map(|(text, of, line)| (text.to_owned(), of.to_owned(), line));
    assert_eq!(found, expected);
}
