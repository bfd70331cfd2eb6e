//! Translates operations that have no [`Op`](crate::code::Op) of their own. Frequent ones become instructions; each
//! of the others becomes a call of the function that computes it for the interpreter.

use crate::code::{OtherOp, RegisterKind};
use crate::half::HalfOperation;
use crate::native::layout::type_of;
use crate::native::translate::Translator;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use lanework_ssa::{
    FloatArithmetic, FloatCondition, FloatMode, InstructionKind, IntegerBinary, IntegerUnary,
    RoundingMode, ValueConversion, ValueType,
};

impl Translator<'_> {
    /// Translates an operation of [`FunctionCode::others`](crate::code::FunctionCode).
    pub fn other(&mut self, d: u32, index: usize) {
        let other = &self.code.others[index];
        if let Some(frequent) = other.half.as_ref().and_then(HalfOperation::frequent) {
            let value = self.convert_half(frequent, other.operands[0]);
            self.set(d, value);
            return;
        }
        if let Some(value) = self.known(other) {
            self.set(d, value);
            return;
        }
        let (words, count) = self.pass(&other.operands);
        let number = self.word(index as u64);
        let value = self.help(self.layout.helpers.other, [number, words, count]);
        self.set(d, value);
    }

    /// The value of an operation, if instructions can compute it.
    fn known(&mut self, other: &OtherOp) -> Option<Value> {
        use InstructionKind as K;
        match (&other.kind, other.operands.as_slice()) {
            (K::Integer { op, .. }, &[a, b]) => self.integer(*op, a, b, other.from),
            (K::IntegerUnary(op), &[a]) => self.integer_unary(*op, a, other.from),
            (K::Float { op: FloatArithmetic::Negate, mode }, &[a]) if !mode.flush => {
                self.float_sign(a, other.from, true)
            }
            (K::Float { op: FloatArithmetic::Absolute, mode }, &[a]) if !mode.flush => {
                self.float_sign(a, other.from, false)
            }
            (K::Float { op, mode }, operands)
                if *mode == FloatMode { contract: mode.contract, ..FloatMode::default() } =>
            {
                self.float(*op, operands, other.from)
            }
            (K::CompareFloats { condition, flush: false }, &[a, b]) => {
                let kind = RegisterKind::of(other.from);
                if !matches!(kind, RegisterKind::F32 | RegisterKind::F64) {
                    return None;
                }
                let ty = type_of(kind);
                let (x, y) = (self.get_as(a, ty), self.get_as(b, ty));
                Some(self.b.ins().fcmp(float_condition(*condition), x, y))
            }
            (K::Convert(conversion), &[a]) => self.other_conversion(*conversion, a, other),
            _ => None,
        }
    }

    /// Arithmetic on integers of 8 and 16 bits, and rare operations.
    fn integer(&mut self, op: IntegerBinary, a: u32, b: u32, ty: ValueType) -> Option<Value> {
        use IntegerBinary as I;
        let bits = ty.bits();
        let wide = bits > 32;
        if wide && bits != 64 {
            return None;
        }
        let word = if wide { types::I64 } else { types::I32 };
        let (x, y) = (self.get_as(a, word), self.get_as(b, word));
        let value = match op {
            I::Add => self.b.ins().iadd(x, y),
            I::Subtract => self.b.ins().isub(x, y),
            I::Multiply => self.b.ins().imul(x, y),
            I::And => self.b.ins().band(x, y),
            I::Or => self.b.ins().bor(x, y),
            I::Xor => self.b.ins().bxor(x, y),
            I::MinimumUnsigned => self.b.ins().umin(x, y),
            I::MaximumUnsigned => self.b.ins().umax(x, y),
            I::MinimumSigned if bits >= 32 => self.b.ins().smin(x, y),
            I::MaximumSigned if bits >= 32 => self.b.ins().smax(x, y),
            I::MultiplyHighUnsigned if wide => self.b.ins().umulhi(x, y),
            I::MultiplyHighSigned if wide => self.b.ins().smulhi(x, y),
            _ => return None,
        };
        Some(self.low_bits(value, ty))
    }

    fn integer_unary(&mut self, op: IntegerUnary, a: u32, ty: ValueType) -> Option<Value> {
        let word = if ty.bits() > 32 { types::I64 } else { types::I32 };
        let x = self.get_as(a, word);
        let value = match op {
            IntegerUnary::Not => self.b.ins().bnot(x),
            IntegerUnary::Negate => self.b.ins().ineg(x),
            IntegerUnary::Absolute if ty.bits() >= 32 => self.b.ins().iabs(x),
            IntegerUnary::CountOnes => return Some(self.b.ins().popcnt(x)),
            IntegerUnary::LeadingZeros if ty.bits() >= 32 => return Some(self.b.ins().clz(x)),
            _ => return None,
        };
        Some(self.low_bits(value, ty))
    }

    /// Clears the bits beyond a type.
    fn low_bits(&mut self, value: Value, ty: ValueType) -> Value {
        if ty.bits() >= 32 { value } else { self.b.ins().band_imm_s(value, ty.mask() as i64) }
    }

    /// Rare float arithmetic, beyond the four basic operations. A NaN result has the same bits as in the interpreter.
    fn float(&mut self, op: FloatArithmetic, operands: &[u32], ty: ValueType) -> Option<Value> {
        use FloatArithmetic as F;
        let kind = RegisterKind::of(ty);
        if !matches!(kind, RegisterKind::F32 | RegisterKind::F64) {
            return None;
        }
        let ty = type_of(kind);
        let values: Vec<Value> = operands.iter().map(|operand| self.get_as(*operand, ty)).collect();
        let value = match (op, values.as_slice()) {
            (F::FusedMultiplyAdd, &[x, y, z]) if self.has_fma => self.b.ins().fma(x, y, z),
            (F::SquareRoot, &[x]) => self.b.ins().sqrt(x),
            // If one operand is NaN, the result is the other one.
            (F::Minimum | F::Maximum, &[x, y]) => {
                let is_nan = self.b.ins().fcmp(FloatCC::Unordered, x, x);
                let condition = match op {
                    F::Minimum => FloatCC::LessThan,
                    _ => FloatCC::GreaterThan,
                };
                let beyond = self.b.ins().fcmp(condition, y, x);
                let second = self.b.ins().bor(is_nan, beyond);
                return Some(self.b.ins().select(second, y, x));
            }
            _ => return None,
        };
        let is_nan = self.b.ins().fcmp(FloatCC::Unordered, value, value);
        let nan = match kind {
            RegisterKind::F32 => self.b.ins().f32const(f32::NAN),
            _ => self.b.ins().f64const(f64::NAN),
        };
        Some(self.b.ins().select(is_nan, nan, value))
    }

    /// Flips or clears a float's sign.
    fn float_sign(&mut self, a: u32, ty: ValueType, flip: bool) -> Option<Value> {
        let kind = RegisterKind::of(ty);
        if !matches!(kind, RegisterKind::F32 | RegisterKind::F64) {
            return None;
        }
        let x = self.get_as(a, type_of(kind));
        Some(if flip { self.b.ins().fneg(x) } else { self.b.ins().fabs(x) })
    }

    fn other_conversion(
        &mut self,
        conversion: ValueConversion,
        a: u32,
        other: &OtherOp,
    ) -> Option<Value> {
        use ValueConversion as V;
        let nearest = RoundingMode::Nearest;
        match (conversion, other.from, other.to) {
            (V::SignedToFloat(rounding), from, ValueType::F32 | ValueType::F64)
                if rounding == nearest && from.is_integer() =>
            {
                let value = self.signed(a, 64 - from.bits());
                let ty = type_of(RegisterKind::of(other.to));
                Some(self.b.ins().fcvt_from_sint(ty, value))
            }
            (V::FloatToUnsigned { rounding: RoundingMode::Zero, flush: false }, from, to)
                if to == ValueType::I32 && matches!(from, ValueType::F32 | ValueType::F64) =>
            {
                let value = self.get_as(a, type_of(RegisterKind::of(from)));
                Some(self.b.ins().fcvt_to_uint_sat(types::I32, value))
            }
            _ => None,
        }
    }
}

