//! Scopes and name lookup.

use super::Analyzer;
use super::templates::TemplateArgument;
use crate::lex::{Name, known};
use crate::source::SourceProblem;
use crate::syntax::{NamePart, QualifiedName, TemplateArgumentKind};
use crate::typed::{FunctionNumber, LocalNumber, Typed, VariableNumber};
use crate::types::{RecordId, TypeId, TypeKind};
use std::collections::HashMap;
use std::rc::Rc;

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    Namespace(usize),
    Type(TypeId),
    /// Overloaded functions and function templates.
    Functions(Vec<FunctionNumber>),
    Variable(VariableNumber),
    /// A local variable of a frame.
    Local(u32, LocalNumber),
    /// A constant: enumerator, template parameter, or constant variable.
    Constant(u64, TypeId),
    /// A class, alias or variable template.
    Template(usize),
    /// A template parameter pack.
    Pack(Rc<[TemplateArgument]>),
    /// A function parameter pack.
    LocalPack(Rc<[Binding]>),
    /// Another name for an expression: a capture or a structured binding.
    Alias(Rc<Typed>),
}

#[derive(Debug, Default)]
pub(super) struct NameScope {
    pub parent: Option<usize>,
    pub names: HashMap<Name, Binding>,
    /// Classes that a function or variable of the same name hides. `struct Name` finds them.
    pub hidden: HashMap<Name, TypeId>,
    /// Namespaces of using directives, and inline namespaces.
    pub used: Vec<usize>,
    /// The class, if this is a class scope.
    pub record: Option<RecordId>,
    /// If it is a namespace: its part of mangled names.
    pub mangled: Option<String>,
    /// Whether it binds the elements of packs in one step of an expansion.
    pub is_expansion: bool,
    /// Whether it is a namespace. Classes in function-local scopes are numbered.
    pub is_namespace: bool,
}

impl Analyzer {
    pub(super) fn add_scope(&mut self, parent: usize) -> usize {
        self.scopes.push(NameScope { parent: Some(parent), ..NameScope::default() });
        self.scopes.len() - 1
    }

    pub(super) fn bind_in(&mut self, scope: usize, name: Name, binding: Binding) {
        let NameScope { names, hidden, .. } = &mut self.scopes[scope];
        match (names.get_mut(&name), &binding) {
            (Some(Binding::Functions(old)), Binding::Functions(new)) => {
                for number in new {
                    if !old.contains(number) {
                        old.push(*number);
                    }
                }
                return;
            }
            (Some(Binding::Functions(_)), Binding::Type(ty))
                if self.types.record_of(*ty).is_some() =>
            {
                hidden.insert(name, *ty);
                return;
            }
            (Some(Binding::Type(ty)), Binding::Functions(_) | Binding::Variable(_))
                if self.types.record_of(*ty).is_some() =>
            {
                hidden.insert(name, *ty);
            }
            _ => {}
        }
        names.insert(name, binding);
    }

    /// The class that a function or variable of the same name hides, from the current scope outward.
    pub(super) fn hidden_class(&self, name: Name) -> Option<TypeId> {
        if let None | Some((Binding::Type(_) | Binding::Template(_), _)) = self.find(name) {
            return None;
        }
        let mut scope = Some(self.scope);
        while let Some(here) = scope.and_then(|scope| self.scopes.get(scope)) {
            match here.names.get(&name) {
                Some(Binding::Type(ty)) => return Some(*ty),
                _ if here.hidden.contains_key(&name) => return here.hidden.get(&name).copied(),
                _ => scope = here.parent,
            }
        }
        None
    }

