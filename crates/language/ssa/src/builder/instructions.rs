//! Instructions and leaf values.

use super::FunctionBuilder;
use crate::fold::fold;
use crate::ir::*;
use std::sync::Arc;

impl FunctionBuilder {
    /// A constant, given by its bits: two's complement for integers, the format's bits for floats.
    pub fn constant(&mut self, ty: ValueType, bits: u64) -> ValueId {
        self.function.constant(ty, bits)
    }

    /// A Boolean constant.
    pub fn bool(&mut self, value: bool) -> ValueId {
        self.constant(ValueType::I1, u64::from(value))
    }

    /// A 32-bit integer constant.
    pub fn i32(&mut self, value: i32) -> ValueId {
        self.constant(ValueType::I32, value as u64)
    }

    /// A 64-bit integer constant.
    pub fn i64(&mut self, value: i64) -> ValueId {
        self.constant(ValueType::I64, value as u64)
    }

    /// A single-precision constant.
    pub fn f32(&mut self, value: f32) -> ValueId {
        self.constant(ValueType::F32, u64::from(value.to_bits()))
    }

    /// A double-precision constant.
    pub fn f64(&mut self, value: f64) -> ValueId {
        self.constant(ValueType::F64, value.to_bits())
    }

    /// An undefined value: it may have any bits.
    pub fn undefined(&mut self, ty: ValueType) -> ValueId {
        self.function.leaf(ty, ValueDefinition::Undefined)
    }

    /// The address of a variable, a pointer to its own space.
    pub fn global_address(&mut self, global: GlobalId, space: AddressSpace) -> ValueId {
        self.function.leaf(ValueType::Pointer(space), ValueDefinition::Global(global))
    }

    /// The address of a function.
    pub fn function_address(&mut self, function: FunctionId) -> ValueId {
        self.function.leaf(ValueType::POINTER, ValueDefinition::Function(function))
    }

    /// The address of a stack slot, a pointer to local space.
    pub fn slot_address(&mut self, slot: SlotId) -> ValueId {
        let ty = ValueType::Pointer(AddressSpace::Local);
        self.function.leaf(ty, ValueDefinition::Slot(slot))
    }

    /// Wrapping integer arithmetic. Both operands have the same type, except that the amount of a shift is an `I32`.
    pub fn integer(&mut self, op: IntegerBinary, a: ValueId, b: ValueId) -> ValueId {
        let ty = self.value_type(a);
        self.value(InstructionKind::Integer { op, no_wrap: false }, &[a, b], ty)
    }

    /// Signed integer arithmetic with undefined overflow.
    pub fn integer_no_wrap(&mut self, op: IntegerBinary, a: ValueId, b: ValueId) -> ValueId {
        let ty = self.value_type(a);
        self.value(InstructionKind::Integer { op, no_wrap: true }, &[a, b], ty)
    }

    /// An integer operation on one operand.
    pub fn integer_unary(&mut self, op: IntegerUnary, a: ValueId) -> ValueId {
        let ty = match op {
            IntegerUnary::CountOnes | IntegerUnary::LeadingZeros => ValueType::I32,
            _ => self.value_type(a),
        };
        self.value(InstructionKind::IntegerUnary(op), &[a], ty)
    }

    /// Floating-point arithmetic on one, two or three operands.
    pub fn float(&mut self, op: FloatArithmetic, mode: FloatMode, operands: &[ValueId]) -> ValueId {
        let ty = self.value_type(operands[0]);
        self.value(InstructionKind::Float { op, mode }, operands, ty)
    }

    /// Compares integers or pointers.
    pub fn compare_integers(
        &mut self,
        condition: IntegerCondition,
        a: ValueId,
        b: ValueId,
    ) -> ValueId {
        self.value(InstructionKind::CompareIntegers(condition), &[a, b], ValueType::I1)
    }

    /// Compares floats.
    pub fn compare_floats(&mut self, condition: FloatCondition, a: ValueId, b: ValueId) -> ValueId {
        let kind = InstructionKind::CompareFloats { condition, flush: false };
        self.value(kind, &[a, b], ValueType::I1)
    }

    /// `yes` if the condition is true, else `no`.
    pub fn select(&mut self, condition: ValueId, yes: ValueId, no: ValueId) -> ValueId {
        let ty = self.value_type(yes);
        self.value(InstructionKind::Select, &[condition, yes, no], ty)
    }

    /// Converts a value to a type. A conversion to the value's own type does nothing, except `RoundToIntegral`.
    pub fn convert(&mut self, conversion: ValueConversion, a: ValueId, ty: ValueType) -> ValueId {
        let rounds = matches!(conversion, ValueConversion::RoundToIntegral { .. });
        if self.value_type(a) == ty && !rounds {
            return a;
        }
        self.value(InstructionKind::Convert(conversion), &[a], ty)
    }

    /// Converts a pointer to a generic pointer.
    pub fn generic(&mut self, pointer: ValueId) -> ValueId {
        self.convert(ValueConversion::Space, pointer, ValueType::POINTER)
    }

    /// Adds bytes to a pointer. The offset is a signed integer of 32 or 64 bits.
    pub fn pointer_add(&mut self, pointer: ValueId, offset: ValueId) -> ValueId {
        let ty = self.value_type(pointer);
        let wanted = if ty.bytes() == 4 { ValueType::I32 } else { ValueType::I64 };
        let conversion = match wanted {
            ValueType::I32 => ValueConversion::Truncate,
            _ => ValueConversion::SignExtend,
        };
        let offset = self.convert(conversion, offset, wanted);
        self.value(InstructionKind::PointerAdd, &[pointer, offset], ty)
    }

