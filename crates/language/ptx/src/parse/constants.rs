//! Parses literals and constant expressions (PTX manual, "Constants", "Integer Constants", "Floating-Point Constants")
//! by precedence climbing, and evaluates them at once. Where the manual is ambiguous (the type of `%`, `~` and `?:`,
//! shifts by more than 63), the values follow ptxas 13.0.

use crate::ast::Immediate;
use crate::parse::lexer::{Token, TokenKind};
use crate::parse::{ParseFailed, Parsed, Parser};

/// Binary operators, from the lowest to the highest precedence, as in C.
const OPERATORS: [(&str, u8); 18] = [
    ("||", 1),
    ("&&", 2),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("==", 6),
    ("!=", 6),
    ("<=", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("<", 7),
    (">", 7),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

/// The precedence of `*`, `/` and `%`.
const PRODUCT: u8 = 10;

impl Parser<'_> {
    /// A constant expression, integer or floating point.
    pub(super) fn constant(&mut self) -> Parsed<Immediate> {
        Ok(self.conditional()?.immediate())
    }

    /// A constant integer that fits `T`.
    pub(super) fn integer<T: TryFrom<i128>>(&mut self, what: &str) -> Parsed<T> {
        let token = self.token();
        if !matches!(
            self.kind(),
            TokenKind::Number | TokenKind::Punctuation(b'-' | b'~' | b'+' | b'(')
        ) {
            return Err(self.expected(what, None));
        }
        match self.constant()? {
            Immediate::Integer(value) => T::try_from(value)
                .map_err(|_| self.report_at(token, format!("{value} does not fit {what}"), None)),
            _ => Err(self.report_at(token, format!("expected {what}, found a fraction"), None)),
        }
    }

    /// `+ 8`, `+ -4 * 2`: a byte offset, 0 if absent. As in ptxas, one expression follows the `+`, and a bare minus is
    /// an error.
    pub(super) fn offset(&mut self) -> Parsed<i64> {
        if self.is(b'-') {
            let help = "write a negative offset as `+-4`";
            return Err(self.report("an offset follows a `+`, not a `-`", Some(help)));
        }
        if !self.eat(b'+') {
            return Ok(0);
        }
        if self.kind() == TokenKind::Word && self.spelling() != "WARP_SZ" {
            let help = "add the registers first and use the sum as the base";
            return Err(self.expected("a constant offset", Some(help)));
        }
        let token = self.token();
        // A 64-bit pattern such as 0xFFFFFFFFFFFFFFFC is an offset of -4.
        match self.conditional()?.bits() {
            Some(bits) => Ok(bits as i64),
            None => Err(self.report_at(token, "an offset is an integer number of bytes", None)),
        }
    }

    /// A literal address. In `literal + offset`, the literal is the base of the address, not part of a constant sum.
    pub(super) fn absolute(&mut self) -> Parsed<u64> {
        let token = self.token();
        match self.primary()?.bits() {
            Some(value) => Ok(value),
            None => Err(self.report_at(token, "an address is an integer", None)),
        }
    }

    /// `condition ? a : b`, which is right-associative. Evaluates both `a` and `b`.
    fn conditional(&mut self) -> Parsed<ConstantValue> {
        let token = self.token();
        let condition = self.binary(1)?;
        if !self.eat(b'?') {
            return Ok(condition);
        }
        let Some(condition) = condition.bits() else { return Err(self.integers_only(token)) };
        let token = self.token();
        let then = self.nested(Self::conditional)?;
        self.expect(b':', "between the values of `?:`")?;
        let otherwise = self.nested(Self::conditional)?;
        if then.bits().is_none() || otherwise.bits().is_none() {
            return Err(self.integers_only(token));
        }
        Ok(if condition != 0 { then } else { otherwise })
    }

    fn integers_only(&mut self, token: Token) -> ParseFailed {
        let help = "write the result as one literal";
        self.report_at(token, "this operator takes integer constants only", Some(help))
    }

    fn binary(&mut self, loosest: u8) -> Parsed<ConstantValue> {
        let mut left = self.unary()?;
        while let Some((operator, precedence)) = self.operator().filter(|(_, p)| *p >= loosest) {
            let token = self.token();
            self.take_operator(operator);
            let right = self.nested(|p| p.binary(precedence + 1))?;
            left = match apply(operator, left, right) {
                Ok(value) => value,
                Err(EvaluationError::Types) => {
                    let message = format!("`{operator}` takes two integers or two doubles here");
                    let help = "write the result as one literal";
                    return Err(self.report_at(token, message, Some(help)));
                }
                Err(EvaluationError::Zero) => {
                    return Err(self.report_at(token, "division by zero", None));
                }
            };
        }
        Ok(left)
    }

    /// Consumes the operator. The lexer reads `%3` as a register; then this consumes only the `%`.
    fn take_operator(&mut self, operator: &str) {
        if self.kind() == TokenKind::Word {
            self.tokens[self.at].kind = TokenKind::Number;
            self.tokens[self.at].start += 1;
        } else {
            operator.bytes().for_each(|_| self.advance());
        }
    }

    /// The binary operator at the current token, if any.
    fn operator(&self) -> Option<(&'static str, u8)> {
        if self.kind() == TokenKind::Word {
            let digit = self.spelling().as_bytes().get(1).is_some_and(u8::is_ascii_digit);
            return (digit && self.spelling().starts_with('%')).then_some(("%", PRODUCT));
        }
        let TokenKind::Punctuation(first) = self.kind() else { return None };
        let next = self.ahead(1);
        let second = match next.kind {
            TokenKind::Punctuation(mark) if next.start == self.token().end => mark,
            _ => 0,
        };
        OPERATORS.into_iter().find(|(operator, _)| match operator.as_bytes() {
            [a, b] => *a == first && *b == second,
            bytes => bytes[0] == first,
        })
    }

    fn unary(&mut self) -> Parsed<ConstantValue> {
        let token = self.token();
        let TokenKind::Punctuation(sign @ (b'-' | b'+' | b'~' | b'!')) = token.kind else {
            return self.primary();
        };
        self.advance();
        let value = self.nested(Self::unary)?;
        Ok(match (sign, value) {
            (b'-', ConstantValue::Signed(v)) => ConstantValue::Signed(v.wrapping_neg()),
            (b'-', ConstantValue::Unsigned(v)) => ConstantValue::Unsigned(v.wrapping_neg()),
            (b'-', ConstantValue::Double(v)) => ConstantValue::Double(-v),
            (
                b'+',
                ConstantValue::Signed(_) | ConstantValue::Unsigned(_) | ConstantValue::Double(_),
            ) => value,
            (b'~', value) if value.bits().is_some() => {
                ConstantValue::Unsigned(!value.bits().unwrap_or(0))
            }
            (b'!', value) if value.bits().is_some() => {
                ConstantValue::Signed(i64::from(value.bits() == Some(0)))
            }
            (_, ConstantValue::Single(_)) => {
                let help = "write the bits of the result, or a literal with a decimal point";
                return Err(self.report_at(token, "`0f` literals take no operator", Some(help)));
            }
            _ => return Err(self.integers_only(token)),
        })
    }

    fn primary(&mut self) -> Parsed<ConstantValue> {
        match self.kind() {
            TokenKind::Number => {
                let token = self.token();
                let value = literal(self.spelling());
                self.advance();
                value.map_err(|(message, help)| self.report_at(token, message, Some(help)))
            }
            TokenKind::Punctuation(b'(') => self.parenthesized(),
            TokenKind::Word if self.spelling() == "WARP_SZ" => {
                self.advance();
                Ok(ConstantValue::Signed(32))
            }
            _ => Err(self.expected("a number", None)),
        }
    }

    /// `(1 + 2)`, or a cast, `(.s64) 5` and `(.u64) -1`.
    fn parenthesized(&mut self) -> Parsed<ConstantValue> {
        self.advance();
        let cast = match self.kind() {
            TokenKind::Dotted => self.spelling(),
            _ => "",
        };
        if cast.is_empty() {
            let value = self.nested(Self::conditional)?;
            self.expect(b')', "after the expression")?;
            return Ok(value);
        }
        if !matches!(cast, ".s64" | ".u64") {
            return Err(self.expected("`.s64` or `.u64`", None));
        }
        self.advance();
        self.expect(b')', "after the type")?;
        let token = self.token();
        match self.nested(Self::unary)?.bits() {
            Some(v) if cast == ".s64" => Ok(ConstantValue::Signed(v as i64)),
            Some(v) => Ok(ConstantValue::Unsigned(v)),
            None => Err(self.report_at(token, "only integers can be cast", None)),
        }
    }
}

/// The reason why an operator cannot be evaluated.
enum EvaluationError {
    /// Wrong operand types.
    Types,
    /// Division by zero.
    Zero,
}

/// `a operator b`. The result is unsigned if one of the integers is. Exceptions: `%` is always unsigned, and shifts
/// keep the type of the left operand.
fn apply(
    operator: &str,
    a: ConstantValue,
    b: ConstantValue,
) -> Result<ConstantValue, EvaluationError> {
    if let (ConstantValue::Double(a), ConstantValue::Double(b)) = (a, b) {
        return double(operator, a, b);
    }
    let (Some(x), Some(y)) = (a.bits(), b.bits()) else { return Err(EvaluationError::Types) };
    let (s, t) = (x as i64, y as i64);
    let unsigned =
        matches!(a, ConstantValue::Unsigned(_)) || matches!(b, ConstantValue::Unsigned(_));
    let truth = |truth: bool| ConstantValue::Signed(i64::from(truth));
    let of_bits = |bits: u64| {
        if unsigned { ConstantValue::Unsigned(bits) } else { ConstantValue::Signed(bits as i64) }
    };
    let order = if unsigned { x.cmp(&y) } else { s.cmp(&t) };
    Ok(match operator {
        "||" => truth(x != 0 || y != 0),
        "&&" => truth(x != 0 && y != 0),
        "|" => of_bits(x | y),
        "^" => of_bits(x ^ y),
        "&" => of_bits(x & y),
        "==" => truth(x == y),
        "!=" => truth(x != y),
        "<=" => truth(order.is_le()),
        ">=" => truth(order.is_ge()),
        "<" => truth(order.is_lt()),
        ">" => truth(order.is_gt()),
        "<<" | ">>" => match (operator, a) {
            ("<<", ConstantValue::Signed(a)) => ConstantValue::Signed(a.wrapping_shl(y as u32)),
            (">>", ConstantValue::Signed(a)) => ConstantValue::Signed(a.wrapping_shr(y as u32)),
            ("<<", _) => ConstantValue::Unsigned(x.wrapping_shl(y as u32)),
            _ => ConstantValue::Unsigned(x.wrapping_shr(y as u32)),
        },
        "+" => of_bits(x.wrapping_add(y)),
        "-" => of_bits(x.wrapping_sub(y)),
        "*" => of_bits(x.wrapping_mul(y)),
        "/" | "%" if y == 0 => return Err(EvaluationError::Zero),
        "/" if unsigned => ConstantValue::Unsigned(x / y),
        "/" => ConstantValue::Signed(s.wrapping_div(t)),
        _ => ConstantValue::Unsigned(x % y),
    })
}

/// `a operator b` of doubles.
fn double(operator: &str, a: f64, b: f64) -> Result<ConstantValue, EvaluationError> {
    let truth = |truth: bool| Ok(ConstantValue::Signed(i64::from(truth)));
    Ok(ConstantValue::Double(match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" if b == 0.0 => return Err(EvaluationError::Zero),
        "/" => a / b,
        "==" => return truth(a == b),
        "!=" => return truth(a != b),
        "<=" => return truth(a <= b),
        ">=" => return truth(a >= b),
        "<" => return truth(a < b),
        ">" => return truth(a > b),
        _ => return Err(EvaluationError::Types),
    }))
}

