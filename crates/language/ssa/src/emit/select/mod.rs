//! Instruction selection.
//!
//! Visits blocks in post-order and instructions from last to first, so it sees every use of a value before its
//! definition. An instruction that all its users absorbed (an offset in an address, an extension in `mul.wide`) is
//! never written. Cranelift selects in the same order.

mod arithmetic;
pub(super) mod calls;
mod convert;
mod memory;
mod operands;

use super::machine::ModuleNames;
use super::machine::*;
use crate::CompileError;
use crate::analysis::{ControlFlow, Dominators, KindEffects, LoopForest, use_counts};
use crate::ir::*;
use std::collections::HashSet;

/// The state of selection for one function.
pub(super) struct Selector<'a> {
    function: &'a SsaFunction,
    names: &'a ModuleNames<'a>,
    uses: Vec<u32>,
    /// By value: its register, if something reads it.
    register_of: Vec<Option<VirtualRegister>>,
    registers: Vec<RegisterClass>,
    /// Block of each instruction, to fuse within blocks only.
    block_of: Vec<Option<BlockId>>,
    /// Code of the instruction being selected, in order.
    pending: Vec<MachineInstruction>,
    position: SourcePosition,
    /// Offsets of stack slots in the frame.
    slot_offsets: Vec<u64>,
    /// Loads whose result is sign-extended.
    signed_loads: HashSet<ValueId>,
    /// Number of call prototypes written so far.
    prototypes: u32,
}

/// Selects the code of a function without switches. A branch may pass arguments to only one of its sides, and the
/// other side must not read those parameters.
pub(super) fn select(
    function: &SsaFunction,
    names: &ModuleNames<'_>,
    slot_offsets: Vec<u64>,
) -> Result<MachineFunction, CompileError> {
    let flow = ControlFlow::new(function);
    let loops = LoopForest::new(&flow, &Dominators::new(&flow));
    let mut block_of = vec![None; function.instructions.len()];
    for block in &flow.order {
        for instruction in &function.block(*block).instructions {
            block_of[instruction.index()] = Some(*block);
        }
    }
    let mut selector = Selector {
        function,
        names,
        uses: use_counts(function, &flow),
        register_of: vec![None; function.values.len()],
        registers: Vec::new(),
        block_of,
        pending: Vec::new(),
        position: SourcePosition::default(),
        slot_offsets,
        signed_loads: HashSet::new(),
        prototypes: 0,
    };
    let mut blocks = Vec::new();
    for block in flow.order.iter().rev() {
        let depth = loops.innermost[block.index()].map_or(0, |index| loops.loops[index].depth);
        blocks.push(selector.block(*block, depth)?);
    }
    blocks.reverse();
    if let Some(entry) = blocks.first_mut() {
        selector.entry();
        let addresses: Vec<MachineInstruction> = selector.pending.drain(..).collect();
        entry.code.splice(0..0, addresses);
    }
    Ok(MachineFunction { blocks, registers: selector.registers })
}

