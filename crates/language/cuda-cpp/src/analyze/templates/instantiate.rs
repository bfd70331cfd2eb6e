//! Instances of class templates, alias templates and variable templates.

use super::super::scopes::Binding;
use super::{Analyzer, TemplateArgument, TemplateKind};
use crate::source::Span;
use crate::syntax::*;
use crate::typed::Typed;
use crate::types::{RecordId, TypeId};
use std::rc::Rc;

impl Analyzer {
    /// The instance of a class template that contains the current scope (its injected name).
    pub(in crate::analyze) fn current_instance(&mut self, template: usize) -> Option<TypeId> {
        let mut scope = Some(self.scope);
        while let Some(here) = scope {
            if let Some(record) = self.scopes[here].record
                && self.record_templates.get(&record).is_some_and(|(number, _)| *number == template)
            {
                return Some(self.types.intern(crate::types::TypeKind::Record(record)));
            }
            scope = self.scopes[here].parent;
        }
        None
    }

    /// Instantiates a template with arguments from their syntax.
    pub(in crate::analyze) fn instantiate_class_syntax(
        &mut self,
        template: usize,
        arguments: &Rc<[TemplateArgumentSyntax]>,
        span: Span,
    ) -> Option<TypeId> {
        let arguments = self.template_arguments(arguments)?;
        match self.instantiate_template(template, arguments, span)? {
            Binding::Type(ty) => Some(ty),
            _ => {
                self.error(span, "this template is not a type");
                None
            }
        }
    }

    /// Instantiates a class, alias or variable template.
    pub(in crate::analyze) fn instantiate_template(
        &mut self,
        template: usize,
        given: Vec<TemplateArgument>,
        span: Span,
    ) -> Option<Binding> {
        let (parameters, scope, name, kind) = {
            let found = &self.templates[template];
            (found.parameters.clone(), found.scope, found.name, found.kind.clone())
        };
        let (arguments, bound) = self.complete_arguments(&parameters, given, scope, span, name)?;
        if let Some(known) = self.templates[template].instances.get(&arguments) {
            return Some(known.clone());
        }
        let binding = self.deeper(span, |this| match kind {
            TemplateKind::Alias(kind) => {
                let ty = this.within(bound, |this| this.type_of(&kind));
                (ty != TypeId::ERROR).then_some(Binding::Type(ty))
            }
            TemplateKind::Variable(variable) => {
                this.instantiate_variable(template, &variable, &arguments, bound)
            }
            TemplateKind::Class(record) => this
                .instantiate_class(template, &record, &arguments, bound, span)
                .map(Binding::Type),
        })??;
        self.templates[template].instances.insert(arguments, binding.clone());
        Some(binding)
    }

    pub(in crate::analyze) fn instantiate_variable(
        &mut self,
        template: usize,
        variable: &Rc<VariableSyntax>,
        arguments: &Rc<[TemplateArgument]>,
        bound: usize,
    ) -> Option<Binding> {
        let special = self.templates[template].variables.clone();
        let mut chosen = (variable.clone(), bound);
        for (parameters, syntax) in special {
            let patterns = syntax.name.last().arguments.clone();
            let scope = self.templates[template].scope;
            if let Some(patterns) = patterns
                && let Some((_, bound)) =
                    self.match_specialization(&parameters, &patterns, arguments, scope)
            {
                chosen = (syntax.clone(), bound);
            }
        }
        let frame = self.frame.take();
        self.within(chosen.1, |this| this.module_variable(&chosen.0, true));
        self.frame = frame;
        let name = variable.name.last().name;
        let found = self.find_in(chosen.1, name, 0);
        if let Some(Binding::Variable(number)) = found {
            // Each instance is a variable of its own.
            let (text, arguments) = (self.text(name).to_owned(), self.mangle_arguments(arguments));
            let symbol = &mut self.variables[number.0 as usize].symbol;
            *symbol = match symbol.strip_prefix("_ZN").and_then(|path| path.strip_suffix('E')) {
                Some(path) => format!("_ZN{path}{arguments}E"),
                None => format!("_Z{}{text}{arguments}", text.len()),
            };
        }
        found
    }

