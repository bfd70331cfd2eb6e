//! Sections of debug data, kept as their text.

use super::lexer::Kind;
use super::{Parsed, Parser};

/// What a section holds.
const DATA: [&str; 4] = [".b8", ".b16", ".b32", ".b64"];

impl Parser<'_> {
    /// `.section .debug_str { ... }`, its text kept unchanged.
    pub(super) fn section(&mut self) -> Parsed<String> {
        let start = self.token().start as usize;
        while !matches!(self.kind(), Kind::End | Kind::Mark(b'{' | b';' | b'}')) {
            self.advance();
        }
        let open = self.token();
        self.expect(b'{', "after the section's name")?;
        while !self.eat(b'}') {
            match self.kind() {
                Kind::End => {
                    let help = "close it with `}`; the text may be truncated";
                    return Err(self.complain_at(open, "the section never ends", Some(help)));
                }
                Kind::Word if self.ahead(1).kind == Kind::Mark(b':') => {
                    self.advance();
                    self.advance();
                }
                Kind::Dotted if DATA.contains(&self.spelling()) => {
                    self.advance();
                    self.datum()?;
                    while self.eat(b',') {
                        self.datum()?;
                    }
                }
                _ => return Err(self.expected("a label or data such as `.b8 1`", None)),
            }
        }
        Ok(self.text[start..self.tokens[self.at - 1].end as usize].to_owned())
    }

    /// A value of a section: numbers, labels and names of sections, added and subtracted.
    fn datum(&mut self) -> Parsed<()> {
        loop {
            self.eat(b'-');
            let value = matches!(self.kind(), Kind::Number | Kind::Word)
                || self.kind() == Kind::Dotted && !DATA.contains(&self.spelling());
            if !value {
                return Err(self.expected("a number or a label", None));
            }
            self.advance();
            if !self.is(b'+') && !self.is(b'-') {
                return Ok(());
            }
            self.eat(b'+');
        }
    }
}
