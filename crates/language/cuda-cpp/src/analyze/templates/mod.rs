//! Templates and their arguments: conversion to parameters, default arguments, the expansion of parameter packs, and the
//! names of instances.

mod aliases;
mod classes;
mod deduce;
mod deduction;
mod instantiate;

pub(super) use deduction::Deduction;

use super::Analyzer;
use super::scopes::Binding;
use crate::lex::Name;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::{FunctionNumber, TypedKind};
use crate::types::TypeId;
use std::collections::{HashMap, HashSet};
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
    /// A function.
    Function(FunctionNumber),
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
    /// Deduction guides of a class template.
    pub guides: Vec<FunctionNumber>,
    /// Static members of a class template, defined outside of it.
    pub statics: Vec<(Rc<VariableSyntax>, Rc<Vec<TemplateParameterSyntax>>)>,
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
                            self.error(
                                name.span,
                                "this parameter pack must be expanded with `...`",
                            );
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
        let function = match &typed.kind {
            TypedKind::AddressOf(inner) => &inner.kind,
            kind => kind,
        };
        if let TypedKind::Function(number) = function
            && self.member_type(typed.ty).is_none()
        {
            return Some(TemplateArgument::Function(*number));
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
            (TemplateParameterKind::Value(kind, _), TemplateArgument::Function(number)) => {
                self.fit_function(kind, number, bound, span)
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

    /// A function as the argument of a parameter, which must be a pointer or reference to such a function.
    pub(in crate::analyze) fn fit_function(
        &mut self,
        kind: &TypeSyntax,
        number: FunctionNumber,
        bound: usize,
        span: Span,
    ) -> Option<TemplateArgument> {
        let ty = self.within(bound, |this| this.type_of(kind));
        if !self.contains_auto(ty) {
            let function = self.function_object(number, span)?;
            self.convert(function, ty, span)?;
        }
        Some(TemplateArgument::Function(number))
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
            TemplateArgument::Function(number) => Binding::Functions(vec![*number]),
            TemplateArgument::Pack(list) => Binding::Pack(list.clone()),
        }
    }

    /// The name of an instance in messages.
    pub(super) fn instance_name(&self, name: Name, arguments: &[TemplateArgument]) -> String {
        let list: Vec<String> =
            arguments.iter().map(|argument| self.show_argument(argument)).collect();
        format!("{}<{}>", self.text(name), list.join(", "))
    }

    pub(super) fn show_argument(&self, argument: &TemplateArgument) -> String {
        match argument {
            TemplateArgument::Type(ty) => self.types.display(*ty),
            TemplateArgument::Value(bits, ty) if *ty == TypeId::BOOL => (*bits != 0).to_string(),
            TemplateArgument::Value(bits, ty) if self.types.is_signed(*ty) => {
                (*bits as i64).to_string()
            }
            TemplateArgument::Value(bits, _) => bits.to_string(),
            TemplateArgument::Function(number) => self.function(*number).display.clone(),
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
}

impl Analyzer {
    /// The packs among these names, with their elements.
    fn packs_among(&self, names: &HashSet<Name>) -> Vec<(Name, Vec<Binding>)> {
        let mut packs = Vec::new();
        for &name in names {
            match self.find_pack(name) {
                Some(Binding::Pack(list)) => {
                    packs.push((name, list.iter().map(Self::binding_of).collect()));
                }
                Some(Binding::LocalPack(list)) => packs.push((name, list.to_vec())),
                _ => {}
            }
        }
        packs
    }

    /// The meaning of a name outside of the expansions that are under way: `f(g(t..., t)...)` expands `t` within its own expansion.
    fn find_pack(&self, name: Name) -> Option<&Binding> {
        let mut scope = Some(self.scope);
        while let Some(at) = scope {
            let here = &self.scopes[at];
            match here.names.get(&name) {
                Some(binding) if !here.is_expansion => return Some(binding),
                _ => scope = here.parent,
            }
        }
        None
    }

    /// Runs `f` once for each element of the packs among `names`.
    fn expand<T>(
        &mut self,
        names: &HashSet<Name>,
        span: Span,
        mut f: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        let packs = self.packs_among(names);
        let Some(length) = packs.iter().map(|(_, list)| list.len()).max() else {
            self.error(span, "`...` expands no parameter pack");
            return Vec::new();
        };
        if packs.iter().any(|(_, list)| list.len() != length) {
            self.error(span, "the packs expanded together differ in length");
            return Vec::new();
        }
        let mut results = Vec::new();
        for at in 0..length {
            let scope = self.add_scope(self.scope);
            self.scopes[scope].is_expansion = true;
            for (name, list) in &packs {
                self.scopes[scope].names.insert(*name, list[at].clone());
            }
            results.push(self.within(scope, &mut f));
        }
        results
    }

    fn expand_argument(
        &mut self,
        syntax: &TemplateArgumentSyntax,
    ) -> Option<Vec<TemplateArgument>> {
        let mut names = HashSet::new();
        match &syntax.kind {
            TemplateArgumentKind::Type(kind) => visit::type_names_to_expand(kind, &mut |name| {
                names.insert(name);
            }),
            TemplateArgumentKind::Value(value) => visit::names_to_expand(value, &mut |name| {
                names.insert(name);
            }),
        }
        self.expand(&names, syntax.span, |this| this.template_argument(syntax))
            .into_iter()
            .collect()
    }

    /// The types that a pattern with packs expands to.
    pub(in crate::analyze) fn expand_type(&mut self, kind: &TypeSyntax, span: Span) -> Vec<TypeId> {
        let mut names = HashSet::new();
        visit::type_names_to_expand(kind, &mut |name| {
            names.insert(name);
        });
        self.expand(&names, span, |this| {
            let ty = this.type_of(kind);
            this.parameter_type(ty)
        })
    }

    /// Runs `f` for each element of the packs that a pattern contains.
    pub(in crate::analyze) fn expand_pattern<T>(
        &mut self,
        pattern: &Expression,
        f: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        let mut names = HashSet::new();
        visit::names_to_expand(pattern, &mut |name| {
            names.insert(name);
        });
        self.expand(&names, pattern.span, f)
    }

    /// Runs `f` for each element of the packs in a name: `Bases::f...`.
    pub(in crate::analyze) fn expand_name(
        &mut self,
        name: &QualifiedName,
        f: impl FnMut(&mut Self),
    ) {
        let mut names: HashSet<Name> = name.parts.iter().map(|part| part.name).collect();
        let value = Expression { kind: ExpressionKind::Name(name.clone()), span: name.span };
        visit::names_to_expand(&value, &mut |name| {
            names.insert(name);
        });
        self.expand(&names, name.span, f);
    }

    /// The number of elements of a pack.
    pub(in crate::analyze) fn pack_length(&self, name: Name) -> Option<usize> {
        match self.find_pack(name)? {
            Binding::Pack(list) => Some(list.len()),
            Binding::LocalPack(list) => Some(list.len()),
            _ => None,
        }
    }
}
