//! The parser's symbol table: which names are types, templates or values.

use crate::lex::Name;
use std::collections::{HashMap, HashSet};

/// Kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A type.
    Type,
    /// A class template or alias template.
    TypeTemplate,
    /// A function template or variable template.
    ValueTemplate,
    /// A namespace.
    Namespace,
    /// A variable, function or enumerator.
    Value,
}

#[derive(Debug, Default)]
struct ParserScope {
    parent: Option<usize>,
    names: HashMap<Name, NameKind>,
    /// Scopes of the namespaces and classes in it.
    inner: HashMap<Name, usize>,
    /// Namespaces of using directives, and scopes of base classes.
    used: Vec<usize>,
    is_class: bool,
}

/// All scopes of a translation unit. Scope 0 is the global one.
#[derive(Debug)]
pub struct ParserScopes {
    scopes: Vec<ParserScope>,
    types: HashSet<Name>,
    values: HashSet<Name>,
    templates: HashSet<Name>,
    /// Names of the templates in classes.
    member_templates: HashSet<Name>,
}

impl ParserScopes {
    pub(super) fn new() -> ParserScopes {
        ParserScopes {
            scopes: vec![ParserScope::default()],
            types: HashSet::new(),
            values: HashSet::new(),
            templates: HashSet::new(),
            member_templates: HashSet::new(),
        }
    }

    pub(super) fn add(&mut self, parent: usize) -> usize {
        self.scopes.push(ParserScope { parent: Some(parent), ..ParserScope::default() });
        self.scopes.len() - 1
    }

    /// Adds the scope of a class.
    pub(super) fn add_class(&mut self, parent: usize) -> usize {
        self.scopes.push(ParserScope {
            parent: Some(parent),
            is_class: true,
            ..ParserScope::default()
        });
        self.scopes.len() - 1
    }

    pub(super) fn declare(&mut self, scope: usize, name: Name, kind: NameKind) {
        match kind {
            NameKind::Type | NameKind::TypeTemplate => self.types.insert(name),
            _ => self.values.insert(name),
        };
        if matches!(kind, NameKind::TypeTemplate | NameKind::ValueTemplate) {
            self.templates.insert(name);
        }
        let Some(scope) = self.scopes.get_mut(scope) else { return };
        if scope.is_class && kind == NameKind::ValueTemplate {
            self.member_templates.insert(name);
        }
        // An overload that is not a template does not hide a template; a value may hide a type.
        let old = scope.names.get(&name);
        let keeps = old == Some(&NameKind::ValueTemplate) && kind == NameKind::Value
            || old == Some(&NameKind::TypeTemplate) && kind == NameKind::Type;
        if !keeps {
            scope.names.insert(name, kind);
        }
    }

    /// The scope of a namespace or class, created if needed.
    pub(super) fn open(&mut self, scope: usize, name: Name) -> usize {
        if let Some(&inner) = self.scopes.get(scope).and_then(|scope| scope.inner.get(&name)) {
            return inner;
        }
        let inner = self.add(scope);
        if let Some(scope) = self.scopes.get_mut(scope) {
            scope.inner.insert(name, inner);
        }
        inner
    }

    /// The innermost scope around and including `scope` that is not a class.
    pub(super) fn outside_classes(&self, mut scope: usize) -> usize {
        while let Some(here) = self.scopes.get(scope).filter(|here| here.is_class)
            && let Some(parent) = here.parent
        {
            scope = parent;
        }
        scope
    }

    pub(super) fn use_scope(&mut self, scope: usize, used: usize) {
        if scope != used
            && let Some(scope) = self.scopes.get_mut(scope)
            && !scope.used.contains(&used)
        {
            scope.used.push(used);
        }
    }

    pub(super) fn name_scope(&mut self, scope: usize, name: Name, inner: usize) {
        if let Some(scope) = self.scopes.get_mut(scope) {
            scope.inner.insert(name, inner);
        }
    }

    /// The kind of a name in this scope, or in the scopes that it uses.
    pub(super) fn kind_in(&self, scope: usize, name: Name) -> Option<NameKind> {
        self.search(scope, 0, &|scope| scope.names.get(&name).copied())
    }

    /// The scope of a namespace or class in this scope, or in the scopes that it uses.
    pub(super) fn inner_of(&self, scope: usize, name: Name) -> Option<usize> {
        self.search(scope, 0, &|scope| scope.inner.get(&name).copied())
    }

    fn search<T>(
        &self,
        scope: usize,
        depth: usize,
        get: &dyn Fn(&ParserScope) -> Option<T>,
    ) -> Option<T> {
        let found = self.scopes.get(scope)?;
        if let Some(result) = get(found) {
            return Some(result);
        }
        if depth > 8 {
            return None;
        }
        found.used.iter().find_map(|&used| self.search(used, depth + 1, get))
    }

    /// The kind of a name, looked up from a scope outward.
    pub(super) fn kind(&self, scope: usize, name: Name) -> Option<NameKind> {
        self.upward(scope, |scope| self.kind_in(scope, name))
    }

    /// The scope of a namespace or class, looked up from a scope outward.
    pub(super) fn inner(&self, scope: usize, name: Name) -> Option<usize> {
        self.upward(scope, |scope| self.inner_of(scope, name))
    }

    fn upward<T>(&self, scope: usize, get: impl Fn(usize) -> Option<T>) -> Option<T> {
        let mut scope = Some(scope);
        while let Some(here) = scope {
            if let Some(found) = get(here) {
                return Some(found);
            }
            scope = self.scopes.get(here)?.parent;
        }
        None
    }

    /// Whether a name is a type in every scope that declares it.
    pub(super) fn only_type(&self, name: Name) -> bool {
        self.types.contains(&name) && !self.values.contains(&name)
    }

    /// Whether a name is a function or variable template in any class.
    pub(super) fn member_template(&self, name: Name) -> bool {
        self.member_templates.contains(&name)
    }

    /// Whether a name is a template in any scope.
    pub(super) fn somewhere_template(&self, name: Name) -> bool {
        self.templates.contains(&name)
    }
}