    pub(in crate::analyze) fn instantiate_class(
        &mut self,
        template: usize,
        primary: &Rc<RecordSyntax>,
        arguments: &Rc<[TemplateArgument]>,
        bound: usize,
        span: Span,
    ) -> Option<TypeId> {
        let mut chosen = (primary.clone(), bound);
        let mut best: Option<usize> = None;
        let (partial, scope) = {
            let found = &self.templates[template];
            (found.partial.clone(), found.scope)
        };
        for (parameters, syntax) in partial {
            let Some(patterns) =
                syntax.name.as_ref().and_then(|name| name.last().arguments.clone())
            else {
                continue;
            };
            let matched = self.match_specialization(&parameters, &patterns, arguments, scope);
            if let Some((weight, bound)) = matched
                && best.is_none_or(|best| weight >= best)
            {
                best = Some(weight);
                chosen = (syntax.clone(), bound);
            }
        }
        let (syntax, bound) = chosen;
        let name = self.templates[template].name;
        let display = self.instance_name(name, arguments);
        let text = self.text(name).to_owned();
        let (record, ty) = self.within(bound, |this| this.new_record(&text, &syntax));
        let mangled = self.mangle_arguments(arguments);
        {
            let record = self.types.record_mut(record);
            record.mangled.push_str(&mangled);
            record.name.clone_from(&display);
        }
        self.record_templates.insert(record, (template, arguments.clone()));
        self.templates[template].instances.insert(arguments.clone(), Binding::Type(ty));
        if syntax.members.is_none() {
            return Some(ty);
        }
        self.around.push((span, format!("in the instantiation of `{display}`")));
        let frame = self.frame.take();
        self.within(bound, |this| this.define_record(record, ty, &syntax));
        self.outside_members(template, record, arguments);
        self.frame = frame;
        self.around.pop();
        Some(ty)
    }

    /// Attaches the member functions that have been defined outside of the template so far.
    pub(in crate::analyze) fn outside_members(
        &mut self,
        template: usize,
        record: RecordId,
        arguments: &Rc<[TemplateArgument]>,
    ) {
        for (function, own, parameters) in self.templates[template].members.clone() {
            self.attach_member(record, &function, own.as_ref(), &parameters, arguments);
        }
        for (variable, parameters) in self.templates[template].statics.clone() {
            self.attach_static(record, &variable, &parameters, arguments);
        }
    }

    /// The definition of a class template's static member outside of the class.
    pub(in crate::analyze) fn outside_static(
        &mut self,
        parameters: &Rc<Vec<TemplateParameterSyntax>>,
        variable: &Rc<VariableSyntax>,
    ) {
        let parts = &variable.name.parts;
        let Some(class) = parts.len().checked_sub(2).and_then(|at| parts.get(at)) else { return };
        if parameters.is_empty() {
            if let Ok(Some(scope)) = self.qualifier_scope(&variable.name) {
                let made = self.within(scope, |this| this.module_variable(variable, false));
                self.explicit_statics.extend(made);
            }
            return;
        }
        let Some((Binding::Template(template), _)) = self.find(class.name) else { return };
        self.templates[template].statics.push((variable.clone(), parameters.clone()));
        let instances: Vec<_> = self.templates[template].instances.clone().into_iter().collect();
        for (arguments, binding) in instances {
            if let Binding::Type(ty) = binding
                && let Some(record) = self.types.record_of(ty)
            {
                self.attach_static(record, variable, parameters, &arguments);
            }
        }
    }

    /// Defines a static member of one instance of a class template.
    fn attach_static(
        &mut self,
        record: RecordId,
        variable: &Rc<VariableSyntax>,
        parameters: &[TemplateParameterSyntax],
        arguments: &[TemplateArgument],
    ) {
        let class = self.types.record(record).scope;
        let name = variable.name.last().name;
        let Some(declared @ Binding::Variable(number)) =
            self.scopes[class].names.get(&name).cloned()
        else {
            return;
        };
        if self.explicit_statics.contains(&number) {
            return;
        }
        let scope = self.add_scope(class);
        for (parameter, argument) in parameters.iter().zip(arguments) {
            self.bind_argument(scope, parameter, argument);
        }
        self.bind_in(scope, name, declared);
        let frame = self.frame.take();
        self.within(scope, |this| this.module_variable(variable, false));
        self.frame = frame;
    }

    /// Instantiates a variable template that is used as a value.
    pub(in crate::analyze) fn variable_instance(
        &mut self,
        template: usize,
        arguments: &Rc<[TemplateArgumentSyntax]>,
        span: Span,
    ) -> Option<Typed> {
        let arguments = self.template_arguments(arguments)?;
        let binding = self.instantiate_template(template, arguments, span)?;
        self.bound_value(binding, span)
    }
}
