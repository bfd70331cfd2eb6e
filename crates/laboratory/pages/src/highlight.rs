//! Syntax highlighting of listings, line by line: comments, strings, numbers and keywords. Listings are most of a
//! report, so marks are short elements rather than classes, and PTX marks only opcodes and comments.

use maud::{Markup, html};

/// The supported languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Rust, and approximately CUDA C++.
    Code,
    /// PTX.
    Ptx,
    /// Machine code.
    Sass,
}

/// Highlighted words in sources.
const WORDS: &str = "\
    as async break const continue crate else enum extern false fn for if impl in let loop match \
    mod move mut pub ref return self static struct super true type unsafe use where while void int \
    float double unsigned __global__ __shared__ __device__ template typename";

/// Marks the parts of a line: keywords as `b`, comments as `i`, strings as `s`, numbers as `u`.
pub fn line(text: &str, language: Language) -> Markup {
    html! {
        @for (class, part) in parts(text, language) {
            @match class {
                "k" => b { (part) },
                "c" => i { (part) },
                "s" => s { (part) },
                "n" => u { (part) },
                _ => (part),
            }
        }
    }
}

fn parts(text: &str, language: Language) -> Vec<(&'static str, &str)> {
    let mut found: Vec<(&'static str, &str)> = Vec::new();
    let mut rest = text;
    let mut plain = 0;
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        let (class, length) = first(rest, language, text[..at].trim().is_empty());
        if class.is_empty() {
            rest = &rest[length..];
            continue;
        }
        if plain < at {
            found.push(("", &text[plain..at]));
        }
        found.push((class, &rest[..length]));
        rest = &rest[length..];
        plain = text.len() - rest.len();
    }
    if plain < text.len() {
        found.push(("", &text[plain..]));
    }
    found
}

/// The class and the length of the first token of `rest`; `start` means that only blanks precede it.
fn first(rest: &str, language: Language, start: bool) -> (&'static str, usize) {
    let one = rest.chars().next().map_or(1, char::len_utf8);
    let word = |extra: &str| {
        let part =
            |letter: char| letter.is_alphanumeric() || letter == '_' || extra.contains(letter);
        rest.find(|letter| !part(letter)).unwrap_or(rest.len())
    };
    match rest.as_bytes()[0] {
        b'/' if rest.starts_with("//") => ("c", rest.len()),
        b'/' if rest.starts_with("/*") => ("c", rest.find("*/").map_or(rest.len(), |end| end + 2)),
        b'"' => ("s", rest[1..].find('"').map_or(rest.len(), |end| end + 2)),
        b'0'..=b'9' => (if language == Language::Code { "n" } else { "" }, word(".")),
        b'.' if language == Language::Ptx && start => ("k", 1 + word_after(rest)),
        b'#' if language == Language::Code && rest.starts_with("#[") => {
            ("c", rest.find(']').map_or(rest.len(), |end| end + 1))
        }
        first if first.is_ascii_alphabetic() || first == b'_' => {
            let length = word(if language == Language::Code { "" } else { "." });
            let colored = match language {
                Language::Code => WORDS.split(' ').any(|known| known == &rest[..length]),
                Language::Ptx => start && !rest[length..].starts_with(':'),
                Language::Sass => start,
            };
            (if colored { "k" } else { "" }, length)
        }
        _ => ("", one),
    }
}

/// The length of the word after its first letter.
fn word_after(rest: &str) -> usize {
    let part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    rest[1..].find(|letter| !part(letter)).unwrap_or(rest.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highlighted_parts_cover_the_line() {
        let text = "    if x < 0x1f { tile[i] = \"a\\\"; // 说明 <b>";
        assert_eq!(
            parts(text, Language::Code).iter().map(|(_, part)| *part).collect::<String>(),
            text
        );
        let classes: Vec<_> = parts("let x = 3; // 三", Language::Code);
        assert_eq!(classes, [("k", "let"), ("", " x = "), ("n", "3"), ("", "; "), ("c", "// 三")]);
        let ptx = parts("\tld.global.u32 \t%r1, [%rd2+4];", Language::Ptx);
        assert_eq!((ptx[1], ptx.len()), (("k", "ld.global.u32"), 3));
        for odd in ["", "é", "\"", "%", ".", "#[", "/*", "中文%中", "._", "%é"] {
            for language in [Language::Code, Language::Ptx, Language::Sass] {
                let whole: String = parts(odd, language).iter().map(|(_, part)| *part).collect();
                assert_eq!(whole, odd);
            }
        }
        assert_eq!(line("a < b", Language::Code).into_string(), "a &lt; b");
    }
}
