//! Parses classes and enumerations.

use super::scopes::NameKind;
use super::{Parsed, Parser, SyntaxFailure};
use crate::lex::{Punctuation, TokenKind, known};
use crate::source::SourceProblem;
use crate::syntax::*;
use std::rc::Rc;

impl Parser {
    /// `struct Name : Base { members }`, or a reference to a class.
    pub(super) fn record(&mut self) -> Parsed<BaseType> {
        let start = self.span();
        let packs = self.packs.partition_point(|(at, _)| *at <= self.at);
        let pack = packs.checked_sub(1).map_or(0, |last| self.packs[last].1);
        let is_union = self.bump().is_name(known::UNION);
        let mut flags = Specifiers::default();
        self.attributes(&mut flags)?;
        let name = if self.identifier().is_some() || self.is(Punctuation::ColonColon) {
            Some(self.record_name()?)
        } else {
            None
        };
        self.attributes(&mut flags)?;
        if self.is_name(known::FINAL) {
            self.at += 1;
        }
        let defines = self.is(Punctuation::BraceOpen) || self.is(Punctuation::Colon);
        if !defines {
            let Some(name) = name else { return self.unexpected("`{` or the name of a class") };
            let declares = self.is(Punctuation::Semicolon);
            let known = self.kind_of(&name);
            // A function or variable hides the class; without `struct`, the name remains its name.
            let hidden = known == Some(NameKind::Value);
            if !declares && known.is_some() && !hidden {
                return Ok(BaseType::Named(name));
            }
            if let Some(simple) = name.simple()
                && !hidden
            {
                let scope =
                    if declares { self.scope } else { self.scopes.outside_classes(self.scope) };
                self.scopes.declare(scope, simple, NameKind::Type);
            }
            let span = start.to(self.last_span());
            let record = RecordSyntax {
                name: Some(name),
                is_union,
                bases: Vec::new(),
                members: None,
                is_use: !declares,
                alignment: flags.alignment,
                pack: 0,
                span,
            };
            return Ok(BaseType::Record(Rc::new(record)));
        }
        let simple = name.as_ref().and_then(QualifiedName::simple);
        let outer = self.scope;
        let scope = match (&name, simple) {
            (_, Some(simple)) => {
                self.declare(simple, NameKind::Type);
                // A local class, or a second class of this name, gets its own scope.
                let scope = self.scopes.add_class(outer);
                self.scopes.name_scope(outer, simple, scope);
                scope
            }
            (Some(name), None) => {
                let around = self.scope_of(name).unwrap_or(outer);
                let scope = self.scopes.add_class(around);
                self.scopes.name_scope(around, name.last().name, scope);
                scope
            }
            _ => self.scopes.add_class(outer),
        };
        let mut bases = Vec::new();
        if self.eat(Punctuation::Colon) {
            loop {
                while matches!(
                    self.peek(),
                    TokenKind::Identifier(
                        known::PUBLIC | known::PRIVATE | known::PROTECTED | known::VIRTUAL
                    )
                ) {
                    if self.is_name(known::VIRTUAL) {
                        let place = self.span();
                        self.problems
                            .push(SourceProblem::unsupported(place, "a virtual base class"));
                    }
                    self.at += 1;
                }
                let base = self.type_id()?;
                if let BaseType::Named(name) = &base.base {
                    let last = name.last().name;
                    let found = match self.scope_of(name) {
                        Some(scope) => self.scopes.inner_of(scope, last),
                        None => self.scopes.inner(outer, last),
                    };
                    if let Some(found) = found {
                        self.scopes.use_scope(scope, found);
                    }
                }
                let expands = self.eat(Punctuation::Ellipsis);
                bases.push((base, expands));
                if !self.eat(Punctuation::Comma) {
                    break;
                }
            }
        }
        self.scope = scope;
        let class = name.as_ref().map_or(known::EMPTY, |name| name.last().name);
        if class != known::EMPTY {
            let kind = match name.as_ref().map(|name| name.last().arguments.is_some()) {
                Some(true) => NameKind::TypeTemplate,
                _ => NameKind::Type,
            };
            self.declare(class, kind);
        }
        let members = self.in_class(Some(class), |this| this.enclosed(Self::members));
        self.scope = outer;
        let members = members?;
        if name.is_none() {
            // Members of anonymous unions are members of the enclosing class.
            self.scopes.use_scope(outer, scope);
        }
        self.attributes(&mut flags)?;
        let span = name.as_ref().map_or(start, |name| name.span);
        let pack = if flags.packed { 1 } else { pack };
        let alignment = flags.alignment;
        let (members, is_use) = (Some(members), false);
        let record = RecordSyntax { name, is_union, bases, members, is_use, alignment, pack, span };
        Ok(BaseType::Record(Rc::new(record)))
    }

