//! Declarations at namespace scope and in blocks.

use super::Analyzer;
use super::scopes::Binding;
use super::templates::{TemplateKind, TemplateRecord};
use crate::source::SourceProblem;
use crate::syntax::*;
use crate::types::TypeKind;
use std::collections::HashMap;
use std::rc::Rc;

impl Analyzer {
    /// Analyzes a declaration.
    pub(super) fn item(&mut self, item: &Declaration) {
        match &item.kind {
            DeclarationKind::Namespace { names, is_inline, items } => {
                self.namespace(names, *is_inline, items)
            }
            DeclarationKind::NamespaceAlias(name, target) => match self.resolve(target) {
                Ok(Some(Binding::Namespace(scope))) => self.bind(*name, Binding::Namespace(scope)),
                Ok(_) => self.error(target.span, "this is not a namespace"),
                Err(()) => {}
            },
            DeclarationKind::Linkage(items) => items.iter().for_each(|item| self.item(item)),
            DeclarationKind::UsingNamespace(name) => match self.resolve(name) {
                Ok(Some(Binding::Namespace(used))) => {
                    let scope = self.scope;
                    if used != scope && !self.scopes[scope].used.contains(&used) {
                        self.scopes[scope].used.push(used);
                    }
                }
                // Namespaces of libraries that only host code uses.
                Ok(_) | Err(()) if self.frame.is_none() => {}
                _ => self.error(name.span, "this is not a namespace"),
            },
            DeclarationKind::Using(names) => names.iter().for_each(|(name, _)| self.using(name)),
            DeclarationKind::Alias(name, kind) => {
                let builtin = self.parser.map.is_builtin(item.span);
                let ty = if self.host || self.frame.is_some() || builtin {
                    self.type_of(kind)
                } else {
                    match self.trial(|this| this.type_of(kind)) {
                        Some(ty) => ty,
                        // Types that only host code knows: uses of the name report the error.
                        None => {
                            let kind = TemplateKind::Alias(kind.clone());
                            self.add_template(*name, Rc::new(Vec::new()), kind);
                            return;
                        }
                    }
                };
                // `typedef struct {...} Name;` names the class.
                if let TypeKind::Record(record) = self.types.kind(ty).clone() {
                    let text = self.text(*name).to_owned();
                    let record = self.types.record_mut(record);
                    if record.name.is_empty() {
                        record.name.clone_from(&text);
                        record.mangled = format!("{}{text}", text.len());
                    }
                }
                self.bind(*name, Binding::Type(ty));
            }
            DeclarationKind::Variable(variable) => self.namespace_variable(variable),
            DeclarationKind::Function(function) => {
                self.declare_function(function, None);
            }
            DeclarationKind::Record(record) => {
                self.record_type(record);
            }
            DeclarationKind::Enumeration(enumeration) => {
                self.enumeration_type(enumeration);
            }
            DeclarationKind::Template(parameters, inner) => self.template(parameters, inner),
            DeclarationKind::Instantiation(inner) => self.explicit_instantiation(inner),
            DeclarationKind::StaticAssert(value, text) => {
                self.static_assert(value, text.as_deref())
            }
            DeclarationKind::Empty => {}
        }
    }

    fn namespace(&mut self, names: &[crate::lex::Name], is_inline: bool, items: &[Declaration]) {
        let outer = self.scope;
        for &name in names {
            let found = match self.scopes[self.scope].names.get(&name) {
                Some(Binding::Namespace(scope)) => Some(*scope),
                _ => None,
            };
            let scope = found.unwrap_or_else(|| {
                let scope = self.add_scope(self.scope);
                let text = self.text(name);
                let mangled = format!("{}{text}", text.len());
                (self.scopes[scope].is_namespace, self.scopes[scope].mangled) =
                    (true, Some(mangled));
                self.bind(name, Binding::Namespace(scope));
                scope
            });
            if is_inline && !self.scopes[self.scope].used.contains(&scope) {
                let here = self.scope;
                self.scopes[here].used.push(scope);
            }
            self.scope = scope;
        }
        if names.is_empty() {
            let scope = self.add_scope(outer);
            let mangled = Some("12_GLOBAL__N_1".to_owned());
            (self.scopes[scope].is_namespace, self.scopes[scope].mangled) = (true, mangled);
            self.scopes[outer].used.push(scope);
            self.scope = scope;
        }
        items.iter().for_each(|item| self.item(item));
        self.scope = outer;
    }

