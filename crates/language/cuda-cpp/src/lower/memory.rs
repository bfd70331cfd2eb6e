//! Lowers loads, stores and object accesses.

use super::{FunctionLowering, LocalPlace, ObjectPlace};
use crate::source::Span;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use lanework_ssa as ssa;
use ssa::{
    IntegerBinary, IntegerCondition, MemoryFlags, SpecialValue, ValueConversion, ValueId, ValueType,
};

impl FunctionLowering<'_, '_> {
    fn flags(&self, ty: TypeId) -> MemoryFlags {
        let mut flags = MemoryFlags::aligned(self.types().align(ty) as u32);
        flags.volatile = self.types().is_volatile(ty);
        flags
    }

    /// Loads a scalar.
    pub(super) fn load(&mut self, address: ValueId, ty: TypeId) -> ValueId {
        let kind = self.scalar_type(ty);
        let flags = self.flags(ty);
        if kind == ValueType::I1 {
            let byte = self.b.load(ValueType::I8, address, flags);
            return self.byte_to_bool(byte);
        }
        self.b.load(kind, address, flags)
    }

    pub(super) fn byte_to_bool(&mut self, byte: ValueId) -> ValueId {
        let zero = self.b.constant(ValueType::I8, 0);
        self.b.compare_integers(IntegerCondition::NotEqual, byte, zero)
    }

    /// Stores a scalar.
    pub(super) fn store(&mut self, address: ValueId, ty: TypeId, value: ValueId) {
        let flags = self.flags(ty);
        let value = if self.b.value_type(value) == ValueType::I1 {
            self.b.convert(ValueConversion::ZeroExtend, value, ValueType::I8)
        } else {
            value
        };
        self.b.store(address, value, flags);
    }

    /// Where an object is stored.
    pub(super) fn place(&mut self, value: &Typed) -> ObjectPlace {
        self.at(value.span);
        match &value.kind {
            TypedKind::Local(local) => match self.local_place(*local) {
                LocalPlace::Variable(variable) => ObjectPlace::Variable(variable),
                LocalPlace::Memory(address) => ObjectPlace::Memory(address),
            },
            TypedKind::Variable(variable) => {
                if let Some(register) = self.special_of(*variable) {
                    // `threadIdx` has no address, so copy it.
                    let slot = self.slot(value.ty, 1);
                    self.store_special(register, slot);
                    return ObjectPlace::Memory(slot);
                }
                ObjectPlace::Memory(self.variable_address(*variable, value.span))
            }
            TypedKind::Function(function) => {
                let id = self.module.function(*function);
                ObjectPlace::Memory(self.b.function_address(id))
            }
            TypedKind::Dereference(pointer) => {
                let address = self.scalar(pointer);
                let align = self.known_align(value);
                self.member(address, value.ty, None, align, value.span)
            }
            TypedKind::Field(object, offset, bits) => {
                let address = self.address(object);
                let address = self.b.pointer_offset(address, *offset as i64);
                let align = self.known_align(value);
                self.member(address, value.ty, *bits, align, value.span)
            }
            TypedKind::Temporary(inner) => ObjectPlace::Memory(
                self.temporary(inner.ty, |this, slot| this.initialize(inner, slot)),
            ),
            TypedKind::Full(inner) => self.full(|this| this.place(inner)),
            TypedKind::Assign(object, new) if self.is_aggregate(object.ty) => {
                ObjectPlace::Memory(self.assign_object(object, new))
            }
            TypedKind::Assign(..)
            | TypedKind::CompoundAssign(..)
            | TypedKind::Increment(_, _, false) => self.change(value).0,
            TypedKind::Conditional(condition, yes, no) => {
                let condition = self.scalar(condition);
                let address = self.choose(
                    condition,
                    ValueType::POINTER,
                    |this| this.address(yes),
                    |this| this.address(no),
                );
                ObjectPlace::Memory(address)
            }
            TypedKind::Comma(first, second) => {
                self.effect(first);
                self.place(second)
            }
            TypedKind::Statements(list, last) => {
                self.statements(&list.clone());
                self.place(last)
            }
            _ => {
                // A value is used as an object, so store it.
                ObjectPlace::Memory(
                    self.temporary(value.ty, |this, slot| this.initialize(value, slot)),
                )
            }
        }
    }

    /// The alignment of an object: of its type, or less inside a packed class.
    pub(super) fn known_align(&self, object: &Typed) -> u64 {
        let natural = self.types().align(object.ty);
        self.packed_align(object).map_or(natural, |align| align.min(natural))
    }

