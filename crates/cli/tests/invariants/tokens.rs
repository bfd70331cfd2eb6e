//! A tokenizer of Rust: words, `::` and other marks, without comments and literals.

/// A token that matters for paths.
#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    Word(String),
    /// `::`
    Colons,
    Mark(char),
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The tokens of `text` with their lines, without comments and literals.
pub fn tokens(text: &str) -> Vec<(Token, usize)> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let (mut tokens, mut i, mut line) = (Vec::new(), 0, 1);
    while i < chars.len() {
        let start = i;
        match chars[i] {
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && chars[i] != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '*' => {
                let mut depth = 0;
                loop {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 || i >= chars.len() {
                        break;
                    }
                }
            }
            '"' => i = string_end(&chars, i),
            '\'' if at(i + 1) == '\\' || at(i + 2) == '\'' => {
                i += if at(i + 1) == '\\' { 3 } else { 2 };
                while i < chars.len() && chars[i] != '\'' {
                    i += 1;
                }
                i += 1;
            }
            c if is_word(c) => {
                while is_word(at(i)) {
                    i += 1;
                }
                let word: String = chars[start..i].iter().collect();
                let raw = matches!(word.as_str(), "r" | "br" | "cr") && matches!(at(i), '"' | '#');
                match raw.then(|| raw_string_end(&chars, i)).flatten() {
                    Some(end) => i = end,
                    None if !c.is_ascii_digit() => tokens.push((Token::Word(word), line)),
                    None => {}
                }
            }
            ':' if at(i + 1) == ':' => {
                tokens.push((Token::Colons, line));
                i += 2;
            }
            c => {
                if !c.is_whitespace() {
                    tokens.push((Token::Mark(c), line));
                }
                i += 1;
            }
        }
        let end = i.min(chars.len());
        line += chars[start..end].iter().filter(|c| **c == '\n').count();
    }
    tokens
}

/// Past the closing quote of the string that opens at `start`.
fn string_end(chars: &[char], start: usize) -> usize {
    let mut i = start + 1;
    while i < chars.len() && chars[i] != '"' {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

/// Past the end of a raw string whose hashes start at `start`; none if it is a raw identifier.
fn raw_string_end(chars: &[char], start: usize) -> Option<usize> {
    let hashes = chars[start..].iter().take_while(|c| **c == '#').count();
    let mut i = start + hashes;
    if chars.get(i) != Some(&'"') {
        return None;
    }
    i += 1;
    while i < chars.len() {
        let closes = chars[i] == '"'
            && chars[i + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
        i += 1;
        if closes {
            return Some(i + hashes);
        }
    }
    Some(i)
}
