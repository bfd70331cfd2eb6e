//! Evaluates the expressions of `#if`.

use super::Preprocessor;
use crate::lex::literals::{NumberLiteral, number, unescape};
use crate::lex::{Punctuation, Token, TokenKind, known};
use crate::source::{SourceProblem, Span};

/// Parses and evaluates an expression.
struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Preprocessor<'_> {
    /// Whether the condition of a directive is true.
    pub(super) fn condition(&mut self, line: &[Token], span: Span) -> bool {
        let replaced = self.replace_queries(line);
        let expanded = self.expand_all(replaced);
        // A macro may expand to `defined(...)`.
        let expanded = self.replace_queries(&expanded);
        let numbers: Vec<(Token, i64)> =
            expanded.iter().map(|token| (*token, self.number_of(token))).collect();
        let tokens: Vec<Token> = numbers.iter().map(|(token, _)| *token).collect();
        let values: Vec<i64> = numbers.iter().map(|(_, value)| *value).collect();
        let mut reader = Reader { tokens: &tokens, at: 0, depth: 0 };
        let value = reader.ternary(&values);
        if value.is_none() || reader.at < tokens.len() {
            let place = line.first().zip(line.last()).map_or(span, |(a, b)| a.span.to(b.span));
            let problem = SourceProblem::error(place, "this is not a valid preprocessor condition");
            self.problems.push(problem);
            return false;
        }
        value != Some(0)
    }

    fn number_of(&self, token: &Token) -> i64 {
        match token.kind {
            TokenKind::Number(name) => match number(self.names.text(name)) {
                Ok(NumberLiteral::Integer { value, .. }) => value as i64,
                _ => 0,
            },
            TokenKind::Character(name) => {
                let units = unescape(self.names.text(name), true).unwrap_or_default();
                units.first().map_or(0, |&unit| i64::from(unit))
            }
            TokenKind::Identifier(known::TRUE) => 1,
            _ => 0,
        }
    }

    /// Replaces `defined X`, `__has_include(...)` and similar queries by 0 or 1.
    fn replace_queries(&mut self, line: &[Token]) -> Vec<Token> {
        let (zero, one) = (self.names.intern("0"), self.names.intern("1"));
        let mut result = Vec::new();
        let mut at = 0;
        while let Some(token) = line.get(at) {
            at += 1;
            let name = token.name();
            let answer = match name {
                Some(known::DEFINED) => {
                    let paren = line.get(at).is_some_and(|token| token.is(Punctuation::ParenOpen));
                    let asked = line.get(at + usize::from(paren)).and_then(Token::name);
                    at += if paren { 3 } else { 1 };
                    asked.is_some_and(|name| self.macro_exists(name))
                }
                Some(
                    known::HAS_INCLUDE
                    | known::HAS_ATTRIBUTE
                    | known::HAS_BUILTIN
                    | known::HAS_CPP_ATTRIBUTE,
                ) if line.get(at).is_some_and(|token| token.is(Punctuation::ParenOpen)) => {
                    let rest = line.get(at + 1..).unwrap_or_default();
                    let close = rest.iter().position(|token| token.is(Punctuation::ParenClose));
                    let inner = rest.get(..close.unwrap_or(rest.len())).unwrap_or_default();
                    at += inner.len() + 2;
                    let text: String = inner.iter().map(|token| self.spelling(token)).collect();
                    let text = text.trim_matches(['<', '>', '"']).to_owned();
                    name == Some(known::HAS_INCLUDE)
                        && (self.is_known_header(&text) || self.loader.load(&text, "").is_some())
                }
                _ => {
                    result.push(*token);
                    continue;
                }
            };
            result
                .push(Token { kind: TokenKind::Number(if answer { one } else { zero }), ..*token });
        }
        result
    }
}

