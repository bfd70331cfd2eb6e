//! Calls of functions that the driver provides: `vprintf`, `malloc`, `free` and `__assertfail`.

use crate::kernel::*;
use crate::lower::call_graph::Call;
use crate::lower::frames::memory;
use crate::lower::state::{Lowering, Symbol};
use crate::opcode::Alu;
use crate::opcode::memory::WarpOp;
use crate::rules::context::{Cx, guard};
use crate::{LoweringResult, Unsupported};
use lanework_ptx as syntax;
use lanework_ptx::Instruction;

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
        let mut cx = Cx::unguarded(lowering, instruction);
        let syntax::Operand::Name(name) = operand else {
            return Err(cx.unsupported("an argument is not a name"));
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
        let mut cx = Cx::unguarded(lowering, instruction);
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
    // Results may depend on which block allocates first.
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
        _ => Cx::unguarded(lowering, instruction)
            .source(&syntax::Operand::Name(argument.clone()), b64)?,
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
                Cx::unguarded(lowering, instruction).alu(
                    Some(to),
                    &[Operand::Reg(result)],
                    copy,
                )?;
            }
            _ => {}
        }
    }
    if let Some(skip) = skip {
        lowering.set_label(skip);
    }
    Ok(())
}

/// The value of an argument, which is a variable in parameter space or a register.
fn argument_value(
    lowering: &mut Lowering<'_>,
    instruction: &Instruction,
    operand: &syntax::Operand,
) -> LoweringResult<Operand> {
    let mut cx = Cx::unguarded(lowering, instruction);
    if let syntax::Operand::Name(name) = operand
        && let Some(Symbol::Variable(space, address)) = cx.lowering.lookup(name)
    {
        let register = cx.lowering.new_register(Width::Wide);
        let op = memory(MemoryKind::Load, space, lanework_ptx::ScalarType::B64);
        cx.lowering.emit(Opcode::Memory(op), vec![Some(register)], vec![address], None);
        return Ok(Operand::Reg(register));
    }
    cx.source(operand, lanework_ptx::ScalarType::B64)
}

/// `__assertfail`: the kernel ends.
///
/// # Errors
/// When the guard is not a predicate.
pub fn assert_fail(
    lowering: &mut Lowering<'_>,
    instruction: &Instruction,
    call: &Call,
) -> LoweringResult {
    let guard = guard(lowering, instruction)?;
    let skip = lowering.skip_unless(guard);
    // Addresses of the expression, the file and the function; 0 where they are not passed. The source position gives the line.
    let mut src = Vec::new();
    for argument in [0, 1, 3] {
        let operand = call.arguments.get(argument);
        src.push(match operand {
            Some(operand) => argument_value(lowering, instruction, operand)?,
            None => Operand::Const(0),
        });
    }
    lowering.emit(Opcode::AssertFail, Vec::new(), src, None);
    if let Some(skip) = skip {
        lowering.set_label(skip);
    }
    Ok(())
}
