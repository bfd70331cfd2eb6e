//! Parses the expressions of conditions and of `print`: C's operators on variables, registers, memory and numbers.

use crate::data::types::{DataType, NumericValue};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number.
    Literal(NumericValue),
    /// A variable, parameter, array or built-in value.
    Name(String),
    /// A PTX register, with its `%`.
    Register(String),
    /// `a[i]`.
    Index(Box<Expression>, Box<Expression>),
    /// `a[i..j]`.
    Range(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `a.member`.
    Member(Box<Expression>, String),
    /// `*a`.
    Dereference(Box<Expression>),
    /// `&a`.
    Address(Box<Expression>),
    /// `a as f32*`.
    Cast(Box<Expression>, DataType),
    /// `-a`, `!a`, `~a`.
    Unary(char, Box<Expression>),
    /// `a + b` and the like.
    Binary(&'static str, Box<Expression>, Box<Expression>),
    /// `a ? b : c`.
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `sizeof(a)`.
    Size(Box<Expression>),
}

/// Binary operators by precedence, lowest first.
const OPERATORS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Maximum nesting depth of an expression.
const DEPTH: u32 = 64;

/// Parses an expression.
///
/// # Errors
/// If the text is not an expression: the text and the problem.
pub fn parse(text: &str) -> Result<Expression, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    let found = parser.conditional().map_err(|why| format!("`{text}`: {why}"))?;
    match parser.peek() {
        None => Ok(found),
        Some(token) => Err(format!("`{text}`: `{token}` is not expected")),
    }
}

fn is_name(first: char) -> bool {
    first.is_alphabetic() || first == '_' || first == '$'
}

/// Splits an expression into tokens.
fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let in_name = |c: char| is_name(c) || c.is_ascii_digit();
        let after_value = found.last().is_some_and(|last| {
            last.ends_with([')', ']'])
                || last.starts_with(in_name)
                || last.len() > 1 && last.starts_with('%')
        });
        let length = if is_name(first) {
            // `a::b` is one name.
            let mut end = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
            while rest[end..].starts_with("::") {
                let next = &rest[end + 2..];
                end += 2 + next.find(|c| !in_name(c)).unwrap_or(next.len());
            }
            end
        } else if first == '%' && !after_value {
            1 + rest[1..].find(|c| !in_name(c)).unwrap_or(rest.len() - 1)
        } else if first.is_ascii_digit() {
            let hex = rest.starts_with("0x") || rest.starts_with("0X");
            let mut end = 0;
            for (at, c) in rest.char_indices() {
                let sign = matches!(c, '+' | '-') && !hex && rest[..at].ends_with(['e', 'E']);
                let dot = c == '.' && !rest[at..].starts_with("..");
                if !(c.is_ascii_alphanumeric() || sign || dot) {
                    break;
                }
                end = at + 1;
            }
            end
        } else {
            let two = rest.get(..2).unwrap_or_default();
            match two {
                "||" | "&&" | "==" | "!=" | "<=" | ">=" | "<<" | ">>" | ".." | "->" => 2,
                _ if "|^&<>+-*/%!~()[].,?:".contains(first) => 1,
                _ => return Err(format!("`{text}`: `{first}` is not part of an expression")),
            }
        };
        found.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

struct Parser {
    tokens: Vec<String>,
    at: usize,
    depth: u32,
}

