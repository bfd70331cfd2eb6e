//! Addresses of functions, and which functions a call through an address may mean.

use crate::window::{PARAMETER_WINDOW, WINDOW};
use lanework_ptx as syntax;
use lanework_ptx::{Function, Initializer, Instruction, Module, Statement};

/// Where the addresses of functions start. No allocation lies here, so every access faults, and the
/// generic windows end below.
const FUNCTIONS: u64 = PARAMETER_WINDOW + WINDOW;
/// Bytes between the addresses of two functions.
const FUNCTION_STEP: u64 = 16;
/// Functions that have addresses: all of them lie below the first allocation.
const MOST_FUNCTIONS: usize = 1 << 24;

/// The address that stands for a function: never null, and its own as long as the module declares the
/// function by one name.
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

/// The functions that a call with so many results and arguments may reach through an address: those
/// that the module defines and whose address it takes somewhere.
pub fn candidates(module: &Module, results: usize, arguments: usize) -> Vec<(u64, &Function)> {
    let mut taken = Vec::new();
    for variable in module.variables() {
        if let Some(init) = &variable.init {
            in_initializer(init, &mut taken);
        }
    }
    for function in module.functions().chain(module.entries()) {
        in_statements(function.body.as_deref().unwrap_or_default(), &mut taken);
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
fn in_initializer<'m>(init: &'m Initializer, names: &mut Vec<&'m str>) {
    match init {
        Initializer::Address { name, .. } => names.push(name),
        Initializer::Masked { address, .. } => in_initializer(address, names),
        Initializer::List(items) => items.iter().for_each(|item| in_initializer(item, names)),
        Initializer::Value(_) | Initializer::Fields(_) => {}
    }
}

/// The names that `mov` and `st` take as values.
fn in_statements<'m>(statements: &'m [Statement], names: &mut Vec<&'m str>) {
    for statement in statements {
        match statement {
            Statement::Instruction(instruction) if instruction.opcode != "call" => {
                in_operands(instruction, names);
            }
            Statement::Block(inner) => in_statements(inner, names),
            _ => {}
        }
    }
}

fn in_operands<'m>(instruction: &'m Instruction, names: &mut Vec<&'m str>) {
    names.extend(instruction.operands.iter().filter_map(|operand| match operand {
        syntax::Operand::Name(name) if !name.starts_with('%') => Some(name.as_str()),
        _ => None,
    }));
}
