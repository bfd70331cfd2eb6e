//! Parses qualified names and template arguments.

use super::scopes::NameKind;
use super::{Parsed, Parser};
use crate::lex::{Name, Punctuation, TokenKind, known};
use crate::source::Span;
use crate::syntax::*;
use std::rc::Rc;

impl Parser {
    /// A name with qualifiers: `::a::b<c>::d`. `typename` may precede it.
    pub(super) fn qualified_name(&mut self) -> Parsed<QualifiedName> {
        let start = self.span();
        self.eat_name(known::TYPENAME);
        if self.is_name(known::DECLTYPE) && self.qualifies() {
            return self.decltype_member(start);
        }
        let global = self.eat(Punctuation::ColonColon);
        let mut parts = Vec::new();
        // The scope of the qualifiers so far; `None` if it is unknown.
        let mut within = global.then_some(0);
        loop {
            let forced = self.eat_name(known::TEMPLATE);
            let first = parts.is_empty() && !global;
            let part = self.name_part(within, first, forced)?;
            let name = part.name;
            let ends = part.conversion.is_some() || self.names.text(name).starts_with('~');
            parts.push(part);
            if ends || !self.is(Punctuation::ColonColon) {
                break;
            }
            // `::*` belongs to a pointer to member; `::` before anything else continues the name.
            let next = self.ahead(1);
            let continues = match next.kind {
                TokenKind::Identifier(name) => {
                    !name.is_keyword() || matches!(name, known::TEMPLATE | known::OPERATOR)
                }
                TokenKind::Punctuation(punctuation) => punctuation == Punctuation::Tilde,
                _ => false,
            };
            if !continues {
                break;
            }
            self.at += 1;
            within = match within {
                Some(scope) => self.scopes.inner_of(scope, name),
                None if first => self.scopes.inner(self.scope, name),
                None => None,
            };
        }
        Ok(QualifiedName { span: start.to(self.last_span()), global, parts })
    }

    /// Whether `::` follows the group after the cursor, as in `decltype(x)::type`.
    pub(super) fn qualifies(&mut self) -> bool {
        let follows = self.look(|this| {
            this.at += 1;
            this.skip_group()?;
            Ok(this.is(Punctuation::ColonColon))
        });
        follows == Some(true)
    }

    /// `decltype(x)::member`. The first part of the name is `decltype`, and the type is its argument.
    fn decltype_member(&mut self, start: Span) -> Parsed<QualifiedName> {
        let span = self.span();
        let base = self.decltype()?;
        let kind = TypeSyntax {
            base,
            is_const: false,
            is_volatile: false,
            derived: Vec::new(),
            span: span.to(self.last_span()),
        };
        let kind = TemplateArgumentKind::Type(kind);
        let argument = TemplateArgumentSyntax { kind, expands: false, span };
        let arguments = Some(Rc::from([argument]));
        let name = known::DECLTYPE;
        let mut parts = vec![NamePart { name, span, arguments, conversion: None }];
        while self.eat(Punctuation::ColonColon) {
            let forced = self.eat_name(known::TEMPLATE);
            parts.push(self.name_part(None, false, forced)?);
        }
        Ok(QualifiedName { span: start.to(self.last_span()), global: false, parts })
    }

    /// `Class::*` at the cursor, which it skips.
    pub(super) fn member_class(&mut self) -> Option<QualifiedName> {
        let next = self.ahead(1);
        if self.identifier().is_none()
            || !next.is(Punctuation::ColonColon) && !next.is(Punctuation::Less)
        {
            return None;
        }
        self.attempt(|this| {
            let start = this.span();
            let mut parts = vec![this.name_part(None, true, false)?];
            loop {
                if !this.eat(Punctuation::ColonColon) {
                    return Err(super::SyntaxFailure);
                }
                let span = start.to(this.last_span());
                if this.eat(Punctuation::Star) {
                    return Ok(QualifiedName { span, global: false, parts });
                }
                if this.identifier().is_none() {
                    return Err(super::SyntaxFailure);
                }
                parts.push(this.name_part(None, false, false)?);
            }
        })
    }