    /// The name after `struct`; arguments make it a specialization.
    fn record_name(&mut self) -> Parsed<QualifiedName> {
        let mut name = self.qualified_name()?;
        if self.is(Punctuation::Less) && name.last().arguments.is_none() {
            let arguments = self.template_arguments()?;
            if let Some(last) = name.parts.last_mut() {
                last.arguments = Some(arguments);
            }
        }
        Ok(name)
    }

    fn members(&mut self) -> Parsed<Vec<Declaration>> {
        let open = self.expect(Punctuation::BraceOpen, "before the members")?;
        let mut items = Vec::new();
        while !self.is(Punctuation::BraceClose) {
            if self.peek() == TokenKind::End {
                let problem = SourceProblem::error(open, "this `{` is never closed");
                return self.report(problem.label("opened here"));
            }
            let before = self.at;
            if let Err(SyntaxFailure) = self.declaration(&mut items) {
                if self.trials > 0 {
                    return Err(SyntaxFailure);
                }
                self.recover(before);
            }
            if self.at == before && !self.is(Punctuation::BraceClose) {
                self.at += 1;
            }
        }
        self.at += 1;
        Ok(items)
    }

    /// `enum class Name : type { enumerators }`.
    pub(super) fn enumeration(&mut self) -> Parsed<BaseType> {
        self.bump();
        let scoped = self.eat_name(known::CLASS) || self.eat_name(known::STRUCT);
        self.attributes(&mut Specifiers::default())?;
        let name = if self.identifier().is_some() { Some(self.qualified_name()?) } else { None };
        let underlying = if self.is(Punctuation::Colon) && self.class.is_none()
            || self.is(Punctuation::Colon) && name.is_some()
        {
            self.at += 1;
            Some(self.type_id()?)
        } else {
            None
        };
        if !self.is(Punctuation::BraceOpen) {
            let Some(name) = name else { return self.unexpected("`{`") };
            if underlying.is_none() && !self.is(Punctuation::Semicolon) {
                return Ok(BaseType::Named(name));
            }
            if let Some(simple) = name.simple() {
                self.declare(simple, NameKind::Type);
            }
            let syntax =
                EnumerationSyntax { name: Some(name), scoped, underlying, enumerators: None };
            return Ok(BaseType::Enumeration(Rc::new(syntax)));
        }
        self.at += 1;
        let outer = self.scope;
        let mut inner = None;
        if let Some(simple) = name.as_ref().and_then(QualifiedName::simple) {
            self.declare(simple, NameKind::Type);
            inner = Some(self.scopes.open(outer, simple));
        }
        let mut enumerators = Vec::new();
        while !self.is(Punctuation::BraceClose) {
            let span = self.span();
            let Some(name) = self.identifier() else { return self.unexpected("an enumerator") };
            self.at += 1;
            self.attributes(&mut Specifiers::default())?;
            if let Some(inner) = inner {
                self.scopes.declare(inner, name, NameKind::Value);
            }
            if !scoped {
                self.declare(name, NameKind::Value);
            }
            let value = if self.eat(Punctuation::Assign) {
                Some(self.enclosed(Self::conditional)?)
            } else {
                None
            };
            enumerators.push((name, span, value));
            if !self.eat(Punctuation::Comma) {
                break;
            }
        }
        self.expect(Punctuation::BraceClose, "after the enumerators")?;
        let syntax = EnumerationSyntax { name, scoped, underlying, enumerators: Some(enumerators) };
        Ok(BaseType::Enumeration(Rc::new(syntax)))
    }
}
