//! Declares member functions and friends, inside the class and outside it.

use super::super::scopes::Binding;
use super::super::templates::TemplateArgument;
use super::Analyzer;
use super::declare::TemplateParameters;
use crate::syntax::*;
use crate::typed::FunctionNumber;
use crate::types::{RecordId, TypeId};
use std::rc::Rc;

impl Analyzer {
    pub(in crate::analyze) fn declare_friend(
        &mut self,
        syntax: &Rc<FunctionSyntax>,
        template: Option<TemplateParameters>,
    ) {
        if syntax.body.is_none() {
            return;
        }
        let number = self.add_function(syntax, self.scope, template, None);
        let namespace = self.namespace_around(self.scope);
        self.bind_in(namespace, syntax.name.last().name, Binding::Functions(vec![number]));
    }

    /// Declares a member function.
    pub(in crate::analyze) fn declare_member(
        &mut self,
        id: RecordId,
        syntax: &Rc<FunctionSyntax>,
        template: Option<TemplateParameters>,
    ) -> FunctionNumber {
        let name = syntax.name.last().name;
        let text = self.text(name).to_owned();
        let is_constructor = matches!(syntax.result.base, BaseType::Absent)
            && syntax.name.last().conversion.is_none()
            && !text.starts_with('~');
        let scope = self.types.record(id).scope;
        let number = self.add_function(syntax, scope, template, Some(id));
        self.function_mut(number).is_constructor = is_constructor;
        let plain = self.function(number).template.is_none() && !syntax.specifiers.is_static;
        if plain && !is_constructor {
            self.declared.entry(id).or_default().push(number);
        }
        if is_constructor {
            let constructor = self.parser.names.intern("<constructor>");
            if !syntax.defaulted {
                self.types.record_mut(id).has_constructors = true;
            }
            if syntax.defaulted && plain && !syntax.signature.parameters.is_empty() {
                self.defaulted.entry(id).or_default().push(number);
            }
            if !syntax.defaulted || syntax.deleted {
                self.bind_in(scope, constructor, Binding::Functions(vec![number]));
            }
            return number;
        }
        if text.starts_with('~') {
            let empty = syntax.body.is_some_and(|body| body.end - body.start <= 2);
            let is_virtual = self.function(number).is_virtual;
            self.types.record_mut(id).has_destructor |= is_virtual || !empty && !syntax.defaulted;
            self.destructors.insert(id, number);
            self.bind_in(scope, name, Binding::Functions(vec![number]));
            return number;
        }
        if text == "operator=" && (syntax.defaulted || syntax.deleted) {
            return number;
        }
        if text == "operator=" {
            self.types.record_mut(id).assigns = true;
        }
        self.bind_in(scope, name, Binding::Functions(vec![number]));
        number
    }

    /// Declares a constructor that a class inherits from its base.
    pub(in crate::analyze) fn inherit_constructor(&mut self, id: RecordId, base: FunctionNumber) {
        let record = self.function(base).clone();
        let scope = self.types.record(id).scope;
        let number = self.add_function(&record.syntax, record.scope, record.template, Some(id));
        let made = self.function_mut(number);
        (made.is_constructor, made.inherits) = (true, Some(base));
        self.types.record_mut(id).has_constructors = true;
        let constructor = self.parser.names.intern("<constructor>");
        self.bind_in(scope, constructor, Binding::Functions(vec![number]));
    }

    /// Defines a member function outside of its class.
    pub(in crate::analyze) fn outside_member(
        &mut self,
        syntax: &Rc<FunctionSyntax>,
        template: Option<TemplateParameters>,
        own: Option<TemplateParameters>,
    ) {
        let qualifier = syntax.name.parts.get(syntax.name.parts.len().wrapping_sub(2)).cloned();
        // `template <>` belongs to one instance of the class, or to one of its member template.
        let specializes = template.as_ref().is_some_and(|parameters| parameters.is_empty());
        if let (Some(parameters), Some(part)) = (&template, &qualifier)
            && !specializes
            && let Some((Binding::Template(number), _)) = self.find(part.name)
        {
            let member = (syntax.clone(), own, parameters.clone());
            self.templates[number].members.push(member.clone());
            let instances: Vec<_> = self.templates[number].instances.clone().into_iter().collect();
            for (arguments, binding) in instances {
                if let Binding::Type(ty) = binding
                    && let Some(record) = self.types.record_of(ty)
                {
                    self.attach_member(record, syntax, member.1.as_ref(), &member.2, &arguments);
                }
            }
            return;
        }
        let Ok(Some(scope)) = self.qualifier_scope(&syntax.name) else { return };
        match self.scopes[scope].record {
            Some(record) if specializes => {
                let has_arguments = syntax.name.last().arguments.is_some();
                match own.filter(|own| !own.is_empty()) {
                    None if has_arguments || !self.has_plain(record, syntax) => {
                        self.specialize_function(syntax, Some(record));
                    }
                    own => self.attach_to(record, syntax, own.as_ref(), None, true),
                }
            }
            Some(record) => self.attach_to(record, syntax, template.as_ref(), None, false),
            None => {
                // It is a function of a namespace.
                let plain = Rc::new(FunctionSyntax {
                    name: QualifiedName {
                        parts: vec![syntax.name.last().clone()],
                        ..syntax.name.clone()
                    },
                    result: syntax.result.clone(),
                    signature: syntax.signature.clone(),
                    specifiers: syntax.specifiers.clone(),
                    body: syntax.body,
                    parsed: std::cell::OnceCell::new(),
                    deleted: false,
                    defaulted: false,
                    pure_virtual: false,
                    extern_c: syntax.extern_c,
                    span: syntax.span,
                });
                self.within(scope, |this| this.declare_function(&plain, template));
            }
        }
    }

