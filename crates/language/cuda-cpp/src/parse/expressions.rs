//! Parses expressions by precedence, down to unary operators and casts.

use super::{Parsed, Parser, SyntaxFailure};
use crate::lex::{Punctuation, TokenKind, known};
use crate::syntax::*;
use std::rc::Rc;

impl Parser {
    /// An expression that may contain commas.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        let mut left = self.assignment()?;
        // In `(pack , ...)` the comma belongs to a fold expression.
        while self.is(Punctuation::Comma) && !self.ahead(1).is(Punctuation::Ellipsis) {
            self.at += 1;
            let right = self.assignment()?;
            let span = left.span.to(right.span);
            let kind =
                ExpressionKind::Binary(BinaryOperator::Comma, Box::new(left), Box::new(right));
            left = Expression { kind, span };
        }
        Ok(left)
    }

    /// Comma-separated expressions, up to and including `close`. May contain braced lists and `...`.
    pub(super) fn expression_list(&mut self, close: Punctuation) -> Parsed<Vec<Expression>> {
        let mut list = Vec::new();
        while !self.is(close) {
            let value =
                if self.is(Punctuation::BraceOpen) { self.braced()? } else { self.assignment()? };
            list.push(self.maybe_expansion(value));
            if !self.eat(Punctuation::Comma) {
                break;
            }
        }
        self.expect(close, "after the arguments")?;
        Ok(list)
    }

    fn maybe_expansion(&mut self, value: Expression) -> Expression {
        if !self.eat(Punctuation::Ellipsis) {
            return value;
        }
        let span = value.span.to(self.last_span());
        Expression { kind: ExpressionKind::Expansion(Box::new(value)), span }
    }

    /// `{a, .b = c}`.
    pub(super) fn braced(&mut self) -> Parsed<Expression> {
        let start = self.span();
        let elements = self.braced_elements()?;
        Ok(Expression { kind: ExpressionKind::List(elements), span: start.to(self.last_span()) })
    }

    pub(super) fn braced_elements(&mut self) -> Parsed<Vec<ListElement>> {
        self.expect(Punctuation::BraceOpen, "before a list")?;
        let elements = self.nested(|this| {
            this.enclosed(|this| {
                let mut elements = Vec::new();
                while !this.is(Punctuation::BraceClose) {
                    let mut field = None;
                    if this.is(Punctuation::Dot)
                        && let Some(name) = this.ahead(1).name()
                    {
                        field = Some(name);
                        this.at += 2;
                        if !this.is(Punctuation::BraceOpen) {
                            this.expect(Punctuation::Assign, "after the name of the member")?;
                        }
                    }
                    let value = if this.is(Punctuation::BraceOpen) {
                        this.braced()?
                    } else {
                        this.assignment()?
                    };
                    let value = this.maybe_expansion(value);
                    elements.push(ListElement { field, value });
                    if !this.eat(Punctuation::Comma) {
                        break;
                    }
                }
                Ok(elements)
            })
        })?;
        self.expect(Punctuation::BraceClose, "after the list")?;
        Ok(elements)
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> Parsed<Expression> {
        self.nested(Self::assignment_inner)
    }

    fn assignment_inner(&mut self) -> Parsed<Expression> {
        use BinaryOperator as B;
        if self.is_name(known::THROW) {
            let start = self.bump().span;
            let ends = self.is(Punctuation::Semicolon)
                || self.is(Punctuation::Colon)
                || self.is(Punctuation::ParenClose);
            let value = if ends { None } else { Some(Box::new(self.assignment()?)) };
            let span = start.to(self.last_span());
            return Ok(Expression { kind: ExpressionKind::Throw(value), span });
        }
        let left = self.conditional()?;
        let TokenKind::Punctuation(punctuation) = self.peek() else { return Ok(left) };
        let mut tokens = 1;
        let operator = match punctuation {
            Punctuation::Assign => None,
            Punctuation::AddAssign => Some(B::Add),
            Punctuation::SubtractAssign => Some(B::Subtract),
            Punctuation::MultiplyAssign => Some(B::Multiply),
            Punctuation::DivideAssign => Some(B::Divide),
            Punctuation::RemainderAssign => Some(B::Remainder),
            Punctuation::AndAssign => Some(B::BitAnd),
            Punctuation::OrAssign => Some(B::BitOr),
            Punctuation::XorAssign => Some(B::BitXor),
            Punctuation::ShiftLeftAssign => Some(B::ShiftLeft),
            Punctuation::Greater
                if !self.greater_closes
                    && self.ahead(1).is(Punctuation::GreaterEqual)
                    && !self.ahead(1).spaced =>
            {
                tokens = 2;
                Some(B::ShiftRight)
            }
            _ => return Ok(left),
        };
        self.at += tokens;
        let right =
            if self.is(Punctuation::BraceOpen) { self.braced()? } else { self.assignment()? };
        let span = left.span.to(right.span);
        Ok(Expression {
            kind: ExpressionKind::Assign(operator, Box::new(left), Box::new(right)),
            span,
        })
    }

    /// An expression without commas and without assignments.
    pub(super) fn conditional(&mut self) -> Parsed<Expression> {
        self.nested(|this| {
            let condition = this.binary(0)?;
            if !this.eat(Punctuation::Question) {
                return Ok(condition);
            }
            let yes = this.enclosed(Self::expression)?;
            this.expect(Punctuation::Colon, "in a conditional expression")?;
            let no = this.assignment()?;
            let span = condition.span.to(no.span);
            let kind =
                ExpressionKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
            Ok(Expression { kind, span })
        })
    }

    /// The binary operator at the cursor: precedence and number of tokens.
    pub(super) fn binary_operator(&self) -> Option<(BinaryOperator, u8, usize)> {
        use BinaryOperator as B;
        let TokenKind::Punctuation(punctuation) = self.peek() else { return None };
        let (operator, precedence) = match punctuation {
            Punctuation::OrOr => (B::LogicalOr, 1),
            Punctuation::AndAnd => (B::LogicalAnd, 2),
            Punctuation::Or => (B::BitOr, 3),
            Punctuation::Xor => (B::BitXor, 4),
            Punctuation::And => (B::BitAnd, 5),
            Punctuation::EqualEqual => (B::Equal, 6),
            Punctuation::NotEqual => (B::NotEqual, 6),
            Punctuation::Less => (B::Less, 7),
            Punctuation::LessEqual => (B::LessEqual, 7),
            Punctuation::Greater if self.greater_closes => return None,
            Punctuation::Greater if self.adjacent_greater() => return Some((B::ShiftRight, 8, 2)),
            Punctuation::Greater
                if self.ahead(1).is(Punctuation::GreaterEqual) && !self.ahead(1).spaced =>
            {
                return None;
            }
            Punctuation::Greater => (B::Greater, 7),
            Punctuation::GreaterEqual => (B::GreaterEqual, 7),
            Punctuation::ShiftLeft => (B::ShiftLeft, 8),
            Punctuation::Plus => (B::Add, 9),
            Punctuation::Minus => (B::Subtract, 9),
            Punctuation::Star => (B::Multiply, 10),
            Punctuation::Slash => (B::Divide, 10),
            Punctuation::Percent => (B::Remainder, 10),
            _ => return None,
        };
        Some((operator, precedence, 1))
    }

    /// `a.*b` and `a->*b`.
    fn member_access(&mut self) -> Parsed<Expression> {
        let mut left = self.unary()?;
        while self.is(Punctuation::DotStar) || self.is(Punctuation::ArrowStar) {
            let arrow = self.bump().is(Punctuation::ArrowStar);
            let right = self.unary()?;
            let span = left.span.to(right.span);
            let kind = ExpressionKind::MemberAccess(Box::new(left), arrow, Box::new(right));
            left = Expression { kind, span };
        }
        Ok(left)
    }

    fn binary(&mut self, least: u8) -> Parsed<Expression> {
        let mut left = self.member_access()?;
        while let Some((operator, precedence, tokens)) = self.binary_operator() {
            // In `pack + ...)` the operator belongs to a fold expression.
            if precedence <= least || self.ahead(tokens).is(Punctuation::Ellipsis) {
                break;
            }
            self.at += tokens;
            let right = self.nested(|this| this.binary(precedence))?;
            let span = left.span.to(right.span);
            let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expression { kind, span };
        }
        Ok(left)
    }

    pub(super) fn unary(&mut self) -> Parsed<Expression> {
        self.nested(Self::unary_inner)
    }

    fn unary_inner(&mut self) -> Parsed<Expression> {
        let start = self.span();
        let token = self.token();
        let operator = match token.kind {
            TokenKind::Punctuation(punctuation) => match punctuation {
                Punctuation::Plus => Some(UnaryOperator::Plus),
                Punctuation::Minus => Some(UnaryOperator::Minus),
                Punctuation::Not => Some(UnaryOperator::Not),
                Punctuation::Tilde => Some(UnaryOperator::Complement),
                Punctuation::Star => Some(UnaryOperator::Dereference),
                Punctuation::And => Some(UnaryOperator::AddressOf),
                Punctuation::Increment => Some(UnaryOperator::Increment),
                Punctuation::Decrement => Some(UnaryOperator::Decrement),
                _ => None,
            },
            _ => None,
        };
        if let Some(operator) = operator {
            self.at += 1;
            let operand = self.unary()?;
            let span = start.to(operand.span);
            return Ok(Expression {
                kind: ExpressionKind::Unary(operator, Box::new(operand)),
                span,
            });
        }
        let kind = match token.name() {
            Some(known::EXTENSION) => {
                self.at += 1;
                return self.unary();
            }
            Some(known::SIZEOF) => self.size_of()?,
            Some(known::ALIGNOF) => {
                self.at += 1;
                self.expect(Punctuation::ParenOpen, "after `alignof`")?;
                let kind = self.enclosed(Self::type_id)?;
                self.expect(Punctuation::ParenClose, "after the type")?;
                ExpressionKind::AlignOf(Rc::new(kind))
            }
            Some(known::NOEXCEPT) => {
                self.at += 1;
                self.skip_group()?;
                ExpressionKind::NoExcept
            }
            Some(known::NEW) => self.new_expression(false)?,
            None if self.is(Punctuation::ColonColon) && self.ahead(1).is_name(known::NEW) => {
                self.at += 1;
                self.new_expression(true)?
            }
            Some(known::DELETE) => {
                self.at += 1;
                let array = self.eat(Punctuation::BracketOpen);
                if array {
                    self.expect(Punctuation::BracketClose, "after `delete [`")?;
                }
                ExpressionKind::Delete(Box::new(self.unary()?), array)
            }
            _ if self.is(Punctuation::ParenOpen) => match self.cast()? {
                Some(kind) => kind,
                None => return self.postfix(),
            },
            _ => return self.postfix(),
        };
        Ok(Expression { kind, span: start.to(self.last_span()) })
    }

    fn size_of(&mut self) -> Parsed<ExpressionKind> {
        self.at += 1;
        if self.eat(Punctuation::Ellipsis) {
            self.expect(Punctuation::ParenOpen, "after `sizeof...`")?;
            let Some(name) = self.identifier() else { return self.unexpected("a pack") };
            self.at += 1;
            self.expect(Punctuation::ParenClose, "after the pack")?;
            return Ok(ExpressionKind::SizeOfPack(name));
        }
        match self.type_in_parentheses() {
            Some(kind) => Ok(ExpressionKind::SizeOfType(Rc::new(kind))),
            None => Ok(ExpressionKind::SizeOf(Box::new(self.unary()?))),
        }
    }

    /// `typeid` and its operand in parentheses.
    pub(super) fn identity(&mut self) -> Parsed<ExpressionKind> {
        self.at += 1;
        match self.type_in_parentheses() {
            Some(kind) => Ok(ExpressionKind::TypeIdentity(Rc::new(kind))),
            None => {
                self.expect(Punctuation::ParenOpen, "after `typeid`")?;
                let value = self.enclosed(Self::expression)?;
                self.expect(Punctuation::ParenClose, "after the operand")?;
                Ok(ExpressionKind::ValueIdentity(Box::new(value)))
            }
        }
    }

    /// A type in parentheses, if it certainly is one.
    fn type_in_parentheses(&mut self) -> Option<TypeSyntax> {
        if !self.is(Punctuation::ParenOpen) {
            return None;
        }
        self.attempt(|this| {
            this.at += 1;
            let kind = this.enclosed(Self::certain_type)?;
            this.expect(Punctuation::ParenClose, "after the type")?;
            Ok(kind)
        })
    }

    /// A type, if the name is certainly a type.
    fn certain_type(&mut self) -> Parsed<TypeSyntax> {
        let kind = self.type_id()?;
        match &kind.base {
            BaseType::Named(name) if !self.names_type(name) && !self.text_has_typename(&kind) => {
                Err(SyntaxFailure)
            }
            _ => Ok(kind),
        }
    }

    fn text_has_typename(&self, kind: &TypeSyntax) -> bool {
        self.map.text(kind.span).contains("typename")
    }

    /// `(type) operand`, if it is a cast.
    fn cast(&mut self) -> Parsed<Option<ExpressionKind>> {
        let kind = self.attempt(|this| {
            this.at += 1;
            let kind = this.enclosed(Self::certain_type)?;
            this.expect(Punctuation::ParenClose, "after the type")?;
            Ok(kind)
        });
        let Some(kind) = kind else { return Ok(None) };
        if self.is(Punctuation::BraceOpen) {
            let elements = self.braced_elements()?;
            return Ok(Some(ExpressionKind::Construct(Rc::new(kind), elements, true)));
        }
        let operand = self.unary()?;
        Ok(Some(ExpressionKind::Cast(CastStyle::Parentheses, Rc::new(kind), Box::new(operand))))
    }

    fn new_expression(&mut self, global: bool) -> Parsed<ExpressionKind> {
        self.at += 1;
        let mut placement = Vec::new();
        if self.eat(Punctuation::ParenOpen) {
            placement = self.enclosed(|this| this.expression_list(Punctuation::ParenClose))?;
        }
        let specifiers = self.specifiers(true)?;
        if matches!(specifiers.base, BaseType::Absent) {
            return self.unexpected("a type after `new`");
        }
        let mut derived = self.pointers()?;
        if self.eat(Punctuation::BracketOpen) {
            let size = self.enclosed(Self::expression)?;
            self.expect(Punctuation::BracketClose, "after the size")?;
            let mut inner = Vec::new();
            while self.eat(Punctuation::BracketOpen) {
                let size = self.enclosed(Self::expression)?;
                self.expect(Punctuation::BracketClose, "after the size")?;
                inner.push(Derivation::Array(Some(Rc::new(size))));
            }
            // The first size is the outermost one.
            derived.extend(inner.into_iter().rev());
            derived.push(Derivation::Array(Some(Rc::new(size))));
        }
        let kind = Self::assemble(&specifiers, derived, self.last_span());
        let braces = self.is(Punctuation::BraceOpen);
        let initialized = braces || self.is(Punctuation::ParenOpen);
        let arguments = if braces {
            self.braced_elements()?
        } else if self.eat(Punctuation::ParenOpen) {
            let list = self.enclosed(|this| this.expression_list(Punctuation::ParenClose))?;
            list.into_iter().map(|value| ListElement { field: None, value }).collect()
        } else {
            Vec::new()
        };
        let new = NewSyntax { global, placement, kind, initialized, braces, arguments };
        Ok(ExpressionKind::New(Box::new(new)))
    }
}
