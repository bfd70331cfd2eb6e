//! Literals and constant expressions (PTX manual, "Constants"), evaluated while parsing by
//! precedence climbing. Limit: arithmetic is on 64-bit integers only; floating-point constants are
//! literals.

use super::lexer::Kind;
use super::{Failed, Parsed, Parser};
use crate::ast::Immediate;

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

/// The precedence of `*`: what a term of an address offset may contain.
const PRODUCT: u8 = 10;

impl Parser<'_> {
    /// A constant expression, integer or floating point.
    pub(super) fn constant(&mut self) -> Parsed<Immediate> {
        self.binary(1)
    }

    /// A constant integer that fits `T`.
    pub(super) fn integer<T: TryFrom<i128>>(&mut self, what: &str) -> Parsed<T> {
        let token = self.token();
        if !matches!(self.kind(), Kind::Number | Kind::Mark(b'-' | b'~' | b'+' | b'(')) {
            return Err(self.expected(what, None));
        }
        match self.constant()? {
            Immediate::Integer(value) => T::try_from(value)
                .map_err(|_| self.complain_at(token, format!("{value} does not fit {what}"), None)),
            _ => Err(self.complain_at(token, format!("expected {what}, found a fraction"), None)),
        }
    }

    /// `+ 8`, `- 4 * 2`, any number of times: a byte offset, 0 where there is none.
    pub(super) fn offset(&mut self) -> Parsed<i64> {
        let mut offset: i64 = 0;
        while self.is(b'+') || self.is(b'-') {
            let (token, negative) = (self.token(), self.is(b'-'));
            self.advance();
            if self.kind() == Kind::Word {
                let help = "add the registers first and use the sum as the base";
                return Err(self.expected("a constant offset", Some(help)));
            }
            let Immediate::Integer(term) = self.binary(PRODUCT)? else {
                return Err(self.complain_at(
                    token,
                    "an offset is an integer number of bytes",
                    None,
                ));
            };
            let sum = i128::from(offset) + if negative { -term } else { term };
            // A 64-bit pattern such as 0xFFFFFFFFFFFFFFFC is an offset of -4.
            let sum = if (0..=i128::from(u64::MAX)).contains(&sum) {
                i128::from(sum as i64)
            } else {
                sum
            };
            offset = i64::try_from(sum)
                .map_err(|_| self.complain_at(token, "the offset does not fit 64 bits", None))?;
        }
        Ok(offset)
    }

    /// A literal address: the literal before a `+` is the base, not part of a sum.
    pub(super) fn absolute(&mut self) -> Parsed<u64> {
        let token = self.token();
        match self.primary()? {
            Immediate::Integer(value) => Ok(value as u64),
            _ => Err(self.complain_at(token, "an address is an integer", None)),
        }
    }

    fn binary(&mut self, loosest: u8) -> Parsed<Immediate> {
        let mut left = self.unary()?;
        while let Some((operator, precedence)) = self.operator().filter(|(_, p)| *p >= loosest) {
            let token = self.token();
            self.take_operator(operator);
            let right = self.nested(|p| p.binary(precedence + 1))?;
            let (Immediate::Integer(a), Immediate::Integer(b)) = (left, right) else {
                let help = "write the result as one literal";
                return Err(self.complain_at(
                    token,
                    "arithmetic on constants is only possible with integers",
                    Some(help),
                ));
            };
            left = match apply(operator, a, b) {
                Some(value) => Immediate::Integer(folded(value)),
                None => return Err(self.complain_at(token, "division by zero", None)),
            };
        }
        Ok(left)
    }

    /// Consumes the operator; of `%3`, which the lexer reads as a register, only the `%`.
    fn take_operator(&mut self, operator: &str) {
        if self.kind() == Kind::Word {
            self.tokens[self.at].kind = Kind::Number;
            self.tokens[self.at].start += 1;
        } else {
            operator.bytes().for_each(|_| self.advance());
        }
    }

    /// The binary operator at the current token, if any.
    fn operator(&self) -> Option<(&'static str, u8)> {
        if self.kind() == Kind::Word {
            let digit = self.spelling().as_bytes().get(1).is_some_and(u8::is_ascii_digit);
            return (digit && self.spelling().starts_with('%')).then_some(("%", PRODUCT));
        }
        let Kind::Mark(first) = self.kind() else { return None };
        let next = self.ahead(1);
        let second = match next.kind {
            Kind::Mark(mark) if next.start == self.token().end => mark,
            _ => 0,
        };
        OPERATORS.into_iter().find(|(operator, _)| match operator.as_bytes() {
            [a, b] => *a == first && *b == second,
            bytes => bytes[0] == first,
        })
    }

    fn unary(&mut self) -> Parsed<Immediate> {
        let token = self.token();
        let Kind::Mark(sign @ (b'-' | b'+' | b'~' | b'!')) = token.kind else {
            return self.primary();
        };
        self.advance();
        let value = self.nested(Self::unary)?;
        Ok(match (sign, value) {
            (b'-', Immediate::Integer(v)) => Immediate::Integer(folded(-v)),
            (b'-', Immediate::F32(bits)) => Immediate::F32(bits ^ 1 << 31),
            (b'-', Immediate::F64(bits)) => Immediate::F64(bits ^ 1 << 63),
            (b'~', Immediate::Integer(v)) => Immediate::Integer(folded(!v)),
            (b'!', Immediate::Integer(v)) => Immediate::Integer(i128::from(v == 0)),
            (b'+', value) => value,
            _ => {
                return Err(self.complain_at(
                    token,
                    "arithmetic on constants is only possible with integers",
                    None,
                ));
            }
        })
    }

    fn primary(&mut self) -> Parsed<Immediate> {
        match self.kind() {
            Kind::Number => {
                let token = self.token();
                let value = literal(self.spelling());
                self.advance();
                value.map_err(|(message, help)| self.complain_at(token, message, Some(help)))
            }
            Kind::Mark(b'(') => self.parenthesised(),
            Kind::Word if self.spelling() == "WARP_SZ" => {
                self.advance();
                Ok(Immediate::Integer(32))
            }
            _ => Err(self.expected("a number", None)),
        }
    }

    /// `(1 + 2)`, or a cast, `(.s64) 5` and `(.u64) -1`.
    fn parenthesised(&mut self) -> Parsed<Immediate> {
        self.advance();
        let cast = match self.kind() {
            Kind::Dotted => self.spelling(),
            _ => "",
        };
        if cast.is_empty() {
            let value = self.nested(|p| p.binary(1))?;
            self.expect(b')', "after the expression")?;
            return Ok(value);
        }
        if !matches!(cast, ".s64" | ".u64") {
            return Err(self.expected("`.s64` or `.u64`", None));
        }
        self.advance();
        self.expect(b')', "after the type")?;
        let token = self.token();
        match self.nested(Self::unary)? {
            Immediate::Integer(v) if cast == ".s64" => Ok(Immediate::Integer(i128::from(v as i64))),
            Immediate::Integer(v) => Ok(Immediate::Integer(i128::from(v as u64))),
            _ => Err::<_, Failed>(self.complain_at(token, "only integers can be cast", None)),
        }
    }
}

