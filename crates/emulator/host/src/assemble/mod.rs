//! Translates functions in SSA form to code: one register for each value, moves for block parameters, comparisons fused
//! with branches, and constant offsets folded into loads and stores.

mod operations;

use crate::code::{CallOp, FunctionCode, Op, OtherOp, RegisterKind};
use crate::half::HalfOperation;
use lanework_ssa::*;
use operations::dedicated;
use std::collections::HashMap;

/// Addresses that code refers to.
pub struct Addresses<'a> {
    /// Addresses of the global variables.
    pub globals: &'a [u64],
    /// Address of the first function. The others follow, [`FUNCTION_STEP`] apart.
    pub functions: u64,
}

/// Bytes between the addresses of two functions.
pub const FUNCTION_STEP: u64 = 16;

/// Inaccessible bytes between two stack slots.
const GUARD: u64 = 32;

struct Assembler<'a> {
    function: &'a SsaFunction,
    code: FunctionCode,
    registers: HashMap<ValueId, u32>,
    position: SourcePosition,
    /// Whether the current instruction is a `volatile` access.
    is_volatile: bool,
    uses: Vec<u32>,
    /// By value: the number of loads and stores that can fold it into their address, without other uses of it.
    addressed: Vec<u32>,
    /// The start of each block's code.
    starts: Vec<Option<u32>>,
    /// Jumps whose target is still a block instead of a position in the code.
    patches: Vec<(usize, BlockId)>,
    work: Vec<BlockId>,
    /// Targets of branches and switches, whose moves need code of their own.
    edges: Vec<(Patch, BlockCall)>,
}

/// The origin of an edge.
enum Patch {
    Op(usize),
    Case(usize, Option<usize>),
}

/// The code of a function.
pub fn assemble(function: &SsaFunction, addresses: &Addresses<'_>) -> FunctionCode {
    let mut assembler = Assembler {
        function,
        code: FunctionCode { name: function.name.clone(), ..FunctionCode::default() },
        registers: HashMap::new(),
        position: SourcePosition::default(),
        is_volatile: false,
        uses: vec![0; function.values.len()],
        addressed: vec![0; function.values.len()],
        starts: vec![None; function.blocks.len()],
        patches: Vec::new(),
        work: Vec::new(),
        edges: Vec::new(),
    };
    if !function.blocks.is_empty() {
        assembler.leaves(addresses);
        assembler.blocks();
    }
    assembler.code
}

