//! Instruction selection. This file visits the blocks, and selects calls, returns and PTX templates.
//!
//! Visits blocks in post-order and instructions from last to first, so it sees every use of a value before its
//! definition. An instruction that all its users absorbed (an offset in an address, an extension in `mul.wide`) is
//! never written. Cranelift selects in the same order.

mod arithmetic;
mod convert;
mod memory;
mod operands;

use super::machine::*;
use crate::CompileError;
use crate::analysis::{ControlFlow, Dominators, KindEffects, LoopForest, use_counts};
use crate::ir::*;
use lanework_ptx::{ScalarType, StateSpace, Variable};
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
    Ok(MachineFunction { inlined: function.inlined.clone(), blocks, registers: selector.registers })
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

/// A parameter or return value of a device function, declared as bits of the value's size.
pub(crate) fn value_variable(ty: ValueType, name: impl Into<String>) -> Variable {
    let scalar = match ty.bytes() {
        1 => ScalarType::B8,
        2 => ScalarType::B16,
        4 => ScalarType::B32,
        _ => ScalarType::B64,
    };
    Variable::new(StateSpace::Param, scalar, name)
}

/// The return value of a function: one value, or a structure of several values.
pub(crate) fn return_variable(types: &[ValueType], name: &str) -> Option<Variable> {
    match types {
        [] => None,
        [ty] => Some(value_variable(*ty, name)),
        _ => {
            let (_, size, align) = return_layout(types);
            let mut variable = Variable::new(StateSpace::Param, ScalarType::B8, name);
            variable.align = Some(align);
            variable.dims = vec![Some(size)];
            Some(variable)
        }
    }
}

impl Selector<'_> {
    fn return_values(&mut self, values: &[ValueId]) {
        if self.names.is_kernel {
            return;
        }
        let types: Vec<ValueType> = values.iter().map(|value| self.type_of(*value)).collect();
        let (offsets, ..) = return_layout(&types);
        for (value, offset) in values.iter().zip(offsets) {
            let name = self.names.returned().to_owned();
            self.store_parameter(*value, name, offset as i64);
        }
    }

    /// Stores a value to parameter space.
    fn store_parameter(&mut self, value: ValueId, name: String, offset: i64) {
        let ty = self.type_of(value);
        let address = MachineOperand::Address(MachineBase::Name(name), offset);
        let from = match (ty, self.function.as_constant(value)) {
            (ValueType::I1, Some(bits)) => {
                MachineOperand::Immediate(lanework_ptx::Immediate::Integer(bits.into()))
            }
            (ValueType::I1, None) => self.truth_byte(value),
            _ => self.operand(value),
        };
        self.push(MachineBody::Operation {
            name: format!("st.param.{}", memory_type(ty)),
            operands: vec![address, from],
            defines: false,
        });
    }

    fn call(&mut self, callee: FunctionId, arguments: &[ValueId], results: &[ValueId]) {
        let target = MachineOperand::Name(self.names.function(callee).to_owned());
        self.call_sequence("call.uni", target, arguments, results, None);
    }

    fn call_indirect(&mut self, arguments: &[ValueId], results: &[ValueId]) {
        let target = MachineOperand::Register(self.register(arguments[0]));
        let label = format!("prototype_{}", self.prototypes);
        self.prototypes += 1;
        self.call_sequence("call", target, &arguments[1..], results, Some(label));
    }

    fn call_sequence(
        &mut self,
        name: &str,
        target: MachineOperand,
        arguments: &[ValueId],
        results: &[ValueId],
        prototype: Option<String>,
    ) {
        self.push(MachineBody::Open);
        let mut parameters = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let variable = value_variable(self.type_of(*argument), format!("param{index}"));
            parameters.push(MachineOperand::Name(variable.name.clone()));
            self.push(MachineBody::Declare(variable));
            self.store_parameter(*argument, format!("param{index}"), 0);
        }
        let types: Vec<ValueType> = results.iter().map(|result| self.type_of(*result)).collect();
        let mut operands = Vec::new();
        if let Some(variable) = return_variable(&types, "retval0") {
            self.push(MachineBody::Declare(variable));
            operands.push(MachineOperand::Arguments(vec![MachineOperand::Name("retval0".into())]));
        }
        operands.push(target);
        operands.push(MachineOperand::Arguments(parameters));
        if let Some(label) = prototype {
            let unnamed = |variable: Variable| variable.to_string();
            let returned =
                return_variable(&types, "_").map_or("()".into(), |v| format!("({})", unnamed(v)));
            let parameters: Vec<String> = arguments
                .iter()
                .map(|argument| unnamed(value_variable(self.type_of(*argument), "_")))
                .collect();
            let text = format!(".callprototype {returned} _ ({})", parameters.join(", "));
            self.push(MachineBody::Directive(Some(label.clone()), text));
            operands.push(MachineOperand::Name(label));
        }
        self.push(MachineBody::Operation { name: name.into(), operands, defines: false });
        let (offsets, ..) = return_layout(&types);
        for ((result, ty), offset) in results.iter().zip(types).zip(offsets) {
            let to = self.result(*result);
            self.load_parameter(ty, to, MachineBase::Name("retval0".into()), offset as i64);
        }
        self.push(MachineBody::Close);
    }
}

