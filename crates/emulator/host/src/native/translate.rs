//! Translates a function's code to Cranelift's intermediate form: control flow, frames, calls and faults.
//!
//! A function takes the top of the active calls and its arguments, and returns a status and its first result. A status
//! other than 0 says that the program stops; [`Context`](super::context::Context) has the reason.

use super::compiler::CONVENTION;
use super::context::TableEntry;
use super::helpers::{Fault, Helpers};
use crate::assemble::FUNCTION_STEP;
use crate::code::{FunctionCode, Op, RegisterKind};
use crate::process::{FUNCTIONS, Process};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, InstBuilder, MemFlagsData, SigRef, Signature, StackSlot,
    StackSlotData, StackSlotKind, Type, Value, types,
};
use cranelift_frontend::{FunctionBuilder, Switch, Variable};
use std::collections::{BTreeMap, HashSet};

/// Flags of accesses to memory that the code has checked, or that the context owns. They become plain moves.
pub const PLAIN: MemFlagsData = MemFlagsData::trusted();

/// Addresses that machine code contains.
#[derive(Clone, Debug)]
pub struct Layout {
    pub context: u64,
    pub shared: u64,
    pub table: u64,
    pub functions: u64,
    pub results: u64,
    /// The top of the active calls at which no further call is allowed.
    pub deepest: u64,
    pub stack_low: u64,
    /// The arena's first byte and its size.
    pub arena: (u64, u64),
    pub shadow: u64,
    pub helpers: Helpers,
}

/// Where a function's machine code starts.
#[derive(Clone, Copy, Debug)]
pub enum Start {
    /// At the function's start, with its arguments.
    Call,
    /// At a position, with the addresses of all registers and of the frame.
    Loop(usize),
}

/// The signature of a function with `arity` parameters.
pub fn call_signature(arity: usize) -> Signature {
    let mut signature = Signature::new(CONVENTION);
    signature.params.extend(vec![AbiParam::new(types::I64); arity + 1]);
    signature.returns.extend([AbiParam::new(types::I64); 2]);
    signature
}

/// The type of a register of some kind.
pub fn type_of(kind: RegisterKind) -> Type {
    match kind {
        RegisterKind::Word32 => types::I32,
        RegisterKind::Word64 => types::I64,
        RegisterKind::F32 => types::F32,
        RegisterKind::F64 => types::F64,
    }
}

/// The translation of one function.
pub struct Translator<'a> {
    pub b: FunctionBuilder<'a>,
    pub code: &'a FunctionCode,
    pub layout: &'a Layout,
    pub has_fma: bool,
    process: &'a Process,
    number: usize,
    variables: Vec<Option<Variable>>,
    /// The block that starts at a position, and the edges to it that are still to come.
    blocks: BTreeMap<usize, (Block, usize)>,
    /// The position of the current operation.
    at: usize,
    top: Value,
    frame: Value,
    /// The program's stack pointer of the caller, if this function opened a frame.
    outer: Option<Value>,
    stopped: Option<Block>,
    /// Whether new blocks are rarely reached.
    is_cold: bool,
    helper: SigRef,
    words: Option<StackSlot>,
}

