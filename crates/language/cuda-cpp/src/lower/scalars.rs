//! Lowers expressions of scalar type: arithmetic, comparisons and conversions.

use super::{FunctionLowering, ObjectPlace};
use crate::syntax::BinaryOperator;
use crate::typed::*;
use crate::types::TypeId;
use lanework_ssa as ssa;
use ssa::{
    FloatArithmetic, FloatCondition, FloatMode, IntegerBinary, IntegerCondition, IntegerUnary,
    RoundingMode, ValueConversion, ValueId, ValueType,
};

impl FunctionLowering<'_, '_> {
    /// The value of a scalar expression.
    pub(super) fn scalar(&mut self, value: &Typed) -> ValueId {
        self.at(value.span);
        let ty = value.ty;
        if self.void(ty) {
            self.effect(value);
            return self.b.undefined(ValueType::I32);
        }
        let kind = self.scalar_type(ty);
        match &value.kind {
            TypedKind::Constant(bits) => self.b.constant(kind, *bits),
            TypedKind::Load(object) => self.read(object),
            TypedKind::AddressOf(object) => self.address(object),
            TypedKind::Unary(operator, a) => {
                let a = self.scalar(a);
                match operator {
                    NumberOperator::Not => {
                        let no = self.b.bool(false);
                        self.b.compare_integers(IntegerCondition::Equal, a, no)
                    }
                    NumberOperator::Complement => self.b.integer_unary(IntegerUnary::Not, a),
                    NumberOperator::Negate if self.types().is_float(ty) => {
                        self.b.float(FloatArithmetic::Negate, FloatMode::default(), &[a])
                    }
                    NumberOperator::Negate => self.b.integer_unary(IntegerUnary::Negate, a),
                }
            }
            TypedKind::Binary(operator, a, b) => {
                let (a, b) = (self.scalar(a), self.scalar(b));
                self.arithmetic(*operator, a, b, ty)
            }
            TypedKind::Compare(operator, a, b) => {
                let operand = a.ty;
                let (a, b) = (self.scalar(a), self.scalar(b));
                self.compare(*operator, a, b, operand)
            }
            TypedKind::PointerAdd(pointer, index, size) => {
                let (pointer, index) = (self.scalar(pointer), self.scalar(index));
                let size = self.b.i64(*size);
                let offset = self.b.integer_no_wrap(IntegerBinary::Multiply, index, size);
                self.b.pointer_add(pointer, offset)
            }
            TypedKind::PointerDifference(a, b, size) => {
                let (a, b) = (self.scalar(a), self.scalar(b));
                let a = self.b.convert(ValueConversion::Reinterpret, a, ValueType::I64);
                let b = self.b.convert(ValueConversion::Reinterpret, b, ValueType::I64);
                let bytes = self.b.integer(IntegerBinary::Subtract, a, b);
                if size.is_power_of_two() {
                    let shift = self.b.i32(size.trailing_zeros() as i32);
                    return self.b.integer(IntegerBinary::ShiftRightSigned, bytes, shift);
                }
                let size = self.b.i64(*size as i64);
                self.b.integer(IntegerBinary::DivideSigned, bytes, size)
            }
            TypedKind::Logical(and, a, b) => {
                let a = self.scalar(a);
                if simple(b) {
                    let b = self.scalar(b);
                    let operator = if *and { IntegerBinary::And } else { IntegerBinary::Or };
                    return self.b.integer(operator, a, b);
                }
                let constant = self.b.bool(!*and);
                if *and {
                    self.choose(a, ValueType::I1, |this| this.scalar(b), |_| constant)
                } else {
                    self.choose(a, ValueType::I1, |_| constant, |this| this.scalar(b))
                }
            }
            TypedKind::Conditional(condition, yes, no) => {
                let condition = self.scalar(condition);
                if simple(yes) && simple(no) {
                    let (yes, no) = (self.value_of(yes), self.value_of(no));
                    return self.b.select(condition, yes, no);
                }
                self.choose(condition, kind, |this| this.value_of(yes), |this| this.value_of(no))
            }
            TypedKind::Comma(first, second) => {
                self.effect(first);
                self.value_of(second)
            }
            TypedKind::Convert(inner) => {
                let from = inner.ty;
                let inner = self.scalar(inner);
                self.convert(inner, from, ty)
            }
            TypedKind::Reinterpret(inner) => {
                let inner = self.scalar(inner);
                self.b.convert(ValueConversion::Reinterpret, inner, kind)
            }
            TypedKind::Assign(..) | TypedKind::CompoundAssign(..) | TypedKind::Increment(..) => {
                self.change(value).1
            }
            TypedKind::Call(function, arguments) => {
                let result = self.call(*function, arguments, value, None);
                match result {
                    Some(result) => result,
                    None => self.b.undefined(kind),
                }
            }
            TypedKind::CallIndirect(pointer, arguments) => {
                let result = self.call_indirect(pointer, arguments, value, None);
                match result {
                    Some(result) => result,
                    None => self.b.undefined(kind),
                }
            }
            TypedKind::CallVirtual(place, arguments) => {
                let result = self.call_virtual(*place, arguments, value, None);
                match result {
                    Some(result) => result,
                    None => self.b.undefined(kind),
                }
            }
            TypedKind::Full(inner) => self.full(|this| this.value_of(inner)),
            TypedKind::InitializeAt(pointer, new) => {
                let pointer = self.scalar(pointer);
                self.initialize(new, pointer);
                pointer
            }
            TypedKind::Statements(list, last) => {
                self.statements(&list.clone());
                self.value_of(last)
            }
            _ if value.lvalue => self.read(value),
            _ => self.b.undefined(kind),
        }
    }

