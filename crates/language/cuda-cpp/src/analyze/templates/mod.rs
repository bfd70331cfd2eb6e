//! Templates: arguments, and instances of classes, aliases and variables.

mod deduce;
mod packs;

pub(super) use deduce::Deduction;

use super::Analyzer;
use super::scopes::Binding;
use crate::lex::Name;
use crate::source::Span;
use crate::source::diagnostics::SourceProblem;
use crate::syntax::*;
use crate::typed::Typed;
use crate::types::{RecordId, TypeId};
use std::collections::HashMap;
use std::rc::Rc;

/// A template argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TemplateArgument {
    /// A type.
    Type(TypeId),
    /// A constant of a type.
    Value(u64, TypeId),
    /// A template, by number.
    Template(usize),
    /// The arguments of a pack.
    Pack(Rc<[TemplateArgument]>),
}

/// Kind of a template.
#[derive(Clone, Debug)]
pub(super) enum TemplateKind {
    Class(Rc<RecordSyntax>),
    Alias(Rc<TypeSyntax>),
    Variable(Rc<VariableSyntax>),
}

/// A member function of a class template, defined outside of it: its own template parameters, if any.
type OutsideMember = (
    Rc<FunctionSyntax>,
    Option<Rc<Vec<TemplateParameterSyntax>>>,
    Rc<Vec<TemplateParameterSyntax>>,
);

/// A class, alias or variable template.
pub(super) struct TemplateRecord {
    pub name: Name,
    pub parameters: Rc<Vec<TemplateParameterSyntax>>,
    /// The scope that declares it.
    pub scope: usize,
    pub kind: TemplateKind,
    /// Specializations of a class template, including partial ones.
    pub partial: Vec<(Rc<Vec<TemplateParameterSyntax>>, Rc<RecordSyntax>)>,
    pub members: Vec<OutsideMember>,
    /// Specializations of a variable template.
    pub variables: Vec<(Rc<Vec<TemplateParameterSyntax>>, Rc<VariableSyntax>)>,
    pub instances: HashMap<Rc<[TemplateArgument]>, Binding>,
}

impl Analyzer {
    /// Evaluates template arguments from their syntax. Packs are expanded.
    pub(super) fn template_arguments(
        &mut self,
        list: &[TemplateArgumentSyntax],
    ) -> Option<Vec<TemplateArgument>> {
        let mut arguments = Vec::new();
        for syntax in list {
            if syntax.expands {
                arguments.extend(self.expand_argument(syntax)?);
            } else {
                arguments.push(self.template_argument(syntax)?);
            }
        }
        Some(arguments)
    }

    pub(super) fn template_argument(
        &mut self,
        syntax: &TemplateArgumentSyntax,
    ) -> Option<TemplateArgument> {
        match &syntax.kind {
            TemplateArgumentKind::Type(kind) => {
                // The name of a template, or a constant that was parsed as a type.
                if let (BaseType::Named(name), true) = (&kind.base, kind.derived.is_empty())
                    && name.last().arguments.is_none()
                    && let Ok(Some(binding)) = self.resolve(name)
                {
                    match binding {
                        Binding::Template(number) if self.current_instance(number).is_none() => {
                            return Some(TemplateArgument::Template(number));
                        }
                        Binding::Type(_) | Binding::Template(_) => {}
                        Binding::Pack(_) => {
                            self.error(name.span, "this pack must be expanded by `...`");
                            return None;
                        }
                        _ => {
                            let value = Expression {
                                kind: ExpressionKind::Name(name.clone()),
                                span: name.span,
                            };
                            return self.value_argument(&value);
                        }
                    }
                }
                let ty = self.type_of(kind);
                (ty != TypeId::ERROR).then_some(TemplateArgument::Type(ty))
            }
            TemplateArgumentKind::Value(value) => self.value_argument(value),
        }
    }

    fn value_argument(&mut self, value: &Expression) -> Option<TemplateArgument> {
        let typed = self.expression(value);
        if typed.ty == TypeId::ERROR {
            return None;
        }
        let typed = self.rvalue(typed);
        let ty = typed.ty;
        let Some(bits) = self.constant_value(&typed) else {
            let problem =
                SourceProblem::error(value.span, "a template argument must be a constant");
            self.report(problem.label("not known at compile time"));
            return None;
        };
        let ty = self.types.bare(ty);
        Some(TemplateArgument::Value(bits, ty))
    }

    /// Completes explicit arguments with defaults, and converts constants to the parameters' types.
    pub(super) fn complete_arguments(
        &mut self,
        parameters: &[TemplateParameterSyntax],
        given: Vec<TemplateArgument>,
        scope: usize,
        span: Span,
        name: Name,
    ) -> Option<(Rc<[TemplateArgument]>, usize)> {
        let bound = self.add_scope(scope);
        let mut given = given.into_iter();
        let mut arguments: Vec<TemplateArgument> = Vec::new();
        for parameter in parameters {
            let argument = if parameter.pack {
                let rest: Vec<TemplateArgument> = given.by_ref().collect();
                // A whole pack from deduction.
                match rest.as_slice() {
                    [TemplateArgument::Pack(list)] => TemplateArgument::Pack(list.clone()),
                    _ => TemplateArgument::Pack(rest.into()),
                }
            } else if let Some(argument) = given.next() {
                self.fit_argument(parameter, argument, bound, span)?
            } else {
                match self.default_argument(parameter, bound) {
                    Some(argument) => argument?,
                    None => {
                        let text = self.text(name).to_owned();
                        let missing =
                            parameter.name.map_or(String::new(), |name| self.text(name).to_owned());
                        let message =
                            format!("template `{text}` needs an argument for `{missing}`");
                        let problem = SourceProblem::error(span, message);
                        self.report(problem.note(parameter.span, "the parameter is declared here"));
                        return None;
                    }
                }
            };
            self.bind_argument(bound, parameter, &argument);
            arguments.push(argument);
        }
        if given.next().is_some() {
            let text = self.text(name).to_owned();
            let count = parameters.len();
            self.error(span, format!("template `{text}` takes at most {count} arguments"));
            return None;
        }
        Some((arguments.into(), bound))
    }

