//! Parses declarations of variables and functions, bodies of functions, and lambdas.

use super::declarators::Declarator;
use super::scopes::NameKind;
use super::types::DeclarationSpecifiers;
use super::{Parsed, Parser};
use crate::lex::{Punctuation, TokenKind, known};
use crate::source::SourceProblem;
use crate::syntax::*;
use std::cell::OnceCell;
use std::rc::Rc;

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
        self.eat_name(known::TRY);
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
        let statements = self.compound()?.into();
        let end = self.last_span();
        let handlers = self.handlers()?;
        Ok(FunctionBody { members, statements, handlers, end })
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
        let template = match self.is(Punctuation::Less) {
            true => self.template_parameters()?,
            false => Vec::new(),
        };
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
        let named = std::mem::replace(&mut self.function, known::CALL_OPERATOR);
        let body = self.in_class(None, |this| this.enclosed(Self::compound));
        self.function = named;
        let body = body?;
        Ok(LambdaSyntax {
            default,
            captures,
            template,
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

    /// A declaration of variables, functions or types.
    pub(super) fn simple_declaration(&mut self, items: &mut Vec<Declaration>) -> Parsed<()> {
        let start = self.span();
        let specifiers = self.specifiers(false)?;
        let flags = Rc::new(specifiers.flags.clone());
        self.type_in(&specifiers, items);
        if self.is(Punctuation::Semicolon) {
            if matches!(specifiers.base, BaseType::Absent) {
                return self.unexpected("a declaration");
            }
            self.at += 1;
            return Ok(());
        }
        // `int : 4;`
        if self.class.is_some() && self.is(Punctuation::Colon) {
            let variable = self.variable(&specifiers, &flags, None, start)?;
            items.push(variable);
            self.expect(Punctuation::Semicolon, "after the bit field")?;
            return Ok(());
        }
        if self.is(Punctuation::BracketOpen) && matches!(specifiers.base, BaseType::Auto)
            || (self.is(Punctuation::And) || self.is(Punctuation::AndAnd))
                && self.ahead(1).is(Punctuation::BracketOpen)
        {
            items.push(self.structured_binding(&specifiers, &flags, start)?);
            self.expect(Punctuation::Semicolon, "after the declaration")?;
            return Ok(());
        }
        loop {
            let from = self.span();
            let declarator = self.declarator(true)?;
            // A deduction guide: `Template(int) -> Template<int>`.
            if let (BaseType::Named(template), None) = (&specifiers.base, &declarator.name)
                && let [Derivation::Function(signature)] = declarator.derived.as_slice()
                && signature.trailing.is_some()
            {
                let (name, signature) = (template.clone(), signature.clone());
                let untyped = DeclarationSpecifiers {
                    flags: specifiers.flags.clone(),
                    base: BaseType::Absent,
                    ..specifiers
                };
                self.function(&untyped, &flags, declarator, name, signature, items)?;
                self.expect(Punctuation::Semicolon, "after the deduction guide")?;
                return Ok(());
            }
            let Some(name) = declarator.name.clone() else {
                return self.unexpected("a name to declare");
            };
            if specifiers.flags.is_typedef {
                let kind = Self::assemble(&specifiers, declarator.derived, self.last_span());
                let alias = name.last().name;
                self.declare(alias, NameKind::Type);
                if let BaseType::Record(record) = &kind.base
                    && let Some(own) = record.name.as_ref().and_then(QualifiedName::simple)
                    && let Some(scope) = self.scopes.inner_of(self.scope, own)
                {
                    self.scopes.name_scope(self.scope, alias, scope);
                }
                let kind = DeclarationKind::Alias(alias, Rc::new(kind));
                items.push(Declaration { kind, span: declarator.span });
            } else if let Some(Derivation::Function(signature)) = declarator.derived.last().cloned()
            {
                let done =
                    self.function(&specifiers, &flags, declarator, name, signature, items)?;
                if done {
                    return Ok(());
                }
            } else {
                if matches!(specifiers.base, BaseType::Absent) {
                    let text = self.names.text(name.last().name).to_owned();
                    let problem = SourceProblem::error(
                        name.span,
                        format!("the declaration of `{text}` has no type"),
                    );
                    return self.report(problem.help("write its type before the name"));
                }
                let variable = self.variable(&specifiers, &flags, Some(declarator), from)?;
                items.push(variable);
            }
            if !self.eat(Punctuation::Comma) {
                break;
            }
        }
        self.expect(Punctuation::Semicolon, "after the declaration")?;
        Ok(())
    }

    /// Records a class or enumeration that the specifiers define.
    fn type_in(&mut self, specifiers: &DeclarationSpecifiers, items: &mut Vec<Declaration>) {
        let kind = match &specifiers.base {
            BaseType::Record(record) => DeclarationKind::Record(record.clone()),
            BaseType::Enumeration(enumeration) => DeclarationKind::Enumeration(enumeration.clone()),
            _ => return,
        };
        items.push(Declaration { kind, span: specifiers.span });
    }

    fn structured_binding(
        &mut self,
        specifiers: &DeclarationSpecifiers,
        flags: &Rc<Specifiers>,
        start: crate::source::Span,
    ) -> Parsed<Declaration> {
        let derived = self.pointers()?;
        self.expect(Punctuation::BracketOpen, "before the names")?;
        let mut bindings = Vec::new();
        while let Some(name) = self.identifier() {
            self.at += 1;
            self.declare(name, NameKind::Value);
            bindings.push(name);
            if !self.eat(Punctuation::Comma) {
                break;
            }
        }
        self.expect(Punctuation::BracketClose, "after the names")?;
        let kind = Self::assemble(specifiers, derived, self.last_span());
        let initializer = self.initializer()?;
        let span = start.to(self.last_span());
        let name = Self::plain(known::EMPTY, span);
        let (kind, specifiers) = (Rc::new(kind), flags.clone());
        let variable =
            VariableSyntax { name, bindings, kind, specifiers, initializer, width: None, span };
        Ok(Declaration { kind: DeclarationKind::Variable(Rc::new(variable)), span })
    }

    pub(super) fn variable(
        &mut self,
        specifiers: &DeclarationSpecifiers,
        flags: &Rc<Specifiers>,
        declarator: Option<Declarator>,
        start: crate::source::Span,
    ) -> Parsed<Declaration> {
        let (name, derived) = match declarator {
            Some(declarator) => (declarator.name, declarator.derived),
            None => (None, Vec::new()),
        };
        let name = name.unwrap_or_else(|| Self::plain(known::EMPTY, start));
        if let Some(simple) = name.simple()
            && simple != known::EMPTY
        {
            self.declare(simple, NameKind::Value);
        }
        let kind = Rc::new(Self::assemble(specifiers, derived, specifiers.span));
        let in_class = self.class.is_some();
        let width =
            if in_class && self.eat(Punctuation::Colon) { Some(self.conditional()?) } else { None };
        // `Type S<T>::member = value;` sees the names of the class.
        let outer = self.scope;
        if name.parts.len() > 1
            && let Some(scope) = self.scope_of(&name)
        {
            self.scope = self.scopes.add(self.scope);
            self.scopes.use_scope(self.scope, scope);
        }
        let mut more = Specifiers::default();
        self.attributes(&mut more)?;
        let flags = if more.alignment.is_empty() {
            flags.clone()
        } else {
            Rc::new(Specifiers { alignment: more.alignment, ..(**flags).clone() })
        };
        let initializer = self.initializer();
        self.scope = outer;
        let initializer = initializer?;
        let span = name.span;
        let variable = VariableSyntax {
            name,
            bindings: Vec::new(),
            kind,
            specifiers: flags,
            initializer,
            width,
            span,
        };
        Ok(Declaration {
            kind: DeclarationKind::Variable(Rc::new(variable)),
            span: start.to(self.last_span()),
        })
    }

    /// A function. Returns whether the declaration is complete.
    pub(super) fn function(
        &mut self,
        specifiers: &DeclarationSpecifiers,
        flags: &Rc<Specifiers>,
        mut declarator: Declarator,
        name: QualifiedName,
        signature: Rc<FunctionTypeSyntax>,
        items: &mut Vec<Declaration>,
    ) -> Parsed<bool> {
        declarator.derived.pop();
        let result = Self::assemble(specifiers, declarator.derived, specifiers.span);
        if let Some(simple) = name.simple() {
            let text = self.names.text(simple);
            let is_guide =
                matches!(specifiers.base, BaseType::Absent) && signature.trailing.is_some();
            if !text.starts_with('~') && Some(simple) != self.class && !is_guide {
                self.declare(simple, NameKind::Value);
            }
        }
        let (mut deleted, mut defaulted, mut pure_virtual) = (false, false, false);
        if self.eat(Punctuation::Assign) {
            match self.bump().kind {
                TokenKind::Identifier(known::DELETE) => deleted = true,
                TokenKind::Identifier(known::DEFAULT) => defaulted = true,
                TokenKind::Number(_) => pure_virtual = true,
                _ => {
                    self.at -= 1;
                    return self.unexpected("`default`, `delete` or `0`");
                }
            }
        }
        let mut body = None;
        let begins = self.is(Punctuation::BraceOpen)
            || self.is(Punctuation::Colon)
            || self.is_name(known::TRY);
        if begins {
            let mut scope = self.scope;
            if name.parts.len() > 1
                && let Some(class) = self.scope_of(&name)
            {
                scope = self.scopes.add(self.scope);
                self.scopes.use_scope(scope, class);
            }
            let start = self.at;
            self.eat_name(known::TRY);
            if self.is(Punctuation::Colon) {
                self.skip_member_initializers()?;
            }
            self.skip_group()?;
            while self.is_name(known::CATCH) {
                self.at += 1;
                self.skip_group()?;
                self.skip_group()?;
            }
            body = Some(BodyTokens { start, end: self.at, scope });
        }
        let function = FunctionSyntax {
            span: name.span,
            name,
            result,
            signature,
            specifiers: flags.clone(),
            body,
            parsed: OnceCell::new(),
            deleted,
            defaulted,
            pure_virtual,
            extern_c: self.extern_c,
        };
        let span = specifiers.span.to(function.span);
        items.push(Declaration { kind: DeclarationKind::Function(Rc::new(function)), span });
        Ok(begins)
    }
}
