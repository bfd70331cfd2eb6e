//! The lexer, which splits PTX text into tokens. It never fails: unexpected text becomes an `Unknown` token, which the
//! parser reports.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier or register: `add`, `%r1`, `$L__BB0_1`, `_`.
    Word,
    /// A dot and a word: `.global`, `.m16n8k16`, `.shared::cluster`.
    Dotted,
    /// A numeric literal, well formed or not.
    Number,
    /// A string in double quotes.
    StringLiteral,
    /// One punctuation character.
    Punctuation(u8),
    /// The `/*` of a comment without a `*/`. The lexer skips the rest of the text.
    OpenComment,
    /// Any other text, such as an unfinished string.
    Unknown,
    /// The end of the text.
    End,
}

/// A token: a kind and its byte range in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Line of the text, from 1.
    pub(super) line: u32,
}

/// The tokens of `text`, which must be shorter than 4 GiB. The last token is `End`.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    // Text copied from C strings may end with a NUL.
    let mut lexer = Lexer { bytes: text.trim_end_matches('\0').as_bytes(), at: 0, line: 1 };
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 5 + 1);
    loop {
        if let Some(open) = lexer.skip_blank() {
            tokens.push(open);
        }
        let start = lexer.at;
        let line = lexer.line;
        let follows_word = tokens.last().is_some_and(|t| {
            t.end as usize == start && matches!(t.kind, TokenKind::Word | TokenKind::Dotted)
        });
        let kind = lexer.token(follows_word);
        tokens.push(Token { kind, start: start as u32, end: lexer.at as u32, line });
        if kind == TokenKind::End {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Whether a text starts with a line marker of the preprocessor, `# 5 "file"`.
fn is_line_marker(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"#") else { return false };
    rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit)
}