    /// Finds a name in one scope, in the scopes that it uses, and in the bases of its class.
    pub(super) fn find_in(&self, scope: usize, name: Name, depth: usize) -> Option<Binding> {
        let here = self.scopes.get(scope)?;
        let mut found = here.names.get(&name).cloned();
        if depth > 12 {
            return found;
        }
        for &used in &here.used {
            match (&mut found, self.find_in(used, name, depth + 1)) {
                (None, other) => found = other,
                (Some(Binding::Functions(list)), Some(Binding::Functions(more))) => {
                    for number in more {
                        if !list.contains(&number) {
                            list.push(number);
                        }
                    }
                }
                _ => {}
            }
        }
        if found.is_none()
            && let Some(record) = here.record
        {
            for (base, _) in &self.types.record(record).bases {
                if let Some(base) = self.types.record_of(*base) {
                    found = self.find_in(self.types.record(base).scope, name, depth + 1);
                    if found.is_some() {
                        break;
                    }
                }
            }
        }
        found
    }

    /// Finds a name from the current scope outward; also returns the scope that contains it.
    pub(super) fn find(&self, name: Name) -> Option<(Binding, usize)> {
        let mut scope = Some(self.scope);
        while let Some(here) = scope {
            if let Some(binding) = self.find_in(here, name, 0) {
                return Some((binding, here));
            }
            scope = self.scopes.get(here)?.parent;
        }
        None
    }

    /// The scope in which a use such as `struct Name* p` declares an unknown class: in a class, or in the parameters of
    /// a member function, the namespace or block around the class; else the current scope.
    pub(super) fn scope_of_use(&self) -> usize {
        let parent = |scope: usize| self.scopes[scope].parent;
        let is_class = |scope: usize| self.scopes[scope].record.is_some();
        let is_outer = |scope: usize| self.scopes[scope].is_namespace || parent(scope).is_none();
        let mut scope = self.scope;
        if !is_class(scope)
            && let Some(around) = parent(scope).filter(|around| is_class(*around))
        {
            scope = around;
        }
        while is_class(scope)
            && let Some(around) = parent(scope)
        {
            // Between a class template and the scope that declares it is a scope of the template's parameters.
            let next = parent(around).filter(|next| is_class(*next) || is_outer(*next));
            scope =
                if is_outer(around) || is_class(around) { around } else { next.unwrap_or(around) };
        }
        scope
    }

    /// The class whose member function contains the current scope.
    pub(super) fn record_around(&self, mut scope: usize) -> Option<RecordId> {
        loop {
            let here = self.scopes.get(scope)?;
            if here.record.is_some() {
                return here.record;
            }
            scope = here.parent?;
        }
    }

    /// The innermost namespace that contains a scope.
    pub(super) fn namespace_around(&self, mut scope: usize) -> usize {
        while let Some(here) = self.scopes.get(scope) {
            if here.is_namespace {
                return scope;
            }
            match here.parent {
                Some(parent) => scope = parent,
                None => return scope,
            }
        }
        0
    }

    /// Resolves the qualifiers of a name; `None` if it has no qualifiers. Reports errors.
    pub(super) fn qualifier_scope(&mut self, name: &QualifiedName) -> Result<Option<usize>, ()> {
        let count = name.parts.len();
        let mut scope = name.global.then_some(0);
        for (at, part) in name.parts.iter().take(count - 1).enumerate() {
            if let (known::DECLTYPE, Some([argument])) = (part.name, part.arguments.as_deref())
                && let TemplateArgumentKind::Type(kind) = &argument.kind
            {
                let ty = self.type_of(kind);
                let ty = self.types.referred(ty);
                scope = Some(self.scope_of_type(ty, part)?);
                continue;
            }
            let binding = match scope {
                Some(scope) => self.find_in(scope, part.name, 0),
                None if at == 0 => self.find_qualifier(part.name),
                None => None,
            };
            let Some(binding) = binding else {
                self.unknown_qualifier(part);
                return Err(());
            };
            scope = Some(match self.with_arguments(binding, part) {
                Binding::Namespace(scope) => scope,
                Binding::Type(ty) => self.scope_of_type(ty, part)?,
                Binding::Template(template) => {
                    let ty = match &part.arguments {
                        Some(arguments) => {
                            self.instantiate_class_syntax(template, arguments, part.span)
                        }
                        None => self.current_instance(template),
                    };
                    match ty {
                        Some(ty) => self.scope_of_type(ty, part)?,
                        None => {
                            self.error(part.span, "this template needs arguments");
                            return Err(());
                        }
                    }
                }
                _ => {
                    self.error(part.span, "this is neither a namespace nor a class");
                    return Err(());
                }
            });
        }
        Ok(scope)
    }