    fn using(&mut self, name: &QualifiedName) {
        let known = self.trial(|this| this.resolve(name)).and_then(Result::ok).flatten();
        match known {
            Some(binding) => self.bind(name.last().name, binding),
            None if self.frame.is_some() => {
                let _ = self.resolve(name);
            }
            None => {}
        }
    }

    fn namespace_variable(&mut self, variable: &VariableSyntax) {
        if variable.name.parts.len() > 1 {
            // The definition of a static member.
            if let Ok(Some(scope)) = self.qualifier_scope(&variable.name) {
                self.within(scope, |this| this.module_variable(variable, false));
            }
            return;
        }
        let flags = &variable.specifiers;
        let on_device = flags.device || flags.constant || flags.shared || flags.managed;
        if on_device || self.host {
            self.module_variable(variable, false);
        } else {
            // The host compiler reports errors in host variables.
            let done = self.trial(|this| this.module_variable(variable, false));
            if done.is_none() && flags.is_constexpr && !self.parser.map.is_builtin(variable.span) {
                self.module_variable(variable, false);
            }
        }
    }

    fn template(&mut self, parameters: &Rc<Vec<TemplateParameterSyntax>>, inner: &Declaration) {
        match &inner.kind {
            DeclarationKind::Function(function) => {
                self.declare_function(function, Some(parameters.clone()));
            }
            DeclarationKind::Record(record) => self.class_template(parameters, record),
            DeclarationKind::Alias(name, kind) => {
                let kind = TemplateKind::Alias(kind.clone());
                self.add_template(*name, parameters.clone(), kind);
            }
            DeclarationKind::Variable(variable) => {
                if variable.name.parts.len() > 1 {
                    return self.outside_static(parameters, variable);
                }
                let last = variable.name.last();
                if last.arguments.is_some() {
                    if let Some(Binding::Template(template)) =
                        self.find(last.name).map(|found| found.0)
                    {
                        self.templates[template]
                            .variables
                            .push((parameters.clone(), variable.clone()));
                    }
                    return;
                }
                let kind = TemplateKind::Variable(variable.clone());
                self.add_template(last.name, parameters.clone(), kind);
            }
            // A member template of a class template, defined outside of the class.
            DeclarationKind::Template(own, nested) => {
                if let DeclarationKind::Function(function) = &nested.kind {
                    self.outside_member(function, Some(parameters.clone()), Some(own.clone()));
                }
            }
            _ => {}
        }
    }

    pub(super) fn add_template(
        &mut self,
        name: crate::lex::Name,
        parameters: Rc<Vec<TemplateParameterSyntax>>,
        kind: TemplateKind,
    ) -> usize {
        self.templates.push(TemplateRecord {
            name,
            parameters,
            scope: self.scope,
            kind,
            partial: Vec::new(),
            members: Vec::new(),
            guides: Vec::new(),
            variables: Vec::new(),
            statics: Vec::new(),
            instances: HashMap::new(),
        });
        let number = self.templates.len() - 1;
        self.bind(name, Binding::Template(number));
        number
    }

    fn class_template(
        &mut self,
        parameters: &Rc<Vec<TemplateParameterSyntax>>,
        record: &Rc<RecordSyntax>,
    ) {
        let Some(name) = &record.name else { return };
        let last = name.last();
        let known = match self.resolve_quietly(name) {
            Some(Binding::Template(number)) => Some(number),
            _ => None,
        };
        if last.arguments.is_some() {
            match known {
                Some(number) => {
                    self.templates[number].partial.push((parameters.clone(), record.clone()))
                }
                None => self.unknown_name(last.name, name.span, "template"),
            }
            return;
        }
        match known.filter(|&number| self.templates[number].scope == self.scope) {
            Some(number) => {
                let template = &mut self.templates[number];
                if record.members.is_some() {
                    // Default arguments may be given only in the first declaration.
                    let old = template.parameters.clone();
                    let mut merged = (**parameters).clone();
                    for (new, old) in merged.iter_mut().zip(old.iter()) {
                        keep_default(new, old);
                    }
                    template.parameters = Rc::new(merged);
                    template.kind = TemplateKind::Class(record.clone());
                }
            }
            None => {
                self.add_template(
                    last.name,
                    parameters.clone(),
                    TemplateKind::Class(record.clone()),
                );
            }
        }
    }

    fn resolve_quietly(&mut self, name: &QualifiedName) -> Option<Binding> {
        self.trial(|this| this.resolve(name)).and_then(Result::ok).flatten()
    }

