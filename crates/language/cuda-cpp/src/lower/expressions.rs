//! Lowers expressions: effects, initializations of objects, and calls.

use super::FunctionLowering;
use super::memory::lowest_bit;
use crate::typed::*;
use crate::types::TypeId;
use lanework_ssa as ssa;
use ssa::{ValueId, ValueType};

/// Maximum number of elements that are initialized one by one.
const MOST_UNROLLED: u64 = 64;

impl FunctionLowering<'_, '_> {
    /// Evaluates an expression for its effects.
    pub(super) fn effect(&mut self, value: &Typed) {
        self.at(value.span);
        match &value.kind {
            TypedKind::Assign(object, new) if self.is_aggregate(object.ty) => {
                self.assign_object(object, new);
            }
            TypedKind::Comma(first, second) => {
                self.effect(first);
                self.effect(second);
            }
            TypedKind::Conditional(condition, yes, no)
                if self.void(value.ty) || self.is_aggregate(value.ty) =>
            {
                let condition = self.scalar(condition);
                self.either(condition, |this| this.effect(yes), |this| this.effect(no));
            }
            TypedKind::Call(function, arguments) => {
                self.call(*function, arguments, value, None);
            }
            TypedKind::CallIndirect(pointer, arguments) => {
                self.call_indirect(pointer, arguments, value, None);
            }
            TypedKind::CallVirtual(place, arguments) => {
                self.call_virtual(*place, arguments, value, None);
            }
            TypedKind::Full(inner) => self.full(|this| this.effect(inner)),
            TypedKind::Throw(call) => {
                self.effect(call);
                self.raise();
            }
            TypedKind::Statements(list, last) => {
                self.statements(&list.clone());
                self.effect(last);
            }
            TypedKind::Constant(_) | TypedKind::Error => {}
            _ if self.is_aggregate(value.ty) => {
                if value.lvalue {
                    self.place(value);
                } else {
                    self.temporary(value.ty, |this, slot| this.initialize(value, slot));
                }
            }
            _ if self.void(value.ty) && value.lvalue => {}
            _ if value.lvalue
                && !matches!(
                    value.kind,
                    TypedKind::Assign(..)
                        | TypedKind::CompoundAssign(..)
                        | TypedKind::Increment(..)
                ) =>
            {
                self.place(value);
            }
            _ => {
                self.scalar(value);
            }
        }
    }

    /// Assigns an object of class type; returns the address of the assigned object. The right operand comes first.
    pub(super) fn assign_object(&mut self, object: &Typed, new: &Typed) -> ValueId {
        if let TypedKind::Load(source) = &new.kind {
            let from = self.address(source);
            let to = self.address(object);
            let align = self.known_align(object).min(self.known_align(source));
            self.copy(to, from, object.ty, align);
            return to;
        }
        // The value may read the object that it replaces.
        let slot = self.temporary(object.ty, |this, slot| this.initialize(new, slot));
        let to = self.address(object);
        self.copy(to, slot, object.ty, self.known_align(object));
        to
    }

    /// Runs one of two branches, depending on a condition.
    pub(super) fn either(
        &mut self,
        condition: ValueId,
        yes: impl FnOnce(&mut Self),
        no: impl FnOnce(&mut Self),
    ) {
        let (first, second, after) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.branch(condition, first, second);
        self.b.seal_block(first);
        self.b.seal_block(second);
        self.b.switch_to_block(first);
        self.conditionally(yes);
        self.b.jump(after, &[]);
        self.b.switch_to_block(second);
        self.conditionally(no);
        self.b.jump(after, &[]);
        self.b.seal_block(after);
        self.b.switch_to_block(after);
    }

    /// The value of one of two branches, depending on a condition.
    pub(super) fn choose(
        &mut self,
        condition: ValueId,
        ty: ValueType,
        yes: impl FnOnce(&mut Self) -> ValueId,
        no: impl FnOnce(&mut Self) -> ValueId,
    ) -> ValueId {
        let variable = self.b.declare_variable(ty);
        self.either(
            condition,
            |this| {
                let value = yes(this);
                this.b.define_variable(variable, value);
            },
            |this| {
                let value = no(this);
                this.b.define_variable(variable, value);
            },
        );
        self.b.use_variable(variable)
    }

