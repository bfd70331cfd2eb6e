//! Parses declarators: pointers, references, arrays, and the parameters of functions.

use super::scopes::NameKind;
use super::types::DeclarationSpecifiers;
use super::{Parsed, Parser, SyntaxFailure};
use crate::lex::{Punctuation, TokenKind, known};
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use std::rc::Rc;

/// A declared name, and what its declarator adds to the type.
pub(super) struct Declarator {
    pub name: Option<QualifiedName>,
    pub derived: Vec<Derivation>,
    pub pack: bool,
    pub span: Span,
}

impl Parser {
    /// A type without a name, as in casts and template arguments.
    pub(super) fn type_id(&mut self) -> Parsed<TypeSyntax> {
        self.nested(|this| {
            let specifiers = this.specifiers(true)?;
            if matches!(specifiers.base, BaseType::Absent) {
                return this.unexpected("a type");
            }
            let declarator = this.declarator(false)?;
            Ok(Self::assemble(&specifiers, declarator.derived, this.last_span()))
        })
    }

    /// The type after `operator`, without parentheses.
    pub(super) fn conversion_type(&mut self) -> Parsed<TypeSyntax> {
        let mut specifiers = self.specifiers(true)?;
        if matches!(specifiers.base, BaseType::Absent) {
            // Device code does not know the types of the host's library.
            if self.identifier().is_none() {
                return self.unexpected("an operator or a type");
            }
            specifiers.base = BaseType::Named(self.qualified_name()?);
        }
        let derived = self.pointers()?;
        Ok(Self::assemble(&specifiers, derived, self.last_span()))
    }

    /// Builds a type from specifiers and a declarator.
    pub(super) fn assemble(
        specifiers: &DeclarationSpecifiers,
        derived: Vec<Derivation>,
        end: Span,
    ) -> TypeSyntax {
        TypeSyntax {
            base: specifiers.base.clone(),
            is_const: specifiers.is_const,
            is_volatile: specifiers.is_volatile,
            derived,
            span: specifiers.span.to(end),
        }
    }

    /// `*`, `&` and `&&` with their qualifiers.
    pub(super) fn pointers(&mut self) -> Parsed<Vec<Derivation>> {
        let mut derived = Vec::new();
        loop {
            if self.eat(Punctuation::Star) {
                let (mut is_const, mut is_volatile, mut is_restrict) = (false, false, false);
                loop {
                    match self.token().name() {
                        Some(known::CONST) => is_const = true,
                        Some(known::VOLATILE) => is_volatile = true,
                        Some(known::RESTRICT | known::RESTRICT_SHORT) => is_restrict = true,
                        _ => break,
                    }
                    self.at += 1;
                }
                derived.push(Derivation::Pointer { is_const, is_volatile, is_restrict });
            } else if let Some(class) = self.member_class() {
                let (mut is_const, mut is_volatile) = (false, false);
                loop {
                    match self.token().name() {
                        Some(known::CONST) => is_const = true,
                        Some(known::VOLATILE) => is_volatile = true,
                        _ => break,
                    }
                    self.at += 1;
                }
                derived.push(Derivation::MemberPointer { class, is_const, is_volatile });
            } else if self.eat(Punctuation::And) {
                derived.push(Derivation::Reference);
                while self.eat_name(known::RESTRICT) || self.eat_name(known::RESTRICT_SHORT) {}
            } else if self.eat(Punctuation::AndAnd) {
                derived.push(Derivation::RvalueReference);
            } else {
                return Ok(derived);
            }
            if derived.len() > super::DEEPEST {
                return self
                    .report(SourceProblem::error(self.span(), "this type is nested too deeply"));
            }
        }
    }