    /// Assigns to a scalar object, or increments it. Returns the object, which is evaluated once, and the value.
    pub(super) fn change(&mut self, value: &Typed) -> (ObjectPlace, ValueId) {
        match &value.kind {
            TypedKind::Assign(object, new) => {
                // Evaluate the value first: its effects may change a variable that the object's address depends on.
                let new = self.scalar(new);
                let place = self.place(object);
                let ty = object.ty;
                self.write_place(place, ty, new);
                (place, new)
            }
            TypedKind::CompoundAssign(operator, object, right, common) => {
                let right = self.scalar(right);
                let place = self.place(object);
                let old = self.read_place(place, object.ty);
                let new = if self.types().is_pointer(object.ty) {
                    let offset = if *operator == BinaryOperator::Subtract {
                        self.b.integer_unary(IntegerUnary::Negate, right)
                    } else {
                        right
                    };
                    self.b.pointer_add(old, offset)
                } else {
                    let wide = self.convert(old, object.ty, *common);
                    let result = self.arithmetic(*operator, wide, right, *common);
                    self.convert(result, *common, object.ty)
                };
                self.write_place(place, object.ty, new);
                (place, new)
            }
            TypedKind::Increment(object, amount, postfix) => {
                let place = self.place(object);
                let old = self.read_place(place, object.ty);
                let new = if self.types().is_pointer(object.ty) {
                    self.b.pointer_offset(old, *amount)
                } else if self.types().is_float(object.ty) {
                    let kind = self.scalar_type(object.ty);
                    let one = if kind == ValueType::F32 {
                        self.b.f32(*amount as f32)
                    } else {
                        self.b.f64(*amount as f64)
                    };
                    self.b.float(FloatArithmetic::Add, FloatMode::CONTRACT, &[old, one])
                } else {
                    let kind = self.scalar_type(object.ty);
                    let one = self.b.constant(kind, *amount as u64);
                    if kind == ValueType::I1 {
                        self.b.bool(true)
                    } else if self.types().is_signed(object.ty) {
                        self.b.integer_no_wrap(IntegerBinary::Add, old, one)
                    } else {
                        self.b.integer(IntegerBinary::Add, old, one)
                    }
                };
                self.write_place(place, object.ty, new);
                (place, if *postfix { old } else { new })
            }
            _ => {
                let place = self.place(value);
                (place, self.read_place(place, value.ty))
            }
        }
    }

    /// The value of an object, or of an expression that is already a value.
    fn value_of(&mut self, value: &Typed) -> ValueId {
        let assigns = matches!(
            value.kind,
            TypedKind::Assign(..) | TypedKind::CompoundAssign(..) | TypedKind::Increment(..)
        );
        if value.lvalue && !assigns { self.read(value) } else { self.scalar(value) }
    }