    fn fit_argument(
        &mut self,
        parameter: &TemplateParameterSyntax,
        argument: TemplateArgument,
        bound: usize,
        span: Span,
    ) -> Option<TemplateArgument> {
        match (&parameter.kind, argument) {
            (TemplateParameterKind::Value(kind, _), TemplateArgument::Value(bits, from)) => {
                let ty = self.within(bound, |this| this.type_of(kind));
                let ty = self.types.bare(ty);
                if ty == TypeId::AUTO || ty == from || ty == TypeId::ERROR {
                    return Some(TemplateArgument::Value(bits, from));
                }
                let constant = self.constant(bits, from, span);
                let converted = self.convert(constant, ty, span)?;
                let bits = self.constant_value(&converted)?;
                Some(TemplateArgument::Value(bits, ty))
            }
            (TemplateParameterKind::Type(_), argument @ TemplateArgument::Type(_)) => {
                Some(argument)
            }
            (TemplateParameterKind::Template(_), argument @ TemplateArgument::Template(_)) => {
                Some(argument)
            }
            (kind, _) => {
                let wanted = match kind {
                    TemplateParameterKind::Type(_) => "a type",
                    TemplateParameterKind::Value(..) => "a constant",
                    TemplateParameterKind::Template(_) => "a template",
                };
                let problem =
                    SourceProblem::error(span, format!("this template argument must be {wanted}"));
                self.report(problem.note(parameter.span, "the parameter is declared here"));
                None
            }
        }
    }

    /// The default argument of a parameter: `None` without one, `Some(None)` if it is invalid.
    pub(super) fn default_argument(
        &mut self,
        parameter: &TemplateParameterSyntax,
        bound: usize,
    ) -> Option<Option<TemplateArgument>> {
        match &parameter.kind {
            TemplateParameterKind::Type(Some(kind)) => {
                let ty = self.within(bound, |this| this.type_of(kind));
                Some((ty != TypeId::ERROR).then_some(TemplateArgument::Type(ty)))
            }
            TemplateParameterKind::Value(_, Some(value)) => {
                let argument = self.within(bound, |this| this.value_argument(value));
                let span = value.span;
                Some(
                    argument
                        .and_then(|argument| self.fit_argument(parameter, argument, bound, span)),
                )
            }
            TemplateParameterKind::Template(Some(kind)) => {
                let BaseType::Named(name) = &kind.base else { return Some(None) };
                match self.within(bound, |this| this.resolve(name)) {
                    Ok(Some(Binding::Template(number))) => {
                        Some(Some(TemplateArgument::Template(number)))
                    }
                    _ => Some(None),
                }
            }
            _ => None,
        }
    }

    pub(super) fn bind_argument(
        &mut self,
        scope: usize,
        parameter: &TemplateParameterSyntax,
        argument: &TemplateArgument,
    ) {
        let Some(name) = parameter.name else { return };
        let binding = Self::binding_of(argument);
        self.scopes[scope].names.insert(name, binding);
    }

    pub(super) fn binding_of(argument: &TemplateArgument) -> Binding {
        match argument {
            TemplateArgument::Type(ty) => Binding::Type(*ty),
            TemplateArgument::Value(bits, ty) => Binding::Constant(*bits, *ty),
            TemplateArgument::Template(number) => Binding::Template(*number),
            TemplateArgument::Pack(list) => Binding::Pack(list.clone()),
        }
    }

    /// The instance of a class template that contains the current scope (its injected name).
    pub(super) fn current_instance(&mut self, template: usize) -> Option<TypeId> {
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
    pub(super) fn instantiate_class_syntax(
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
    pub(super) fn instantiate_template(
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

    fn instantiate_variable(
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
        self.find_in(chosen.1, variable.name.last().name, 0)
    }

    fn instantiate_class(
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
    fn outside_members(
        &mut self,
        template: usize,
        record: RecordId,
        arguments: &Rc<[TemplateArgument]>,
    ) {
        for (function, own, parameters) in self.templates[template].members.clone() {
            self.attach_member(record, &function, own.as_ref(), &parameters, arguments);
        }
    }

    /// The name of an instance in messages.
    pub(super) fn instance_name(&self, name: Name, arguments: &[TemplateArgument]) -> String {
        let list: Vec<String> =
            arguments.iter().map(|argument| self.show_argument(argument)).collect();
        format!("{}<{}>", self.text(name), list.join(", "))
    }

    fn show_argument(&self, argument: &TemplateArgument) -> String {
        match argument {
            TemplateArgument::Type(ty) => self.types.display(*ty),
            TemplateArgument::Value(bits, ty) if *ty == TypeId::BOOL => (*bits != 0).to_string(),
            TemplateArgument::Value(bits, ty) if self.types.is_signed(*ty) => {
                (*bits as i64).to_string()
            }
            TemplateArgument::Value(bits, _) => bits.to_string(),
            TemplateArgument::Template(number) => {
                self.text(self.templates[*number].name).to_owned()
            }
            TemplateArgument::Pack(list) => {
                let list: Vec<String> =
                    list.iter().map(|argument| self.show_argument(argument)).collect();
                list.join(", ")
            }
        }
    }

    /// Instantiates a variable template that is used as a value.
    pub(super) fn variable_instance(
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