impl Assembler<'_> {
    /// Gives registers to constants, slots and parameters, and counts uses.
    fn leaves(&mut self, addresses: &Addresses<'_>) {
        let mut offsets = Vec::new();
        let mut end = 0u64;
        for slot in &self.function.slots {
            let start = end.next_multiple_of(u64::from(slot.align.max(16)));
            offsets.push((start as u32, slot.size));
            end = start + slot.size + GUARD;
        }
        self.code.frame = end.next_multiple_of(16);
        let mut slots: Vec<(ValueId, u32)> = Vec::new();
        let mut used = Vec::new();
        for block in &self.function.blocks {
            for id in &block.instructions {
                let data = self.function.instruction(*id);
                used.extend(data.arguments.iter().copied());
                if matches!(data.kind, InstructionKind::Load(_) | InstructionKind::Store(_)) {
                    let address = self.function.resolve(data.arguments[0]);
                    let stored = &data.arguments[1..];
                    let only = stored.iter().all(|value| self.function.resolve(*value) != address);
                    self.addressed[address.index()] += u32::from(only);
                }
            }
            used.extend(block.terminator.values());
        }
        for value in used {
            let value = self.function.resolve(value);
            self.uses[value.index()] += 1;
            if self.registers.contains_key(&value) {
                continue;
            }
            let bits = match self.function.definition(value) {
                ValueDefinition::Constant(bits) => bits,
                ValueDefinition::Undefined => 0,
                ValueDefinition::Global(id) => {
                    addresses.globals.get(id.index()).map_or(0, |at| *at)
                }
                ValueDefinition::Function(id) => {
                    addresses.functions + id.index() as u64 * FUNCTION_STEP
                }
                ValueDefinition::Slot(id) => {
                    if !slots.iter().any(|(known, _)| *known == value) {
                        slots.push((value, id.0));
                    }
                    continue;
                }
                _ => continue,
            };
            self.registers.insert(value, self.code.constants.len() as u32);
            self.code.constants.push(bits);
            self.code.kinds.push(RegisterKind::of(self.function.value_type(value)));
        }
        self.code.registers = self.code.constants.len() as u32;
        // Only slots that are used are opened.
        for (value, slot) in slots {
            let register = self.new_register(RegisterKind::Word64);
            self.registers.insert(value, register);
            let (offset, size) = offsets[slot as usize];
            self.code.slots.push((offset, size));
            self.code.slot_names.push(self.function.slots[slot as usize].name.clone());
            self.push(Op::FrameAddress { d: register, offset });
        }
        let parameters = self.function.block(SsaFunction::ENTRY).parameters.clone();
        self.code.parameters = self.code.registers;
        self.code.parameter_count = parameters.len() as u32;
        for value in parameters {
            let register = self.new_register(RegisterKind::of(self.function.value_type(value)));
            self.registers.insert(value, register);
        }
    }

    fn new_register(&mut self, kind: RegisterKind) -> u32 {
        self.code.kinds.push(kind);
        self.code.registers += 1;
        self.code.registers - 1
    }

    fn push(&mut self, op: Op) -> usize {
        if self.is_volatile {
            self.code.volatile.insert(self.code.ops.len() as u32);
        }
        self.code.ops.push(op);
        self.code.positions.push(self.position);
        self.code.ops.len() - 1
    }

    fn register(&mut self, value: ValueId) -> u32 {
        let value = self.function.resolve(value);
        if let Some(register) = self.registers.get(&value) {
            return *register;
        }
        let register = self.new_register(RegisterKind::of(self.function.value_type(value)));
        self.registers.insert(value, register);
        register
    }

    fn ty(&self, value: ValueId) -> ValueType {
        self.function.value_type(self.function.resolve(value))
    }

    fn blocks(&mut self) {
        self.work.push(SsaFunction::ENTRY);
        loop {
            if let Some(block) = self.work.pop() {
                self.block(block);
                continue;
            }
            let Some((patch, call)) = self.edges.pop() else { break };
            self.position = self.function.block(call.block).position;
            let here = self.code.ops.len() as u32;
            match patch {
                Patch::Op(op) => set_target(&mut self.code.ops[op], here),
                Patch::Case(switch, case) => {
                    let (cases, default) = &mut self.code.switches[switch];
                    match case {
                        Some(case) => cases[case].1 = here,
                        None => *default = here,
                    }
                }
            }
            self.go(&call);
        }
        for (op, block) in std::mem::take(&mut self.patches) {
            if let Some(start) = self.starts[block.index()] {
                set_target(&mut self.code.ops[op], start);
            }
        }
    }

    /// Passes values to a block and goes there.
    fn go(&mut self, call: &BlockCall) {
        let parameters = self.function.block(call.block).parameters.clone();
        let mut moves: Vec<(u32, u32)> = Vec::new();
        for (parameter, argument) in parameters.into_iter().zip(&call.arguments) {
            let (d, a) = (self.register(parameter), self.register(*argument));
            if d != a {
                moves.push((d, a));
            }
        }
        // First the moves whose target no other move reads. A new register breaks cycles.
        while !moves.is_empty() {
            let ready = moves.iter().position(|(d, _)| moves.iter().all(|(_, a)| a != d));
            match ready {
                Some(at) => {
                    let (d, a) = moves.swap_remove(at);
                    self.push(Op::Move { d, a });
                }
                None => {
                    let (_, a) = moves[0];
                    let d = self.new_register(self.code.kinds[a as usize]);
                    self.push(Op::Move { d, a });
                    moves.iter_mut().filter(|(_, from)| *from == a).for_each(|(_, from)| *from = d);
                }
            }
        }
        if self.starts[call.block.index()].is_none() && self.work.is_empty() {
            // The target's code follows directly, so no jump is needed.
            self.work.push(call.block);
            return;
        }
        let op = self.push(Op::Jump { to: 0 });
        self.patches.push((op, call.block));
        if self.starts[call.block.index()].is_none() {
            self.work.insert(0, call.block);
        }
    }

    fn block(&mut self, block: BlockId) {
        if let Some(start) = self.starts[block.index()] {
            self.push(Op::Jump { to: start });
            return;
        }
        self.starts[block.index()] = Some(self.code.ops.len() as u32);
        let data = self.function.block(block);
        let fused = self.fused_comparison(data);
        for id in &data.instructions {
            let instruction = self.function.instruction(*id);
            self.position = instruction.position;
            if fused == Some(*id) || self.is_folded(instruction) {
                continue;
            }
            self.instruction(instruction);
        }
        self.position = data.position;
        match &data.terminator {
            BlockTerminator::Jump(target) => self.go(target),
            BlockTerminator::Branch(condition, yes, no) => {
                let op = match fused {
                    Some(id) => self.compare_and_jump(id),
                    None => {
                        let c = self.register(*condition);
                        Op::Branch { c, to: 0 }
                    }
                };
                let op = self.push(op);
                self.edges.push((Patch::Op(op), yes.clone()));
                self.go(no);
            }
            BlockTerminator::Switch(value, cases, default) => {
                let a = self.register(*value);
                let index = self.code.switches.len();
                let list = cases.iter().map(|(case, _)| (*case, 0)).collect();
                self.code.switches.push((list, 0));
                self.push(Op::Switch { a, index: index as u32 });
                for (at, (_, target)) in cases.iter().enumerate() {
                    self.edges.push((Patch::Case(index, Some(at)), target.clone()));
                }
                self.edges.push((Patch::Case(index, None), default.clone()));
            }
            BlockTerminator::Return(values) => {
                let registers = values.iter().map(|value| self.register(*value)).collect();
                self.code.returns.push(registers);
                self.push(Op::Return { index: self.code.returns.len() as u32 - 1 });
            }
            _ => {
                self.push(Op::Trap);
            }
        }
    }

    /// The comparison that only the block's branch uses, if it can be fused.
    fn fused_comparison(&self, data: &BlockData) -> Option<InstructionId> {
        let BlockTerminator::Branch(condition, ..) = &data.terminator else { return None };
        let condition = self.function.resolve(*condition);
        let (id, instruction) = self.function.defining(condition)?;
        let InstructionKind::CompareIntegers(_) = instruction.kind else { return None };
        (data.instructions.contains(&id) && self.uses[condition.index()] == 1).then_some(id)
    }

    fn compare_and_jump(&mut self, id: InstructionId) -> Op {
        use IntegerCondition as C;
        let instruction = self.function.instruction(id);
        let InstructionKind::CompareIntegers(condition) = instruction.kind else {
            return Op::Trap;
        };
        let shift = 64 - self.ty(instruction.arguments[0]).bits();
        let (a, b) =
            (self.register(instruction.arguments[0]), self.register(instruction.arguments[1]));
        let to = 0;
        match condition {
            C::Equal => Op::JumpEqual { a, b, to },
            C::NotEqual => Op::JumpNotEqual { a, b, to },
            C::LessUnsigned => Op::JumpLessUnsigned { a, b, to },
            C::GreaterUnsigned => Op::JumpLessUnsigned { a: b, b: a, to },
            C::LessSigned => Op::JumpLessSigned { a, b, to, shift },
            C::GreaterSigned => Op::JumpLessSigned { a: b, b: a, to, shift },
            C::LessOrEqualSigned => Op::JumpLessEqualSigned { a, b, to, shift },
            C::GreaterOrEqualSigned => Op::JumpLessEqualSigned { a: b, b: a, to, shift },
            C::LessOrEqualUnsigned | C::GreaterOrEqualUnsigned => {
                let d = self.new_register(RegisterKind::Word32);
                let (a, b) = if condition == C::LessOrEqualUnsigned { (a, b) } else { (b, a) };
                self.push(Op::LessEqualUnsigned { d, a, b });
                Op::Branch { c: d, to }
            }
        }
    }

    /// The base and offset of an address.
    fn address(&mut self, value: ValueId) -> (u32, i32) {
        if let Some((base, offset)) = self.offset_of(value) {
            return (self.register(base), offset);
        }
        (self.register(value), 0)
    }

    fn offset_of(&self, value: ValueId) -> Option<(ValueId, i32)> {
        let (_, instruction) = self.function.defining(value)?;
        let InstructionKind::PointerAdd = instruction.kind else { return None };
        let offset = self.function.as_constant(instruction.arguments[1])? as i64;
        Some((instruction.arguments[0], i32::try_from(offset).ok()?))
    }

    /// Whether all uses of a pointer sum are loads and stores that fold it into their offset.
    fn is_folded(&self, instruction: &InstructionData) -> bool {
        let InstructionKind::PointerAdd = instruction.kind else { return false };
        let Some(&result) = instruction.results.first() else { return false };
        if self.offset_of(result).is_none() {
            return false;
        }
        self.addressed[result.index()] == self.uses[result.index()]
    }

    fn instruction(&mut self, instruction: &InstructionData) {
        self.is_volatile = false;
        self.operations(instruction);
        self.is_volatile = false;
    }

    fn operations(&mut self, instruction: &InstructionData) {
        use InstructionKind as K;
        let arguments = &instruction.arguments;
        match &instruction.kind {
            K::Load(flags) => {
                self.is_volatile = flags.volatile;
                let (a, mut offset) = self.address(arguments[0]);
                for result in &instruction.results {
                    let bytes = self.ty(*result).bytes();
                    let d = self.register(*result);
                    self.push(match bytes {
                        4 => Op::Load32 { d, a, offset },
                        8 => Op::Load64 { d, a, offset },
                        _ => Op::Load { d, a, offset, bytes },
                    });
                    offset = offset.wrapping_add(bytes as i32);
                }
            }
            K::Store(flags) => {
                self.is_volatile = flags.volatile;
                let (a, mut offset) = self.address(arguments[0]);
                for value in &arguments[1..] {
                    let bytes = self.ty(*value).bytes();
                    let value = self.register(*value);
                    self.push(match bytes {
                        4 => Op::Store32 { a, offset, value },
                        8 => Op::Store64 { a, offset, value },
                        _ => Op::Store { a, offset, value, bytes },
                    });
                    offset = offset.wrapping_add(bytes as i32);
                }
            }
            K::CopyMemory { size, .. } => {
                let (to, from) = (self.register(arguments[0]), self.register(arguments[1]));
                self.push(Op::Copy { to, from, bytes: *size as u32 });
            }
            K::FillMemory { byte, size, .. } => {
                let to = self.register(arguments[0]);
                self.push(Op::Fill { to, byte: u32::from(*byte), bytes: *size as u32 });
            }
            K::Call(function) => {
                let index = self.call(function.0, arguments, &instruction.results);
                self.push(Op::Call { index });
            }
            K::CallIndirect => {
                let pointer = self.register(arguments[0]);
                let index = self.call(0, &arguments[1..], &instruction.results);
                self.push(Op::CallIndirect { pointer, index });
            }
            _ => {
                let op = self.value(instruction);
                self.push(op);
            }
        }
    }

    fn call(&mut self, function: u32, arguments: &[ValueId], results: &[ValueId]) -> u32 {
        let arguments = arguments.iter().map(|value| self.register(*value)).collect();
        let results = results.iter().map(|value| self.register(*value)).collect();
        self.code.calls.push(CallOp { function, arguments, results });
        self.code.calls.len() as u32 - 1
    }

    /// An operation that computes one value.
    fn value(&mut self, instruction: &InstructionData) -> Op {
        let operands: Vec<u32> =
            instruction.arguments.iter().map(|value| self.register(*value)).collect();
        let from = instruction.arguments.first().map_or(ValueType::I64, |value| self.ty(*value));
        let (to, d) = match instruction.results.first() {
            Some(&result) => (self.ty(result), self.register(result)),
            None => (ValueType::I64, self.new_register(RegisterKind::Word64)),
        };
        let dedicated = dedicated(&instruction.kind, d, &operands, from, to);
        dedicated.unwrap_or_else(|| {
            let kind = instruction.kind.clone();
            let half = match &kind {
                InstructionKind::Ptx(template) => HalfOperation::parse(&template.text),
                _ => None,
            };
            self.code.others.push(OtherOp { kind, operands, from, to, half });
            Op::Other { d, index: self.code.others.len() as u32 - 1 }
        })
    }
}

fn set_target(op: &mut Op, target: u32) {
    match op {
        Op::Jump { to }
        | Op::Branch { to, .. }
        | Op::JumpEqual { to, .. }
        | Op::JumpNotEqual { to, .. }
        | Op::JumpLessUnsigned { to, .. }
        | Op::JumpLessSigned { to, .. }
        | Op::JumpLessEqualSigned { to, .. } => *to = target,
        _ => {}
    }
}