    pub(super) fn name_part(
        &mut self,
        within: Option<usize>,
        first: bool,
        forced: bool,
    ) -> Parsed<NamePart> {
        let span = self.span();
        if self.is_name(known::OPERATOR) {
            let mut part = self.operator_name()?;
            if self.is(Punctuation::Less) && part.conversion.is_none() {
                // A comparison with an operator's address would not continue with `(`.
                part.arguments = self.attempt(|this| {
                    let list = this.template_arguments()?;
                    if this.is(Punctuation::ParenOpen) {
                        Ok(list)
                    } else {
                        Err(super::SyntaxFailure)
                    }
                });
            }
            return Ok(part);
        }
        if self.is(Punctuation::Tilde)
            && let Some(name) = self.ahead(1).name()
        {
            self.at += 2;
            let text = format!("~{}", self.names.text(name));
            let name = self.names.intern(&text);
            return Ok(NamePart { name, span, arguments: None, conversion: None });
        }
        let Some(name) = self.identifier() else { return self.unexpected("a name") };
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let after_const = before.is_some_and(|token| token.is_name(known::CONST));
        self.at += 1;
        let mut arguments = None;
        if self.is(Punctuation::Less) && !self.is_launch() {
            let kind = match within {
                Some(scope) => self.scopes.kind_in(scope, name),
                None if first => self.scopes.kind(self.scope, name),
                None => None,
            };
            let is_template =
                matches!(kind, Some(NameKind::TypeTemplate | NameKind::ValueTemplate));
            if forced || is_template {
                arguments = Some(self.template_arguments()?);
            } else if kind.is_none()
                || kind == Some(NameKind::Type)
                || self.scopes.somewhere_template(name)
            {
                // An unknown name: try to parse it as a template.
                arguments = self.attempt(|this| {
                    let list = this.template_arguments()?;
                    // After a qualifier of an unknown library, `<` is unlikely to be a comparison.
                    let type_follows = this.is(Punctuation::And)
                        || this.is(Punctuation::AndAnd)
                        || this.is(Punctuation::Star);
                    let follows = kind == Some(NameKind::Type)
                        || kind.is_none() && after_const && type_follows
                        || !first && kind.is_none()
                        || this.is(Punctuation::ParenOpen)
                        || this.is(Punctuation::ColonColon)
                        || this.is(Punctuation::BraceOpen)
                        || this.is_launch()
                        || (kind.is_none() && this.identifier().is_some());
                    if follows { Ok(list) } else { Err(super::SyntaxFailure) }
                });
            }
        }
        Ok(NamePart { name, span: span.to(self.last_span()), arguments, conversion: None })
    }

    /// Whether `<<<` starts at the cursor.
    pub(super) fn is_launch(&self) -> bool {
        let next = self.ahead(1);
        self.is(Punctuation::ShiftLeft) && next.is(Punctuation::Less)
    }

    /// Whether two `>` without a space between them, `>>` in C++, are at the cursor.
    pub(super) fn adjacent_greater(&self) -> bool {
        self.is(Punctuation::Greater)
            && self.ahead(1).is(Punctuation::Greater)
            && !self.ahead(1).spaced
    }

    /// `operator+`, `operator()`, `operator bool`.
    fn operator_name(&mut self) -> Parsed<NamePart> {
        let span = self.bump().span;
        let token = self.token();
        let mut conversion = None;
        let text = match token.kind {
            TokenKind::Punctuation(Punctuation::ParenOpen) => {
                self.at += 1;
                self.expect(Punctuation::ParenClose, "in `operator()`")?;
                "()".to_owned()
            }
            TokenKind::Punctuation(Punctuation::BracketOpen) => {
                self.at += 1;
                self.expect(Punctuation::BracketClose, "in `operator[]`")?;
                "[]".to_owned()
            }
            TokenKind::Punctuation(Punctuation::Greater) if self.adjacent_greater() => {
                self.at += 2;
                ">>".to_owned()
            }
            TokenKind::Punctuation(Punctuation::Greater)
                if self.ahead(1).is(Punctuation::GreaterEqual) && !self.ahead(1).spaced =>
            {
                self.at += 2;
                ">>=".to_owned()
            }
            TokenKind::Punctuation(punctuation) => {
                self.at += 1;
                punctuation.text().to_owned()
            }
            TokenKind::Text(text) if self.names.text(text).starts_with("\"\"") => {
                let text = self.names.text(text).to_owned();
                self.at += 1;
                match self.identifier() {
                    Some(name) if text.len() == 2 => {
                        self.at += 1;
                        format!("{text}{}", self.names.text(name))
                    }
                    _ => text,
                }
            }
            TokenKind::Identifier(known::NEW | known::DELETE) => {
                let text = self.names.text(token.name().unwrap_or(known::NEW)).to_owned();
                self.at += 1;
                let array = self.eat(Punctuation::BracketOpen);
                if array {
                    self.expect(Punctuation::BracketClose, "after `[`")?;
                }
                format!(" {text}{}", if array { "[]" } else { "" })
            }
            _ => {
                let kind = self.conversion_type()?;
                conversion = Some(Rc::new(kind));
                " ".to_owned()
            }
        };
        let name = self.names.intern(&format!("operator{text}"));
        Ok(NamePart { name, span: span.to(self.last_span()), arguments: None, conversion })
    }