    /// A declarator; if `named`, it may have a name.
    pub(super) fn declarator(&mut self, named: bool) -> Parsed<Declarator> {
        self.nested(|this| {
            let start = this.span();
            let mut derived = this.pointers()?;
            this.attributes(&mut Specifiers::default())?;
            while this.eat_name(known::GRID_CONSTANT) {}
            let pack = this.is(Punctuation::Ellipsis) && (this.ahead(1).name().is_some() || named);
            if pack {
                this.at += 1;
            }
            let mut name = None;
            let mut inner = Vec::new();
            let is_name = this.identifier().is_some()
                || this.is_name(known::OPERATOR)
                || this.is(Punctuation::ColonColon)
                || this.is(Punctuation::Tilde);
            if named && is_name {
                name = Some(this.qualified_name()?);
            } else if this.is(Punctuation::ParenOpen) && this.is_nested_declarator(named) {
                this.at += 1;
                let nested = this.declarator(named)?;
                this.expect(Punctuation::ParenClose, "after the declarator")?;
                name = nested.name;
                inner = nested.derived;
            }
            let span = start.to(this.last_span());
            let mut suffixes = Vec::new();
            loop {
                this.attributes(&mut Specifiers::default())?;
                if this.is(Punctuation::BracketOpen) {
                    this.at += 1;
                    let size = if this.is(Punctuation::BracketClose) {
                        None
                    } else {
                        Some(Rc::new(this.enclosed(Self::expression)?))
                    };
                    this.expect(Punctuation::BracketClose, "after the size of an array")?;
                    suffixes.push(Derivation::Array(size));
                } else if this.is(Punctuation::ParenOpen) && this.begins_parameters(name.is_some())
                {
                    let signature = this.parameters()?;
                    suffixes.push(Derivation::Function(Rc::new(signature)));
                } else {
                    break;
                }
                if suffixes.len() > super::DEEPEST {
                    return this.report(SourceProblem::error(
                        this.span(),
                        "this type is nested too deeply",
                    ));
                }
            }
            derived.extend(suffixes.into_iter().rev());
            derived.extend(inner);
            Ok(Declarator { name, derived, pack, span })
        })
    }

    /// Whether `(Class::*` is at the cursor.
    pub(super) fn looks_like_member_pointer(&mut self) -> bool {
        let found = self.look(|this| {
            this.at += 1;
            this.member_class().map(|_| ()).ok_or(SyntaxFailure)
        });
        found.is_some()
    }

    /// Whether `(` encloses a declarator, as in `(*f)(int)`.
    fn is_nested_declarator(&mut self, named: bool) -> bool {
        let next = self.ahead(1);
        match next.kind {
            TokenKind::Punctuation(Punctuation::Star | Punctuation::And | Punctuation::AndAnd) => {
                true
            }
            TokenKind::Punctuation(Punctuation::ParenOpen) => named,
            TokenKind::Identifier(_) if self.looks_like_member_pointer() => true,
            TokenKind::Identifier(name) if named && !name.is_keyword() => {
                !matches!(
                    self.scopes.kind(self.scope, name),
                    Some(NameKind::Type | NameKind::TypeTemplate)
                ) && self.ahead(2).is(Punctuation::ParenClose)
            }
            _ => false,
        }
    }

    /// Whether `(` starts parameters, rather than an initializer.
    fn begins_parameters(&mut self, named: bool) -> bool {
        let next = self.ahead(1);
        match next.kind {
            TokenKind::Punctuation(Punctuation::ParenClose | Punctuation::Ellipsis) => true,
            TokenKind::Punctuation(Punctuation::BracketOpen) => {
                self.ahead(2).is(Punctuation::BracketOpen)
            }
            TokenKind::Punctuation(Punctuation::ColonColon) | TokenKind::Identifier(_) => {
                if !named {
                    return self
                        .look(|this| {
                            this.at += 1;
                            this.type_id()
                        })
                        .is_some();
                }
                self.look(|this| {
                    // All must be parameters: `f(A(), B{1})` declares a variable.
                    loop {
                        this.at += 1;
                        if this.is(Punctuation::Ellipsis) {
                            return Ok(());
                        }
                        let specifiers = this.specifiers(false)?;
                        if matches!(specifiers.base, BaseType::Absent) {
                            return Err(SyntaxFailure);
                        }
                        let _ = this.declarator(true)?;
                        let ends = this.is(Punctuation::ParenClose)
                            || this.is(Punctuation::Assign)
                            || this.is(Punctuation::Ellipsis);
                        if ends {
                            return Ok(());
                        }
                        if !this.is(Punctuation::Comma) {
                            return Err(SyntaxFailure);
                        }
                    }
                })
                .is_some()
            }
            _ => false,
        }
    }