impl Reader<'_> {
    fn peek(&self) -> Option<Punctuation> {
        match self.tokens.get(self.at)?.kind {
            TokenKind::Punctuation(punctuation) => Some(punctuation),
            _ => None,
        }
    }

    fn take(&mut self, punctuation: Punctuation) -> bool {
        let found = self.peek() == Some(punctuation);
        self.at += usize::from(found);
        found
    }

    fn ternary(&mut self, values: &[i64]) -> Option<i64> {
        self.depth += 1;
        if self.depth > 200 {
            return None;
        }
        let condition = self.binary(values, 0)?;
        if !self.take(Punctuation::Question) {
            self.depth -= 1;
            return Some(condition);
        }
        let yes = self.ternary(values)?;
        if !self.take(Punctuation::Colon) {
            return None;
        }
        let no = self.ternary(values)?;
        self.depth -= 1;
        Some(if condition != 0 { yes } else { no })
    }

    /// The operator at the cursor, its precedence and its number of tokens.
    fn operator(&self) -> Option<(Punctuation, u8, usize)> {
        use Punctuation::*;
        let operator = self.peek()?;
        let adjacent =
            self.tokens.get(self.at + 1).is_some_and(|next| next.is(Greater) && !next.spaced);
        let (precedence, tokens) = match operator {
            OrOr => (1, 1),
            AndAnd => (2, 1),
            Or => (3, 1),
            Xor => (4, 1),
            And => (5, 1),
            EqualEqual | NotEqual => (6, 1),
            Greater if adjacent => return Some((ShiftLeftAssign, 8, 2)), // `>>`
            Less | Greater | LessEqual | GreaterEqual => (7, 1),
            ShiftLeft => (8, 1),
            Plus | Minus => (9, 1),
            Star | Slash | Percent => (10, 1),
            _ => return None,
        };
        Some((operator, precedence, tokens))
    }

    fn binary(&mut self, values: &[i64], least: u8) -> Option<i64> {
        use Punctuation::*;
        let mut left = self.unary(values)?;
        while let Some((operator, precedence, tokens)) = self.operator() {
            if precedence <= least {
                break;
            }
            self.at += tokens;
            let right = self.binary(values, precedence)?;
            left = match operator {
                OrOr => i64::from(left != 0 || right != 0),
                AndAnd => i64::from(left != 0 && right != 0),
                Or => left | right,
                Xor => left ^ right,
                And => left & right,
                EqualEqual => i64::from(left == right),
                NotEqual => i64::from(left != right),
                Less => i64::from(left < right),
                Greater => i64::from(left > right),
                LessEqual => i64::from(left <= right),
                GreaterEqual => i64::from(left >= right),
                ShiftLeft => left.wrapping_shl(right as u32),
                ShiftLeftAssign => left.wrapping_shr(right as u32),
                Plus => left.wrapping_add(right),
                Minus => left.wrapping_sub(right),
                Star => left.wrapping_mul(right),
                Slash => left.checked_div(right).unwrap_or(0),
                _ => left.checked_rem(right).unwrap_or(0),
            };
        }
        Some(left)
    }

    fn unary(&mut self, values: &[i64]) -> Option<i64> {
        self.depth += 1;
        if self.depth > 200 {
            return None;
        }
        let value = match self.peek() {
            Some(Punctuation::Not) => {
                self.at += 1;
                i64::from(self.unary(values)? == 0)
            }
            Some(Punctuation::Minus) => {
                self.at += 1;
                self.unary(values)?.wrapping_neg()
            }
            Some(Punctuation::Plus) => {
                self.at += 1;
                self.unary(values)?
            }
            Some(Punctuation::Tilde) => {
                self.at += 1;
                !self.unary(values)?
            }
            Some(Punctuation::ParenOpen) => {
                self.at += 1;
                let value = self.ternary(values)?;
                if !self.take(Punctuation::ParenClose) {
                    return None;
                }
                value
            }
            Some(_) => return None,
            None => {
                let value = *values.get(self.at)?;
                self.at += 1;
                // An unknown name with arguments evaluates to 0.
                if matches!(self.tokens.get(self.at - 1)?.kind, TokenKind::Identifier(_))
                    && self.peek() == Some(Punctuation::ParenOpen)
                {
                    let mut depth = 0;
                    loop {
                        match self.peek() {
                            Some(Punctuation::ParenOpen) => depth += 1,
                            Some(Punctuation::ParenClose) => depth -= 1,
                            None if self.at >= self.tokens.len() => return None,
                            _ => {}
                        }
                        self.at += 1;
                        if depth == 0 {
                            break;
                        }
                    }
                }
                value
            }
        };
        self.depth -= 1;
        Some(value)
    }
}
