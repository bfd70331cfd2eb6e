//! Deduction of template arguments: matches type patterns with types.

use super::super::scopes::Binding;
use super::aliases::expand_alias;
use super::{Analyzer, Deduction, TemplateArgument};
use crate::parse::Parser;
use crate::syntax::*;
use crate::typed::Typed;
use crate::types::{TypeId, TypeKind};
use std::rc::Rc;

impl Analyzer {
    /// Matches the first `count` derivations of a type pattern with a type.
    pub(in crate::analyze) fn deduce_type(
        &mut self,
        pattern: &TypeSyntax,
        count: usize,
        ty: TypeId,
        deduction: &mut Deduction,
        scope: usize,
    ) -> bool {
        let Some(step) = count.checked_sub(1).and_then(|at| pattern.derived.get(at)) else {
            return self.deduce_base(pattern, ty, deduction, scope);
        };
        deduction.weight += 2;
        match (step, self.types.kind(ty).clone()) {
            (Derivation::Pointer { .. }, TypeKind::Pointer(to))
            | (Derivation::Reference, TypeKind::Reference(to))
            | (Derivation::RvalueReference, TypeKind::RvalueReference(to)) => {
                self.deduce_type(pattern, count - 1, to, deduction, scope)
            }
            (
                Derivation::MemberPointer { class, .. },
                TypeKind::MemberPointer(of, member, is_const),
            ) => {
                let inner = count.checked_sub(2).and_then(|at| pattern.derived.get(at));
                if let Some(Derivation::Function(signature)) = inner
                    && signature.is_const != is_const
                {
                    return false;
                }
                let class = TypeSyntax {
                    base: BaseType::Named(class.clone()),
                    is_const: false,
                    is_volatile: false,
                    derived: Vec::new(),
                    span: class.span,
                };
                self.deduce_type(&class, 0, of, deduction, scope)
                    && self.deduce_type(pattern, count - 1, member, deduction, scope)
            }
            (Derivation::Array(size), TypeKind::Array(element, length)) => {
                if let (Some(size), Some(length)) = (size, length)
                    && let ExpressionKind::Name(name) = &size.kind
                    && let Some(parameter) = deduction.parameter(name)
                    && let Some(name) = parameter.name
                    && !deduction.set(name, TemplateArgument::Value(length, TypeId::INT))
                {
                    return false;
                }
                self.deduce_type(pattern, count - 1, element, deduction, scope)
            }
            (Derivation::Function(signature), TypeKind::Function(function)) => {
                for (parameter, &ty) in signature.parameters.iter().zip(&function.parameters) {
                    if parameter.pack {
                        break;
                    }
                    let count = parameter.kind.derived.len();
                    if !self.deduce_type(&parameter.kind, count, ty, deduction, scope) {
                        return false;
                    }
                }
                if let [.., last] = signature.parameters.as_slice()
                    && last.pack
                {
                    let skipped = signature.parameters.len() - 1;
                    self.open_packs(&last.kind, deduction);
                    for &ty in function.parameters.iter().skip(skipped) {
                        let count = last.kind.derived.len();
                        if !self.deduce_type(&last.kind, count, ty, deduction, scope) {
                            return false;
                        }
                    }
                    if !deduction.packs_end() {
                        return false;
                    }
                } else if signature.parameters.len() != function.parameters.len() {
                    return false;
                }
                self.deduce_type(pattern, count - 1, function.result, deduction, scope)
            }
            _ => false,
        }
    }

    /// Prepares the packs in a pattern to take one argument after the other.
    pub(in crate::analyze) fn open_packs(
        &mut self,
        pattern: &TypeSyntax,
        deduction: &mut Deduction,
    ) {
        let mut names = Vec::new();
        visit::names_in_type(pattern, &mut |name| names.push(name));
        for parameter in deduction.parameters.iter().filter(|parameter| parameter.pack) {
            if let Some(name) = parameter.name.filter(|name| names.contains(name)) {
                deduction.open(name);
            }
        }
    }