    /// Initializes the parts of an object at an address with this alignment.
    fn initialize_parts(
        &mut self,
        parts: &[AggregatePart],
        zero: bool,
        to: ValueId,
        ty: TypeId,
        align: u64,
    ) {
        if zero {
            self.b.fill_memory(to, 0, self.types().size(ty), align as u32);
        }
        for (offset, bits, part) in parts {
            let place = self.b.pointer_offset(to, *offset as i64);
            let known = align.min(lowest_bit(*offset));
            if bits.is_none() && self.is_aggregate(part.ty) {
                let packed = known < self.types().align(part.ty) && !self.module.analyzer.host;
                match &part.kind {
                    TypedKind::Aggregate(parts, zero) if packed => {
                        self.initialize_parts(parts, *zero, place, part.ty, known);
                    }
                    _ if packed => self.unsupported(
                        part.span,
                        "this initializer of an unaligned member of a packed class in device code",
                    ),
                    _ => self.initialize(part, place),
                }
                continue;
            }
            let scalar = self.scalar(part);
            let place = self.member(place, part.ty, *bits, known, part.span);
            self.write_place(place, part.ty, scalar);
        }
    }

    /// Initializes memory with a value.
    pub(super) fn initialize(&mut self, value: &Typed, to: ValueId) {
        self.at(value.span);
        let ty = value.ty;
        if !self.is_aggregate(ty) {
            let scalar = self.scalar(value);
            self.store(to, ty, scalar);
            return;
        }
        match &value.kind {
            TypedKind::Load(object) => {
                if let TypedKind::Variable(variable) = object.kind
                    && let Some(register) = self.special_of(variable)
                {
                    self.store_special(register, to);
                    return;
                }
                let from = self.address(object);
                self.copy(to, from, ty, self.known_align(object));
            }
            TypedKind::Aggregate(parts, zero) => {
                let align = self.types().align(ty);
                self.initialize_parts(parts, *zero, to, ty, align);
            }
            TypedKind::Repeat(element, count) => self.repeat(element, *count, to),
            TypedKind::ConstructorCall(function, arguments) => {
                let id = self.module.function(*function);
                let mut values = vec![to];
                values.extend(arguments.iter().map(|argument| self.argument(argument)));
                self.b.call(id, &[], &values);
                self.check_exception(Some(*function));
            }
            TypedKind::Call(function, arguments) => {
                self.call(*function, arguments, value, Some(to));
            }
            TypedKind::CallIndirect(pointer, arguments) => {
                self.call_indirect(pointer, arguments, value, Some(to));
            }
            TypedKind::CallVirtual(place, arguments) => {
                self.call_virtual(*place, arguments, value, Some(to));
            }
            TypedKind::Full(inner) => self.full(|this| this.initialize(inner, to)),
            TypedKind::Throw(_) => self.effect(value),
            TypedKind::Conditional(condition, yes, no) => {
                let condition = self.scalar(condition);
                self.either(
                    condition,
                    |this| this.initialize(yes, to),
                    |this| this.initialize(no, to),
                );
            }
            TypedKind::Comma(first, second) => {
                self.effect(first);
                self.initialize(second, to);
            }
            TypedKind::Statements(list, last) => {
                self.statements(&list.clone());
                self.initialize(last, to);
            }
            TypedKind::Error => {}
            _ => {
                let from = self.address(value);
                self.copy(to, from, ty, self.known_align(value));
            }
        }
    }