impl<'a> Translator<'a> {
    /// Starts the translation of a function.
    pub fn new(
        mut b: FunctionBuilder<'a>,
        process: &'a Process,
        code: &'a FunctionCode,
        number: usize,
        layout: &'a Layout,
        has_fma: bool,
    ) -> Translator<'a> {
        let mut signature = Signature::new(CONVENTION);
        signature.params.extend([AbiParam::new(types::I64); 6]);
        signature.returns.extend([AbiParam::new(types::I64); 2]);
        let helper = b.import_signature(signature);
        let constants = code.constants.len();
        let variables = code.kinds.iter().enumerate();
        let variables = variables
            .map(|(at, kind)| (at >= constants).then(|| b.declare_var(type_of(*kind))))
            .collect();
        let widest = |words: usize| {
            let bytes = 8 * words as u32;
            StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 3)
        };
        let arguments = code.calls.iter().map(|call| call.arguments.len());
        let operands = code.others.iter().map(|other| other.operands.len());
        let words = arguments.chain(operands).max().filter(|words| *words > 0);
        let words = words.map(|words| b.create_sized_stack_slot(widest(words)));
        Translator {
            b,
            code,
            layout,
            has_fma,
            process,
            number,
            variables,
            blocks: BTreeMap::new(),
            at: 0,
            top: Value::from_u32(0),
            frame: Value::from_u32(0),
            outer: None,
            stopped: None,
            is_cold: false,
            helper,
            words,
        }
    }

    /// Translates all operations that are reachable from the start; `None` if the code is not understood.
    pub fn translate(mut self, start: Start) -> Option<FunctionBuilder<'a>> {
        let first = match start {
            Start::Call => 0,
            Start::Loop(at) => at,
        };
        let order = self.find_blocks(first)?;
        let entry = self.b.create_block();
        self.b.append_block_params_for_function_params(entry);
        self.b.switch_to_block(entry);
        self.b.seal_block(entry);
        let parameters = self.b.block_params(entry).to_vec();
        self.top = parameters[0];
        match start {
            Start::Call => self.prologue(&parameters[1..]),
            Start::Loop(_) => self.take_over(&parameters[1..]),
        }
        let target = self.edge(first)?;
        self.b.ins().jump(target, &[]);
        self.sealed(first);
        for at in order {
            let (block, _) = *self.blocks.get(&at)?;
            self.b.switch_to_block(block);
            self.straight(at)?;
        }
        if let Some(stopped) = self.stopped {
            self.b.switch_to_block(stopped);
            let (one, zero) = (self.word(1), self.word(0));
            self.b.ins().return_(&[one, zero]);
        }
        self.b.seal_all_blocks();
        Some(self.b)
    }

    /// Finds the reachable blocks and counts their edges.
    fn find_blocks(&mut self, first: usize) -> Option<Vec<usize>> {
        let mut leaders: HashSet<usize> = HashSet::from([first]);
        for at in 0..self.code.ops.len() {
            leaders.extend(self.targets(at).0);
        }
        let (mut work, mut order) = (vec![first], Vec::new());
        self.blocks.insert(first, (self.b.create_block(), 1));
        while let Some(start) = work.pop() {
            order.push(start);
            let mut at = start;
            loop {
                let (targets, ends) = self.targets(at);
                let next = at + 1;
                let mut edges = targets;
                let falls = !ends && leaders.contains(&next);
                edges.extend(falls.then_some(next));
                for target in edges {
                    if target >= self.code.ops.len() {
                        return None;
                    }
                    if let Some((_, count)) = self.blocks.get_mut(&target) {
                        *count += 1;
                        continue;
                    }
                    self.blocks.insert(target, (self.b.create_block(), 1));
                    work.push(target);
                }
                if ends || falls {
                    break;
                }
                at = next;
                self.code.ops.get(at)?;
            }
        }
        order.sort_unstable();
        Some(order)
    }

    /// Where an operation may go, with the operation after a conditional jump, and whether the next one does not follow.
    fn targets(&self, at: usize) -> (Vec<usize>, bool) {
        match self.code.ops[at] {
            Op::Jump { to } => (vec![to as usize], true),
            Op::Branch { to, .. }
            | Op::JumpEqual { to, .. }
            | Op::JumpNotEqual { to, .. }
            | Op::JumpLessUnsigned { to, .. }
            | Op::JumpLessSigned { to, .. }
            | Op::JumpLessEqualSigned { to, .. } => (vec![to as usize, at + 1], true),
            Op::Switch { index, .. } => {
                let (cases, default) = &self.code.switches[index as usize];
                let cases = cases.iter().map(|(_, to)| *to as usize);
                let all: HashSet<usize> = cases.chain([*default as usize]).collect();
                (all.into_iter().collect(), true)
            }
            Op::Return { .. } | Op::Trap => (Vec::new(), true),
            _ => (Vec::new(), false),
        }
    }

    /// The block at a position, for a jump from here.
    fn edge(&mut self, to: usize) -> Option<Block> {
        Some(self.blocks.get(&to)?.0)
    }

    /// Notes that a jump to a position was added.
    fn sealed(&mut self, to: usize) {
        if let Some((block, edges)) = self.blocks.get_mut(&to) {
            *edges -= 1;
            if *edges == 0 {
                self.b.seal_block(*block);
            }
        }
    }

    /// Opens the frame and stores the arguments.
    fn prologue(&mut self, arguments: &[Value]) {
        for (at, argument) in arguments.iter().enumerate() {
            self.set(self.code.parameters + at as u32, *argument);
        }
        if !self.code.calls.is_empty() {
            let lowest = self.shared(8);
            let pointer = self.b.ins().get_stack_pointer(types::I64);
            let low = self.b.ins().icmp(IntCC::UnsignedLessThan, pointer, lowest);
            self.fault_if(low, Fault::DeepRecursion);
        }
        if self.code.frame == 0 {
            return;
        }
        let outer = self.shared(0);
        let low = self.word(self.layout.stack_low);
        let room = self.b.ins().isub(outer, low);
        let frame = self.word(self.code.frame);
        let over = self.b.ins().icmp(IntCC::UnsignedLessThan, room, frame);
        self.fault_if(over, Fault::LargeFrame);
        let start = self.b.ins().isub(outer, frame);
        self.frame = self.b.ins().band_imm_s(start, !63);
        self.outer = Some(outer);
        self.set_shared(0, self.frame);
        self.open_frame(self.frame);
    }

    /// Loads all registers, as the interpreter left them in the middle of the function.
    fn take_over(&mut self, parameters: &[Value]) {
        let [registers, frame] = *parameters else { return };
        self.frame = frame;
        for (at, variable) in self.variables.clone().into_iter().enumerate() {
            let Some(variable) = variable else { continue };
            let ty = type_of(self.code.kinds[at]);
            let flags = PLAIN.with_readonly().with_can_move();
            let value = self.b.ins().load(ty, flags, registers, 8 * at as i32);
            self.b.def_var(variable, value);
        }
    }

    /// Translates operations up to the end of a block.
    fn straight(&mut self, start: usize) -> Option<()> {
        self.at = start;
        loop {
            let at = self.at;
            if self.operation(self.code.ops[at])? {
                return Some(());
            }
            self.at = at + 1;
            if self.blocks.contains_key(&self.at) {
                let target = self.edge(self.at)?;
                self.b.ins().jump(target, &[]);
                self.sealed(self.at);
                return Some(());
            }
        }
    }

    /// Translates one operation. Returns whether it ends its block.
    fn operation(&mut self, op: Op) -> Option<bool> {
        use IntCC as C;
        match op {
            Op::Jump { to } => {
                let target = self.edge(to as usize)?;
                self.b.ins().jump(target, &[]);
                self.sealed(to as usize);
            }
            Op::Branch { c, to } => {
                let condition = self.get(c);
                self.branch(condition, to)?;
            }
            Op::JumpEqual { a, b, to } => {
                let condition = self.compare_words(C::Equal, a, b);
                self.branch(condition, to)?;
            }
            Op::JumpNotEqual { a, b, to } => {
                let condition = self.compare_words(C::NotEqual, a, b);
                self.branch(condition, to)?;
            }
            Op::JumpLessUnsigned { a, b, to } => {
                let condition = self.compare_words(C::UnsignedLessThan, a, b);
                self.branch(condition, to)?;
            }
            Op::JumpLessSigned { a, b, to, shift } => {
                let condition = self.compare_signed(C::SignedLessThan, a, b, shift);
                self.branch(condition, to)?;
            }
            Op::JumpLessEqualSigned { a, b, to, shift } => {
                let condition = self.compare_signed(C::SignedLessThanOrEqual, a, b, shift);
                self.branch(condition, to)?;
            }
            Op::Switch { a, index } => self.switch(a, index as usize)?,
            Op::Return { index } => self.return_values(index as usize),
            Op::Trap => {
                let kind = self.word(Fault::Trap as u64);
                self.stop_by(self.layout.helpers.fault, [kind, kind, kind]);
            }
            Op::Call { index } => {
                self.call(index as usize);
                return Some(false);
            }
            Op::CallIndirect { pointer, index } => {
                self.call_indirect(pointer, index as usize);
                return Some(false);
            }
            Op::FrameAddress { d, offset } => {
                let address = self.b.ins().iadd_imm_s(self.frame, i64::from(offset));
                self.set(d, address);
                return Some(false);
            }
            Op::Other { d, index } => {
                self.other(d, index as usize);
                return Some(false);
            }
            _ => {
                if !self.access(op) {
                    self.value(op)?;
                }
                return Some(false);
            }
        }
        Some(true)
    }

    fn branch(&mut self, condition: Value, to: u32) -> Option<()> {
        let (yes, no) = (self.edge(to as usize)?, self.edge(self.at + 1)?);
        self.b.ins().brif(condition, yes, &[], no, &[]);
        self.sealed(to as usize);
        self.sealed(self.at + 1);
        Some(())
    }

    fn switch(&mut self, a: u32, index: usize) -> Option<()> {
        let (cases, default) = &self.code.switches[index];
        let value = self.get64(a);
        let mut switch = Switch::new();
        for (case, to) in cases {
            let target = self.edge(*to as usize)?;
            if !switch.entries().contains_key(&u128::from(*case)) {
                switch.set_entry(u128::from(*case), target);
            }
        }
        let otherwise = self.edge(*default as usize)?;
        switch.emit(&mut self.b, value, otherwise);
        for to in self.targets(self.at).0 {
            self.sealed(to);
        }
        Some(())
    }

    fn return_values(&mut self, index: usize) {
        let list = &self.code.returns[index];
        let mut first = self.word(0);
        for (at, register) in list.iter().enumerate() {
            let value = self.get64(*register);
            if at == 0 {
                first = value;
                continue;
            }
            let to = self.word(self.layout.results);
            self.b.ins().store(PLAIN, value, to, 8 * at as i32);
        }
        if let Some(outer) = self.outer {
            self.close_frame(self.frame);
            self.set_shared(0, outer);
        }
        let status = self.word(0);
        self.b.ins().return_(&[status, first]);
    }
}