    fn deduce_base(
        &mut self,
        pattern: &TypeSyntax,
        ty: TypeId,
        deduction: &mut Deduction,
        scope: usize,
    ) -> bool {
        let BaseType::Named(name) = &pattern.base else {
            if matches!(pattern.base, BaseType::Auto) {
                return true;
            }
            let wanted = self.within(scope, |this| {
                this.type_of(&TypeSyntax { derived: Vec::new(), ..pattern.clone() })
            });
            let (wanted, ty) = (self.types.bare(wanted), self.types.bare(ty));
            deduction.weight += 2;
            return wanted == ty;
        };
        if let Some(parameter) = deduction.parameter(name) {
            let Some(name) = parameter.name else { return true };
            let is_const = self.types.is_const(ty);
            // `const T` removes the qualifier from the type.
            let bound = if pattern.is_const || pattern.is_volatile {
                deduction.weight += 1;
                self.types.bare(ty)
            } else {
                ty
            };
            let _ = is_const;
            return deduction.set(name, TemplateArgument::Type(bound));
        }
        let Some(arguments) = name.last().arguments.clone() else {
            if name.parts.len() > 1 {
                return true;
            }
            // It is not a parameter: compare it as a type.
            let Some(Binding::Type(wanted)) =
                self.within(scope, |this| this.find(name.last().name)).map(|f| f.0)
            else {
                return true;
            };
            deduction.weight += 2;
            let (wanted, ty) = (self.types.bare(wanted), self.types.bare(ty));
            return wanted == ty;
        };
        let uses_parameter = {
            let mut used = false;
            visit::names_in_type(pattern, &mut |name| {
                used |= deduction.parameters.iter().any(|parameter| parameter.name == Some(name));
            });
            used
        };
        if !uses_parameter {
            return true;
        }
        if name.parts.len() > 1
            || deduction.parameter(&Parser::plain(name.last().name, name.span)).is_none()
        {
            let template = self.within(scope, |this| this.trial(|this| this.resolve(name)));
            if let Some(Ok(Some(Binding::Template(number)))) = template
                && let super::TemplateKind::Alias(alias) = self.templates[number].kind.clone()
            {
                let parameters = self.templates[number].parameters.clone();
                let Some(expanded) = expand_alias(&alias, &parameters, &arguments) else {
                    return true;
                };
                let scope = self.templates[number].scope;
                let count = expanded.derived.len();
                return self.deduce_type(&expanded, count, ty, deduction, scope);
            }
        }
        // A template template parameter, or a class template.
        let template_parameter = {
            let plain = QualifiedName {
                parts: vec![NamePart { arguments: None, ..name.last().clone() }],
                ..name.clone()
            };
            if name.parts.len() == 1 { deduction.parameter(&plain) } else { None }
        };
        let Some(mut record) = self.types.record_of(ty) else {
            // An alias template may expand to any type, so it is not deduced.
            return template_parameter.is_none() && self.is_alias(name, scope);
        };
        let wanted = match template_parameter {
            Some(_) => None,
            None => match self
                .within(scope, |this| this.resolve(name))
                .map(|found| found.map(|found| self.with_arguments(found, name.last())))
            {
                Ok(Some(Binding::Template(number))) => {
                    if matches!(self.templates[number].kind, super::TemplateKind::Alias(_)) {
                        return true;
                    }
                    Some(number)
                }
                _ => return false,
            },
        };
        // Try the class itself, then its bases, until one is an instance.
        for _ in 0..16 {
            if let Some((number, given)) = self.record_templates.get(&record).cloned()
                && wanted.is_none_or(|wanted| wanted == number)
            {
                if let Some(parameter) = template_parameter
                    && let Some(name) = parameter.name
                    && !deduction.set(name, TemplateArgument::Template(number))
                {
                    return false;
                }
                deduction.weight += 2;
                // The pattern may leave out arguments that have defaults.
                let parameters = self.templates[number].parameters.clone();
                let optional = |parameter: &TemplateParameterSyntax| {
                    use TemplateParameterKind as K;
                    matches!(
                        parameter.kind,
                        K::Type(Some(_)) | K::Value(_, Some(_)) | K::Template(Some(_))
                    )
                };
                let shown = arguments.len();
                let rest = parameters.get(shown..).unwrap_or_default();
                let shorter = !arguments.iter().any(|argument| argument.expands)
                    && !rest.is_empty()
                    && rest.iter().all(optional);
                let given = if shorter { given.get(..shown).unwrap_or_default() } else { &given };
                return self.deduce_arguments(&arguments, given, deduction, scope);
            }
            let base = self
                .types
                .record(record)
                .bases
                .first()
                .and_then(|(base, _)| self.types.record_of(*base));
            match base {
                Some(base) => record = base,
                None => return false,
            }
        }
        false
    }

