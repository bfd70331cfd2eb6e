//! Evaluates the expressions of `#if`.

use super::Preprocessor;
use crate::lex::literals::{NumberLiteral, character, number};
use crate::lex::{Punctuation, Token, TokenKind, known};
use crate::source::{SourceProblem, Span};

/// A value of type `intmax_t` or `uintmax_t`.
#[derive(Clone, Copy)]
struct ConditionValue {
    bits: u64,
    unsigned: bool,
}

impl ConditionValue {
    fn signed(bits: i64) -> ConditionValue {
        ConditionValue { bits: bits as u64, unsigned: false }
    }

    fn truth(holds: bool) -> ConditionValue {
        ConditionValue::signed(i64::from(holds))
    }

    fn holds(self) -> bool {
        self.bits != 0
    }

    /// The negated value when negative and signed, and whether it was negative.
    fn magnitude(self) -> (u64, bool) {
        let negative = !self.unsigned && (self.bits as i64) < 0;
        (if negative { self.bits.wrapping_neg() } else { self.bits }, negative)
    }

    /// Shifts left by `amount` bits, or right if it is negative.
    fn shifted(self, amount: i64) -> ConditionValue {
        let count = u32::try_from(amount.unsigned_abs()).unwrap_or(u32::MAX);
        let bits = match (amount >= 0, self.unsigned) {
            (true, _) => self.bits.checked_shl(count).unwrap_or(0),
            (false, true) => self.bits.checked_shr(count).unwrap_or(0),
            (false, false) => ((self.bits as i64) >> count.min(63)) as u64,
        };
        ConditionValue { bits, ..self }
    }
}

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
        let values: Vec<ConditionValue> =
            expanded.iter().map(|token| self.number_of(token)).collect();
        let mut reader = Reader { tokens: &expanded, at: 0, depth: 0 };
        let value = reader.ternary(&values);
        if value.is_none() || reader.at < expanded.len() {
            let place = line.first().zip(line.last()).map_or(span, |(a, b)| a.span.to(b.span));
            let problem = SourceProblem::error(place, "this is not a valid preprocessor condition");
            self.problems.push(problem);
            return false;
        }
        value.is_some_and(ConditionValue::holds)
    }

    fn number_of(&self, token: &Token) -> ConditionValue {
        match token.kind {
            TokenKind::Number(name) => match number(self.names.text(name)) {
                Ok(NumberLiteral::Integer { value, unsigned, .. }) => {
                    ConditionValue { bits: value, unsigned: unsigned || value > i64::MAX as u64 }
                }
                _ => ConditionValue::truth(false),
            },
            TokenKind::Character(name) => ConditionValue::signed(
                character(self.names.text(name)).map_or(0, |(value, _)| value),
            ),
            TokenKind::Identifier(known::TRUE) => ConditionValue::truth(true),
            _ => ConditionValue::truth(false),
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

    fn ternary(&mut self, values: &[ConditionValue]) -> Option<ConditionValue> {
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
        let chosen = if condition.holds() { yes } else { no };
        Some(ConditionValue { unsigned: yes.unsigned || no.unsigned, ..chosen })
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

    fn binary(&mut self, values: &[ConditionValue], least: u8) -> Option<ConditionValue> {
        let mut left = self.unary(values)?;
        while let Some((operator, precedence, tokens)) = self.operator() {
            if precedence <= least {
                break;
            }
            self.at += tokens;
            let right = self.binary(values, precedence)?;
            left = apply(operator, left, right);
        }
        Some(left)
    }

    fn unary(&mut self, values: &[ConditionValue]) -> Option<ConditionValue> {
        self.depth += 1;
        if self.depth > 200 {
            return None;
        }
        let value = match self.peek() {
            Some(Punctuation::Not) => {
                self.at += 1;
                ConditionValue::truth(!self.unary(values)?.holds())
            }
            Some(Punctuation::Minus) => {
                self.at += 1;
                let value = self.unary(values)?;
                ConditionValue { bits: value.bits.wrapping_neg(), ..value }
            }
            Some(Punctuation::Plus) => {
                self.at += 1;
                self.unary(values)?
            }
            Some(Punctuation::Tilde) => {
                self.at += 1;
                let value = self.unary(values)?;
                ConditionValue { bits: !value.bits, ..value }
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

/// The value of a binary operator.
fn apply(operator: Punctuation, left: ConditionValue, right: ConditionValue) -> ConditionValue {
    use Punctuation::*;
    let unsigned = left.unsigned || right.unsigned;
    // Both operands have the common type.
    let (a, b) = (ConditionValue { unsigned, ..left }, ConditionValue { unsigned, ..right });
    let less = |a: ConditionValue, b: ConditionValue| {
        if unsigned { a.bits < b.bits } else { (a.bits as i64) < (b.bits as i64) }
    };
    let amount = if right.unsigned { right.bits.min(64) as i64 } else { right.bits as i64 };
    let quotient = |remainder: bool| {
        let ((top, negative), (bottom, opposite)) = (a.magnitude(), b.magnitude());
        let (result, negative) = if remainder {
            (top.checked_rem(bottom), negative)
        } else {
            (top.checked_div(bottom), negative != opposite)
        };
        let result = result.unwrap_or(0);
        if negative { result.wrapping_neg() } else { result }
    };
    let bits = match operator {
        OrOr => return ConditionValue::truth(left.holds() || right.holds()),
        AndAnd => return ConditionValue::truth(left.holds() && right.holds()),
        EqualEqual => return ConditionValue::truth(a.bits == b.bits),
        NotEqual => return ConditionValue::truth(a.bits != b.bits),
        Less => return ConditionValue::truth(less(a, b)),
        Greater => return ConditionValue::truth(less(b, a)),
        LessEqual => return ConditionValue::truth(!less(b, a)),
        GreaterEqual => return ConditionValue::truth(!less(a, b)),
        ShiftLeft => return left.shifted(amount),
        ShiftLeftAssign => return left.shifted(amount.saturating_neg()),
        Or => a.bits | b.bits,
        Xor => a.bits ^ b.bits,
        And => a.bits & b.bits,
        Plus => a.bits.wrapping_add(b.bits),
        Minus => a.bits.wrapping_sub(b.bits),
        Star => a.bits.wrapping_mul(b.bits),
        Slash => quotient(false),
        _ => quotient(true),
    };
    ConditionValue { bits, unsigned }
}
