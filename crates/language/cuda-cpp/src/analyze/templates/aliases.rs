//! Deduction through alias templates: the aliased type replaces the alias in a pattern.

use crate::lex::Name;
use crate::syntax::*;
use std::collections::HashMap;

/// The type that an alias template means, with the syntax of its arguments in place of its parameters. `None` if that
/// is not a type whose arguments can be deduced.
pub(super) fn expand_alias(
    alias: &TypeSyntax,
    parameters: &[TemplateParameterSyntax],
    arguments: &[TemplateArgumentSyntax],
) -> Option<TypeSyntax> {
    let mut bound: HashMap<Name, &[TemplateArgumentSyntax]> = HashMap::new();
    for (at, parameter) in parameters.iter().enumerate() {
        let rest = arguments.get(at..)?;
        let own = if parameter.pack { rest } else { rest.get(..1)? };
        bound.insert(parameter.name?, own);
    }
    substitute(alias, &bound)
}

fn substitute(
    kind: &TypeSyntax,
    bound: &HashMap<Name, &[TemplateArgumentSyntax]>,
) -> Option<TypeSyntax> {
    let BaseType::Named(name) = &kind.base else { return Some(kind.clone()) };
    if let Some([only]) = name.simple().and_then(|name| bound.get(&name)) {
        let TemplateArgumentKind::Type(argument) = &only.kind else { return None };
        let mut derived = argument.derived.clone();
        derived.extend(kind.derived.iter().cloned());
        let is_const = argument.is_const || kind.is_const;
        return Some(TypeSyntax { derived, is_const, ..argument.clone() });
    }
    // A member of a class that depends on the parameters cannot be deduced.
    if name.parts.iter().rev().skip(1).any(|part| part.arguments.is_some()) {
        return None;
    }
    let mut name = name.clone();
    let last = name.parts.last_mut()?;
    if let Some(list) = &last.arguments {
        let mut changed = Vec::new();
        for argument in list.iter() {
            let own = match &argument.kind {
                TemplateArgumentKind::Type(kind) if kind.derived.is_empty() => match &kind.base {
                    BaseType::Named(name) => name.simple(),
                    _ => None,
                },
                TemplateArgumentKind::Value(value) => match &value.kind {
                    ExpressionKind::Name(name) => name.simple(),
                    _ => None,
                },
                _ => None,
            };
            if let Some(given) = own.and_then(|name| bound.get(&name)) {
                changed.extend(given.iter().cloned());
                continue;
            }
            let kind = match &argument.kind {
                TemplateArgumentKind::Type(kind) => {
                    TemplateArgumentKind::Type(substitute(kind, bound)?)
                }
                value => value.clone(),
            };
            changed.push(TemplateArgumentSyntax { kind, ..argument.clone() });
        }
        last.arguments = Some(changed.into());
    }
    Some(TypeSyntax { base: BaseType::Named(name), ..kind.clone() })
}