    fn is_alias(&mut self, name: &QualifiedName, scope: usize) -> bool {
        matches!(
            self.within(scope, |this| this.resolve(name)),
            Ok(Some(Binding::Template(number)))
                if matches!(self.templates[number].kind, super::TemplateKind::Alias(_))
        )
    }

    /// Matches a list of argument patterns with arguments.
    pub(in crate::analyze) fn deduce_arguments(
        &mut self,
        patterns: &[TemplateArgumentSyntax],
        given: &[TemplateArgument],
        deduction: &mut Deduction,
        scope: usize,
    ) -> bool {
        // In patterns, the elements of packs are listed individually.
        let flat: Vec<TemplateArgument> = given
            .iter()
            .flat_map(|argument| match argument {
                TemplateArgument::Pack(list) => list.to_vec(),
                other => vec![other.clone()],
            })
            .collect();
        let mut rest = flat.iter();
        for pattern in patterns {
            if pattern.expands {
                match &pattern.kind {
                    TemplateArgumentKind::Type(kind) => self.open_packs(kind, deduction),
                    TemplateArgumentKind::Value(value) => {
                        if let ExpressionKind::Name(name) = &value.kind
                            && let Some(name) =
                                deduction.parameter(name).and_then(|parameter| parameter.name)
                        {
                            deduction.open(name);
                        }
                    }
                }
                for argument in rest.by_ref() {
                    if !self.deduce_argument(pattern, argument, deduction, scope) {
                        return false;
                    }
                }
                return deduction.packs_end();
            }
            let Some(argument) = rest.next() else { return false };
            if !self.deduce_argument(pattern, argument, deduction, scope) {
                return false;
            }
        }
        rest.next().is_none()
    }

    fn deduce_argument(
        &mut self,
        pattern: &TemplateArgumentSyntax,
        argument: &TemplateArgument,
        deduction: &mut Deduction,
        scope: usize,
    ) -> bool {
        let named = match &pattern.kind {
            TemplateArgumentKind::Type(kind) if kind.derived.is_empty() => match &kind.base {
                BaseType::Named(name) => deduction.parameter(name),
                _ => None,
            },
            TemplateArgumentKind::Value(value) => match &value.kind {
                ExpressionKind::Name(name) => deduction.parameter(name),
                _ => None,
            },
            _ => None,
        };
        let qualified = matches!(&pattern.kind, TemplateArgumentKind::Type(kind) if kind.is_const || kind.is_volatile);
        if let Some(name) = named.and_then(|parameter| parameter.name)
            && !qualified
        {
            return deduction.set(name, argument.clone());
        }
        match (&pattern.kind, argument) {
            (TemplateArgumentKind::Type(kind), TemplateArgument::Type(ty)) => {
                if qualified
                    && !self.types.is_const(*ty)
                    && kind.is_const
                    && kind.derived.is_empty()
                {
                    return false;
                }
                self.deduce_type(kind, kind.derived.len(), *ty, deduction, scope)
            }
            (_, argument) => {
                // A constant or template that is not a parameter: evaluate and compare.
                let scope_of = scope;
                let own = self
                    .trial(|this| this.within(scope_of, |this| this.template_argument(pattern)))
                    .flatten();
                deduction.weight += 2;
                match (own, argument) {
                    (Some(TemplateArgument::Value(a, _)), TemplateArgument::Value(b, _)) => a == *b,
                    (Some(own), argument) => own == *argument,
                    (None, _) => false,
                }
            }
        }
    }

