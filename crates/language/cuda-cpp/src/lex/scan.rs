//! The scanner. Never fails: a character that starts no token becomes [`TokenKind::Stray`].

use super::{Interner, Punctuation, Token, TokenKind};
use crate::source::Span;

/// Splits a file that starts at position `start` into tokens. The last token is [`TokenKind::End`].
pub fn scan(text: &str, start: u32, names: &mut Interner) -> Vec<Token> {
    let mut scanner = Scanner { text, bytes: text.as_bytes(), at: 0, start };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    loop {
        let (spaced, starts_line) = scanner.skip_blanks();
        let from = scanner.at;
        let kind = scanner.token(names);
        let span = Span { low: start + from as u32, high: start + scanner.at as u32, expansion: 0 };
        tokens.push(Token { kind, span, spaced, starts_line, frozen: false });
        if kind == TokenKind::End {
            return tokens;
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    start: u32,
}

impl Scanner<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The length of a line continuation at `at`.
    fn splice(&self, at: usize) -> usize {
        match self.bytes.get(at..) {
            Some([b'\\', b'\n', ..]) => 2,
            Some([b'\\', b'\r', b'\n', ..]) => 3,
            _ => 0,
        }
    }

    /// Skips white space and comments. Returns whether there were any, and whether a new line began.
    fn skip_blanks(&mut self) -> (bool, bool) {
        let before = self.at;
        let mut line = self.at == 0;
        loop {
            match (self.byte(0), self.byte(1)) {
                (b'\n', _) => {
                    line = true;
                    self.at += 1;
                }
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, _) => self.at += 1,
                (b'/', b'/') => {
                    while self.at < self.bytes.len() && self.byte(0) != b'\n' {
                        self.at += self.splice(self.at).max(1);
                    }
                }
                (b'/', b'*') => {
                    let rest = self.text.get(self.at + 2..).unwrap_or("");
                    self.at += rest.find("*/").map_or(rest.len() + 2, |end| end + 4);
                }
                (b'\\', _) if self.splice(self.at) > 0 => self.at += self.splice(self.at),
                (0xef, 0xbb) if self.at == 0 => self.at += 3,
                _ => return (self.at > before, line),
            }
            self.at = self.at.min(self.bytes.len());
        }
    }

    fn token(&mut self, names: &mut Interner) -> TokenKind {
        let Some(&first) = self.bytes.get(self.at) else { return TokenKind::End };
        let _ = self.start;
        match first {
            b'0'..=b'9' => TokenKind::Number(self.number(names)),
            b'.' if self.byte(1).is_ascii_digit() => TokenKind::Number(self.number(names)),
            b'"' => TokenKind::Text(self.quoted(self.at, b'"', names)),
            b'\'' => TokenKind::Character(self.quoted(self.at, b'\'', names)),
            b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => self.word(names),
            _ => self.punctuation(),
        }
    }

    fn punctuation(&mut self) -> TokenKind {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let begins = |p: &&Punctuation| rest.starts_with(p.text().as_bytes());
        if let Some(&found) = Punctuation::ALL.iter().find(begins) {
            self.at += found.text().len();
            return TokenKind::Punctuation(found);
        }
        let stray = self.text.get(self.at..).and_then(|rest| rest.chars().next()).unwrap_or('?');
        self.at += stray.len_utf8();
        TokenKind::Stray(stray)
    }

    /// Skips the bytes that `belongs` accepts, and returns their text without line continuations.
    fn take(&mut self, belongs: impl Fn(u8, u8) -> bool) -> String {
        let mut text = Vec::new();
        let mut last = 0;
        loop {
            let splice = self.splice(self.at);
            let next = self.bytes.get(self.at + splice).copied().unwrap_or(0);
            if next == 0 || !belongs(next, last) {
                break;
            }
            text.push(next);
            last = next;
            self.at += splice + 1;
        }
        String::from_utf8(text).unwrap_or_default()
    }

    fn number(&mut self, names: &mut Interner) -> super::Name {
        let text = self.take(|byte, last| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'.' | b'_')
                || byte == b'\''
                || (matches!(byte, b'+' | b'-') && matches!(last, b'e' | b'E' | b'p' | b'P'))
        });
        // `0xE+1` is scanned as a sum, which is what programs mean.
        let sign = text.rfind(['+', '-']);
        if let Some(sign) = sign
            && (text.starts_with("0x") || text.starts_with("0X"))
            && !text.contains(['p', 'P'])
        {
            self.at -= text.len() - sign;
            return names.intern(&text[..sign]);
        }
        names.intern(&text)
    }

    fn word(&mut self, names: &mut Interner) -> TokenKind {
        let from = self.at;
        let text = self.take(|byte, _| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
        });
        if matches!(text.as_str(), "L" | "u" | "U" | "u8" | "R" | "LR" | "uR" | "UR" | "u8R") {
            match self.byte(0) {
                b'"' if text.ends_with('R') => return TokenKind::Text(self.raw(from, names)),
                b'"' => return TokenKind::Text(self.quoted(from, b'"', names)),
                b'\'' if !text.ends_with('R') => {
                    return TokenKind::Character(self.quoted(from, b'\'', names));
                }
                _ => {}
            }
        }
        let name = match text.as_str() {
            "and" => return TokenKind::Punctuation(Punctuation::AndAnd),
            "or" => return TokenKind::Punctuation(Punctuation::OrOr),
            "not" => return TokenKind::Punctuation(Punctuation::Not),
            _ => names.intern(&text),
        };
        TokenKind::Identifier(name)
    }

    /// Scans a quoted literal, from its prefix at `from` to its end or the end of the line.
    fn quoted(&mut self, from: usize, quote: u8, names: &mut Interner) -> super::Name {
        let mut text: Vec<u8> = self.bytes.get(from..self.at).unwrap_or_default().to_vec();
        text.push(quote);
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte == b'\n' {
                break;
            }
            let splice = self.splice(self.at);
            if splice > 0 {
                self.at += splice;
                continue;
            }
            self.at += 1;
            text.push(byte);
            if byte == quote {
                break;
            }
            if byte == b'\\'
                && let Some(&escaped) = self.bytes.get(self.at)
            {
                text.push(escaped);
                self.at += 1;
            }
        }
        // It can stop inside a character only at the end of the text.
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        names.intern(&String::from_utf8_lossy(&text))
    }

    /// Scans a raw string; it is interned as an ordinary string with escapes.
    fn raw(&mut self, _from: usize, names: &mut Interner) -> super::Name {
        let rest = self.text.get(self.at + 1..).unwrap_or("");
        let delimiter = rest.split('(').next().unwrap_or("").to_owned();
        let body = rest.get(delimiter.len() + 1..).unwrap_or("");
        let close = format!("){delimiter}\"");
        let length = body.find(&close).unwrap_or(body.len());
        let inner = body.get(..length).unwrap_or("");
        self.at = (self.at + 2 + delimiter.len() + length + close.len()).min(self.bytes.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        let escaped = inner.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        names.intern(&format!("\"{escaped}\""))
    }
}
