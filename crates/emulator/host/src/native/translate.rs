//! Translates a function's code to Cranelift's intermediate form: control flow, frames, calls and faults.
//!
//! A function takes the top of the active calls and its arguments, and returns a status and its first result. A nonzero
//! status means that the program stops; the context has the reason.

use super::layout::{CONVENTION, CodeFault, CodeLayout, PLAIN, Start, type_of};
use crate::code::{FunctionCode, Op, RegisterKind};
use crate::process::Process;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, InstBuilder, MemFlagsData, SigRef, Signature, StackSlot, StackSlotData,
    StackSlotKind, Type, Value, types,
};
use cranelift_frontend::{FunctionBuilder, Variable};
use std::collections::BTreeMap;

/// The translation of one function.
pub struct Translator<'a> {
    pub b: FunctionBuilder<'a>,
    pub code: &'a FunctionCode,
    pub layout: &'a CodeLayout,
    pub has_fma: bool,
    pub process: &'a Process,
    pub number: usize,
    variables: Vec<Option<Variable>>,
    /// The block that starts at each position, and the number of its edges that are not translated yet.
    pub blocks: BTreeMap<usize, (Block, usize)>,
    /// The position of the current operation.
    pub at: usize,
    pub top: Value,
    pub frame: Value,
    /// The caller's program stack pointer, if this function opened a frame.
    pub outer: Option<Value>,
    pub stopped: Option<Block>,
    /// Whether new blocks are cold (rarely executed).
    pub is_cold: bool,
    pub helper: SigRef,
    pub words: Option<StackSlot>,
}

impl<'a> Translator<'a> {
    /// Starts the translation of a function.
    pub fn new(
        mut b: FunctionBuilder<'a>,
        process: &'a Process,
        code: &'a FunctionCode,
        number: usize,
        layout: &'a CodeLayout,
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

    /// Translates all operations that are reachable from the start; `None` if the code has an unsupported operation.
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

    /// Opens the frame and stores the arguments.
    fn prologue(&mut self, arguments: &[Value]) {
        for (at, argument) in arguments.iter().enumerate() {
            self.set(self.code.parameters + at as u32, *argument);
        }
        if !self.code.calls.is_empty() {
            let lowest = self.shared(8);
            let pointer = self.b.ins().get_stack_pointer(types::I64);
            let low = self.b.ins().icmp(IntCC::UnsignedLessThan, pointer, lowest);
            self.fault_if(low, CodeFault::DeepRecursion);
        }
        if self.code.frame == 0 {
            return;
        }
        let outer = self.shared(0);
        let low = self.word(self.layout.stack_low);
        let room = self.b.ins().isub(outer, low);
        let frame = self.word(self.code.frame);
        let over = self.b.ins().icmp(IntCC::UnsignedLessThan, room, frame);
        self.fault_if(over, CodeFault::LargeFrame);
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
                let kind = self.word(CodeFault::Trap as u64);
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
}

/// Constants, registers and the context.
impl Translator<'_> {
    /// A 64-bit constant.
    pub fn word(&mut self, value: u64) -> Value {
        self.b.ins().iconst(types::I64, value as i64)
    }

    /// A field of the shared context.
    pub fn shared(&mut self, offset: i32) -> Value {
        let shared = self.word(self.layout.shared);
        self.b.ins().load(types::I64, PLAIN, shared, offset)
    }

    pub fn set_shared(&mut self, offset: i32, value: Value) {
        let shared = self.word(self.layout.shared);
        self.b.ins().store(PLAIN, value, shared, offset);
    }

    /// A register's value, in the register's own type.
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

    /// Stores a value of any type in a register: takes the low bits and zero-extends them.
    pub fn set(&mut self, register: u32, value: Value) {
        let value = self.coerce(value, type_of(self.code.kinds[register as usize]));
        if let Some(variable) = self.variables[register as usize] {
            self.b.def_var(variable, value);
        }
    }

    /// Converts a value's bits to another type: truncates or zero-extends them.
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
