//! Operands: registers, literals and addresses.

use super::Selector;
use crate::emit::machine::*;
use crate::fold::signed;
use crate::ir::*;
use lanework_ptx::Immediate;

impl Selector<'_> {
    pub(super) fn push(&mut self, body: MachineBody) {
        self.pending.push(MachineInstruction { body, position: self.position });
    }

    /// Adds an instruction whose first operand is its destination.
    pub(super) fn define(
        &mut self,
        name: impl Into<String>,
        to: VirtualRegister,
        sources: Vec<MachineOperand>,
    ) {
        let mut operands = vec![MachineOperand::Register(to)];
        operands.extend(sources);
        self.push(MachineBody::Operation { name: name.into(), operands, defines: true });
    }

    pub(super) fn temporary(&mut self, class: RegisterClass) -> VirtualRegister {
        self.registers.push(class);
        VirtualRegister(self.registers.len() as u32 - 1)
    }

    pub(super) fn type_of(&self, value: ValueId) -> ValueType {
        self.function.value_type(value)
    }

    /// The register of a value. Constants are loaded here; addresses of variables are loaded at the function's entry.
    pub(super) fn register(&mut self, value: ValueId) -> VirtualRegister {
        let value = self.function.resolve(value);
        let class = RegisterClass::of(self.type_of(value));
        if let ValueDefinition::Constant(bits) = self.function.definition(value) {
            let to = self.temporary(class);
            if class == RegisterClass::Predicate {
                // `mov.pred` does not accept a literal.
                let zero = MachineOperand::Immediate(Immediate::Integer(0));
                let value = MachineOperand::Immediate(Immediate::Integer(bits.into()));
                self.define("setp.ne.b32", to, vec![value, zero]);
            } else {
                let literal = MachineOperand::Immediate(self.literal(value, bits));
                self.define(format!("mov.{}", class.suffix()), to, vec![literal]);
            }
            return to;
        }
        if let Some(register) = self.register_of[value.index()] {
            return register;
        }
        let register = self.temporary(class);
        self.register_of[value.index()] = Some(register);
        register
    }

    /// The register for an instruction's result.
    pub(super) fn result(&mut self, value: ValueId) -> VirtualRegister {
        self.register(value)
    }

    /// A literal if the value is a constant that instructions accept as a literal; otherwise its register.
    pub(super) fn operand(&mut self, value: ValueId) -> MachineOperand {
        let ty = self.type_of(value);
        match self.function.as_constant(value) {
            Some(bits) if !matches!(ty, ValueType::I1 | ValueType::F16 | ValueType::BF16) => {
                MachineOperand::Immediate(self.literal(value, bits))
            }
            _ => MachineOperand::Register(self.register(value)),
        }
    }

    /// The source of a copy; here the address of a variable is allowed, too.
    pub(super) fn copied(&mut self, value: ValueId) -> MachineOperand {
        match self.function.as_constant(value) {
            Some(bits) if self.type_of(value) != ValueType::I1 => {
                MachineOperand::Immediate(self.literal(value, bits))
            }
            _ => MachineOperand::Register(self.register(value)),
        }
    }

    fn literal(&self, value: ValueId, bits: u64) -> Immediate {
        match self.type_of(value) {
            ValueType::F32 => Immediate::F32(bits as u32),
            ValueType::F64 => Immediate::F64(bits),
            ValueType::Pointer(_) | ValueType::F16 | ValueType::BF16 => {
                Immediate::Integer(i128::from(bits))
            }
            ty => Immediate::Integer(i128::from(signed(bits, ty.bits()))),
        }
    }

    /// An address: a base plus a constant.
    pub(super) fn address(&mut self, pointer: ValueId) -> MachineOperand {
        let (base, offset) = self.split_address(pointer);
        if let Some((name, inside)) = self.symbol(base) {
            return MachineOperand::Address(MachineBase::Name(name), offset + inside);
        }
        if let Some(bits) = self.function.as_constant(base) {
            return MachineOperand::Address(MachineBase::Absolute(bits), offset);
        }
        MachineOperand::Address(MachineBase::Register(self.register(base)), offset)
    }

    /// Splits a pointer into another pointer and a constant that fits in an address.
    fn split_address(&self, pointer: ValueId) -> (ValueId, i64) {
        let (mut base, mut offset) = (self.function.resolve(pointer), 0);
        while let Some((_, instruction)) = self.function.defining(base) {
            if instruction.kind != InstructionKind::PointerAdd {
                break;
            }
            let amount = instruction.arguments[1];
            let Some(bits) = self.function.as_constant(amount) else { break };
            let sum = offset + signed(bits, self.type_of(amount).bits());
            if i32::try_from(sum).is_err() {
                break;
            }
            offset = sum;
            base = self.function.resolve(instruction.arguments[0]);
        }
        (base, offset)
    }

    /// If a value is the address of a variable: the variable's name, and the offset in it.
    pub(super) fn symbol(&self, value: ValueId) -> Option<(String, i64)> {
        match self.function.definition(value) {
            ValueDefinition::Global(global) => Some((self.names.global(global).to_owned(), 0)),
            ValueDefinition::Function(callee) => Some((self.names.function(callee).to_owned(), 0)),
            ValueDefinition::Slot(slot) => Some((self.function.slot_variable(slot), 0)),
            ValueDefinition::Parameter(SsaFunction::ENTRY, index)
                if self.type_of(value) == ValueType::Pointer(AddressSpace::Parameter) =>
            {
                Some((self.names.parameter(index as usize), 0))
            }
            _ => None,
        }
    }

    /// Loads the parameters and addresses that instructions read from registers.
    pub(super) fn entry(&mut self) {
        self.position = SourcePosition::default();
        for index in 0..self.function.values.len() {
            let value = ValueId(index as u32);
            let Some(to) = self.register_of[index] else { continue };
            let ty = self.type_of(value);
            if let Some((name, offset)) = self.symbol(value) {
                let suffix = if ty.bytes() == 4 { "u32" } else { "u64" };
                let source = match offset {
                    0 => MachineOperand::Name(name),
                    _ => MachineOperand::NameOffset(name, offset),
                };
                self.define(format!("mov.{suffix}"), to, vec![source]);
            } else if let ValueDefinition::Parameter(SsaFunction::ENTRY, index) =
                self.function.definition(value)
                && self.function.resolve(value) == value
            {
                let name = self.names.parameter(index as usize);
                self.load_parameter(ty, to, MachineBase::Name(name), 0);
            }
        }
    }

    /// Loads a value from parameter space.
    pub(super) fn load_parameter(
        &mut self,
        ty: ValueType,
        to: VirtualRegister,
        base: MachineBase,
        offset: i64,
    ) {
        let address = MachineOperand::Address(base, offset);
        if ty == ValueType::I1 {
            let byte = self.temporary(RegisterClass::Bits16);
            self.define("ld.param.u8", byte, vec![address]);
            let zero = MachineOperand::Immediate(Immediate::Integer(0));
            self.define("setp.ne.b16", to, vec![MachineOperand::Register(byte), zero]);
        } else {
            self.define(format!("ld.param.{}", super::memory_type(ty)), to, vec![address]);
        }
    }

    /// The instruction that defines the value, if `user` is its only user and is in the same block.
    pub(super) fn only_use_of(&self, value: ValueId, user: ValueId) -> Option<&InstructionData> {
        let (id, instruction) = self.function.defining(value)?;
        let (user, _) = self.function.defining(user)?;
        let same_block = self.block_of[id.index()] == self.block_of[user.index()];
        (self.uses[self.function.resolve(value).index()] == 1 && same_block).then_some(instruction)
    }
}