    /// If a specialization matches: its weight, and the scope that binds its parameters.
    pub(super) fn match_specialization(
        &mut self,
        parameters: &Rc<Vec<TemplateParameterSyntax>>,
        patterns: &[TemplateArgumentSyntax],
        arguments: &[TemplateArgument],
        scope: usize,
    ) -> Option<(usize, usize)> {
        let mut deduction = Deduction::new(parameters);
        if !self.deduce_arguments(patterns, arguments, &mut deduction, scope) {
            return None;
        }
        let bound = self.add_scope(scope);
        for (parameter, argument) in parameters.iter().zip(deduction.arguments()) {
            let argument = match argument {
                Some(argument) => argument,
                None if parameter.pack => TemplateArgument::Pack(Rc::from([])),
                None => self.default_argument(parameter, bound)??,
            };
            self.bind_argument(bound, parameter, &argument);
        }
        // For `enable_if` and repeated parameters: substituting in the patterns must give the same arguments.
        let again = self
            .trial(|this| this.within(bound, |this| this.template_arguments(patterns)))
            .flatten()?;
        let flat = |list: &[TemplateArgument]| -> Vec<TemplateArgument> {
            list.iter()
                .flat_map(|argument| match argument {
                    TemplateArgument::Pack(list) => list.to_vec(),
                    other => vec![other.clone()],
                })
                .collect()
        };
        let same = |a: &TemplateArgument, b: &TemplateArgument| match (a, b) {
            (TemplateArgument::Value(a, _), TemplateArgument::Value(b, _)) => a == b,
            _ => a == b,
        };
        let (again, wanted) = (flat(&again), flat(arguments));
        let equal =
            again.len() == wanted.len() && again.iter().zip(&wanted).all(|(a, b)| same(a, b));
        let weight = deduction.weight + 1 + usize::from(parameters.is_empty()) * 1000;
        equal.then_some((weight, bound))
    }

    /// Deduces from one argument of a call.
    pub(in crate::analyze) fn deduce_call(
        &mut self,
        parameter: &ParameterSyntax,
        argument: &Typed,
        deduction: &mut Deduction,
        scope: usize,
    ) -> bool {
        let pattern = &parameter.kind;
        let mut uses = false;
        visit::names_in_type(pattern, &mut |name| {
            uses |= deduction.parameters.iter().any(|parameter| parameter.name == Some(name));
        });
        if !uses {
            return true;
        }
        let count = pattern.derived.len();
        if argument.ty == TypeId::ERROR {
            return true;
        }
        let last = pattern.derived.last();
        match last {
            Some(Derivation::Reference) => {
                deduction.weight += 1;
                self.deduce_type(pattern, count - 1, argument.ty, deduction, scope)
            }
            Some(Derivation::RvalueReference) => {
                let forwards = count == 1
                    && !pattern.is_const
                    && matches!(&pattern.base, BaseType::Named(name) if deduction.parameter(name).is_some());
                let ty = if forwards && argument.lvalue && !argument.expiring {
                    self.types.reference(argument.ty)
                } else {
                    argument.ty
                };
                self.deduce_type(pattern, count - 1, ty, deduction, scope)
            }
            Some(Derivation::Array(_)) => {
                let decayed = self.types.decay(argument.ty);
                match self.types.pointee(decayed) {
                    Some(element) => {
                        self.deduce_type(pattern, count - 1, element, deduction, scope)
                    }
                    None => false,
                }
            }
            _ => {
                let ty = self.types.decay(argument.ty);
                self.deduce_type(pattern, count, ty, deduction, scope)
            }
        }
    }
}