    pub(super) fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        a: ValueId,
        b: ValueId,
        ty: TypeId,
    ) -> ValueId {
        use BinaryOperator as B;
        if self.types().is_float(ty) {
            let operation = match operator {
                B::Add => FloatArithmetic::Add,
                B::Subtract => FloatArithmetic::Subtract,
                B::Multiply => FloatArithmetic::Multiply,
                _ => FloatArithmetic::Divide,
            };
            let mode =
                if operator == B::Divide { FloatMode::default() } else { FloatMode::CONTRACT };
            return self.b.float(operation, mode, &[a, b]);
        }
        let signed = self.types().is_signed(ty);
        let operation = match operator {
            B::Add => IntegerBinary::Add,
            B::Subtract => IntegerBinary::Subtract,
            B::Multiply => IntegerBinary::Multiply,
            B::Divide if signed => IntegerBinary::DivideSigned,
            B::Divide => IntegerBinary::DivideUnsigned,
            B::Remainder if signed => IntegerBinary::RemainderSigned,
            B::Remainder => IntegerBinary::RemainderUnsigned,
            B::BitAnd => IntegerBinary::And,
            B::BitOr => IntegerBinary::Or,
            B::BitXor => IntegerBinary::Xor,
            B::ShiftLeft => IntegerBinary::ShiftLeft,
            _ if signed => IntegerBinary::ShiftRightSigned,
            _ => IntegerBinary::ShiftRightUnsigned,
        };
        if matches!(operator, B::ShiftLeft | B::ShiftRight) {
            let amount = self.b.value_type(b);
            let conversion = if amount.bits() > 32 {
                ValueConversion::Truncate
            } else {
                ValueConversion::ZeroExtend
            };
            let b = self.b.convert(conversion, b, ValueType::I32);
            return self.b.integer(operation, a, b);
        }
        if signed && matches!(operator, B::Add | B::Subtract | B::Multiply) {
            return self.b.integer_no_wrap(operation, a, b);
        }
        self.b.integer(operation, a, b)
    }

    pub(super) fn compare(
        &mut self,
        operator: BinaryOperator,
        a: ValueId,
        b: ValueId,
        ty: TypeId,
    ) -> ValueId {
        use BinaryOperator as B;
        if self.types().is_float(ty) {
            let condition = match operator {
                B::Equal => FloatCondition::Equal,
                B::NotEqual => FloatCondition::NotEqualOrUnordered,
                B::Less => FloatCondition::Less,
                B::LessEqual => FloatCondition::LessOrEqual,
                B::Greater => FloatCondition::Greater,
                _ => FloatCondition::GreaterOrEqual,
            };
            return self.b.compare_floats(condition, a, b);
        }
        let signed = self.types().is_signed(ty);
        let condition = match (operator, signed) {
            (B::Equal, _) => IntegerCondition::Equal,
            (B::NotEqual, _) => IntegerCondition::NotEqual,
            (B::Less, true) => IntegerCondition::LessSigned,
            (B::Less, false) => IntegerCondition::LessUnsigned,
            (B::LessEqual, true) => IntegerCondition::LessOrEqualSigned,
            (B::LessEqual, false) => IntegerCondition::LessOrEqualUnsigned,
            (B::Greater, true) => IntegerCondition::GreaterSigned,
            (B::Greater, false) => IntegerCondition::GreaterUnsigned,
            (_, true) => IntegerCondition::GreaterOrEqualSigned,
            (_, false) => IntegerCondition::GreaterOrEqualUnsigned,
        };
        self.b.compare_integers(condition, a, b)
    }

    /// Converts a number to another type.
    pub(super) fn convert(&mut self, value: ValueId, from: TypeId, to: TypeId) -> ValueId {
        let (a, b) = (self.scalar_type(from), self.scalar_type(to));
        if a == b {
            return value;
        }
        let signed = self.types().is_signed(from);
        let float = |kind: ValueType| matches!(kind, ValueType::F32 | ValueType::F64);
        match (float(a), float(b)) {
            (true, true) => {
                self.b.convert(ValueConversion::FloatToFloat(FloatMode::default()), value, b)
            }
            (true, false) => {
                if b == ValueType::I1 {
                    let zero = self.b.constant(a, 0);
                    return self.b.compare_floats(FloatCondition::NotEqualOrUnordered, value, zero);
                }
                let rounding = RoundingMode::Zero;
                let to_signed = self.types().is_signed(to);
                let wide = if b.bits() < 32 { ValueType::I32 } else { b };
                let conversion = if to_signed {
                    ValueConversion::FloatToSigned { rounding, flush: false }
                } else {
                    ValueConversion::FloatToUnsigned { rounding, flush: false }
                };
                let value = self.b.convert(conversion, value, wide);
                self.b.convert(ValueConversion::Truncate, value, b)
            }
            (false, true) => {
                let (value, signed) = if a.bits() < 32 {
                    let extend = if signed {
                        ValueConversion::SignExtend
                    } else {
                        ValueConversion::ZeroExtend
                    };
                    (self.b.convert(extend, value, ValueType::I32), signed)
                } else {
                    (value, signed)
                };
                let conversion = if signed {
                    ValueConversion::SignedToFloat(RoundingMode::Nearest)
                } else {
                    ValueConversion::UnsignedToFloat(RoundingMode::Nearest)
                };
                self.b.convert(conversion, value, b)
            }
            (false, false) => {
                if b == ValueType::I1 {
                    let zero = self.b.constant(a, 0);
                    return self.b.compare_integers(IntegerCondition::NotEqual, value, zero);
                }
                let conversion = if b.bits() < a.bits() {
                    ValueConversion::Truncate
                } else if signed {
                    ValueConversion::SignExtend
                } else {
                    ValueConversion::ZeroExtend
                };
                self.b.convert(conversion, value, b)
            }
        }
    }
}

/// Whether an expression is cheap and has no effects, so that both sides may be evaluated.
fn simple(value: &Typed) -> bool {
    fn cost(value: &Typed) -> usize {
        match &value.kind {
            TypedKind::Constant(_) | TypedKind::Local(_) => 0,
            TypedKind::Load(object) => match &object.kind {
                TypedKind::Local(_) => 0,
                TypedKind::Field(inner, _, None)
                    if matches!(inner.kind, TypedKind::Local(_) | TypedKind::Variable(_)) =>
                {
                    1
                }
                _ => 100,
            },
            TypedKind::Unary(_, a) | TypedKind::Convert(a) => 1 + cost(a),
            TypedKind::Binary(BinaryOperator::Divide | BinaryOperator::Remainder, ..) => 100,
            TypedKind::Binary(_, a, b)
            | TypedKind::Compare(_, a, b)
            | TypedKind::Logical(_, a, b) => 1 + cost(a) + cost(b),
            _ => 100,
        }
    }
    cost(value) <= 6
}
