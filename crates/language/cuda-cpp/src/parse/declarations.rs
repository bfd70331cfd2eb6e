//! Parses declarations at namespace scope, in classes and in blocks.

use super::scopes::NameKind;
use super::{Parsed, Parser};
use crate::lex::{Name, Punctuation, TokenKind, known};
use crate::source::SourceProblem;
use crate::syntax::*;
use std::rc::Rc;

impl Parser {
    /// Parses one declaration; it may declare several names.
    pub(super) fn declaration(&mut self, items: &mut Vec<Declaration>) -> Parsed<()> {
        self.nested(|this| this.declaration_inner(items))
    }

    fn declaration_inner(&mut self, items: &mut Vec<Declaration>) -> Parsed<()> {
        let start = self.span();
        let token = self.token();
        if self.eat(Punctuation::Semicolon) {
            return Ok(());
        }
        if token.is(Punctuation::BraceClose) {
            let problem = SourceProblem::error(start, "this `}` has no matching `{`");
            self.at += 1;
            return self.report(problem.help("remove it, or add the missing `{` before it"));
        }
        let kind = match token.name() {
            Some(known::INLINE) if self.ahead(1).is_name(known::NAMESPACE) => {
                self.at += 1;
                self.namespace(true)?
            }
            Some(known::NAMESPACE) => self.namespace(false)?,
            Some(known::USING) => self.using()?,
            Some(known::TEMPLATE) => return self.template(items),
            Some(known::STATIC_ASSERT) => self.static_assert()?,
            Some(known::ASM | known::ASM_GNU | known::ASM_SHORT) => {
                self.at += 1;
                self.skip_group()?;
                self.expect(Punctuation::Semicolon, "after `asm`")?;
                DeclarationKind::Empty
            }
            Some(known::EXTERN) if matches!(self.ahead(1).kind, TokenKind::Text(_)) => {
                self.at += 1;
                let is_c = self.string()? == "C";
                let saved = std::mem::replace(&mut self.extern_c, is_c);
                let mut inner = Vec::new();
                let result = if self.is(Punctuation::BraceOpen) {
                    self.block_of_declarations(&mut inner)
                } else {
                    self.declaration(&mut inner)
                };
                self.extern_c = saved;
                result?;
                DeclarationKind::Linkage(inner)
            }
            Some(known::PUBLIC | known::PRIVATE | known::PROTECTED)
                if self.ahead(1).is(Punctuation::Colon) =>
            {
                self.at += 2;
                return Ok(());
            }
            _ => return self.simple_declaration(items),
        };
        items.push(Declaration { kind, span: start.to(self.last_span()) });
        Ok(())
    }

    /// `{ declarations }`.
    fn block_of_declarations(&mut self, items: &mut Vec<Declaration>) -> Parsed<()> {
        let open = self.expect(Punctuation::BraceOpen, "before declarations")?;
        while !self.is(Punctuation::BraceClose) {
            if self.peek() == TokenKind::End {
                let problem = SourceProblem::error(open, "this `{` is never closed");
                return self.report(problem.label("opened here"));
            }
            let before = self.at;
            if self.declaration(items).is_err() {
                self.recover(before);
            }
            if self.at == before && !self.is(Punctuation::BraceClose) {
                self.at += 1;
            }
        }
        self.at += 1;
        Ok(())
    }

    fn namespace(&mut self, is_inline: bool) -> Parsed<DeclarationKind> {
        self.at += 1;
        self.attributes(&mut Specifiers::default())?;
        let mut names = Vec::new();
        while let Some(name) = self.identifier() {
            self.at += 1;
            names.push(name);
            if !self.eat(Punctuation::ColonColon) {
                break;
            }
            self.eat_name(known::INLINE);
        }
        self.attributes(&mut Specifiers::default())?;
        if let [alias] = names.as_slice()
            && self.eat(Punctuation::Assign)
        {
            let target = self.qualified_name()?;
            self.expect(Punctuation::Semicolon, "after the alias")?;
            self.declare(*alias, NameKind::Namespace);
            if let Some(scope) = self.scope_of_target(&target) {
                self.scopes.name_scope(self.scope, *alias, scope);
            }
            return Ok(DeclarationKind::NamespaceAlias(*alias, target));
        }
        let outer = self.scope;
        for &name in &names {
            self.declare(name, NameKind::Namespace);
            let inner = self.scopes.open(self.scope, name);
            if is_inline {
                self.scopes.use_scope(self.scope, inner);
            }
            self.scope = inner;
        }
        if names.is_empty() {
            let inner = self.scopes.add(self.scope);
            self.scopes.use_scope(self.scope, inner);
            self.scope = inner;
        }
        let mut items = Vec::new();
        let result = self.block_of_declarations(&mut items);
        self.scope = outer;
        result?;
        Ok(DeclarationKind::Namespace { names, is_inline, items })
    }