impl Selector<'_> {
    fn template(
        &mut self,
        template: &PtxTemplate,
        inputs: &[ValueId],
        results: &[ValueId],
    ) -> Result<(), CompileError> {
        let outputs: Vec<VirtualRegister> =
            results.iter().map(|result| self.result(*result)).collect();
        let mut operands: Vec<TextPiece> =
            outputs.iter().map(|register| TextPiece::Register(*register)).collect();
        for (index, input) in inputs.iter().enumerate() {
            let tied = template.tied.iter().find(|(input, _)| *input as usize == index);
            if let Some((_, output)) = tied {
                let from = self.copied(*input);
                let output = *outputs
                    .get(*output as usize)
                    .ok_or_else(|| self.error("an operand is tied to an output that is missing"))?;
                self.push(MachineBody::Copies(vec![(output, from)]));
                operands.push(TextPiece::Register(output));
                continue;
            }
            // PTX has no literals for 16-bit floats or pairs of them; these constants arrive as integers.
            let small = self.type_of(*input) == ValueType::I16 || template.text.contains("16x2");
            let operand = match self.operand(*input) {
                MachineOperand::Immediate(literal) if template.literals && !small => {
                    TextPiece::Text(literal.to_string())
                }
                _ => TextPiece::Register(self.register(*input)),
            };
            operands.push(operand);
        }
        let mut pieces = Vec::new();
        let mut rest = template.text.as_str();
        while let Some(at) = rest.find('%') {
            pieces.push(TextPiece::Text(rest[..at].to_owned()));
            rest = &rest[at + 1..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                let operand = rest[..digits].parse().ok().and_then(|n: usize| operands.get(n));
                let operand = operand.ok_or_else(|| {
                    self.error(format!(
                        "PTX text names operand %{}, which it lacks",
                        &rest[..digits]
                    ))
                })?;
                pieces.push(operand.clone());
                rest = &rest[digits..];
            } else {
                pieces.push(TextPiece::Text("%".to_owned()));
                rest = rest.strip_prefix('%').unwrap_or(rest);
            }
        }
        pieces.push(TextPiece::Text(rest.to_owned()));
        // If an instruction reads and writes an operand, it reads the output register.
        self.push(MachineBody::Text { pieces, outputs });
        Ok(())
    }
}

/// The type of a value in memory.
fn memory_type(ty: ValueType) -> &'static str {
    match ty {
        ValueType::I1 | ValueType::I8 => "u8",
        ValueType::I16 => "u16",
        ValueType::F16 | ValueType::BF16 => "b16",
        ValueType::F32 => "f32",
        ValueType::F64 => "f64",
        _ if ty.bytes() == 4 => "u32",
        _ => "u64",
    }
}
