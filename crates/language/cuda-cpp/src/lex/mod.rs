//! Converts source text to preprocessing tokens.

pub mod literals;
pub mod names;
pub mod punctuation;
mod scan;

pub use names::{Interner, Name};
pub use punctuation::Punctuation;
pub use scan::scan;

use crate::source::Span;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Identifier(Name),
    /// A number literal, unparsed.
    Number(Name),
    /// A string literal, unparsed, with prefix and quotes.
    Text(Name),
    /// A character literal, unparsed.
    Character(Name),
    /// An operator or delimiter.
    Punctuation(Punctuation),
    /// A character that starts no token.
    Stray(char),
    /// A directive that survives preprocessing: `#pragma unroll`. The tokens of its line follow it.
    Pragma,
    /// The end of the text, or of a pragma's line.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its position in the source.
    pub span: Span,
    /// Whether white space precedes it.
    pub spaced: bool,
    /// Whether it is the first token of its line.
    pub starts_line: bool,
    /// Whether it names a macro that must not be expanded again.
    pub frozen: bool,
}

impl Token {
    /// Whether the token is this operator or delimiter.
    pub fn is(&self, punctuation: Punctuation) -> bool {
        self.kind == TokenKind::Punctuation(punctuation)
    }

    /// The name, if it is a name.
    pub fn name(&self) -> Option<Name> {
        if let TokenKind::Identifier(name) = self.kind { Some(name) } else { None }
    }

    /// Whether the token is this name or keyword.
    pub fn is_name(&self, name: Name) -> bool {
        self.kind == TokenKind::Identifier(name)
    }
}
