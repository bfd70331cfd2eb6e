//! Calls: operands bound to the callee's parameters, and the two functions that the driver provides.

use super::context::{Cx, guard};
use crate::kernel::*;
use crate::lower::callee::Call;
use crate::lower::state::{Lowering, Symbol};
use crate::lower::unsupported::{LoweringResult, Unsupported};
use crate::lower::vectors::element_names;
use crate::opcode::Alu;
use crate::opcode::warp::WarpOp;
use lanework_ptx as syntax;
use lanework_ptx::{Function, Instruction};
use std::collections::HashMap;

fn plain<'a, 'm>(lowering: &'a mut Lowering<'m>, instruction: &'a Instruction) -> Cx<'a, 'm> {
    Cx { lowering, instruction, guard: None }
}

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
        let mut cx = plain(lowering, &instruction);
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
    let mut cx = plain(lowering, &fake);
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

/// A load or store of local memory.
pub fn local(kind: MemoryKind, ty: lanework_ptx::ScalarType, offset: i64) -> MemoryOp {
    MemoryOp { offset, ..memory(kind, MemorySpace::Local, ty) }
}

/// Loads from local memory.
pub fn load(
    lowering: &mut Lowering<'_>,
    ty: lanework_ptx::ScalarType,
    to: Reg,
    base: Operand,
    offset: i64,
) {
    let op = Opcode::Memory(local(MemoryKind::Load, ty, offset));
    lowering.emit(op, vec![Some(to)], vec![base], None);
}

/// Stores to local memory.
pub fn store(
    lowering: &mut Lowering<'_>,
    ty: lanework_ptx::ScalarType,
    base: Operand,
    offset: i64,
    value: Operand,
) {
    let op = Opcode::Memory(local(MemoryKind::Store, ty, offset));
    lowering.emit(op, Vec::new(), vec![base, value], None);
}

/// Copies a variable's bytes from one place to another: space, base and offset.
pub fn copy_memory(
    lowering: &mut Lowering<'_>,
    to: (MemorySpace, Operand, i64),
    from: (MemorySpace, Operand, i64),
    variable: &syntax::Variable,
) {
    use lanework_ptx::ScalarType::{B8, B16, B32, B64};
    let (bytes, align) = (variable.size() as i64, i64::from(variable.alignment()));
    let mut at = 0;
    while at < bytes {
        let fits = |ty: &lanework_ptx::ScalarType| {
            let size = i64::from(ty.size());
            size <= align && at % size == 0 && at + size <= bytes
        };
        let ty = [B64, B32, B16, B8].into_iter().find(fits).unwrap_or(B8);
        let width = if ty == B64 { Width::Wide } else { Width::Word };
        let value = lowering.new_register(width);
        let (space, base, offset) = from;
        let load = MemoryOp { offset: offset + at, ..memory(MemoryKind::Load, space, ty) };
        lowering.emit(Opcode::Memory(load), vec![Some(value)], vec![base], None);
        let (space, base, offset) = to;
        let store = MemoryOp { offset: offset + at, ..memory(MemoryKind::Store, space, ty) };
        let src = vec![base, Operand::Reg(value)];
        lowering.emit(Opcode::Memory(store), Vec::new(), src, None);
        at += i64::from(ty.size());
    }
}

fn memory(kind: MemoryKind, space: MemorySpace, ty: lanework_ptx::ScalarType) -> MemoryOp {
    let (order, part) = (Order::default(), Part::Whole);
    MemoryOp { kind, space, ty, count: 1, offset: 0, volatile: false, order, part }
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
                let mut cx = plain(lowering, &fake);
                let to = cx.destination(&to, formal.ty)?;
                cx.alu(to, &[Operand::Reg(from)], super::mov::copy(formal.ty))?;
            }
            continue;
        }
        let Some(Symbol::Register(to)) = lowering.lookup(name) else { continue };
        let mut cx = plain(lowering, &fake);
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