    /// `template __global__ void f<int>(int*);` creates an instance.
    fn explicit_instantiation(&mut self, inner: &Declaration) {
        match &inner.kind {
            DeclarationKind::Function(function) => {
                let flags = &function.specifiers;
                if self.host || flags.global || flags.device {
                    self.instantiate_declared(function);
                } else {
                    // A template of host code.
                    self.trial(|this| this.instantiate_declared(function));
                }
            }
            DeclarationKind::Record(record) => {
                if let Some(name) = &record.name {
                    self.named_type(name);
                }
            }
            _ => {}
        }
    }

    pub(super) fn static_assert(&mut self, value: &Expression, text: Option<&str>) {
        let typed = self.expression(value);
        if typed.ty == crate::types::TypeId::ERROR {
            return;
        }
        let Some(condition) = self.condition(typed, value.span) else { return };
        match self.constant_value(&condition) {
            Some(0) => {
                let message = match text {
                    Some(text) => format!("static assertion failed: {text}"),
                    None => "static assertion failed".to_owned(),
                };
                let problem = SourceProblem::error(value.span, message);
                self.report(problem.label("this is false"));
            }
            Some(_) => {}
            None => self.error(value.span, "the condition of a `static_assert` must be a constant"),
        }
    }

    /// An enumeration, defined or declared.
    pub(super) fn enumeration_type(
        &mut self,
        syntax: &Rc<EnumerationSyntax>,
    ) -> crate::types::TypeId {
        use crate::types::{Enumeration, EnumerationId, TypeId};
        let name = syntax.name.as_ref().map(|name| name.last().name);
        let known = match name.and_then(|name| self.scopes[self.scope].names.get(&name).cloned()) {
            Some(Binding::Type(ty)) if self.types.is_enumeration(ty) => Some(ty),
            _ => None,
        };
        let ty = known.unwrap_or_else(|| {
            let underlying =
                syntax.underlying.as_ref().map_or(TypeId::INT, |kind| self.type_of(kind));
            let text = name.map_or(String::new(), |name| self.text(name).to_owned());
            let scope = self.add_scope(self.scope);
            let mangled = self.nested_name(&text);
            let scoped = syntax.scoped;
            self.types.enumerations.push(Enumeration {
                name: text,
                mangled,
                underlying,
                scoped,
                scope,
            });
            let id = EnumerationId(self.types.enumerations.len() as u32 - 1);
            self.types.intern(TypeKind::Enumeration(id))
        });
        if let Some(name) = name {
            self.bind(name, Binding::Type(ty));
        }
        let TypeKind::Enumeration(id) = self.types.kind(ty).clone() else { return ty };
        let (scope, underlying) = {
            let found = &self.types.enumerations[id.0 as usize];
            (found.scope, found.underlying)
        };
        let mut next = 0u64;
        for (name, span, value) in syntax.enumerators.iter().flatten() {
            if let Some(value) = value {
                let typed = self.within(scope, |this| this.expression(value));
                if typed.ty != TypeId::ERROR {
                    match self.constant_value(&typed) {
                        Some(value) => next = value,
                        None => self.error(*span, "the value of an enumerator must be a constant"),
                    }
                }
            }
            // If an enumeration has no underlying type, values beyond `int` widen it.
            if syntax.underlying.is_none() && next as i64 != i64::from(next as i32) {
                self.types.enumerations[id.0 as usize].underlying =
                    if next <= u64::from(u32::MAX) { TypeId::UNSIGNED } else { TypeId::LONG };
            }
            let value = self.types.normalize(underlying, next);
            let value = if syntax.underlying.is_none() { next } else { value };
            self.bind_in(scope, *name, Binding::Constant(value, ty));
            if !syntax.scoped {
                self.bind(*name, Binding::Constant(value, ty));
            }
            next = next.wrapping_add(1);
        }
        ty
    }
}

/// Keeps the default argument of an earlier declaration.
pub(super) fn keep_default(new: &mut TemplateParameterSyntax, old: &TemplateParameterSyntax) {
    use TemplateParameterKind as K;
    match (&mut new.kind, &old.kind) {
        (K::Type(new @ None), K::Type(old)) => new.clone_from(old),
        (K::Value(_, new @ None), K::Value(_, old)) => new.clone_from(old),
        (K::Template(new @ None), K::Template(old)) => new.clone_from(old),
        _ => {}
    }
}
