//! Parses function bodies.

use super::{Parsed, Parser};
use crate::lex::names::known;
use crate::lex::{Punctuation, TokenKind};
use crate::source::diagnostics::SourceProblem;
use crate::syntax::*;

impl Parser {
    /// Skips `: a(1), b{2}` before a constructor's body.
    pub(super) fn skip_member_initializers(&mut self) -> Parsed<()> {
        self.at += 1;
        loop {
            self.qualified_name()?;
            self.skip_group()?;
            self.eat(Punctuation::Ellipsis);
            if !self.eat(Punctuation::Comma) {
                return Ok(());
            }
        }
    }

    /// The initializers and statements of a body.
    pub(super) fn function_body(&mut self) -> Parsed<FunctionBody> {
        let mut members = Vec::new();
        if self.eat(Punctuation::Colon) {
            loop {
                let name = self.qualified_name()?;
                let braces = self.is(Punctuation::BraceOpen);
                let values = if braces {
                    vec![self.braced()?]
                } else {
                    self.expect(Punctuation::ParenOpen, "after the name of the member")?;
                    self.enclosed(|this| this.expression_list(Punctuation::ParenClose))?
                };
                self.eat(Punctuation::Ellipsis);
                members.push(MemberInitializer { name, values, braces });
                if !self.eat(Punctuation::Comma) {
                    break;
                }
            }
        }
        if self.is_name(known::TRY) {
            return self.report(SourceProblem::unsupported(self.span(), "`try` around a function"));
        }
        let statements = self.compound()?.into();
        Ok(FunctionBody { members, statements, end: self.last_span() })
    }

    /// `[captures](parameters) { body }`.
    pub(super) fn lambda(&mut self) -> Parsed<LambdaSyntax> {
        let start = self.bump().span;
        let mut default = None;
        let mut captures = Vec::new();
        while !self.is(Punctuation::BracketClose) {
            let span = self.span();
            if self.eat(Punctuation::Assign) {
                default = Some(false);
            } else if self.is(Punctuation::And) && self.ahead(1).name().is_none() {
                self.at += 1;
                default = Some(true);
            } else if self.eat_name(known::THIS) {
                captures.push(CaptureSyntax { name: None, by_reference: true, value: None, span });
            } else if self.is(Punctuation::Star) && self.ahead(1).is_name(known::THIS) {
                self.at += 2;
                captures.push(CaptureSyntax { name: None, by_reference: false, value: None, span });
            } else {
                let by_reference = self.eat(Punctuation::And);
                let Some(name) = self.identifier() else { return self.unexpected("a capture") };
                self.at += 1;
                let value = match self.initializer()? {
                    Initializer::Copy(value) | Initializer::List(value) => Some(value),
                    Initializer::Direct(mut values) => values.pop(),
                    Initializer::None => None,
                };
                self.eat(Punctuation::Ellipsis);
                captures.push(CaptureSyntax { name: Some(name), by_reference, value, span });
            }
            if !self.eat(Punctuation::Comma) {
                break;
            }
        }
        self.expect(Punctuation::BracketClose, "after the captures")?;
        let outer = self.enter();
        let result = self.lambda_rest(default, captures, start);
        self.leave(outer);
        result
    }

    fn lambda_rest(
        &mut self,
        default: Option<bool>,
        captures: Vec<CaptureSyntax>,
        start: crate::source::Span,
    ) -> Parsed<LambdaSyntax> {
        for capture in &captures {
            if let Some(name) = capture.name {
                self.declare(name, super::scopes::NameKind::Value);
            }
        }
        let mut is_mutable = false;
        self.lambda_attributes(&mut is_mutable)?;
        let mut signature = FunctionTypeSyntax {
            parameters: Vec::new(),
            variadic: false,
            is_const: true,
            trailing: None,
        };
        if self.is(Punctuation::ParenOpen) {
            signature = self.parameters()?;
            self.lambda_attributes(&mut is_mutable)?;
        }
        if self.eat(Punctuation::Arrow) {
            signature.trailing = Some(self.type_id()?);
        }
        signature.is_const = !is_mutable;
        for parameter in &signature.parameters {
            if let Some(name) = parameter.name {
                self.declare(name, super::scopes::NameKind::Value);
            }
        }
        let body = self.in_class(None, |this| this.enclosed(Self::compound))?;
        Ok(LambdaSyntax {
            default,
            captures,
            signature: signature.into(),
            body: body.into(),
            span: start.to(self.last_span()),
        })
    }

    fn lambda_attributes(&mut self, is_mutable: &mut bool) -> Parsed<()> {
        loop {
            match self.peek() {
                TokenKind::Identifier(known::MUTABLE) => *is_mutable = true,
                TokenKind::Identifier(
                    known::DEVICE
                    | known::HOST
                    | known::CONSTEXPR
                    | known::FORCE_INLINE
                    | known::NO_INLINE,
                ) => {}
                TokenKind::Identifier(known::NOEXCEPT) => {}
                _ => {
                    if self.attributes(&mut Specifiers::default())? {
                        continue;
                    }
                    return Ok(());
                }
            }
            self.at += 1;
        }
    }
}
