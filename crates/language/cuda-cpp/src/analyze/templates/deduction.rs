//! The template arguments deduced so far, and the elements of packs.

use super::TemplateArgument;
use crate::lex::Name;
use crate::syntax::*;
use std::collections::HashMap;

/// The arguments deduced so far.
pub(in crate::analyze) struct Deduction<'a> {
    pub parameters: &'a [TemplateParameterSyntax],
    pub found: HashMap<Name, TemplateArgument>,
    packs: HashMap<Name, PackDeduction>,
    /// How specific the patterns are.
    pub weight: usize,
}

/// The elements of a pack deduced so far.
#[derive(Default)]
struct PackDeduction {
    list: Vec<TemplateArgument>,
    /// The element that the next argument must equal, if an earlier pattern has deduced the whole pack.
    next: Option<usize>,
}

impl<'a> Deduction<'a> {
    pub fn new(parameters: &'a [TemplateParameterSyntax]) -> Deduction<'a> {
        Deduction { parameters, found: HashMap::new(), packs: HashMap::new(), weight: 0 }
    }

    pub fn parameter(&self, name: &QualifiedName) -> Option<&'a TemplateParameterSyntax> {
        let simple = name.simple()?;
        self.parameters.iter().find(|parameter| parameter.name == Some(simple))
    }

    pub fn set(&mut self, name: Name, argument: TemplateArgument) -> bool {
        if let Some(pack) = self.packs.get_mut(&name) {
            let Some(next) = &mut pack.next else {
                pack.list.push(argument);
                return true;
            };
            *next += 1;
            return pack.list.get(*next - 1) == Some(&argument);
        }
        match self.found.get(&name) {
            // The size of an array and an `int` parameter may have different types: compare only
            // their values.
            Some(TemplateArgument::Value(old, _)) => {
                matches!(argument, TemplateArgument::Value(new, _) if new == *old)
            }
            Some(old) => *old == argument,
            None => {
                self.found.insert(name, argument);
                true
            }
        }
    }

    /// Lets a pack take one argument after the other, or compare them if it is deduced already.
    pub fn open(&mut self, name: Name) {
        let again = self.packs.contains_key(&name);
        self.packs.entry(name).or_default().next = again.then_some(0);
    }

    /// Whether every pack that was compared has had as many arguments as elements.
    pub fn packs_end(&self) -> bool {
        self.packs.values().all(|pack| pack.next.is_none_or(|next| next == pack.list.len()))
    }

    /// The arguments in order; `None` for those not deduced yet.
    pub fn arguments(&self) -> Vec<Option<TemplateArgument>> {
        let argument = |parameter: &TemplateParameterSyntax| {
            let name = parameter.name?;
            match self.packs.get(&name) {
                Some(pack) => Some(TemplateArgument::Pack(pack.list.clone().into())),
                None => self.found.get(&name).cloned(),
            }
        };
        self.parameters.iter().map(argument).collect()
    }
}
