//! Undefined names: used in some module and defined in none.

use crate::ast::*;
use crate::link::rename::name_of;
use crate::link::{DefinitionRank, rank};
use crate::types::StateSpace;
use std::collections::{HashMap, HashSet};

/// Functions that a GPU's driver provides, and the prefix of others: device-side kernel launches.
const GIVEN: [&str; 5] = ["vprintf", "malloc", "free", "__assertfail", "cudaGraphSetConditional"];
const GIVEN_PREFIX: &str = "__cuda_syscall_";

/// The undefined names, each with the file that uses it first, in declaration order. `used` lists the names that a module
/// uses: [`used`] or the narrower [`reached`].
pub(super) fn undefined<'a>(
    modules: impl Iterator<Item = (&'a str, &'a Module)> + Clone,
    used: fn(&Module) -> HashSet<&str>,
) -> Vec<(&'a str, &'a str)> {
    let elsewhere: HashSet<&str> = modules
        .clone()
        .flat_map(|(_, module)| &module.items)
        .filter(|item| rank(item) != DefinitionRank::Declared && !is_own(item))
        .filter_map(name_of)
        .collect();
    let mut found = Vec::new();
    for (file, module) in modules {
        let defined: HashSet<&str> = module
            .items
            .iter()
            .filter(|item| rank(item) != DefinitionRank::Declared)
            .filter_map(name_of)
            .chain(module.items.iter().filter_map(alias))
            .collect();
        let open = |name: &&str| {
            let is_given = GIVEN.contains(name) || name.starts_with(GIVEN_PREFIX);
            !defined.contains(name) && !elsewhere.contains(name) && !is_given
        };
        let declared: Vec<&str> =
            module.items.iter().filter(|item| !is_dynamic(item)).filter_map(name_of).collect();
        let open: Vec<&str> = declared.into_iter().filter(open).collect();
        if open.is_empty() {
            continue;
        }
        let used = used(module);
        for name in open {
            if used.contains(name) && found.iter().all(|(known, _)| *known != name) {
                found.push((name, file));
            }
        }
    }
    found
}

/// Whether an item is private to its module.
fn is_own(item: &Item) -> bool {
    match item {
        Item::Function(function) => !function.entry && function.linkage == Linkage::Internal,
        Item::Variable(variable) => variable.linkage == Linkage::Internal,
        Item::Directive(_) => false,
    }
}

/// The name that an `.alias` directive defines.
fn alias(item: &Item) -> Option<&str> {
    let Item::Directive(words) = item else { return None };
    words.strip_prefix(".alias")?.split(',').next().map(str::trim)
}

/// Whether it is shared memory, which may be sized at launch.
fn is_dynamic(item: &Item) -> bool {
    matches!(item, Item::Variable(variable) if variable.space == StateSpace::Shared)
}

/// The names that entries and variables use, and the functions that these call: a GPU's linker drops the other functions.
pub(super) fn reached(module: &Module) -> HashSet<&str> {
    let mut names = HashSet::new();
    for variable in module.variables() {
        variable.init.iter().for_each(|value| initial(value, &mut names));
    }
    for entry in module.entries() {
        statements(entry.body.iter().flatten(), &mut names);
    }
    let bodies: HashMap<&str, &[Statement]> = module
        .functions()
        .filter_map(|function| Some((function.name.as_str(), function.body.as_deref()?)))
        .collect();
    let mut open: Vec<&str> = names.iter().copied().collect();
    while let Some(name) = open.pop() {
        let mut called = HashSet::new();
        statements(bodies.get(name).copied().unwrap_or_default().iter(), &mut called);
        open.extend(called.into_iter().filter(|name| names.insert(name)));
    }
    names
}

/// The names in bodies and initial values.
pub(super) fn used(module: &Module) -> HashSet<&str> {
    let mut names = HashSet::new();
    for item in &module.items {
        match item {
            Item::Function(function) => statements(function.body.iter().flatten(), &mut names),
            Item::Variable(variable) => variable.init.iter().for_each(|i| initial(i, &mut names)),
            Item::Directive(_) => {}
        }
    }
    names
}

fn statements<'a>(list: impl Iterator<Item = &'a Statement>, names: &mut HashSet<&'a str>) {
    for statement in list {
        match statement {
            Statement::Instruction(instruction) => {
                instruction.operands.iter().for_each(|operand| in_operand(operand, names));
            }
            Statement::Variable(variable) => variable.init.iter().for_each(|i| initial(i, names)),
            Statement::Block(inner) => statements(inner.iter(), names),
            _ => {}
        }
    }
}

fn initial<'a>(value: &'a Initializer, names: &mut HashSet<&'a str>) {
    match value {
        Initializer::Value(_) | Initializer::Fields(_) => {}
        Initializer::Address { name, .. } => drop(names.insert(name)),
        Initializer::Masked { address, .. } => initial(address, names),
        Initializer::List(list) => list.iter().for_each(|value| initial(value, names)),
    }
}

fn in_operand<'a>(operand: &'a Operand, names: &mut HashSet<&'a str>) {
    match operand {
        Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => {
            names.insert(name);
        }
        Operand::Immediate(_) => {}
        Operand::Vector(list) | Operand::Arguments(list) => {
            list.iter().for_each(|operand| in_operand(operand, names));
        }
        Operand::Pair(a, b) => {
            in_operand(a, names);
            in_operand(b, names);
        }
        Operand::Address(address) => {
            if let AddressBase::Name(name) = &address.base {
                names.insert(name);
            }
            address.extra.iter().for_each(|operand| in_operand(operand, names));
        }
    }
}