impl Parser {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn take(&mut self, wanted: &str) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: &str) -> Result<(), String> {
        if self.take(wanted) { Ok(()) } else { Err(format!("`{wanted}` is missing")) }
    }

    fn conditional(&mut self) -> Result<Expression, String> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        self.depth += 1;
        if self.depth > DEPTH * 16 {
            return Err("it is nested too deeply".to_owned());
        }
        let first = self.conditional()?;
        self.expect(":")?;
        let second = self.conditional()?;
        self.depth -= 1;
        Ok(Expression::Conditional(Box::new(condition), Box::new(first), Box::new(second)))
    }

    /// The type in parentheses before an operand: `(float)x`, `(unsigned char*)p`.
    fn type_in_parentheses(&mut self) -> Option<DataType> {
        if self.peek() != Some("(") {
            return None;
        }
        let rest = &self.tokens[self.at + 1..];
        let end = rest.iter().position(|token| token == ")")?;
        let operand = rest.get(end + 1)?;
        let starts = operand.starts_with(|c: char| c.is_alphanumeric() || "_$(%&*-~!".contains(c));
        let ty = DataType::named(&rest[..end].join(" ").replace(" *", "*")).filter(|_| starts)?;
        self.at += end + 2;
        Some(ty)
    }

    fn binary(&mut self, level: usize) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEPTH * 16 {
            return Err("it is nested too deeply".to_owned());
        }
        let Some(operators) = OPERATORS.get(level) else {
            let found = self.cast();
            self.depth -= 1;
            return found;
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.peek() == Some(operator)) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    /// `a as f32*`.
    fn cast(&mut self) -> Result<Expression, String> {
        let mut found = self.unary()?;
        while self.take("as") {
            let mut name = self.peek().ok_or("a type is missing after `as`")?.to_owned();
            self.at += 1;
            while self.take("*") {
                name.push('*');
            }
            let ty = DataType::named(&name).ok_or_else(|| {
                format!("`{name}` is not a type; write one like f32, u8, i64, b32, or f32*")
            })?;
            found = Expression::Cast(Box::new(found), ty);
        }
        Ok(found)
    }

    fn unary(&mut self) -> Result<Expression, String> {
        if let Some(ty) = self.type_in_parentheses() {
            self.depth += 1;
            if self.depth > DEPTH * 16 {
                return Err("it is nested too deeply".to_owned());
            }
            let operand = Box::new(self.unary()?);
            self.depth -= 1;
            return Ok(Expression::Cast(operand, ty));
        }
        let Some(operator) = self.peek().and_then(|token| match token {
            "-" | "!" | "~" | "*" | "&" => token.chars().next(),
            _ => None,
        }) else {
            return self.postfix();
        };
        self.at += 1;
        self.depth += 1;
        if self.depth > DEPTH * 16 {
            return Err("it is nested too deeply".to_owned());
        }
        let operand = Box::new(self.unary()?);
        self.depth -= 1;
        Ok(match operator {
            '*' => Expression::Dereference(operand),
            '&' => Expression::Address(operand),
            _ => Expression::Unary(operator, operand),
        })
    }

    fn postfix(&mut self) -> Result<Expression, String> {
        let mut found = self.primary()?;
        loop {
            if self.peek() == Some("[") && self.tokens.get(self.at + 1).is_some_and(|t| t == "[") {
                found = self.indices(found)?;
            } else if self.take("[") {
                let index = Box::new(self.binary(0)?);
                let base = Box::new(found);
                found = if self.take("..") {
                    Expression::Range(base, index, Box::new(self.binary(0)?))
                } else {
                    Expression::Index(base, index)
                };
                self.expect("]")?;
            } else if self.take(".") {
                found = Expression::Member(Box::new(found), self.name()?);
                // `x.len()` of a Rust slice.
                if self.take("(") {
                    self.expect(")")?;
                }
            } else if self.take("->") {
                let pointee = Expression::Dereference(Box::new(found));
                found = Expression::Member(Box::new(pointee), self.name()?);
            } else {
                return Ok(found);
            }
        }
    }

    /// `[[y, x]]`, as the kernel language indexes an array of several dimensions.
    fn indices(&mut self, base: Expression) -> Result<Expression, String> {
        self.at += 2;
        let mut found = base;
        loop {
            let index = Box::new(self.binary(0)?);
            found = Expression::Index(Box::new(found), index);
            if !self.take(",") {
                self.expect("]")?;
                self.expect("]")?;
                return Ok(found);
            }
        }
    }

    /// A member: a name, or the number of a tuple's field.
    fn name(&mut self) -> Result<String, String> {
        let number = |token: &&str| token.bytes().all(|byte| byte.is_ascii_digit());
        let name = self.peek().filter(|token| token.starts_with(is_name) || number(token));
        let name = name.ok_or("a member's name is missing")?.to_owned();
        self.at += 1;
        Ok(name)
    }

    /// `sizeof(a)` or `sizeof(type)`, after the word.
    fn size(&mut self) -> Result<Expression, String> {
        self.expect("(")?;
        let rest = &self.tokens[self.at..];
        let end = rest.iter().position(|token| token == ")").unwrap_or(0);
        if let Some(ty) = DataType::named(&rest[..end].join(" ").replace(" *", "*")) {
            self.at += end + 1;
            return Ok(Expression::Literal(NumericValue::Integer(ty.bytes().into())));
        }
        let of = self.conditional()?;
        self.expect(")")?;
        Ok(Expression::Size(Box::new(of)))
    }

    fn primary(&mut self) -> Result<Expression, String> {
        let Some(token) = self.peek().map(str::to_owned) else {
            return Err("a value is missing".to_owned());
        };
        self.at += 1;
        if token == "(" {
            let inner = self.conditional()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if token.starts_with('%') && token.len() > 1 {
            return Ok(Expression::Register(token));
        }
        if token.starts_with(is_name) {
            return Ok(match token.as_str() {
                "true" => Expression::Literal(NumericValue::Integer(1)),
                "false" => Expression::Literal(NumericValue::Integer(0)),
                "sizeof" => self.size()?,
                _ => Expression::Name(token),
            });
        }
        number(&token).map(Expression::Literal).ok_or_else(|| format!("`{token}` is not a value"))
    }
}