/// Constants, registers and the context.
impl Translator<'_> {
    /// A 64-bit constant.
    pub fn word(&mut self, value: u64) -> Value {
        self.b.ins().iconst(types::I64, value as i64)
    }

    /// A field of the shared context.
    fn shared(&mut self, offset: i32) -> Value {
        let shared = self.word(self.layout.shared);
        self.b.ins().load(types::I64, PLAIN, shared, offset)
    }

    fn set_shared(&mut self, offset: i32, value: Value) {
        let shared = self.word(self.layout.shared);
        self.b.ins().store(PLAIN, value, shared, offset);
    }

    /// A register's value, of its own type.
    pub fn get(&mut self, register: u32) -> Value {
        let kind = self.code.kinds[register as usize];
        if let Some(bits) = self.code.constants.get(register as usize) {
            return match kind {
                RegisterKind::Word32 => self.b.ins().iconst(types::I32, i64::from(*bits as u32)),
                RegisterKind::Word64 => self.word(*bits),
                RegisterKind::F32 => self.b.ins().f32const(f32::from_bits(*bits as u32)),
                RegisterKind::F64 => self.b.ins().f64const(f64::from_bits(*bits)),
            };
        }
        match self.variables[register as usize] {
            Some(variable) => self.b.use_var(variable),
            None => self.word(0),
        }
    }

    /// Stores a value of any type in a register: its low bits, extended by zeros.
    pub fn set(&mut self, register: u32, value: Value) {
        let value = self.coerce(value, type_of(self.code.kinds[register as usize]));
        if let Some(variable) = self.variables[register as usize] {
            self.b.def_var(variable, value);
        }
    }

    /// The bits of a value as another type: cut off, or extended by zeros.
    pub fn coerce(&mut self, value: Value, to: Type) -> Value {
        let from = self.b.func.dfg.value_type(value);
        if from == to {
            return value;
        }
        if from.is_float() {
            let word = if from == types::F32 { types::I32 } else { types::I64 };
            let bits = self.b.ins().bitcast(word, MemFlagsData::new(), value);
            return self.coerce(bits, to);
        }
        if to.is_float() {
            let word = if to == types::F32 { types::I32 } else { types::I64 };
            let bits = self.coerce(value, word);
            return self.b.ins().bitcast(to, MemFlagsData::new(), bits);
        }
        if from.bits() > to.bits() {
            self.b.ins().ireduce(to, value)
        } else {
            self.b.ins().uextend(to, value)
        }
    }

    /// A register's bits as a value of a type.
    pub fn get_as(&mut self, register: u32, ty: Type) -> Value {
        let value = self.get(register);
        self.coerce(value, ty)
    }

    /// A register's 64 bits.
    pub fn get64(&mut self, register: u32) -> Value {
        self.get_as(register, types::I64)
    }
}

