//! Addresses of functions, and which functions a call through an address may mean.
//! Device functions that no entry reaches: they are lowered too, so that what is wrong in them is told.
//!
//! A function counts as reached where a body that is reached names it, in a call or for its address.

use crate::error::LoadError;
use crate::lower::{Lowering, LoweringOptions};
use crate::memory_layout::{PARAMETER_WINDOW, WINDOW};
use crate::module::PlacedModule;
use lanework_ptx as syntax;
use lanework_ptx::{
    AddressBase, Function, Initializer, Instruction, Linkage, Module, Operand, Registers,
    StateSpace, Statement, Variable,
};
use std::collections::{HashMap, HashSet};

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

/// The device functions that no entry reaches and that do not lower, each with the reason.
pub fn refused_functions(source: PlacedModule<'_>) -> Vec<(String, LoadError)> {
    let reached = reached(source.module);
    let unreached = source
        .module
        .functions()
        .filter(|f| !f.entry && f.body.is_some() && !reached.contains(f.name.as_str()));
    let lowered = unreached.filter_map(|function| {
        let caller = caller_of(function);
        let lowered = Lowering::entry(source, &caller, LoweringOptions::default());
        Some((function.name.clone(), lowered.err()?))
    });
    lowered.collect()
}

/// The names that entries reach.
fn reached(module: &Module) -> HashSet<&str> {
    let functions = module.functions().filter(|f| f.body.is_some());
    let defined: HashMap<&str, &Function> = functions.map(|f| (f.name.as_str(), f)).collect();
    let mut seen = HashSet::new();
    let mut left: Vec<&Function> = module.entries().collect();
    while let Some(function) = left.pop() {
        let mut named = Vec::new();
        names(function.body.as_deref().unwrap_or_default(), &mut named);
        for name in named {
            if let Some(callee) = defined.get(name).filter(|callee| !callee.entry)
                && seen.insert(callee.name.as_str())
            {
                left.push(callee);
            }
        }
    }
    seen
}

fn names<'m>(statements: &'m [Statement], found: &mut Vec<&'m str>) {
    for statement in statements {
        match statement {
            Statement::Instruction(instruction) => {
                instruction.operands.iter().for_each(|operand| of_operand(operand, found));
            }
            Statement::Block(inner) => names(inner, found),
            _ => {}
        }
    }
}

fn of_operand<'m>(operand: &'m Operand, found: &mut Vec<&'m str>) {
    match operand {
        Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => found.push(name),
        Operand::Vector(list) | Operand::Arguments(list) => {
            list.iter().for_each(|operand| of_operand(operand, found));
        }
        Operand::Pair(a, b) => [a, b].into_iter().for_each(|operand| of_operand(operand, found)),
        Operand::Address(address) => {
            if let AddressBase::Name(name) = &address.base {
                found.push(name);
            }
        }
        Operand::Immediate(_) => {}
    }
}

/// An entry that calls a function once.
fn caller_of(function: &Function) -> Function {
    let mut body = Vec::new();
    let mut declared = |variables: &[Variable], letter: char| {
        let operands = variables.iter().enumerate().map(|(index, variable)| {
            let name = format!("{letter}{index}");
            body.push(match variable.space {
                StateSpace::Reg => Statement::Registers(Registers {
                    vector: variable.vector,
                    ty: variable.ty,
                    names: vec![(name.clone(), None)],
                }),
                _ => Statement::Variable(Variable { name: name.clone(), ..variable.clone() }),
            });
            Operand::Name(name)
        });
        Operand::Arguments(operands.collect())
    };
    let (results, arguments) = (declared(&function.returns, 'r'), declared(&function.params, 'a'));
    let mut operands = Vec::new();
    if !function.returns.is_empty() {
        operands.push(results);
    }
    operands.push(Operand::Name(function.name.clone()));
    if !function.params.is_empty() {
        operands.push(arguments);
    }
    body.push(Statement::Instruction(Instruction::new("call", operands)));
    body.push(Statement::Instruction(Instruction::new("ret", Vec::new())));
    Function {
        linkage: Linkage::Internal,
        entry: true,
        name: format!("a call of {}", function.name),
        returns: Vec::new(),
        params: Vec::new(),
        directives: Vec::new(),
        body: Some(body),
    }
}