    /// Attaches the definition of a class template's member to one instance.
    pub(in crate::analyze) fn attach_member(
        &mut self,
        record: RecordId,
        syntax: &Rc<FunctionSyntax>,
        own: Option<&TemplateParameters>,
        parameters: &[TemplateParameterSyntax],
        arguments: &[TemplateArgument],
    ) {
        // The definition may use other parameter names.
        let class = self.types.record(record).scope;
        let scope = self.add_scope(class);
        for (parameter, argument) in parameters.iter().zip(arguments) {
            self.bind_argument(scope, parameter, argument);
        }
        self.attach_to(record, syntax, own, Some(scope), false);
    }

    /// Whether a class declares a member function of this name that is no template.
    fn has_plain(&self, record: RecordId, syntax: &FunctionSyntax) -> bool {
        let scope = self.types.record(record).scope;
        let count = syntax.name.parts.len();
        let name = syntax.name.last().name;
        // Constructors have another name in the scope of their class.
        if count >= 2 && syntax.name.parts[count - 2].name == name {
            return true;
        }
        match self.scopes[scope].names.get(&name) {
            Some(Binding::Functions(list)) => {
                list.iter().any(|number| self.function(*number).template.is_none())
            }
            _ => true,
        }
    }

    fn attach_to(
        &mut self,
        record: RecordId,
        syntax: &Rc<FunctionSyntax>,
        template: Option<&TemplateParameters>,
        scope: Option<usize>,
        replaces: bool,
    ) {
        let class = self.types.record(record).scope;
        let mut name = syntax.name.last().name;
        let count = syntax.name.parts.len();
        if count >= 2 && syntax.name.parts[count - 2].name == name {
            name = self.parser.names.intern("<constructor>");
        }
        let Some(Binding::Functions(list)) = self.scopes[class].names.get(&name).cloned() else {
            if !syntax.defaulted {
                let shown = self.types.record(record).name.clone();
                self.error(
                    syntax.span,
                    format!("class `{shown}` declares no such member function"),
                );
            }
            return;
        };
        let candidates: Vec<FunctionNumber> = list
            .iter()
            .copied()
            .filter(|&number| {
                let old = self.function(number);
                old.syntax.signature.parameters.len() == syntax.signature.parameters.len()
                    && old.template.is_some() == template.is_some()
                    && old.syntax.signature.is_const == syntax.signature.is_const
                    && (replaces || old.syntax.body.is_none())
            })
            .collect();
        let scope = scope.unwrap_or(class);
        let matching = candidates.iter().copied().find(|&number| {
            if template.is_some() || candidates.len() == 1 {
                return true;
            }
            let new =
                self.trial(|this| this.within(scope, |this| this.make_signature(syntax))).flatten();
            let old = self.trial(|this| this.signature(number)).flatten();
            let kinds = |signature: &super::Signature| -> Vec<TypeId> {
                signature.parameters.iter().map(|parameter| parameter.ty).collect()
            };
            new.zip(old).is_some_and(|(new, old)| kinds(&new) == kinds(&old))
        });
        let Some(number) = matching else { return };
        let old = self.function(number).syntax.clone();
        let defaults: Vec<_> =
            old.signature.parameters.iter().map(|parameter| parameter.default.clone()).collect();
        let merged = self.with_defaults(syntax, &defaults, &old);
        let found = self.function_mut(number);
        (found.syntax, found.scope, found.signature) = (merged, scope, None);
        if let Some(template) = template {
            found.template = Some(template.clone());
        }
    }
}