impl Lexer<'_> {
    /// The byte `ahead` bytes after the current one; 0 past the end.
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, test: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && test(self.bytes[self.at]) {
            self.at += 1;
        }
    }

    /// Skips white space, comments and preprocessor lines (`# 5 "file"`, `@@DWARF`). Returns the
    /// start of a comment that is never closed.
    fn skip_blank(&mut self) -> Option<Token> {
        loop {
            let line_start = self.at == 0 || self.bytes[self.at - 1] == b'\n';
            let rest = &self.bytes[self.at..];
            if rest.starts_with(b"//")
                || line_start && (is_line_marker(rest) || rest.starts_with(b"@@"))
            {
                self.skip_while(|b| b != b'\n');
            } else if rest.starts_with(b"/*") {
                let length = rest.windows(2).skip(2).position(|pair| pair == b"*/");
                let Some(length) = length else {
                    let (start, line) = (self.at as u32, self.line);
                    self.at = self.bytes.len();
                    return Some(Token {
                        kind: TokenKind::OpenComment,
                        start,
                        end: start + 2,
                        line,
                    });
                };
                let end = self.at + length + 4;
                self.line += rest[..end - self.at].iter().filter(|b| **b == b'\n').count() as u32;
                self.at = end;
            } else {
                match rest.first() {
                    Some(b'\n') => self.line += 1,
                    Some(b' ' | b'\t' | b'\r' | 0x0B | 0x0C) => {}
                    // ptxas treats a backslash at the end of a line as blank.
                    Some(b'\\')
                        if line_start && rest.get(1).is_none_or(u8::is_ascii_whitespace) => {}
                    // Some editors write a byte-order mark at the start.
                    Some(0xEF) if self.at == 0 && rest.starts_with("\u{FEFF}".as_bytes()) => {
                        self.at += 2
                    }
                    _ => return None,
                }
                self.at += 1;
            }
        }
    }

    /// The next token. If it directly follows a word (`follows_word`), `.2d` is not a number.
    fn token(&mut self, follows_word: bool) -> TokenKind {
        let byte = self.peek(0);
        let next = self.peek(1);
        match byte {
            _ if self.at >= self.bytes.len() => TokenKind::End,
            b'.' if is_word(next) && (follows_word || !next.is_ascii_digit()) => self.dotted(),
            b'0'..=b'9' | b'.' if byte != b'.' || next.is_ascii_digit() => self.number(),
            b'%' if is_word(next) => self.word(),
            _ if is_word(byte) => self.word(),
            b'"' => self.text(),
            byte if byte.is_ascii_punctuation() => {
                self.at += 1;
                TokenKind::Punctuation(byte)
            }
            byte => {
                self.at += 1;
                if byte >= 0x80 {
                    self.skip_while(|b| b >= 0x80);
                }
                TokenKind::Unknown
            }
        }
    }

    fn word(&mut self) -> TokenKind {
        self.at += 1;
        self.skip_while(is_word);
        TokenKind::Word
    }

    fn dotted(&mut self) -> TokenKind {
        self.at += 1;
        self.skip_while(is_word);
        while self.peek(0) == b':' && self.peek(1) == b':' && is_word(self.peek(2)) {
            self.at += 2;
            self.skip_while(is_word);
        }
        TokenKind::Dotted
    }

    fn number(&mut self) -> TokenKind {
        let hexadecimal = self.peek(0) == b'0' && matches!(self.peek(1) | 0x20, b'x' | b'f' | b'd');
        if !hexadecimal {
            self.skip_while(|b| b.is_ascii_digit());
            if self.peek(0) == b'.' {
                self.at += 1;
                self.skip_while(|b| b.is_ascii_digit());
            }
            if self.peek(0) | 0x20 == b'e' && matches!(self.peek(1), b'+' | b'-') {
                self.at += 2;
            }
        }
        self.skip_while(is_word);
        TokenKind::Number
    }

    /// A string up to its closing quote; a backslash escapes the next character.
    fn text(&mut self) -> TokenKind {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'"' => {
                    self.at += 1;
                    return TokenKind::StringLiteral;
                }
                b'\n' => return TokenKind::Unknown,
                b'\\' if self.peek(1) != b'\n' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at = self.bytes.len();
        TokenKind::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Vec<&str> {
        let tokens = tokens(text);
        tokens[..tokens.len() - 1].iter().map(|t| &text[t.start as usize..t.end as usize]).collect()
    }

    #[test]
    fn an_instruction_is_split_at_its_dots() {
        assert_eq!(
            spelled("@%p1 tex.2d.v4.f32.f32 {%f1}, [%rd1+8]; // done"),
            [
                "@", "%p1", "tex", ".2d", ".v4", ".f32", ".f32", "{", "%f1", "}", ",", "[", "%rd1",
                "+", "8", "]", ";"
            ]
        );
        assert_eq!(
            spelled("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"),
            [
                "cp",
                ".async",
                ".bulk",
                ".shared::cluster",
                ".global",
                ".mbarrier::complete_tx::bytes"
            ]
        );
    }

    #[test]
    fn numbers_keep_their_signs_and_suffixes() {
        assert_eq!(
            spelled("0x1F 0f3F800000 017U 1.5e-3 .5 0b10"),
            ["0x1F", "0f3F800000", "017U", "1.5e-3", ".5", "0b10"]
        );
        assert_eq!(spelled("%r<10>"), ["%r", "<", "10", ">"]);
        // `%3` is a register or a remainder; the parser decides.
        assert_eq!(spelled("%1 5%3 5 % 3"), ["%1", "5", "%3", "5", "%", "3"]);
    }

    #[test]
    fn comments_and_preprocessor_lines_are_blank_but_counted() {
        let list = tokens("/* a\n b */ x\n# 5 \"f.cu\"\n// c\ny");
        assert_eq!(list.iter().map(|t| t.line).collect::<Vec<_>>(), [2, 5, 5]);
    }

    #[test]
    fn unfinished_strings_and_comments_end_with_the_text() {
        assert_eq!(tokens("\"abc\\").len(), 2);
        assert_eq!(tokens("/* abc").len(), 2);
        assert_eq!(tokens("/*/").len(), 2);
        let list = tokens("a\n /* b\nc");
        let (open, end) = (list[1], list[2]);
        assert_eq!((open.kind, open.start, open.end, open.line), (TokenKind::OpenComment, 3, 5, 2));
        assert_eq!((end.kind, end.start), (TokenKind::End, 9));
        assert_eq!(tokens("\"abc\\é\"").len(), 2);
    }
}