/// `a operator b`; `None` for a division by zero.
fn apply(operator: &str, a: i128, b: i128) -> Option<i128> {
    let shift = |shifted: i128| if (0..64).contains(&b) { shifted } else { 0 };
    Some(match operator {
        "||" => i128::from(a != 0 || b != 0),
        "&&" => i128::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i128::from(a == b),
        "!=" => i128::from(a != b),
        "<=" => i128::from(a <= b),
        ">=" => i128::from(a >= b),
        "<" => i128::from(a < b),
        ">" => i128::from(a > b),
        "<<" => shift(a << (b & 63)),
        ">>" => shift(a >> (b & 63)),
        "+" => a + b,
        "-" => a - b,
        "*" => a.wrapping_mul(b),
        "/" => a.checked_div(b)?,
        _ => a.checked_rem(b)?,
    })
}

/// The value truncated to 64 bits: unchanged if it fits a signed or an unsigned 64-bit integer,
/// else its low 64 bits.
fn folded(value: i128) -> i128 {
    let fits = i128::from(i64::MIN)..=i128::from(u64::MAX);
    if fits.contains(&value) { value } else { i128::from(value as u64) }
}

/// The value of a numeric literal, or a message and a remedy.
fn literal(spelling: &str) -> Result<Immediate, (String, &'static str)> {
    let bytes = spelling.as_bytes();
    if bytes[0] == b'0' && bytes.len() > 1 {
        let digits = &spelling[2..];
        match bytes[1] | 0x20 {
            b'f' | b'd' => return float_bits(spelling, digits),
            b'x' => return integer(spelling, digits, 16),
            b'b' => return integer(spelling, digits, 2),
            b'0'..=b'9' => return integer(spelling, &spelling[1..], 8),
            _ => {}
        }
    }
    if !spelling.contains(['.', 'e', 'E']) {
        return integer(spelling, spelling, 10);
    }
    match spelling.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Immediate::F64(value.to_bits())),
        _ => Err((
            format!("`{spelling}` is not a valid number"),
            "write 1.5, 1.5e-3, or the bits as 0f3FC00000",
        )),
    }
}

/// `0f` with eight hexadecimal digits or `0d` with sixteen.
fn float_bits(spelling: &str, digits: &str) -> Result<Immediate, (String, &'static str)> {
    let single = spelling.as_bytes()[1] | 0x20 == b'f';
    let hexadecimal = digits.bytes().all(|b| b.is_ascii_hexdigit());
    match u64::from_str_radix(digits, 16) {
        Ok(bits) if hexadecimal && single && digits.len() == 8 => Ok(Immediate::F32(bits as u32)),
        Ok(bits) if hexadecimal && !single && digits.len() == 16 => Ok(Immediate::F64(bits)),
        _ => Err((
            format!("`{spelling}` is not a valid floating-point literal"),
            "`0f` takes eight hexadecimal digits and `0d` sixteen",
        )),
    }
}

/// A 64-bit integer in the given base, with or without the suffix `U`.
fn integer(spelling: &str, digits: &str, base: u32) -> Result<Immediate, (String, &'static str)> {
    let digits = digits.strip_suffix(['U', 'u']).unwrap_or(digits);
    let help = "integers have 64 bits and are decimal, hexadecimal (0x), binary (0b) or octal (0)";
    let wrong =
        || (format!("`{}` is not a valid 64-bit integer", super::shortened(spelling)), help);
    u64::from_str_radix(digits, base)
        .map(|value| Immediate::Integer(i128::from(value)))
        .map_err(|_| wrong())
}
