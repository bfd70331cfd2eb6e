//! The lowering rules: the meaning of each PTX instruction, one folder per chapter of the manual.
//!
//! A rule reads modifiers and operands, rejects what it does not support, and emits instructions of the flat kernel. The row
//! of an opcode in `lanework-ptx`'s instruction table names its rule.
//!
//! This file also records where ptxas begins basic blocks that PTX does not show, for contraction
//! ([`crate::passes::contract`]). The list comes from ptxas 13.0 machine code for `sm_90a`, with every form of the conformance
//! catalog placed between a product and a sum.

pub mod arithmetic;
mod b128;
pub mod context;
mod control;
pub mod device_functions;
mod matrix;
mod memory;
pub mod mov;
mod special;

use crate::kernel::{MemoryKind, MemoryOp, Opcode, Operand, Reg, Width};
use crate::lower::allocation;
use crate::lower::state::Lowering;
use crate::opcode::Alu;
use crate::rules::context::{Cx, guard};
use crate::rules::matrix::{tensor_memory, warpgroup};
use crate::rules::memory::{asynchrony, tensor_map, texture};
use crate::types::MemorySpace;
use crate::{LoweringResult, Unsupported};
use arithmetic::{compare, convert, expand, float, integer, logic, video};
use lanework_ptx as syntax;
use lanework_ptx::Instruction;
use lanework_ptx::Modifier::{self, *};
use lanework_ptx::ScalarType::{self, F64, S64, U32, U64};

type LoweringRule = fn(&mut Cx<'_, '_>) -> LoweringResult;

macro_rules! define_rule_of {
    ($($opcode:ident => $($rule:ident)::+,)*) => {
        /// The rule of an opcode, as the instruction table of `lanework-ptx` names it.
        fn rule_of(opcode: syntax::Opcode) -> Option<LoweringRule> {
            match opcode {
                $(syntax::Opcode::$opcode => Some($($rule)::+),)*
                syntax::Opcode::Unknown => None,
            }
        }
    };
}
lanework_ptx::for_each_lowering_rule!(define_rule_of);

/// Lowers one instruction of a module by its rule, and then checks that some form in the
/// instruction table has its modifiers. The rule comes first, because its errors say more.
///
/// # Errors
/// When it, or one of its modifiers or operands, is not known.
pub fn lower_instruction(lowering: &mut Lowering<'_>, instruction: &Instruction) -> LoweringResult {
    lower_step(lowering, instruction)?;
    match instruction.extra_modifier() {
        None => Ok(()),
        Some(at) => Err(Cx::unguarded(lowering, instruction).unknown_modifier(at)),
    }
}

/// Lowers one instruction. It may be one that PTX lacks, because expansions emit such instructions.
pub fn lower_step(lowering: &mut Lowering<'_>, instruction: &Instruction) -> LoweringResult {
    let Some(rule) = rule_of(instruction.opcode) else {
        return Err(Unsupported::new(
            format!("unknown instruction `{}`", instruction.name()),
            "the emulator does not know it; run this kernel on a GPU or report it",
        ));
    };
    let guard = guard(lowering, instruction)?;
    let guard = kept(lowering, instruction, guard);
    let start = lowering.kernel.insts.len();
    if begins_block(instruction) {
        lowering.begin_block();
    }
    rule(&mut Cx { lowering, instruction, guard })?;
    note_guarded(lowering, start);
    Ok(())
}

/// The guard, copied to a new register if the instruction writes it: otherwise later steps of the expansion would test the
/// new value.
fn kept(
    lowering: &mut Lowering<'_>,
    instruction: &Instruction,
    guard: Option<(Reg, bool)>,
) -> Option<(Reg, bool)> {
    let (register, negated) = guard?;
    let name = &instruction.guard.as_ref()?.register;
    if !instruction.operands.first().is_some_and(|operand| names(operand, name)) {
        return guard;
    }
    let copy = lowering.new_register(Width::Predicate);
    let opcode = Opcode::Alu(Alu::copy(Width::Predicate));
    lowering.emit(opcode, vec![Some(copy)], vec![Operand::Reg(register)], None);
    Some((copy, negated))
}

/// Whether an operand consists of `name`, alone or among others.
fn names(operand: &syntax::Operand, name: &str) -> bool {
    match operand {
        syntax::Operand::Name(n) => n == name,
        syntax::Operand::Pair(a, b) => names(a, name) || names(b, name),
        syntax::Operand::Vector(list) => list.iter().any(|operand| names(operand, name)),
        _ => false,
    }
}

/// Whether ptxas expands an instruction to several blocks: a slow path, a loop or a wait.
fn begins_block(instruction: &Instruction) -> bool {
    let has = |modifier: Modifier| instruction.has(modifier);
    let has_type = |ty: ScalarType| instruction.has(Type(ty));
    match instruction.opcode {
        syntax::Opcode::Brkpt
        | syntax::Opcode::Membar
        | syntax::Opcode::Pmevent
        | syntax::Opcode::Setmaxnreg => true,
        syntax::Opcode::Bfind => has_type(U64) || has_type(S64),
        syntax::Opcode::Div | syntax::Opcode::Rem => !(has_type(U32) || has(Approx) || has(Full)),
        syntax::Opcode::Fence => has(Sc) || has(AcqRel),
        syntax::Opcode::Griddepcontrol => has(LaunchDependents),
        syntax::Opcode::Mma => has(S4) || has(U4) || has(Xor),
        syntax::Opcode::Rcp | syntax::Opcode::Sqrt => !has(Approx),
        syntax::Opcode::Rsqrt => has_type(F64) && !has(Ftz),
        _ => false,
    }
}

/// Records block boundaries around a guarded instruction lowered from `start` on: ptxas branches around guarded instructions
/// with effects beyond computing a value.
fn note_guarded(lowering: &mut Lowering<'_>, start: usize) {
    let branches = |opcode: Opcode| match opcode {
        Opcode::Memory(MemoryOp {
            kind: MemoryKind::Load, space: MemorySpace::Parameter, ..
        }) => false,
        opcode => !matches!(opcode, Opcode::Alu(_)),
    };
    let insts = &lowering.kernel.insts[start..];
    if insts.iter().any(|inst| inst.guard.is_some() && branches(inst.opcode)) {
        lowering.begin_block_at(start);
        lowering.begin_block();
    }
}
