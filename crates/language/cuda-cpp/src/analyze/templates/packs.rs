//! Expansion of parameter packs.

use super::super::scopes::Binding;
use super::{Analyzer, TemplateArgument};
use crate::lex::Name;
use crate::source::Span;
use crate::syntax::*;
use crate::types::TypeId;
use std::collections::HashSet;

impl Analyzer {
    /// The packs among these names, with their elements.
    fn packs_among(&self, names: &HashSet<Name>) -> Vec<(Name, Vec<Binding>)> {
        let mut packs = Vec::new();
        for &name in names {
            match self.find(name) {
                Some((Binding::Pack(list), _)) => {
                    packs.push((name, list.iter().map(Self::binding_of).collect()));
                }
                Some((Binding::LocalPack(list), _)) => packs.push((name, list.to_vec())),
                _ => {}
            }
        }
        packs
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
            for (name, list) in &packs {
                self.scopes[scope].names.insert(*name, list[at].clone());
            }
            results.push(self.within(scope, &mut f));
        }
        results
    }

    pub(super) fn expand_argument(
        &mut self,
        syntax: &TemplateArgumentSyntax,
    ) -> Option<Vec<TemplateArgument>> {
        let mut names = HashSet::new();
        match &syntax.kind {
            TemplateArgumentKind::Type(kind) => visit::names_in_type(kind, &mut |name| {
                names.insert(name);
            }),
            TemplateArgumentKind::Value(value) => visit::names_in(value, &mut |name| {
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
        visit::names_in_type(kind, &mut |name| {
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
        visit::names_in(pattern, &mut |name| {
            names.insert(name);
        });
        self.expand(&names, pattern.span, f)
    }

    /// The number of elements of a pack.
    pub(in crate::analyze) fn pack_length(&self, name: Name) -> Option<usize> {
        match self.find(name)?.0 {
            Binding::Pack(list) => Some(list.len()),
            Binding::LocalPack(list) => Some(list.len()),
            _ => None,
        }
    }
}