/// The value of a constant expression: `.s64`, `.u64`, `.f64`, or a single-precision literal, which no operator
/// accepts.
#[derive(Clone, Copy)]
pub(super) enum ConstantValue {
    Signed(i64),
    Unsigned(u64),
    Single(u32),
    Double(f64),
}

impl ConstantValue {
    pub(super) fn immediate(self) -> Immediate {
        match self {
            ConstantValue::Signed(value) => Immediate::Integer(i128::from(value)),
            ConstantValue::Unsigned(value) => Immediate::Integer(i128::from(value)),
            ConstantValue::Single(bits) => Immediate::F32(bits),
            ConstantValue::Double(value) => Immediate::F64(value.to_bits()),
        }
    }

    /// The 64 bits of an integer.
    pub(super) fn bits(self) -> Option<u64> {
        match self {
            ConstantValue::Signed(value) => Some(value as u64),
            ConstantValue::Unsigned(value) => Some(value),
            ConstantValue::Single(_) | ConstantValue::Double(_) => None,
        }
    }
}

/// The value of a numeric literal, or a message and a remedy.
pub(super) fn literal(spelling: &str) -> Result<ConstantValue, (String, &'static str)> {
    let bytes = spelling.as_bytes();
    if bytes[0] == b'0' && bytes.len() > 1 {
        let digits = &spelling[2..];
        match bytes[1] | 0x20 {
            b'f' | b'd' => return float_bits(spelling, digits),
            b'x' => return integer_literal(spelling, digits, 16),
            b'b' => return integer_literal(spelling, digits, 2),
            b'0'..=b'9' => return integer_literal(spelling, &spelling[1..], 8),
            _ => {}
        }
    }
    if !spelling.contains(['.', 'e', 'E']) {
        return integer_literal(spelling, spelling, 10);
    }
    match spelling.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(ConstantValue::Double(value)),
        _ => Err((
            format!("`{spelling}` is not a valid number"),
            "write 1.5, 1.5e-3, or the bits as 0f3FC00000",
        )),
    }
}

