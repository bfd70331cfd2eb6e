//! Parses control flow: conditions, branches and loops.

use super::scopes::NameKind;
use super::{Parsed, Parser, SyntaxFailure};
use crate::lex::{Punctuation, TokenKind, known};
use crate::source::Span;
use crate::syntax::*;
use std::rc::Rc;

impl Parser {
    /// Parses the pragma before the statement at the cursor.
    pub(super) fn unroll(&mut self) -> Parsed<Option<UnrollSyntax>> {
        let Some(&(name, place)) = self.pragmas.get(&self.at) else { return Ok(None) };
        let one = ExpressionKind::Integer { value: 1, unsigned: false, long: 0, decimal: true };
        if name == known::NO_UNROLL {
            let value = Expression { kind: one, span: self.span() };
            return Ok(Some(UnrollSyntax::Count(Rc::new(value))));
        }
        let back = std::mem::replace(&mut self.at, place);
        let result = if self.peek() == TokenKind::End {
            Ok(UnrollSyntax::Full)
        } else {
            self.enclosed(Self::conditional).map(|value| UnrollSyntax::Count(Rc::new(value)))
        };
        self.at = back;
        result.map(Some)
    }

    /// `(condition)`.
    pub(super) fn condition(&mut self, of: &str) -> Parsed<Condition> {
        self.expect(Punctuation::ParenOpen, &format!("after `{of}`"))?;
        let condition = self.enclosed(Self::condition_inner)?;
        self.expect(Punctuation::ParenClose, "after the condition")?;
        Ok(condition)
    }

    /// `catch (variable) { statements }`.
    pub(super) fn handler(&mut self) -> Parsed<HandlerSyntax> {
        let start = self.bump().span;
        self.expect(Punctuation::ParenOpen, "after `catch`")?;
        let (mut variables, _) = self.enclosed(Self::parameter_list)?;
        let variable = variables.pop();
        if let Some(name) = variable.as_ref().and_then(|variable| variable.name) {
            self.declare(name, NameKind::Value);
        }
        let body = self.compound()?;
        Ok(HandlerSyntax { variable, body, span: start })
    }

    fn condition_inner(&mut self) -> Parsed<Condition> {
        if self.begins_declaration() {
            let declared = self.attempt(|this| {
                let variable = this.condition_variable()?;
                if matches!(variable.initializer, Initializer::None) {
                    Err(SyntaxFailure)
                } else {
                    Ok(variable)
                }
            });
            if let Some(variable) = declared {
                return Ok(Condition::Variable(Rc::new(variable)));
            }
        }
        Ok(Condition::Value(self.expression()?))
    }

    fn condition_variable(&mut self) -> Parsed<VariableSyntax> {
        let specifiers = self.specifiers(false)?;
        let declarator = self.declarator(true)?;
        let Some(name) = declarator.name else { return self.unexpected("a name") };
        if let Some(simple) = name.simple() {
            self.declare(simple, NameKind::Value);
        }
        let kind = Rc::new(Self::assemble(&specifiers, declarator.derived, specifiers.span));
        let initializer = self.initializer()?;
        let (specifiers, span) = (Rc::new(specifiers.flags), name.span);
        let bindings = Vec::new();
        Ok(VariableSyntax { name, bindings, kind, specifiers, initializer, width: None, span })
    }

    /// `declaration;` or `expression;` before the condition.
    fn init_statement(&mut self) -> Parsed<Option<Box<Statement>>> {
        let begins = self.look(|this| {
            let mut depth = 0usize;
            loop {
                match this.peek() {
                    TokenKind::End => return Err(SyntaxFailure),
                    TokenKind::Punctuation(Punctuation::Semicolon) if depth == 0 => return Ok(()),
                    TokenKind::Punctuation(
                        Punctuation::ParenOpen | Punctuation::BraceOpen | Punctuation::BracketOpen,
                    ) => depth += 1,
                    TokenKind::Punctuation(
                        Punctuation::ParenClose
                        | Punctuation::BraceClose
                        | Punctuation::BracketClose,
                    ) => {
                        if depth == 0 {
                            return Err(SyntaxFailure);
                        }
                        depth -= 1;
                    }
                    _ => {}
                }
                this.at += 1;
            }
        });
        if begins.is_none() {
            return Ok(None);
        }
        let span = self.span();
        let kind = if self.eat(Punctuation::Semicolon) {
            StatementKind::Empty
        } else {
            self.plain_statement()?
        };
        Ok(Some(Box::new(Statement { kind, span: span.to(self.last_span()) })))
    }

