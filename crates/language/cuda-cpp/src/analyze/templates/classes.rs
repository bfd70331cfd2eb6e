//! Deduction of the arguments of a class template from the values that initialize an object: `std::pair p(1, 2.0)`.

use super::super::scopes::Binding;
use super::{Analyzer, TemplateArgument, TemplateKind};
use crate::source::Span;
use crate::syntax::*;
use crate::typed::{FunctionNumber, Typed};
use crate::types::TypeId;
use std::rc::Rc;

impl Analyzer {
    /// The class template that a type names without arguments, if they must be deduced.
    fn open_template(&mut self, kind: &TypeSyntax) -> Option<usize> {
        let BaseType::Named(name) = &kind.base else { return None };
        if name.last().arguments.is_some() || !kind.derived.is_empty() {
            return None;
        }
        let found = self.trial(|this| this.resolve(name)).and_then(Result::ok).flatten();
        let Some(Binding::Template(template)) = found else { return None };
        let is_class = matches!(self.templates[template].kind, TemplateKind::Class(_));
        (is_class && self.current_instance(template).is_none()).then_some(template)
    }

    /// The type of a variable whose class template has no arguments.
    pub(in crate::analyze) fn deduced_variable(
        &mut self,
        syntax: &VariableSyntax,
    ) -> Option<TypeId> {
        let template = self.open_template(&syntax.kind)?;
        let list = match &syntax.initializer {
            Initializer::None => return None,
            Initializer::Direct(values) => values.clone(),
            Initializer::Copy(value) | Initializer::List(value) => match &value.kind {
                ExpressionKind::List(elements) => {
                    elements.iter().map(|element| element.value.clone()).collect()
                }
                _ => vec![value.clone()],
            },
        };
        let ty = self.deduced_class(template, &list, syntax.span)?;
        Some(self.types.with(ty, syntax.kind.is_const, false))
    }

    /// The type of `Template(values)` or `Template{values}`.
    pub(in crate::analyze) fn deduced_construction(
        &mut self,
        kind: &TypeSyntax,
        elements: &[ListElement],
    ) -> Option<TypeId> {
        let template = self.open_template(kind)?;
        let list: Vec<Expression> = elements.iter().map(|element| element.value.clone()).collect();
        self.deduced_class(template, &list, kind.span)
    }

    fn deduced_class(
        &mut self,
        template: usize,
        list: &[Expression],
        span: Span,
    ) -> Option<TypeId> {
        let outer = std::mem::replace(&mut self.keeps_closures, true);
        let values = self.trial(|this| this.arguments(list)).flatten();
        self.keeps_closures = outer;
        let values = values?;
        let values: Vec<Typed> =
            values.into_iter().map(|value| self.without_array(value)).collect();
        if let [only] = values.as_slice()
            && let Some(record) = self.types.record_of(only.ty)
            && self.record_templates.get(&record).is_some_and(|(of, _)| *of == template)
        {
            return Some(self.types.bare(only.ty));
        }
        let name = self.templates[template].name;
        if self.text(name) == "array" && !values.is_empty() {
            let element = TemplateArgument::Type(self.types.decay(values[0].ty));
            let count = TemplateArgument::Value(values.len() as u64, TypeId::UNSIGNED_LONG);
            return self.class_instance(template, vec![element, count], span);
        }
        if self.text(name) == "tuple" {
            let elements: Vec<TemplateArgument> = values
                .iter()
                .map(|value| TemplateArgument::Type(self.types.decay(value.ty)))
                .collect();
            return self.class_instance(template, elements, span);
        }
        if let Some(ty) = self.deduced_by_guide(template, &values, span) {
            return Some(ty);
        }
        for constructor in self.constructor_templates(template) {
            let count = self.templates[template].parameters.len();
            let signature = self.function(constructor).syntax.signature.clone();
            let least = signature.parameters.iter().filter(|p| p.default.is_none() && !p.pack);
            let open = signature.parameters.iter().any(|parameter| parameter.pack);
            let listed = self.listed_element(&signature, &values);
            let fits = values.len() >= least.count()
                && (open || values.len() <= signature.parameters.len());
            let found = if let Some(element) = listed {
                Some(vec![TemplateArgument::Type(element)])
            } else if fits {
                let deduced =
                    self.trial(|this| this.deduce_function(constructor, &[], &values, span));
                deduced.flatten().map(|(arguments, _)| arguments[..count].to_vec())
            } else {
                None
            };
            if let Some(arguments) = found
                && let Some(ty) = self.trial(|this| this.class_instance(template, arguments, span))
            {
                return ty;
            }
        }
        None
    }

    /// The type that a deduction guide gives, unless a constructor fits the values better.
    fn deduced_by_guide(
        &mut self,
        template: usize,
        values: &[Typed],
        span: Span,
    ) -> Option<TypeId> {
        let guides = self.templates[template].guides.clone();
        let known = self.choose_quietly(&guides, values, span)?;
        let constructors = self.constructor_templates(template);
        let all: Vec<FunctionNumber> = guides.iter().chain(&constructors).copied().collect();
        // Of two equally good candidates, the guide wins.
        let chosen = self.choose_quietly(&all, values, span).unwrap_or(known);
        let is_constructor =
            self.function(chosen).of_template.is_some_and(|of| constructors.contains(&of));
        if is_constructor {
            return None;
        }
        Some(self.signature(chosen)?.result)
    }

    /// The type of the values, if a constructor takes a list of them.
    fn listed_element(
        &mut self,
        signature: &FunctionTypeSyntax,
        values: &[Typed],
    ) -> Option<TypeId> {
        let [only] = signature.parameters.as_slice() else { return None };
        let BaseType::Named(name) = &only.kind.base else { return None };
        if self.text(name.last().name) != "initializer_list" {
            return None;
        }
        let first = self.types.decay(values.first()?.ty);
        values.iter().all(|value| self.types.decay(value.ty) == first).then_some(first)
    }

    fn without_array(&mut self, value: Typed) -> Typed {
        let is_array = matches!(self.types.kind(value.ty), crate::types::TypeKind::Array(..));
        if is_array { self.decayed(value) } else { value }
    }

    fn class_instance(
        &mut self,
        template: usize,
        arguments: Vec<TemplateArgument>,
        span: Span,
    ) -> Option<TypeId> {
        match self.instantiate_template(template, arguments, span)? {
            Binding::Type(ty) => Some(ty),
            _ => None,
        }
    }

    /// The constructors of a class template as function templates, whose first parameters are the class's.
    fn constructor_templates(&mut self, template: usize) -> Vec<FunctionNumber> {
        let (scope, parameters) =
            (self.templates[template].scope, self.templates[template].parameters.clone());
        let TemplateKind::Class(record) = self.templates[template].kind.clone() else {
            return Vec::new();
        };
        let name = self.templates[template].name;
        let mut list = Vec::new();
        for member in record.members.iter().flatten() {
            let (function, own) = match &member.kind {
                DeclarationKind::Function(function) => (function, None),
                DeclarationKind::Template(own, inner) => match &inner.kind {
                    DeclarationKind::Function(function) => (function, Some(own)),
                    _ => continue,
                },
                _ => continue,
            };
            if function.name.simple() != Some(name)
                || !matches!(function.result.base, BaseType::Absent)
            {
                continue;
            }
            let mut all = (*parameters).clone();
            all.extend(own.iter().flat_map(|own| own.iter().cloned()));
            list.push(self.add_function(function, scope, Some(Rc::new(all)), None));
        }
        list
    }
}