    /// Initializes the elements of an array with equal values; many of them in a loop.
    fn repeat(&mut self, element: &Typed, count: u64, to: ValueId) {
        let size = self.types().size(element.ty) as i64;
        if count <= MOST_UNROLLED {
            for at in 0..count as i64 {
                let place = self.b.pointer_offset(to, at * size);
                self.initialize(element, place);
            }
            return;
        }
        let offset = self.b.declare_variable(ValueType::I64);
        let (zero, step) = (self.b.i64(0), self.b.i64(size));
        let end = self.b.i64(size.wrapping_mul(count as i64));
        self.b.define_variable(offset, zero);
        let (body, after) = (self.b.create_block(), self.b.create_block());
        self.b.jump(body, &[]);
        self.b.switch_to_block(body);
        self.conditionally(|this| {
            let at = this.b.use_variable(offset);
            let place = this.b.pointer_add(to, at);
            this.initialize(element, place);
        });
        let at = self.b.use_variable(offset);
        let next = self.b.integer(ssa::IntegerBinary::Add, at, step);
        self.b.define_variable(offset, next);
        let more = self.b.compare_integers(ssa::IntegerCondition::LessUnsigned, next, end);
        self.b.branch(more, body, after);
        self.b.seal_block(body);
        self.b.seal_block(after);
        self.b.switch_to_block(after);
    }

    /// Lowers an argument: a scalar, or the address of a copy.
    fn argument(&mut self, value: &Typed) -> ValueId {
        if !self.is_aggregate(value.ty) {
            return self.scalar(value);
        }
        self.temporary(value.ty, |this, slot| this.initialize(value, slot))
    }

    pub(super) fn call(
        &mut self,
        function: FunctionNumber,
        arguments: &[Typed],
        value: &Typed,
        to: Option<ValueId>,
    ) -> Option<ValueId> {
        if to.is_none() && self.is_aggregate(value.ty) {
            self.temporary(value.ty, |this, slot| {
                this.call(function, arguments, value, Some(slot));
            });
            return None;
        }
        let record = &self.module.analyzer.functions[function.0 as usize];
        if let Some((kind, text)) = record.intrinsic.clone() {
            return self.intrinsic(&kind, &text, arguments, value);
        }
        let id = self.module.function(function);
        let mut values: Vec<ValueId> =
            to.filter(|_| self.is_aggregate(value.ty)).into_iter().collect();
        let named = self.named_arguments(function);
        for argument in arguments.iter().take(named) {
            let argument = self.argument(argument);
            values.push(argument);
        }
        if named < usize::MAX {
            let rest: Vec<ValueId> =
                arguments.iter().skip(named).map(|argument| self.argument(argument)).collect();
            values.push(self.packed(&rest));
        }
        self.at(value.span);
        let returns = self.returns(value.ty);
        let result = self.b.call(id, &returns, &values).first().copied();
        self.check_exception(Some(function));
        result
    }

    /// The number of arguments before the variable ones, including `this`; `usize::MAX` if the function is not
    /// variadic.
    fn named_arguments(&mut self, function: FunctionNumber) -> usize {
        let analyzer = self.analyzer();
        let record = &analyzer.functions[function.0 as usize];
        let this = usize::from(record.record.is_some() && !record.is_static);
        match analyzer.signature(function) {
            Some(signature) if signature.variadic => signature.parameters.len() + this,
            _ => usize::MAX,
        }
    }

    pub(super) fn call_indirect(
        &mut self,
        pointer: &Typed,
        arguments: &[Typed],
        value: &Typed,
        to: Option<ValueId>,
    ) -> Option<ValueId> {
        let pointer = self.scalar(pointer);
        self.call_address(pointer, None, arguments, value, to)
    }

    /// Calls the function at an address.
    pub(super) fn call_address(
        &mut self,
        pointer: ValueId,
        this: Option<ValueId>,
        arguments: &[Typed],
        value: &Typed,
        to: Option<ValueId>,
    ) -> Option<ValueId> {
        if to.is_none() && self.is_aggregate(value.ty) {
            self.temporary(value.ty, |lowering, slot| {
                lowering.call_address(pointer, this, arguments, value, Some(slot));
            });
            return None;
        }
        let mut values: Vec<ValueId> =
            to.filter(|_| self.is_aggregate(value.ty)).into_iter().collect();
        values.extend(this);
        for argument in arguments {
            let argument = self.argument(argument);
            values.push(argument);
        }
        let returns = self.returns(value.ty);
        let result = self.b.call_indirect(pointer, &returns, &values).first().copied();
        self.check_exception(None);
        result
    }

    fn returns(&self, ty: TypeId) -> Vec<ValueType> {
        if self.is_aggregate(ty) || self.void(ty) { Vec::new() } else { vec![self.scalar_type(ty)] }
    }
}