    /// `<...>` after the name of a template.
    pub(super) fn template_arguments(&mut self) -> Parsed<Rc<[TemplateArgumentSyntax]>> {
        self.expect(Punctuation::Less, "before template arguments")?;
        let saved = std::mem::replace(&mut self.greater_closes, true);
        let result = self.nested(|this| {
            let mut list = Vec::new();
            while !this.is(Punctuation::Greater) {
                list.push(this.template_argument()?);
                if !this.eat(Punctuation::Comma) {
                    break;
                }
            }
            Ok(list)
        });
        self.greater_closes = saved;
        let list = result?;
        self.expect(Punctuation::Greater, "after template arguments")?;
        Ok(list.into())
    }

    fn template_argument(&mut self) -> Parsed<TemplateArgumentSyntax> {
        let start = self.span();
        let as_type = self.attempt(|this| {
            let kind = this.type_id()?;
            let expands = this.eat(Punctuation::Ellipsis);
            if this.is(Punctuation::Comma) || this.is(Punctuation::Greater) {
                Ok((kind, expands))
            } else {
                Err(super::SyntaxFailure)
            }
        });
        let (kind, expands) = match as_type {
            Some((kind, expands)) => (TemplateArgumentKind::Type(kind), expands),
            None => {
                let value = self.conditional()?;
                let expands = self.eat(Punctuation::Ellipsis);
                (TemplateArgumentKind::Value(value), expands)
            }
        };
        Ok(TemplateArgumentSyntax { kind, expands, span: start.to(self.last_span()) })
    }

    /// The kind of a parsed name, if the parser knows it.
    pub(super) fn kind_of(&self, name: &QualifiedName) -> Option<NameKind> {
        let last = name.last().name;
        if self.names.text(last).starts_with("operator") && self.names.text(last).len() > 8 {
            return Some(NameKind::Value);
        }
        let mut within = name.global.then_some(0);
        let count = name.parts.len();
        for (at, part) in name.parts.iter().take(count - 1).enumerate() {
            within = match within {
                Some(scope) => self.scopes.inner_of(scope, part.name),
                None if at == 0 && !name.global => self.scopes.inner(self.scope, part.name),
                None => None,
            };
            within?;
        }
        match within {
            Some(scope) => self.scopes.kind_in(scope, last),
            None => self.scopes.kind(self.scope, last),
        }
    }

    /// Whether a parsed name is certainly a type.
    pub(super) fn names_type(&self, name: &QualifiedName) -> bool {
        match self.kind_of(name) {
            Some(NameKind::Type | NameKind::TypeTemplate) => true,
            Some(_) => false,
            None => {
                let last = name.last().name;
                name.parts.len() > 1 && self.scopes.only_type(last)
            }
        }
    }

    /// Declares a name in the current scope.
    pub(super) fn declare(&mut self, name: Name, kind: NameKind) {
        self.scopes.declare(self.scope, name, kind);
    }

    /// The scope that the qualifiers of a declared name denote.
    pub(super) fn scope_of(&self, name: &QualifiedName) -> Option<usize> {
        let mut within = if name.global { Some(0) } else { None };
        let count = name.parts.len();
        for (at, part) in name.parts.iter().take(count - 1).enumerate() {
            within = match within {
                Some(scope) => self.scopes.inner_of(scope, part.name),
                None if at == 0 => self.scopes.inner(self.scope, part.name),
                None => return None,
            };
        }
        within
    }

    /// A name without qualifiers.
    pub fn plain(name: Name, span: Span) -> QualifiedName {
        let part = NamePart { name, span, arguments: None, conversion: None };
        QualifiedName { span, global: false, parts: vec![part] }
    }
}