/// A C number: `17`, `0x11`, `1.5f`, `2e3`.
fn number(text: &str) -> Option<NumericValue> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let digits = hex.trim_end_matches(['u', 'U', 'l', 'L']);
        return i128::from_str_radix(digits, 16).ok().map(NumericValue::Integer);
    }
    if let Ok(integer) = text.trim_end_matches(['u', 'U', 'l', 'L']).parse() {
        return Some(NumericValue::Integer(integer));
    }
    text.trim_end_matches(['f', 'F']).parse().ok().map(NumericValue::Float)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_bind_as_in_c() {
        for (a, b) in [
            ("1 + 2 * 3", "1 + (2 * 3)"),
            ("a == 1 && b < 2 || c", "((a == 1) && (b < 2)) || c"),
            ("x[i + 1].y", "(x[i + 1]).y"),
            ("-a + b % c", "(-a) + (b % c)"),
            ("*p as f32", "(*p) as f32"),
            ("p->q", "(*p).q"),
            ("a % %r1", "a % (%r1)"),
            ("a == 1 ? b : c + 1", "(a == 1) ? (b) : (c + 1)"),
            ("(float)a / 2", "(a as float) / 2"),
            ("(unsigned char*)p", "p as uchar*"),
            ("(n) * 2", "n * 2"),
        ] {
            assert_eq!(parse(a), parse(b), "{a}");
            assert!(parse(a).is_ok(), "{a}: {:?}", parse(a));
        }
        assert_eq!(parse("tile[[y, x + 1]]"), parse("tile[y][x + 1]"));
        assert_eq!(parse("x.len() - 1"), parse("(x.len) - 1"));
        assert!(matches!(parse("pair.0"), Ok(Expression::Member(..))));
        assert!(matches!(parse("x[0..8]"), Ok(Expression::Range(..))));
        assert_eq!(parse("1.5f"), Ok(Expression::Literal(NumericValue::Float(1.5))));
        assert_eq!(parse("0xffu"), Ok(Expression::Literal(NumericValue::Integer(255))));
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(parse("x["), Err("`x[`: a value is missing".to_owned()));
        assert_eq!(parse("x y"), Err("`x y`: `y` is not expected".to_owned()));
        assert!(parse("a as what").unwrap_err().contains("`what` is not a type"));
        assert!(parse(&"(".repeat(10_000)).unwrap_err().contains("nested too deeply"));
        assert!(parse(&"-".repeat(10_000)).unwrap_err().contains("nested too deeply"));
        assert!(parse("a ? b").unwrap_err().contains("`:` is missing"));
        assert!(parse("a # b").unwrap_err().contains("`#` is not part"));
    }
}
