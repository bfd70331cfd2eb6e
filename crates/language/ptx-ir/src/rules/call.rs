//! Calls: operands bound to the callee's parameters, and results that the caller takes.

use super::context::Cx;
use super::variables::memory;
use crate::kernel::*;
use crate::lower::callee::Call;
use crate::lower::state::{Lowering, Symbol};
use crate::lower::unsupported::{LoweringResult, Unsupported};
use crate::lower::vectors::element_names;
use lanework_ptx as syntax;
use lanework_ptx::{Function, Instruction};
use std::collections::HashMap;

/// The scope in which the callee's parameters stand for what is passed.
///
/// # Errors
/// When the operands do not fit the callee.
pub fn bind(
    lowering: &mut Lowering<'_>,
    callee: &Function,
    call: &Call,
) -> LoweringResult<HashMap<String, Symbol>> {
    let mut scope = HashMap::new();
    for (formal, actual) in callee.params.iter().zip(&call.arguments) {
        if is_vector(formal) {
            pass_vector(lowering, formal, actual, &mut scope)?;
            continue;
        }
        let symbol = match actual {
            syntax::Operand::Name(name) => match lowering.lookup(name) {
                // A variable of the caller is read in place: it is not written while the call runs.
                Some(symbol @ Symbol::Variable(..)) => symbol,
                _ => pass(lowering, formal, actual)?,
            },
            _ => pass(lowering, formal, actual)?,
        };
        scope.insert(formal.name.clone(), symbol);
    }
    for (formal, actual) in callee.returns.iter().zip(&call.results) {
        if is_vector(formal) {
            lowering.vector_formal(formal, &mut scope)?;
            continue;
        }
        let symbol = match actual {
            syntax::Operand::Name(name) => match lowering.lookup(name) {
                Some(symbol @ Symbol::Variable(..)) => symbol,
                _ => lowering.formal(formal)?,
            },
            _ => return Err(Unsupported::new("a call's result is not a name", "")),
        };
        scope.insert(formal.name.clone(), symbol);
    }
    Ok(scope)
}

/// Whether a parameter is a vector register.
fn is_vector(formal: &lanework_ptx::Variable) -> bool {
    formal.space == lanework_ptx::StateSpace::Reg && formal.vector > 1
}

/// Copies the elements of a vector to those of a parameter.
fn pass_vector(
    lowering: &mut Lowering<'_>,
    formal: &lanework_ptx::Variable,
    actual: &syntax::Operand,
    scope: &mut HashMap<String, Symbol>,
) -> LoweringResult {
    let mut elements = vec![actual.clone()];
    if let syntax::Operand::Name(name) = actual
        && let Some(Symbol::Vector(count)) = lowering.lookup(name)
    {
        elements = element_names(name, count);
    } else if let syntax::Operand::Vector(list) = actual {
        elements.clone_from(list);
    }
    let registers = lowering.vector_formal(formal, scope)?;
    if elements.len() != registers.len() {
        let what = format!("parameter `{}` is a vector of {}", formal.name, registers.len());
        return Err(Unsupported::new(what, "pass a vector of as many elements"));
    }
    let instruction = Instruction::new("call", Vec::new());
    for (element, register) in elements.iter().zip(registers) {
        let mut cx = Cx::unguarded(lowering, &instruction);
        let source = cx.source(element, formal.ty)?;
        cx.alu(Some(register), &[source], super::mov::copy(formal.ty))?;
    }
    Ok(())
}

fn pass(
    lowering: &mut Lowering<'_>,
    formal: &lanework_ptx::Variable,
    actual: &syntax::Operand,
) -> LoweringResult<Symbol> {
    let symbol = lowering.formal(formal)?;
    let fake = Instruction::new("call", Vec::new());
    let mut cx = Cx::unguarded(lowering, &fake);
    let source = cx.source(actual, formal.ty)?;
    match symbol {
        Symbol::Register(register) => {
            cx.alu(Some(register), &[source], super::mov::copy(formal.ty))?;
        }
        Symbol::Variable(space, address) => {
            let op = memory(MemoryKind::Store, space, formal.ty);
            cx.lowering.emit(Opcode::Memory(op), Vec::new(), vec![address, source], None);
        }
        Symbol::Label(_)
        | Symbol::Targets(_)
        | Symbol::Vector(_)
        | Symbol::Framed(..)
        | Symbol::Quad(_) => {}
    }
    Ok(symbol)
}

/// Copies results that the caller takes in registers.
///
/// # Errors
/// When a result's register does not fit.
pub fn results(
    lowering: &mut Lowering<'_>,
    callee: &Function,
    call: &Call,
    scope: &HashMap<String, Symbol>,
) -> LoweringResult {
    let fake = Instruction::new("call", Vec::new());
    for (formal, actual) in callee.returns.iter().zip(&call.results) {
        let syntax::Operand::Name(name) = actual else { continue };
        if let (true, Some(Symbol::Vector(count))) = (is_vector(formal), lowering.lookup(name)) {
            let elements = element_names(name, count).into_iter();
            for (from, to) in element_names(&formal.name, formal.vector).iter().zip(elements) {
                let syntax::Operand::Name(from) = from else { continue };
                let Some(Symbol::Register(from)) = scope.get(from).cloned() else { continue };
                let mut cx = Cx::unguarded(lowering, &fake);
                let to = cx.destination(&to, formal.ty)?;
                cx.alu(to, &[Operand::Reg(from)], super::mov::copy(formal.ty))?;
            }
            continue;
        }
        let Some(Symbol::Register(to)) = lowering.lookup(name) else { continue };
        let mut cx = Cx::unguarded(lowering, &fake);
        match scope.get(&formal.name) {
            Some(Symbol::Register(from)) => {
                cx.alu(Some(to), &[Operand::Reg(*from)], super::mov::copy(formal.ty))?;
            }
            Some(Symbol::Variable(space, address)) => {
                let op = memory(MemoryKind::Load, *space, formal.ty);
                cx.lowering.emit(Opcode::Memory(op), vec![Some(to)], vec![*address], None);
            }
            _ => {}
        }
    }
    Ok(())
}