    /// The scope of a namespace or class, given its name.
    fn scope_of_target(&self, name: &QualifiedName) -> Option<usize> {
        let last = name.last().name;
        match self.scope_of(name) {
            Some(scope) => self.scopes.inner_of(scope, last),
            None if name.parts.len() == 1 => self.scopes.inner(self.scope, last),
            None => None,
        }
    }

    fn using(&mut self) -> Parsed<DeclarationKind> {
        self.at += 1;
        if self.eat_name(known::NAMESPACE) {
            let name = self.qualified_name()?;
            self.expect(Punctuation::Semicolon, "after the namespace")?;
            if let Some(used) = self.scope_of_target(&name) {
                self.scopes.use_scope(self.scope, used);
            }
            return Ok(DeclarationKind::UsingNamespace(name));
        }
        if let Some(name) = self.identifier()
            && !self.ahead(1).is(Punctuation::ColonColon)
            && !self.ahead(1).is(Punctuation::Less)
        {
            self.at += 1;
            self.attributes(&mut Specifiers::default())?;
            self.expect(Punctuation::Assign, "after the name of the alias")?;
            let kind = self.type_id()?;
            self.expect(Punctuation::Semicolon, "after the alias")?;
            self.declare(name, NameKind::Type);
            if let BaseType::Named(target) = &kind.base
                && let Some(scope) = self.scope_of_target(target)
            {
                self.scopes.name_scope(self.scope, name, scope);
            }
            return Ok(DeclarationKind::Alias(name, Rc::new(kind)));
        }
        let mut names = Vec::new();
        loop {
            let name = self.qualified_name()?;
            let expands = self.eat(Punctuation::Ellipsis);
            let kind = self.kind_of(&name).unwrap_or(NameKind::Value);
            self.declare(name.last().name, kind);
            if let Some(scope) = self.scope_of_target(&name) {
                self.scopes.name_scope(self.scope, name.last().name, scope);
            }
            names.push((name, expands));
            if !self.eat(Punctuation::Comma) {
                break;
            }
        }
        self.expect(Punctuation::Semicolon, "after the name")?;
        Ok(DeclarationKind::Using(names))
    }

    fn static_assert(&mut self) -> Parsed<DeclarationKind> {
        self.at += 1;
        self.expect(Punctuation::ParenOpen, "after `static_assert`")?;
        let value = self.enclosed(Self::assignment)?;
        let text = if self.eat(Punctuation::Comma) { Some(self.string()?) } else { None };
        self.expect(Punctuation::ParenClose, "after the assertion")?;
        self.expect(Punctuation::Semicolon, "after the assertion")?;
        Ok(DeclarationKind::StaticAssert(value, text))
    }

    fn template(&mut self, items: &mut Vec<Declaration>) -> Parsed<()> {
        let start = self.bump().span;
        if !self.is(Punctuation::Less) {
            let mut inner = Vec::new();
            self.declaration(&mut inner)?;
            for item in inner {
                let span = item.span;
                items.push(Declaration {
                    kind: DeclarationKind::Instantiation(Box::new(item)),
                    span,
                });
            }
            return Ok(());
        }
        let outer = self.enter();
        let result = self.template_inner(outer);
        self.leave(outer);
        let (parameters, inner) = result?;
        for item in inner {
            let kind = DeclarationKind::Template(parameters.clone(), Box::new(item));
            items.push(Declaration { kind, span: start.to(self.last_span()) });
        }
        Ok(())
    }

    fn template_inner(
        &mut self,
        outer: usize,
    ) -> Parsed<(Rc<Vec<TemplateParameterSyntax>>, Vec<Declaration>)> {
        let parameters = Rc::new(self.template_parameters()?);
        let mut inner = Vec::new();
        self.declaration(&mut inner)?;
        for item in &inner {
            let mut item = item;
            while let DeclarationKind::Template(_, nested) = &item.kind {
                item = nested;
            }
            let (name, kind) = match &item.kind {
                // A constructor does not hide the name of its class, and a deduction guide declares none.
                DeclarationKind::Function(function) => (
                    function
                        .name
                        .simple()
                        .filter(|name| Some(*name) != self.class && !function.is_guide()),
                    NameKind::ValueTemplate,
                ),
                DeclarationKind::Variable(variable) => {
                    (variable.name.simple(), NameKind::ValueTemplate)
                }
                DeclarationKind::Record(record) => {
                    (record.name.as_ref().and_then(QualifiedName::simple), NameKind::TypeTemplate)
                }
                DeclarationKind::Alias(name, _) => (Some(*name), NameKind::TypeTemplate),
                _ => (None, NameKind::Value),
            };
            if let Some(name) = name {
                self.scopes.declare(outer, name, kind);
                if kind == NameKind::TypeTemplate
                    && let Some(scope) = self.scopes.inner_of(self.scope, name)
                {
                    self.scopes.name_scope(outer, name, scope);
                }
            }
        }
        Ok((parameters, inner))
    }

