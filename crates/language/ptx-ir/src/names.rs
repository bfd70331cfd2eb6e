//! Where a module declares its functions and variables, by their names: found once for all its entries.

use crate::kernel::MemorySpace;
use lanework_ptx::{Function, Item, Module, StateSpace, Variable};
use std::collections::HashMap;

/// The global and constant variables of a module by their names, with their addresses.
pub type Addresses = HashMap<String, (MemorySpace, u64)>;

/// The places of a module's functions and variables among its items, by name.
#[derive(Debug, Default)]
pub struct ModuleNames {
    /// Functions, declared or defined: the first of each name.
    functions: HashMap<String, usize>,
    /// Device functions with a body: the last of each name.
    defined: HashMap<String, usize>,
    /// Variables in shared and local memory: the first of each name.
    variables: HashMap<String, usize>,
}

impl ModuleNames {
    /// Those of a module.
    pub fn of(module: &Module) -> ModuleNames {
        let mut names = ModuleNames::default();
        for (place, item) in module.items.iter().enumerate() {
            match item {
                Item::Function(function) => {
                    names.functions.entry(function.name.clone()).or_insert(place);
                    if function.body.is_some() && !function.entry {
                        names.defined.insert(function.name.clone(), place);
                    }
                }
                Item::Variable(v) if matches!(v.space, StateSpace::Shared | StateSpace::Local) => {
                    names.variables.entry(v.name.clone()).or_insert(place);
                }
                Item::Variable(_) | Item::Directive(_) => {}
            }
        }
        for (alias, of) in module.items.iter().filter_map(alias) {
            if let Some(place) = names.defined.get(of).copied() {
                names.defined.insert(alias.to_owned(), place);
            }
        }
        names
    }
}

/// The names of `.alias f, g;`: `f` stands for the function `g`, which the module defines (PTX manual, "Linking
/// Directives: .alias").
fn alias(item: &Item) -> Option<(&str, &str)> {
    let Item::Directive(words) = item else { return None };
    let (alias, of) = words.strip_prefix(".alias")?.split_once(',')?;
    Some((alias.trim(), of.trim_end_matches(';').trim()))
}

/// A module as its entries are lowered.
#[derive(Clone, Copy)]
pub struct PlacedModule<'m> {
    /// What was parsed.
    pub module: &'m Module,
    /// The names of this module.
    pub names: &'m ModuleNames,
    /// Where its variables in global and constant memory are.
    pub addresses: &'m Addresses,
}

impl<'m> PlacedModule<'m> {
    /// Whether a function of this name is declared or defined.
    pub(crate) fn has_function(&self, name: &str) -> bool {
        self.names.functions.contains_key(name)
    }

    /// The device function of a name, if the module defines it.
    pub(crate) fn defined(&self, name: &str) -> Option<&'m Function> {
        match &self.module.items[*self.names.defined.get(name)?] {
            Item::Function(function) => Some(function),
            Item::Variable(_) | Item::Directive(_) => None,
        }
    }

    /// The variable of a name in shared or local memory, outside functions.
    pub(crate) fn variable(&self, name: &str) -> Option<&'m Variable> {
        match &self.module.items[*self.names.variables.get(name)?] {
            Item::Variable(variable) => Some(variable),
            Item::Function(_) | Item::Directive(_) => None,
        }
    }
}