    /// Adds a constant number of bytes to a pointer.
    pub fn pointer_offset(&mut self, pointer: ValueId, bytes: i64) -> ValueId {
        let offset = self.i64(bytes);
        self.pointer_add(pointer, offset)
    }

    /// Loads a value.
    pub fn load(&mut self, ty: ValueType, pointer: ValueId, flags: MemoryFlags) -> ValueId {
        self.value(InstructionKind::Load(flags), &[pointer], ty)
    }

    /// Loads a vector of 2 or 4 values.
    pub fn load_vector(
        &mut self,
        ty: ValueType,
        count: usize,
        pointer: ValueId,
        flags: MemoryFlags,
    ) -> Vec<ValueId> {
        self.instruction(InstructionKind::Load(flags), &[pointer], &vec![ty; count])
    }

    /// Stores a value.
    pub fn store(&mut self, pointer: ValueId, value: ValueId, flags: MemoryFlags) {
        self.instruction(InstructionKind::Store(flags), &[pointer, value], &[]);
    }

    /// Stores a vector of 2 or 4 values of one type.
    pub fn store_vector(&mut self, pointer: ValueId, values: &[ValueId], flags: MemoryFlags) {
        let arguments: Vec<ValueId> = [pointer].into_iter().chain(values.iter().copied()).collect();
        self.instruction(InstructionKind::Store(flags), &arguments, &[]);
    }

    /// An atomic operation; returns the previous value.
    pub fn atomic(
        &mut self,
        op: AtomicOperation,
        scope: ThreadScope,
        ordering: MemoryOrdering,
        pointer: ValueId,
        operand: ValueId,
    ) -> ValueId {
        let ty = self.value_type(operand);
        self.value(InstructionKind::Atomic { op, scope, ordering }, &[pointer, operand], ty)
    }

    /// An atomic compare-and-swap; returns the previous value.
    pub fn compare_exchange(
        &mut self,
        scope: ThreadScope,
        ordering: MemoryOrdering,
        pointer: ValueId,
        compare: ValueId,
        new: ValueId,
    ) -> ValueId {
        let ty = self.value_type(new);
        let op = AtomicOperation::CompareExchange;
        self.value(InstructionKind::Atomic { op, scope, ordering }, &[pointer, compare, new], ty)
    }

    /// Reads a special register as an `I32`.
    pub fn special(&mut self, register: SpecialValue) -> ValueId {
        self.value(InstructionKind::Special(register), &[], ValueType::I32)
    }

    /// Copies bytes between memory that does not overlap.
    pub fn copy_memory(&mut self, to: ValueId, from: ValueId, size: u64, align: u32) {
        self.copy_units(to, from, size, align, 0);
    }

    /// Copies an object whose members all have `unit` bytes; 0 if they differ.
    pub fn copy_units(&mut self, to: ValueId, from: ValueId, size: u64, align: u32, unit: u32) {
        if size > 0 {
            let kind = InstructionKind::CopyMemory { size, align, unit };
            self.instruction(kind, &[to, from], &[]);
        }
    }

    /// Fills memory with one byte.
    pub fn fill_memory(&mut self, to: ValueId, byte: u8, size: u64, align: u32) {
        if size > 0 {
            self.instruction(InstructionKind::FillMemory { byte, size, align }, &[to], &[]);
        }
    }

    /// Calls a function of the module with these return types.
    pub fn call(
        &mut self,
        function: FunctionId,
        returns: &[ValueType],
        arguments: &[ValueId],
    ) -> Vec<ValueId> {
        self.instruction(InstructionKind::Call(function), arguments, returns)
    }

    /// Calls through a pointer.
    pub fn call_indirect(
        &mut self,
        function: ValueId,
        returns: &[ValueType],
        arguments: &[ValueId],
    ) -> Vec<ValueId> {
        let arguments: Vec<ValueId> =
            [function].into_iter().chain(arguments.iter().copied()).collect();
        self.instruction(InstructionKind::CallIndirect, &arguments, returns)
    }

    /// Adds PTX text; returns its outputs.
    pub fn ptx(&mut self, template: PtxTemplate, inputs: &[ValueId]) -> Vec<ValueId> {
        let outputs = template.outputs.clone();
        self.instruction(InstructionKind::Ptx(Arc::new(template)), inputs, &outputs)
    }

    /// Adds an instruction with one result, or folds it to a constant.
    fn value(&mut self, kind: InstructionKind, arguments: &[ValueId], ty: ValueType) -> ValueId {
        match fold(&mut self.function, &kind, arguments, ty) {
            Some(value) => value,
            None => self.instruction(kind, arguments, &[ty])[0],
        }
    }

    /// Adds an instruction.
    pub fn instruction(
        &mut self,
        kind: InstructionKind,
        arguments: &[ValueId],
        results: &[ValueType],
    ) -> Vec<ValueId> {
        let block = self.block();
        let position = self.position;
        let instruction =
            self.function.add_instruction(kind, arguments.to_vec(), results, position);
        self.function.block_mut(block).instructions.push(instruction);
        self.function.instruction(instruction).results.clone()
    }
}