/// `0f` with eight hexadecimal digits or `0d` with sixteen.
fn float_bits(spelling: &str, digits: &str) -> Result<ConstantValue, (String, &'static str)> {
    let single = spelling.as_bytes()[1] | 0x20 == b'f';
    let hexadecimal = digits.bytes().all(|b| b.is_ascii_hexdigit());
    match u64::from_str_radix(digits, 16) {
        Ok(bits) if hexadecimal && single && digits.len() == 8 => {
            Ok(ConstantValue::Single(bits as u32))
        }
        Ok(bits) if hexadecimal && !single && digits.len() == 16 => {
            Ok(ConstantValue::Double(f64::from_bits(bits)))
        }
        _ => Err((
            format!("`{spelling}` is not a valid floating-point literal"),
            "`0f` takes eight hexadecimal digits and `0d` sixteen",
        )),
    }
}

/// A 64-bit integer in the given base, with or without the suffix `U`.
fn integer_literal(
    spelling: &str,
    digits: &str,
    base: u32,
) -> Result<ConstantValue, (String, &'static str)> {
    let suffixed = digits.ends_with(['U', 'u']);
    let digits = digits.strip_suffix(['U', 'u']).unwrap_or(digits);
    let help = "integers have 64 bits and are decimal, hexadecimal (0x), binary (0b) or octal (0)";
    let wrong =
        || (format!("`{}` is not a valid 64-bit integer", crate::parse::shortened(spelling)), help);
    u64::from_str_radix(digits, base)
        .map(|value| match i64::try_from(value) {
            Ok(value) if !suffixed => ConstantValue::Signed(value),
            _ => ConstantValue::Unsigned(value),
        })
        .map_err(|_| wrong())
}