/// Helpers, faults and calls.
impl Translator<'_> {
    /// The block that returns with the status of a stop.
    fn stopped(&mut self) -> Block {
        if let Some(block) = self.stopped {
            return block;
        }
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        *self.stopped.insert(block)
    }

    /// The current operation, for the helpers.
    fn site(&mut self) -> Value {
        self.word((self.number as u64) << 32 | self.at as u64)
    }

    /// Calls a helper. Returns the status and the value.
    fn call_helper(&mut self, helper: u64, operands: [Value; 3]) -> (Value, Value) {
        let (context, site) = (self.word(self.layout.context), self.site());
        let function = self.word(helper);
        let [a, b, c] = operands;
        let call =
            self.b.ins().call_indirect(self.helper, function, &[context, self.top, site, a, b, c]);
        let results = self.b.inst_results(call);
        (results[0], results[1])
    }

    /// Goes on in a new block unless a status says that the program stops.
    fn check_status(&mut self, status: Value) {
        let (stopped, next) = (self.stopped(), self.b.create_block());
        if self.is_cold {
            self.b.set_cold_block(next);
        }
        self.b.ins().brif(status, stopped, &[], next, &[]);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
    }

    /// Calls a helper that may stop the program. Returns its value.
    pub fn help(&mut self, helper: u64, operands: [Value; 3]) -> Value {
        let (status, value) = self.call_helper(helper, operands);
        self.check_status(status);
        value
    }

    /// Calls a helper in a rare case.
    pub fn help_rarely(&mut self, helper: u64, operands: [Value; 3]) -> Value {
        self.is_cold = true;
        let value = self.help(helper, operands);
        self.is_cold = false;
        value
    }

    /// Calls a helper that stops the program.
    fn stop_by(&mut self, helper: u64, operands: [Value; 3]) {
        self.call_helper(helper, operands);
        let stopped = self.stopped();
        self.b.ins().jump(stopped, &[]);
    }

    /// Faults if a condition holds.
    pub fn fault_if(&mut self, condition: Value, fault: Fault) {
        let (bad, good) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(bad);
        self.b.ins().brif(condition, bad, &[], good, &[]);
        self.b.switch_to_block(bad);
        self.b.seal_block(bad);
        let kind = self.word(fault as u64);
        self.stop_by(self.layout.helpers.fault, [kind, kind, kind]);
        self.b.switch_to_block(good);
        self.b.seal_block(good);
    }

    /// Stores the values of registers for a helper. Returns their address and number.
    pub fn pass(&mut self, registers: &[u32]) -> (Value, Value) {
        let count = self.word(registers.len() as u64);
        let Some(slot) = self.words else { return (count, count) };
        for (at, register) in registers.iter().enumerate() {
            let value = self.get64(*register);
            self.b.ins().stack_store(types::I64, value, slot, 8 * at as i32);
        }
        (self.b.ins().stack_addr(types::I64, slot, 0), count)
    }

    /// Stores the results of a call.
    fn take_results(&mut self, results: &[u32], first: Value) {
        for (at, register) in results.iter().enumerate() {
            let value = if at == 0 {
                first
            } else {
                let from = self.word(self.layout.results);
                self.b.ins().load(types::I64, PLAIN, from, 8 * at as i32)
            };
            self.set(*register, value);
        }
    }

    fn call(&mut self, index: usize) {
        let call = &self.code.calls[index];
        let number = call.function as usize;
        let callee = self.process.code(number);
        let fits = callee.parameter_count as usize == call.arguments.len();
        let function = self.word(number as u64);
        if callee.external.is_some() || callee.ops.is_empty() || !fits {
            let (words, count) = self.pass(&call.arguments);
            let first = self.help(self.layout.helpers.call, [function, words, count]);
            self.take_results(&call.results, first);
            return;
        }
        let entry = self.layout.table + number as u64 * size_of::<TableEntry>() as u64;
        let entry = self.word(entry);
        let code = self.b.ins().load(types::I64, PLAIN, entry, 0);
        self.direct_or(code, code, self.layout.helpers.call, function, index);
    }

    fn call_indirect(&mut self, pointer: u32, index: usize) {
        let pointer = self.get64(pointer);
        let count = self.code.calls[index].arguments.len();
        // The number of the function at the address, as `Process::function_at` finds it.
        let offset = self.b.ins().iadd_imm_s(pointer, -(FUNCTIONS as i64));
        let number = self.b.ins().rotr_imm_s(offset, i64::from(FUNCTION_STEP.ilog2()));
        let functions = self.word(self.layout.functions);
        let known = self.b.ins().icmp(IntCC::UnsignedLessThan, number, functions);
        let zero = self.word(0);
        let number = self.b.ins().select(known, number, zero);
        let step = size_of::<TableEntry>() as i64;
        let offset = self.b.ins().imul_imm_s(number, step);
        let entry = self.b.ins().iadd_imm_s(offset, self.layout.table as i64);
        let code = self.b.ins().load(types::I64, PLAIN, entry, 0);
        let parameters = self.b.ins().load(types::I64, PLAIN, entry, 8);
        let fits = self.b.ins().icmp_imm_s(IntCC::Equal, parameters, count as i64);
        let fits = self.b.ins().band(known, fits);
        let has_code = self.b.ins().icmp_imm_s(IntCC::NotEqual, code, 0);
        let usable = self.b.ins().band(fits, has_code);
        self.direct_or(usable, code, self.layout.helpers.call_indirect, pointer, index);
    }

    /// Calls machine code if a condition holds, else a helper with `subject`.
    fn direct_or(
        &mut self,
        condition: Value,
        code: Value,
        helper: u64,
        subject: Value,
        index: usize,
    ) {
        let call = &self.code.calls[index];
        let [fast, slow, next] = [(); 3].map(|()| self.b.create_block());
        self.b.set_cold_block(slow);
        self.b.append_block_param(next, types::I64);
        self.b.append_block_param(next, types::I64);
        let deepest = self.word(self.layout.deepest);
        self.b.ins().brif(condition, fast, &[], slow, &[]);

        self.b.switch_to_block(fast);
        self.b.seal_block(fast);
        let deep = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, self.top, deepest);
        self.fault_if(deep, Fault::DeepRecursion);
        let site = self.site();
        self.b.ins().store(PLAIN, site, self.top, 0);
        let mut arguments = vec![self.b.ins().iadd_imm_s(self.top, 8)];
        arguments.extend(call.arguments.iter().map(|register| self.get64(*register)));
        let signature = self.b.import_signature(call_signature(call.arguments.len()));
        let done = self.b.ins().call_indirect(signature, code, &arguments);
        let results = self.b.inst_results(done).to_vec();
        self.b.ins().jump(next, &[BlockArg::from(results[0]), BlockArg::from(results[1])]);

        self.b.switch_to_block(slow);
        self.b.seal_block(slow);
        let (words, count) = self.pass(&call.arguments);
        let (status, value) = self.call_helper(helper, [subject, words, count]);
        self.b.ins().jump(next, &[BlockArg::from(status), BlockArg::from(value)]);

        self.b.switch_to_block(next);
        self.b.seal_block(next);
        let (status, first) = (self.b.block_params(next)[0], self.b.block_params(next)[1]);
        self.check_status(status);
        self.take_results(&call.results, first);
    }
}