/// `vprintf`: prints per active lane.
///
/// # Errors
/// When its operands are not two parameters.
pub fn print(
    lowering: &mut Lowering<'_>,
    instruction: &Instruction,
    call: &Call,
) -> LoweringResult {
    let guard = guard(lowering, instruction)?;
    let skip = lowering.skip_unless(guard);
    let mut src = Vec::new();
    for operand in &call.arguments {
        let mut cx = plain(lowering, instruction);
        let syntax::Operand::Name(name) = operand else {
            return Err(cx.unknown("an argument is not a name"));
        };
        match cx.lowering.lookup(name) {
            Some(Symbol::Variable(space, address)) => {
                let register = cx.lowering.new_register(Width::Wide);
                let op = memory(MemoryKind::Load, space, lanework_ptx::ScalarType::B64);
                cx.lowering.emit(Opcode::Memory(op), vec![Some(register)], vec![address], None);
                src.push(Operand::Reg(register));
            }
            _ => src.push(cx.source(operand, lanework_ptx::ScalarType::B64)?),
        }
    }
    if src.len() != 2 {
        return Err(Unsupported::new("`vprintf` takes a format and its arguments", ""));
    }
    let result = lowering.new_register(Width::Word);
    lowering.emit(Opcode::Warp(WarpOp::Print), vec![Some(result)], src, None);
    if let Some(syntax::Operand::Name(name)) = call.results.first() {
        let mut cx = plain(lowering, instruction);
        match cx.lowering.lookup(name) {
            Some(Symbol::Variable(space, address)) => {
                let op = memory(MemoryKind::Store, space, lanework_ptx::ScalarType::B32);
                cx.lowering.emit(
                    Opcode::Memory(op),
                    Vec::new(),
                    vec![address, Operand::Reg(result)],
                    None,
                );
            }
            Some(Symbol::Register(to)) => {
                cx.alu(Some(to), &[Operand::Reg(result)], Alu::copy(Width::Word))?;
            }
            _ => {}
        }
    }
    if let Some(skip) = skip {
        lowering.set_label(skip);
    }
    Ok(())
}

/// `malloc` and `free` of the device, in the heap at `heap`.
///
/// # Errors
/// When there is not one argument, or it is not a name.
pub fn heap(
    lowering: &mut Lowering<'_>,
    instruction: &Instruction,
    call: &Call,
    heap: u64,
) -> LoweringResult {
    let guard = guard(lowering, instruction)?;
    let skip = lowering.skip_unless(guard);
    // Who gets which block shows in results.
    lowering.kernel.ordered_blocks = true;
    let b64 = lanework_ptx::ScalarType::B64;
    let [syntax::Operand::Name(argument)] = &call.arguments[..] else {
        return Err(Unsupported::new(format!("`{}` takes one argument", call.function), ""));
    };
    let source = match lowering.lookup(argument) {
        Some(Symbol::Variable(space, address)) => {
            let register = lowering.new_register(Width::Wide);
            let op = memory(MemoryKind::Load, space, b64);
            lowering.emit(Opcode::Memory(op), vec![Some(register)], vec![address], None);
            Operand::Reg(register)
        }
        _ => plain(lowering, instruction).source(&syntax::Operand::Name(argument.clone()), b64)?,
    };
    let result = lowering.new_register(Width::Wide);
    let op = if call.function == "malloc" { WarpOp::Malloc } else { WarpOp::Free };
    let opcode = Opcode::Warp(op);
    lowering.emit(opcode, vec![Some(result)], vec![source, Operand::Const(heap)], None);
    if let Some(syntax::Operand::Name(name)) = call.results.first() {
        match lowering.lookup(name) {
            Some(Symbol::Variable(space, address)) => {
                let op = memory(MemoryKind::Store, space, b64);
                let src = vec![address, Operand::Reg(result)];
                lowering.emit(Opcode::Memory(op), Vec::new(), src, None);
            }
            Some(Symbol::Register(to)) => {
                let copy = Alu::copy(Width::Wide);
                plain(lowering, instruction).alu(Some(to), &[Operand::Reg(result)], copy)?;
            }
            _ => {}
        }
    }
    if let Some(skip) = skip {
        lowering.set_label(skip);
    }
    Ok(())
}

/// `__assertfail`: the kernel ends.
///
/// # Errors
/// When the guard is not a predicate.
pub fn assert_fail(lowering: &mut Lowering<'_>, instruction: &Instruction) -> LoweringResult {
    let guard = guard(lowering, instruction)?;
    let skip = lowering.skip_unless(guard);
    lowering.emit(Opcode::AssertFail, Vec::new(), Vec::new(), None);
    if let Some(skip) = skip {
        lowering.set_label(skip);
    }
    Ok(())
}