    pub(super) fn template_parameters(&mut self) -> Parsed<Vec<TemplateParameterSyntax>> {
        self.expect(Punctuation::Less, "after `template`")?;
        let saved = std::mem::replace(&mut self.greater_closes, true);
        let mut list = Vec::new();
        let result = loop {
            if self.is(Punctuation::Greater) {
                break Ok(());
            }
            match self.template_parameter() {
                Ok(parameter) => list.push(parameter),
                Err(failure) => break Err(failure),
            }
            if !self.eat(Punctuation::Comma) {
                break Ok(());
            }
        };
        self.greater_closes = saved;
        result?;
        self.expect(Punctuation::Greater, "after template parameters")?;
        Ok(list)
    }

    fn template_parameter(&mut self) -> Parsed<TemplateParameterSyntax> {
        let start = self.span();
        let next = self.ahead(1);
        let is_type = (self.is_name(known::TYPENAME) || self.is_name(known::CLASS))
            && !(self.is_name(known::TYPENAME) && self.ahead(2).is(Punctuation::ColonColon))
            && (next.kind == TokenKind::Punctuation(Punctuation::Ellipsis)
                || next.name().is_some()
                || next.is(Punctuation::Comma)
                || next.is(Punctuation::Greater)
                || next.is(Punctuation::Assign));
        if is_type || self.is_name(known::TEMPLATE) {
            let is_template = self.is_name(known::TEMPLATE);
            if is_template {
                self.at += 1;
                let outer = self.enter();
                let result = self.template_parameters();
                self.leave(outer);
                result?;
            }
            self.at += 1;
            let pack = self.eat(Punctuation::Ellipsis);
            let name = self.identifier();
            if let Some(name) = name {
                self.at += 1;
                self.declare(
                    name,
                    if is_template { NameKind::TypeTemplate } else { NameKind::Type },
                );
            }
            let default = if self.eat(Punctuation::Assign) { Some(self.type_id()?) } else { None };
            let kind = if is_template {
                TemplateParameterKind::Template(default)
            } else {
                TemplateParameterKind::Type(default)
            };
            return Ok(TemplateParameterSyntax {
                name,
                kind,
                pack,
                span: start.to(self.last_span()),
            });
        }
        let specifiers = self.specifiers(true)?;
        if matches!(specifiers.base, BaseType::Absent) {
            return self.unexpected("a template parameter");
        }
        let declarator = self.declarator(true)?;
        let name = declarator.name.as_ref().and_then(QualifiedName::simple);
        if let Some(name) = name {
            self.declare(name, NameKind::Value);
        }
        let pack = declarator.pack;
        let kind = Self::assemble(&specifiers, declarator.derived, self.last_span());
        let default =
            if self.eat(Punctuation::Assign) { Some(Rc::new(self.conditional()?)) } else { None };
        let kind = TemplateParameterKind::Value(kind, default);
        Ok(TemplateParameterSyntax { name, kind, pack, span: start.to(self.last_span()) })
    }

    /// `= value`, `(values)`, `{values}` or nothing.
    pub(super) fn initializer(&mut self) -> Parsed<Initializer> {
        if self.eat(Punctuation::Assign) {
            let value =
                if self.is(Punctuation::BraceOpen) { self.braced()? } else { self.assignment()? };
            return Ok(Initializer::Copy(value));
        }
        if self.is(Punctuation::BraceOpen) {
            return Ok(Initializer::List(self.braced()?));
        }
        if self.eat(Punctuation::ParenOpen) {
            let values = self.enclosed(|this| this.expression_list(Punctuation::ParenClose))?;
            return Ok(Initializer::Direct(values));
        }
        Ok(Initializer::None)
    }

    /// One string literal, or several adjacent ones.
    pub(super) fn string(&mut self) -> Parsed<String> {
        let mut bytes = Vec::new();
        let mut any = false;
        while let TokenKind::Text(text) = self.peek() {
            any = true;
            let span = self.span();
            match crate::lex::literals::unescape(self.names.text(text), false) {
                Ok(units) => bytes.extend(units.iter().map(|&unit| unit as u8)),
                Err(why) => return self.report(SourceProblem::error(span, why)),
            }
            self.at += 1;
        }
        if !any {
            return self.unexpected("a string");
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Parses with the name of the class whose members are being parsed.
    pub(super) fn in_class<T>(
        &mut self,
        class: Option<Name>,
        parse: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let saved = std::mem::replace(&mut self.class, class);
        let result = parse(self);
        self.class = saved;
        result
    }
}