    /// `(parameters) const noexcept -> type`.
    pub(super) fn parameters(&mut self) -> Parsed<FunctionTypeSyntax> {
        self.expect(Punctuation::ParenOpen, "before parameters")?;
        let (parameters, variadic) = self.enclosed(Self::parameter_list)?;
        let mut signature =
            FunctionTypeSyntax { parameters, variadic, is_const: false, trailing: None };
        loop {
            match self.peek() {
                TokenKind::Identifier(known::CONST) => signature.is_const = true,
                TokenKind::Identifier(known::VOLATILE | known::OVERRIDE | known::FINAL) => {}
                TokenKind::Punctuation(Punctuation::And | Punctuation::AndAnd) => {}
                TokenKind::Identifier(known::NOEXCEPT | known::THROW) => {
                    if self.ahead(1).is(Punctuation::ParenOpen) {
                        self.at += 1;
                        self.skip_group()?;
                        continue;
                    }
                }
                TokenKind::Punctuation(Punctuation::Arrow) => {
                    self.at += 1;
                    // The trailing type may use the names of parameters.
                    let scope = self.enter();
                    for parameter in &signature.parameters {
                        if let Some(name) = parameter.name {
                            self.scopes.declare(self.scope, name, NameKind::Value);
                        }
                    }
                    let trailing = self.type_id();
                    self.leave(scope);
                    signature.trailing = Some(trailing?);
                    continue;
                }
                _ => {
                    if self.attributes(&mut Specifiers::default())? {
                        continue;
                    }
                    return Ok(signature);
                }
            }
            self.at += 1;
        }
    }

    /// Parameters up to and including `)`.
    pub(super) fn parameter_list(&mut self) -> Parsed<(Vec<ParameterSyntax>, bool)> {
        let mut parameters = Vec::new();
        let mut variadic = false;
        let scope = self.enter();
        while !self.is(Punctuation::ParenClose) {
            if self.eat(Punctuation::Ellipsis) {
                variadic = true;
                break;
            }
            let start = self.span();
            let specifiers = self.specifiers(false)?;
            if matches!(specifiers.base, BaseType::Absent) {
                return self.unexpected("a parameter's type");
            }
            let declarator = self.declarator(true)?;
            let name = declarator.name.as_ref().and_then(QualifiedName::simple);
            if let Some(name) = name {
                self.declare(name, NameKind::Value);
            }
            let default = if self.eat(Punctuation::Assign) {
                Some(Rc::new(if self.is(Punctuation::BraceOpen) {
                    self.braced()?
                } else {
                    self.assignment()?
                }))
            } else {
                None
            };
            let span = start.to(self.last_span());
            let mut kind = Self::assemble(&specifiers, declarator.derived, self.last_span());
            kind.span = specifiers.span;
            let pack = declarator.pack || self.eat(Punctuation::Ellipsis) && name.is_none();
            parameters.push(ParameterSyntax { name, kind, default, pack, span });
            if !self.eat(Punctuation::Comma) {
                break;
            }
        }
        self.leave(scope);
        self.expect(Punctuation::ParenClose, "after the parameters")?;
        let lone_void = |parameter: &ParameterSyntax| {
            matches!(parameter.kind.base, BaseType::Builtin(BuiltinType::Void))
                && parameter.kind.derived.is_empty()
        };
        if parameters.len() == 1 && parameters.iter().all(lone_void) {
            parameters.clear();
        }
        Ok((parameters, variadic))
    }
}