    /// The alignment that the classes around an object guarantee, if one of them is packed.
    fn packed_align(&self, object: &Typed) -> Option<u64> {
        match &object.kind {
            TypedKind::Field(outer, offset, _) => {
                let record = self.types().record_of(outer.ty)?;
                let packed = self.types().record(record).pack > 0;
                let own = packed.then(|| self.types().align(outer.ty));
                Some(self.packed_align(outer).or(own)?.min(lowest_bit(*offset)))
            }
            TypedKind::Dereference(pointer) => {
                let mut pointer = pointer;
                let mut steps = u64::MAX;
                while let TypedKind::PointerAdd(base, _, size) = &pointer.kind {
                    steps = steps.min(lowest_bit(size.unsigned_abs()));
                    pointer = base;
                }
                // A cast to another pointer promises the alignment of its type.
                let TypedKind::AddressOf(array) = &pointer.kind else { return None };
                match self.types().kind(array.ty) {
                    TypeKind::Array(element, _)
                        if self.types().kind(*element) == self.types().kind(object.ty) =>
                    {
                        Some(self.packed_align(array)?.min(steps))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A member at an address with a known alignment.
    pub(super) fn member(
        &mut self,
        address: ValueId,
        ty: TypeId,
        bits: Option<(u8, u8)>,
        align: u64,
        span: Span,
    ) -> ObjectPlace {
        // The host accesses memory at any address.
        let packed = align < self.types().align(ty) && !self.module.analyzer.host;
        match bits {
            Some(_) if packed => {
                self.unsupported(span, "an unaligned bit field of a packed class in device code");
                ObjectPlace::Memory(address)
            }
            Some((start, width)) => ObjectPlace::Bits(address, start, width),
            None if packed && !self.is_aggregate(ty) => ObjectPlace::Packed(address, align as u32),
            None => ObjectPlace::Memory(address),
        }
    }

    /// Loads a scalar in pieces of `align` bytes.
    fn load_pieces(&mut self, address: ValueId, ty: TypeId, align: u32) -> ValueId {
        let kind = self.scalar_type(ty);
        let word = ValueType::integer(kind.bits()).unwrap_or(ValueType::I64);
        let piece = ValueType::integer(8 * align).unwrap_or(ValueType::I8);
        let mut flags = self.flags(ty);
        flags.align = align;
        let mut value = self.b.constant(word, 0);
        for at in (0..kind.bits() / 8).step_by(align as usize) {
            let place = self.b.pointer_offset(address, at.into());
            let part = self.b.load(piece, place, flags);
            let part = self.b.convert(ValueConversion::ZeroExtend, part, word);
            let shift = self.b.i32(8 * at as i32);
            let part = self.b.integer(IntegerBinary::ShiftLeft, part, shift);
            value = self.b.integer(IntegerBinary::Or, value, part);
        }
        if kind == word { value } else { self.b.convert(ValueConversion::Reinterpret, value, kind) }
    }

    /// Stores a scalar in pieces of `align` bytes.
    fn store_pieces(&mut self, address: ValueId, ty: TypeId, value: ValueId, align: u32) {
        let kind = self.scalar_type(ty);
        let word = ValueType::integer(kind.bits()).unwrap_or(ValueType::I64);
        let piece = ValueType::integer(8 * align).unwrap_or(ValueType::I8);
        let mut flags = self.flags(ty);
        flags.align = align;
        let value = if kind == word {
            value
        } else {
            self.b.convert(ValueConversion::Reinterpret, value, word)
        };
        for at in (0..kind.bits() / 8).step_by(align as usize) {
            let place = self.b.pointer_offset(address, at.into());
            let shift = self.b.i32(8 * at as i32);
            let part = self.b.integer(IntegerBinary::ShiftRightUnsigned, value, shift);
            let part = self.b.convert(ValueConversion::Truncate, part, piece);
            self.b.store(place, part, flags);
        }
    }

    /// The address of an object.
    pub(super) fn address(&mut self, value: &Typed) -> ValueId {
        match self.place(value) {
            ObjectPlace::Memory(address)
            | ObjectPlace::Packed(address, _)
            | ObjectPlace::Bits(address, ..) => address,
            ObjectPlace::Variable(variable) => {
                // This scalar is not in memory, because the program never takes its address; copy it.
                let current = self.b.use_variable(variable);
                let slot = self.slot(value.ty, 1);
                self.store(slot, value.ty, current);
                slot
            }
        }
    }

    /// The value of a scalar object.
    pub(super) fn read(&mut self, object: &Typed) -> ValueId {
        if let TypedKind::Field(inner, offset, None) = &object.kind
            && let TypedKind::Variable(variable) = inner.kind
            && let Some(register) = self.special_of(variable)
        {
            return self.b.special(register((*offset / 4) as u8));
        }
        match &object.kind {
            TypedKind::Conditional(..) | TypedKind::Comma(..) => {
                let value = Typed { lvalue: false, ..object.clone() };
                return self.scalar(&value);
            }
            _ => {}
        }
        let place = self.place(object);
        self.read_place(place, object.ty)
    }

    pub(super) fn read_place(&mut self, place: ObjectPlace, ty: TypeId) -> ValueId {
        match place {
            ObjectPlace::Variable(variable) => self.b.use_variable(variable),
            ObjectPlace::Memory(address) => self.load(address, ty),
            ObjectPlace::Packed(address, align) => self.load_pieces(address, ty, align),
            ObjectPlace::Bits(address, start, width) => {
                let kind = self.scalar_type(ty);
                let unit = if kind == ValueType::I1 { ValueType::I8 } else { kind };
                let flags = self.flags(ty);
                let word = self.b.load(unit, address, flags);
                let bits = unit.bits();
                let up = self.b.i32(bits as i32 - i32::from(start) - i32::from(width));
                let down = self.b.i32(bits as i32 - i32::from(width));
                let shifted = self.b.integer(IntegerBinary::ShiftLeft, word, up);
                let right = if self.types().is_signed(ty) {
                    IntegerBinary::ShiftRightSigned
                } else {
                    IntegerBinary::ShiftRightUnsigned
                };
                let value = self.b.integer(right, shifted, down);
                if kind == ValueType::I1 { self.byte_to_bool(value) } else { value }
            }
        }
    }

    pub(super) fn write_place(&mut self, place: ObjectPlace, ty: TypeId, value: ValueId) {
        match place {
            ObjectPlace::Variable(variable) => self.b.define_variable(variable, value),
            ObjectPlace::Memory(address) => self.store(address, ty, value),
            ObjectPlace::Packed(address, align) => self.store_pieces(address, ty, value, align),
            ObjectPlace::Bits(address, start, width) => {
                let kind = self.scalar_type(ty);
                let unit = if kind == ValueType::I1 { ValueType::I8 } else { kind };
                let value = if kind == ValueType::I1 {
                    self.b.convert(ValueConversion::ZeroExtend, value, unit)
                } else {
                    value
                };
                let flags = self.flags(ty);
                let mask = if width >= 64 { u64::MAX } else { (1u64 << width) - 1 };
                let old = self.b.load(unit, address, flags);
                let keep = self.b.constant(unit, !(mask << start));
                let kept = self.b.integer(IntegerBinary::And, old, keep);
                let mask = self.b.constant(unit, mask);
                let value = self.b.integer(IntegerBinary::And, value, mask);
                let shift = self.b.i32(i32::from(start));
                let moved = self.b.integer(IntegerBinary::ShiftLeft, value, shift);
                let word = self.b.integer(IntegerBinary::Or, kept, moved);
                self.b.store(address, word, flags);
            }
        }
    }

    /// The special register that a variable of the headers represents.
    pub(super) fn special_of(&self, variable: VariableNumber) -> Option<fn(u8) -> SpecialValue> {
        let found = &self.module.analyzer.variables[variable.0 as usize];
        if !self.module.analyzer.parser.map.is_builtin(found.span) {
            return None;
        }
        match found.name.as_str() {
            "threadIdx" => Some(SpecialValue::ThreadIndex),
            "blockIdx" => Some(SpecialValue::BlockIndex),
            "blockDim" => Some(SpecialValue::BlockSize),
            "gridDim" => Some(SpecialValue::GridSize),
            _ => None,
        }
    }

    pub(super) fn store_special(&mut self, register: fn(u8) -> SpecialValue, address: ValueId) {
        for axis in 0..3 {
            let value = self.b.special(register(axis));
            let place = self.b.pointer_offset(address, i64::from(axis) * 4);
            self.b.store(place, value, MemoryFlags::aligned(4));
        }
    }

    /// Copies an object of class or array type, between addresses with this alignment.
    pub(super) fn copy(&mut self, to: ValueId, from: ValueId, ty: TypeId, align: u64) {
        let (size, unit) = (self.types().size(ty), self.types().unit(ty).unwrap_or(0));
        self.b.copy_units(to, from, size, align as u32, unit as u32);
    }
}

/// The largest power of two that divides a number; 0 counts as divisible by any.
pub(super) fn lowest_bit(number: u64) -> u64 {
    1 << number.trailing_zeros().min(16)
}