impl Selector<'_> {
    fn block(&mut self, block: BlockId, depth: u32) -> Result<MachineBlock, CompileError> {
        let data = self.function.block(block);
        let mut code = Vec::new();
        self.position = data.position;
        let end = self.terminator(&data.terminator)?;
        code.extend(self.pending.drain(..).rev());
        for id in data.instructions.iter().rev() {
            let instruction = self.function.instruction(*id);
            let is_read = instruction.results.iter().any(|r| self.register_of[r.index()].is_some());
            if !is_read && KindEffects::of(&instruction.kind).is_removable() {
                continue;
            }
            self.position = instruction.position;
            self.instruction(instruction)?;
            code.extend(self.pending.drain(..).rev());
        }
        code.reverse();
        Ok(MachineBlock { id: block, code, end, position: data.position, depth })
    }

    fn terminator(&mut self, terminator: &BlockTerminator) -> Result<MachineEnd, CompileError> {
        Ok(match terminator {
            BlockTerminator::Jump(target) => {
                self.pass_arguments(target);
                MachineEnd::Jump(target.block)
            }
            BlockTerminator::Branch(condition, yes, no) => {
                self.pass_arguments(yes);
                self.pass_arguments(no);
                let condition = self.register(*condition);
                MachineEnd::Branch(condition, yes.block, no.block)
            }
            BlockTerminator::Return(values) => {
                self.return_values(values);
                MachineEnd::Stop("ret")
            }
            BlockTerminator::Exit => MachineEnd::Stop("exit"),
            BlockTerminator::Trap => {
                let (name, operands) = ("trap".to_owned(), Vec::new());
                self.push(MachineBody::Operation { name, operands, defines: false });
                MachineEnd::Stop("exit")
            }
            BlockTerminator::Unreachable => MachineEnd::Stop("exit"),
            BlockTerminator::Switch(..) | BlockTerminator::None => {
                return Err(self.error("a block ends in a switch that was not lowered"));
            }
        })
    }

    /// Copies arguments to a block's parameters.
    fn pass_arguments(&mut self, target: &BlockCall) {
        let parameters = self.function.block(target.block).parameters.clone();
        let mut copies = Vec::new();
        for (parameter, argument) in parameters.iter().zip(&target.arguments) {
            let is_undefined = self.function.definition(*argument) == ValueDefinition::Undefined;
            if is_undefined || self.uses[parameter.index()] == 0 {
                continue;
            }
            let to = self.register(*parameter);
            let from = self.copied(*argument);
            copies.push((to, from));
        }
        if !copies.is_empty() {
            self.push(MachineBody::Copies(copies));
        }
    }

    fn instruction(&mut self, instruction: &InstructionData) -> Result<(), CompileError> {
        let arguments = &instruction.arguments;
        match &instruction.kind {
            InstructionKind::Integer { op, .. } => {
                self.integer(*op, arguments, instruction.results[0])
            }
            InstructionKind::IntegerUnary(op) => {
                self.integer_unary(*op, arguments[0], instruction.results[0]);
            }
            InstructionKind::Float { op, mode } => {
                self.float(*op, *mode, arguments, instruction.results[0]);
            }
            InstructionKind::CompareIntegers(condition) => {
                self.compare_integers(*condition, arguments, instruction.results[0]);
            }
            InstructionKind::CompareFloats { condition, flush } => {
                self.compare_floats(*condition, *flush, arguments, instruction.results[0]);
            }
            InstructionKind::Select => self.select_value(arguments, instruction.results[0]),
            InstructionKind::Convert(conversion) => {
                return self.convert(*conversion, arguments[0], instruction.results[0]);
            }
            InstructionKind::PointerAdd => self.pointer_add(arguments, instruction.results[0]),
            InstructionKind::Load(flags) => self.load(*flags, arguments[0], &instruction.results),
            InstructionKind::Store(flags) => self.store(*flags, arguments[0], &arguments[1..]),
            InstructionKind::Atomic { op, scope, ordering } => {
                self.atomic(*op, *scope, *ordering, arguments, instruction.results[0]);
            }
            InstructionKind::Special(register) => self.special(*register, instruction.results[0]),
            InstructionKind::Call(callee) => {
                self.call(*callee, arguments, &instruction.results);
            }
            InstructionKind::CallIndirect => self.call_indirect(arguments, &instruction.results),
            InstructionKind::Ptx(template) => {
                return self.template(template, arguments, &instruction.results);
            }
            InstructionKind::CopyMemory { .. } | InstructionKind::FillMemory { .. } => {
                return Err(self.error("a copy of memory was not lowered"));
            }
        }
        Ok(())
    }

    /// An error at the current source position.
    fn error(&self, message: impl Into<String>) -> CompileError {
        CompileError { message: message.into(), position: self.position }
    }
}