    /// Finds a namespace or class before `::`. Other meanings of the name are ignored.
    fn find_qualifier(&self, name: Name) -> Option<Binding> {
        let mut scope = Some(self.scope);
        while let Some(here) = scope {
            let found = self.find_in(here, name, 0);
            if matches!(
                found,
                Some(Binding::Namespace(_) | Binding::Type(_) | Binding::Template(_))
            ) {
                return found;
            }
            scope = self.scopes.get(here)?.parent;
        }
        None
    }

    fn unknown_qualifier(&mut self, part: &NamePart) {
        let text = self.text(part.name).to_owned();
        let library = match text.as_str() {
            "cub" => Some("CUB"),
            "thrust" => Some("Thrust"),
            "cute" | "cutlass" => Some("CUTLASS"),
            "torch" | "at" | "c10" => Some("PyTorch"),
            _ => None,
        };
        match library {
            Some(library) => {
                self.unsupported(part.span, format!("the library {library} in device code"))
            }
            None => self.error(part.span, format!("no namespace or class is named `{text}`")),
        }
    }

    fn scope_of_type(&mut self, ty: TypeId, part: &NamePart) -> Result<usize, ()> {
        match self.types.kind(ty).clone() {
            TypeKind::Record(record) => Ok(self.types.record(record).scope),
            TypeKind::Enumeration(id) => Ok(self.types.enumerations[id.0 as usize].scope),
            TypeKind::Error => Err(()),
            _ => {
                let shown = self.show(ty);
                self.error(part.span, format!("{shown} has no members"));
                Err(())
            }
        }
    }

    /// Resolves a name; `None` if it is unknown. Reports an error only if the name has qualifiers.
    pub(super) fn resolve(&mut self, name: &QualifiedName) -> Result<Option<Binding>, ()> {
        let last = name.last().name;
        match self.qualifier_scope(name)? {
            None => Ok(self.find(last).map(|(binding, _)| binding)),
            Some(scope) => match self.find_in(scope, last, 0) {
                Some(binding) => Ok(Some(binding)),
                None => {
                    self.unknown_member(scope, name);
                    Err(())
                }
            },
        }
    }

    fn unknown_member(&mut self, scope: usize, name: &QualifiedName) {
        let last = self.text(name.last().name).to_owned();
        let holder = match self.scopes[scope].record {
            Some(record) => format!("class `{}`", self.types.record(record).name),
            None if name.parts.len() > 1 => {
                format!("`{}`", self.text(name.parts[name.parts.len() - 2].name))
            }
            None => "the global namespace".to_owned(),
        };
        let mut problem =
            SourceProblem::error(name.last().span, format!("{holder} has no member `{last}`"));
        let names: Vec<&str> =
            self.scopes[scope].names.keys().map(|&name| self.text(name)).collect();
        if let Some(near) = crate::source::nearest(&last, names.into_iter()) {
            problem = problem.help(format!("a member with a similar name is `{near}`"));
        }
        self.report(problem);
    }

    /// Reports an unknown name and suggests the most similar known one.
    pub(super) fn unknown_name(&mut self, name: Name, span: crate::source::Span, what: &str) {
        let text = self.text(name).to_owned();
        let mut problem =
            SourceProblem::error(span, format!("cannot find {what} `{text}` in this scope"));
        let mut names: Vec<&str> = Vec::new();
        let mut scope = Some(self.scope);
        while let Some(here) = scope {
            names.extend(self.scopes[here].names.keys().map(|&name| self.text(name)));
            scope = self.scopes[here].parent;
        }
        names.sort_unstable();
        if let Some(near) = crate::source::nearest(&text, names.into_iter()) {
            problem = problem.label("not found").help(format!("a similar name is `{near}`"));
        } else {
            problem = problem.label("not found");
        }
        self.report(problem);
    }
}
