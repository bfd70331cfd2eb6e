//! Names of a PTX module: functions, variables, aliases, static variables, and addresses of functions.
//!
//! Static variables are in global and constant memory and live as long as their module, whether declared at module scope or in a
//! function (PTX manual, "State Spaces": a function's own are visible only there). A call through an address may reach every
//! function whose address the module takes.

pub mod constants;

use crate::kernel::MemorySpace;
use crate::memory_layout::{PARAMETER_WINDOW, WINDOW};
use lanework_ptx as syntax;
use lanework_ptx::{
    Function, Initializer, Instruction, Item, Linkage, Module, StateSpace, Statement, Variable,
};
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
    /// Collects the names of a module.
    pub fn new(module: &Module) -> ModuleNames {
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
    /// The parsed module.
    pub module: &'m Module,
    /// The names of this module.
    pub names: &'m ModuleNames,
    /// The addresses of its global and constant variables.
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

/// A variable that is placed when its module is loaded.
pub struct StaticVariable<'m> {
    /// The key of its address: its name at module scope, `function.name` in a function, with a number for further variables of
    /// that name. PTX names have no dots.
    pub key: String,
    /// The function that declares it; empty at module scope.
    pub function: &'m str,
    /// The declaration.
    pub variable: &'m Variable,
}

impl<'m> StaticVariable<'m> {
    /// The address of what `name` means in this variable's initial value: a variable of the same function,
    /// or one at module scope.
    pub fn resolve(&self, name: &str, address: &dyn Fn(&str) -> Option<u64>) -> Option<u64> {
        let own = || address(&format!("{}.{name}", self.function));
        let inner = (!self.function.is_empty()).then(own).flatten();
        inner.or_else(|| address(name))
    }
}

/// The static variables that a module defines, in the order of the text.
pub fn statics(module: &Module) -> Vec<StaticVariable<'_>> {
    let defined = |v: &&Variable| is_static(v) && v.linkage != Linkage::Extern;
    let at_module_scope = module.variables().filter(defined);
    let mut found: Vec<StaticVariable<'_>> = at_module_scope
        .map(|variable| StaticVariable { key: variable.name.clone(), function: "", variable })
        .collect();
    for function in module.functions() {
        let first = found.len();
        let body = function.body.as_deref().unwrap_or_default();
        in_statements(body, &function.name, first, &mut found);
    }
    found
}

/// The key of a variable that a function declares.
pub fn key_of(module: &Module, variable: &Variable) -> Option<String> {
    let found = statics(module).into_iter().find(|s| std::ptr::eq(s.variable, variable));
    found.map(|s| s.key)
}

fn is_static(variable: &Variable) -> bool {
    matches!(variable.space, StateSpace::Global | StateSpace::Const)
}

fn in_statements<'m>(
    statements: &'m [Statement],
    function: &'m str,
    first: usize,
    found: &mut Vec<StaticVariable<'m>>,
) {
    for statement in statements {
        match statement {
            Statement::Variable(variable) if is_static(variable) => {
                let same = found[first..].iter().filter(|s| s.variable.name == variable.name);
                let key = match same.count() {
                    0 => format!("{function}.{}", variable.name),
                    n => format!("{function}.{}.{n}", variable.name),
                };
                found.push(StaticVariable { key, function, variable });
            }
            Statement::Block(inner) => in_statements(inner, function, first, found),
            _ => {}
        }
    }
}

/// The first function address, above the generic windows. Nothing is allocated here, so every access faults.
const FUNCTIONS: u64 = PARAMETER_WINDOW + WINDOW;
/// Bytes between the addresses of two functions.
const FUNCTION_STEP: u64 = 16;
/// The maximum number of functions with addresses, which must stay below the first allocation.
const MOST_FUNCTIONS: usize = 1 << 24;

/// The address that stands for a function: never null, and different from every other function's, unless the module
/// declares the function by several names.
pub fn function_address(module: &Module, name: &str) -> Option<u64> {
    let index = module.functions().position(|f| f.name == name)?;
    (index < MOST_FUNCTIONS).then(|| FUNCTIONS + FUNCTION_STEP * index as u64)
}

/// The function or kernel that an address stands for.
pub fn function_at(module: &Module, address: u64) -> Option<&Function> {
    let offset = address.checked_sub(FUNCTIONS)?;
    let index = usize::try_from(offset / FUNCTION_STEP).ok()?;
    offset.is_multiple_of(FUNCTION_STEP).then(|| module.functions().nth(index)).flatten()
}

/// The functions that a call with this many results and arguments may reach through an address: defined in the module, with
/// their address taken somewhere.
pub fn candidates(module: &Module, results: usize, arguments: usize) -> Vec<(u64, &Function)> {
    let mut taken = Vec::new();
    for variable in module.variables() {
        if let Some(init) = &variable.init {
            names_in_initializer(init, &mut taken);
        }
    }
    for function in module.functions().chain(module.entries()) {
        names_in_statements(function.body.as_deref().unwrap_or_default(), &mut taken);
    }
    taken.sort_unstable();
    taken.dedup();
    let fits = |f: &&Function| {
        f.body.is_some()
            && f.returns.len() == results
            && f.params.len() == arguments
            && taken.binary_search(&f.name.as_str()).is_ok()
    };
    let fitting = module.functions().filter(fits);
    fitting.filter_map(|f| Some((function_address(module, &f.name)?, f))).collect()
}

/// The names in an initial value.
fn names_in_initializer<'m>(init: &'m Initializer, names: &mut Vec<&'m str>) {
    match init {
        Initializer::Address { name, .. } => names.push(name),
        Initializer::Masked { address, .. } => names_in_initializer(address, names),
        Initializer::List(items) => items.iter().for_each(|item| names_in_initializer(item, names)),
        Initializer::Value(_) | Initializer::Fields(_) => {}
    }
}

/// The names that `mov` and `st` take as values.
fn names_in_statements<'m>(statements: &'m [Statement], names: &mut Vec<&'m str>) {
    for statement in statements {
        match statement {
            Statement::Instruction(instruction)
                if instruction.opcode != lanework_ptx::Opcode::Call =>
            {
                names_in_operands(instruction, names);
            }
            Statement::Block(inner) => names_in_statements(inner, names),
            _ => {}
        }
    }
}

fn names_in_operands<'m>(instruction: &'m Instruction, names: &mut Vec<&'m str>) {
    names.extend(instruction.operands.iter().filter_map(|operand| match operand {
        syntax::Operand::Name(name) if !name.starts_with('%') => Some(name.as_str()),
        _ => None,
    }));
}