/// The Cranelift condition for a comparison.
fn float_condition(condition: FloatCondition) -> FloatCC {
    match condition {
        FloatCondition::Equal => FloatCC::Equal,
        FloatCondition::NotEqual => FloatCC::OrderedNotEqual,
        FloatCondition::Less => FloatCC::LessThan,
        FloatCondition::LessOrEqual => FloatCC::LessThanOrEqual,
        FloatCondition::Greater => FloatCC::GreaterThan,
        FloatCondition::GreaterOrEqual => FloatCC::GreaterThanOrEqual,
        FloatCondition::EqualOrUnordered => FloatCC::UnorderedOrEqual,
        FloatCondition::NotEqualOrUnordered => FloatCC::NotEqual,
        FloatCondition::LessOrUnordered => FloatCC::UnorderedOrLessThan,
        FloatCondition::LessOrEqualOrUnordered => FloatCC::UnorderedOrLessThanOrEqual,
        FloatCondition::GreaterOrUnordered => FloatCC::UnorderedOrGreaterThan,
        FloatCondition::GreaterOrEqualOrUnordered => FloatCC::UnorderedOrGreaterThanOrEqual,
        FloatCondition::Ordered => FloatCC::Ordered,
        FloatCondition::Unordered => FloatCC::Unordered,
    }
}
