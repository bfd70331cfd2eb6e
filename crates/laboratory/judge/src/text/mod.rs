//! The text of task files: TOML with positions, and its expression language: arithmetic over names, calls, array
//! elements, and folds over an index such as `sum(k < n, a[i, k] * b[k, j])`.
//!
//! A recursive-descent parser with one function per precedence level. Names are resolved by the evaluator of the
//! tree.

pub mod document;

use std::fmt;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A number, and whether it was written as an integer.
    Number(f64, bool),
    /// A name, and its position in the text.
    Name(String, usize),
    /// An array element: the array, its indices, and its position.
    Element(String, Vec<Node>, usize),
    /// A call: the function, its arguments, and its position.
    Call(String, Vec<Node>, usize),
    /// A fold of the body over `index < bound`: the fold, the index, the bound, the body, and its position.
    Fold(String, String, Box<Node>, Box<Node>, usize),
    /// The negation.
    Minus(Box<Node>),
    /// Two operands.
    Binary(Operator, Box<Node>, Box<Node>),
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `==`
    Equal,
}

/// Why a text is not an expression, and the byte position of the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// The byte position in the text.
    pub at: usize,
    /// The message.
    pub why: String,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

/// Maximum nesting depth of expressions.
const DEEPEST: usize = 64;

/// Parses a whole expression.
///
/// # Errors
/// The position and the cause of a syntax error.
pub fn parse(text: &str) -> Result<Node, ExpressionError> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let node = parser.comparison()?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(parser.expected("an operator or the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: &str) -> bool {
        self.peek();
        let there = self.text[self.at..].starts_with(wanted);
        self.at += if there { wanted.len() } else { 0 };
        there
    }

    fn expected(&mut self, what: &str) -> ExpressionError {
        let found = match self.peek() {
            Some(found) => format!("`{found}`"),
            None => "the end".to_owned(),
        };
        ExpressionError { at: self.at, why: format!("expected {what}, found {found}") }
    }

    fn need(&mut self, wanted: &str) -> Result<(), ExpressionError> {
        if self.take(wanted) { Ok(()) } else { Err(self.expected(&format!("`{wanted}`"))) }
    }

    fn comparison(&mut self) -> Result<Node, ExpressionError> {
        let left = self.sum()?;
        for (sign, operator) in
            [("<=", Operator::LessEqual), ("==", Operator::Equal), ("<", Operator::Less)]
        {
            if self.take(sign) {
                return Ok(Node::Binary(operator, Box::new(left), Box::new(self.sum()?)));
            }
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Node, ExpressionError> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Some('+') => Operator::Add,
                Some('-') => Operator::Subtract,
                _ => return Ok(left),
            };
            self.at += 1;
            left = Node::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Node, ExpressionError> {
        let mut left = self.unary()?;
        loop {
            let operator = match self.peek() {
                Some('*') => Operator::Multiply,
                Some('/') => Operator::Divide,
                Some('%') => Operator::Remainder,
                _ => return Ok(left),
            };
            self.at += 1;
            left = Node::Binary(operator, Box::new(left), Box::new(self.unary()?));
        }
    }

    fn unary(&mut self) -> Result<Node, ExpressionError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let why = format!("nested more than {DEEPEST} deep");
            return Err(ExpressionError { at: self.at, why });
        }
        let node = match self.take("-") {
            true => Node::Minus(Box::new(self.unary()?)),
            false => self.primary()?,
        };
        self.depth -= 1;
        Ok(node)
    }

    fn primary(&mut self) -> Result<Node, ExpressionError> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let inner = self.comparison()?;
                self.need(")")?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.named(),
            _ => Err(self.expected("a number, a name or `(`")),
        }
    }

    fn number(&mut self) -> Result<Node, ExpressionError> {
        let rest = &self.text.as_bytes()[self.at..];
        let mut length = 0;
        while length < rest.len() {
            let exponent = length > 0 && matches!(rest[length - 1], b'e' | b'E');
            let goes_on = rest[length].is_ascii_alphanumeric()
                || rest[length] == b'.'
                || (exponent && matches!(rest[length], b'+' | b'-'));
            if !goes_on {
                break;
            }
            length += 1;
        }
        let text = &self.text[self.at..self.at + length];
        let value = match text {
            "" => None,
            text => text.parse::<f64>().ok().filter(|value| value.is_finite()),
        };
        let Some(value) = value else {
            return Err(ExpressionError {
                at: self.at,
                why: format!("`{text}` is not a valid number"),
            });
        };
        self.at += length;
        Ok(Node::Number(value, text.bytes().all(|byte| byte.is_ascii_digit())))
    }

    fn word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let length =
            rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        self.at += length;
        rest[..length].to_owned()
    }

    fn named(&mut self) -> Result<Node, ExpressionError> {
        let start = self.at;
        let name = self.word();
        if self.take("[") {
            let indices = self.list("]")?;
            return Ok(Node::Element(name, indices, start));
        }
        if !self.take("(") {
            return Ok(Node::Name(name, start));
        }
        let mut arguments = self.list(")")?;
        let is_fold = matches!(name.as_str(), "sum" | "max" | "min") && arguments.len() == 2;
        if is_fold
            && let Node::Binary(Operator::Less, index, _) = &arguments[0]
            && matches!(**index, Node::Name(..))
        {
            let body = arguments.remove(1);
            let Node::Binary(_, index, bound) = arguments.remove(0) else { unreachable!() };
            let Node::Name(index, _) = *index else { unreachable!() };
            return Ok(Node::Fold(name, index, bound, Box::new(body), start));
        }
        Ok(Node::Call(name, arguments, start))
    }

    fn list(&mut self, end: &str) -> Result<Vec<Node>, ExpressionError> {
        let mut list = Vec::new();
        if self.take(end) {
            return Ok(list);
        }
        loop {
            list.push(self.comparison()?);
            if self.take(end) {
                return Ok(list);
            }
            self.need(",")?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_bind_tighter_than_sums_and_folds_differ_from_calls() {
        let parsed = parse("1 + 2 * -x").expect("an expression");
        let Node::Binary(Operator::Add, _, right) = parsed else { panic!("{parsed:?}") };
        assert!(matches!(*right, Node::Binary(Operator::Multiply, _, _)));
        assert!(matches!(parse("sum(k < n, x[k])"), Ok(Node::Fold(..))));
        assert!(matches!(parse("max(a, b)"), Ok(Node::Call(..))));
        assert_eq!(parse("1.5e-3").expect("a number"), Node::Number(1.5e-3, false));
    }

    #[test]
    fn mistakes_name_their_place() {
        for (text, at) in [("1 + ", 4), ("(1", 2), ("2x", 0), ("a b", 2), ("f(1,", 4), ("#", 0)] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.at, at, "{text}: {error}");
        }
        assert!(parse(&"(".repeat(100_000)).is_err());
    }
}
