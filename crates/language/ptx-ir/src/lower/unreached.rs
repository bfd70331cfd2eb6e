//! Lowers device functions that no entry reaches, to report their errors too.
//!
//! A function is reached if a reached body names it, in a call or to take its address.

use crate::LoadError;
use crate::lower::{Lowering, LoweringOptions};
use crate::module::PlacedModule;
use lanework_ptx::{
    AddressBase, Function, Instruction, Linkage, Module, Opcode, Operand, Registers, StateSpace,
    Statement, Variable,
};
use std::collections::{HashMap, HashSet};

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
    body.push(Statement::Instruction(Instruction::of(Opcode::Call, operands)));
    body.push(Statement::Instruction(Instruction::of(Opcode::Ret, Vec::new())));
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