    pub(super) fn if_statement(&mut self) -> Parsed<StatementKind> {
        self.at += 1;
        let is_constexpr = self.eat_name(known::CONSTEXPR);
        let outer = self.enter();
        let result = self.if_rest(is_constexpr);
        self.leave(outer);
        result
    }

    fn if_rest(&mut self, is_constexpr: bool) -> Parsed<StatementKind> {
        self.expect(Punctuation::ParenOpen, "after `if`")?;
        let init = self.enclosed(Self::init_statement)?;
        let condition = self.enclosed(Self::condition_inner)?;
        self.expect(Punctuation::ParenClose, "after the condition")?;
        let then = Box::new(self.statement()?);
        let otherwise =
            if self.eat_name(known::ELSE) { Some(Box::new(self.statement()?)) } else { None };
        Ok(StatementKind::If { is_constexpr, init, condition, then, otherwise })
    }

    pub(super) fn switch_rest(&mut self) -> Parsed<StatementKind> {
        self.expect(Punctuation::ParenOpen, "after `switch`")?;
        let init = self.enclosed(Self::init_statement)?;
        let condition = self.enclosed(Self::condition_inner)?;
        self.expect(Punctuation::ParenClose, "after the value")?;
        Ok(StatementKind::Switch(init, condition, Box::new(self.statement()?)))
    }

    pub(super) fn for_statement(&mut self, unroll: Option<UnrollSyntax>) -> Parsed<StatementKind> {
        self.at += 1;
        self.expect(Punctuation::ParenOpen, "after `for`")?;
        self.enclosed(|this| this.for_rest(unroll))
    }

    fn for_rest(&mut self, unroll: Option<UnrollSyntax>) -> Parsed<StatementKind> {
        if let Some(variable) = self.attempt(Self::range_variable) {
            if let Some(name) = variable.name.simple() {
                self.declare(name, NameKind::Value);
            }
            for &name in &variable.bindings {
                self.declare(name, NameKind::Value);
            }
            let range =
                if self.is(Punctuation::BraceOpen) { self.braced()? } else { self.expression()? };
            self.expect(Punctuation::ParenClose, "after the range")?;
            let body = Box::new(self.statement()?);
            return Ok(StatementKind::RangeFor {
                variable: Rc::new(variable),
                range,
                body,
                unroll,
            });
        }
        let init = if self.eat(Punctuation::Semicolon) {
            None
        } else {
            let span = self.span();
            let kind = self.plain_statement()?;
            Some(Box::new(Statement { kind, span: span.to(self.last_span()) }))
        };
        let condition =
            if self.is(Punctuation::Semicolon) { None } else { Some(self.condition_inner()?) };
        self.expect(Punctuation::Semicolon, "after the condition of `for`")?;
        let step = if self.is(Punctuation::ParenClose) { None } else { Some(self.expression()?) };
        self.expect(Punctuation::ParenClose, "after the step of `for`")?;
        let body = Box::new(self.statement()?);
        Ok(StatementKind::For { init, condition, step, body, unroll })
    }

    /// `T x :` of a range-based loop.
    fn range_variable(&mut self) -> Parsed<VariableSyntax> {
        let start: Span = self.span();
        let specifiers = self.specifiers(false)?;
        if matches!(specifiers.base, BaseType::Absent) {
            return Err(SyntaxFailure);
        }
        let mut bindings = Vec::new();
        let mut name = Self::plain(known::EMPTY, start);
        let derived;
        let binds = self.is(Punctuation::BracketOpen)
            || (self.is(Punctuation::And) || self.is(Punctuation::AndAnd))
                && self.ahead(1).is(Punctuation::BracketOpen);
        if binds {
            derived = self.pointers()?;
            self.at += 1;
            while let Some(name) = self.identifier() {
                self.at += 1;
                bindings.push(name);
                if !self.eat(Punctuation::Comma) {
                    break;
                }
            }
            self.expect(Punctuation::BracketClose, "after the names")?;
        } else {
            let declarator = self.declarator(true)?;
            derived = declarator.derived;
            name = declarator.name.ok_or(SyntaxFailure)?;
        }
        self.expect(Punctuation::Colon, "before the range")?;
        let kind = Rc::new(Self::assemble(&specifiers, derived, specifiers.span));
        let (specifiers, span) = (Rc::new(specifiers.flags), name.span);
        let initializer = Initializer::None;
        Ok(VariableSyntax { name, bindings, kind, specifiers, initializer, width: None, span })
    }
}
