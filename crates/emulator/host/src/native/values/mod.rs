//! Translates operations that compute a value. They keep the interpreter's rules: registers hold zero-extended values,
//! shift counts are masked, conversions to integers saturate, and only division by zero faults.

mod halves;
mod others;

use crate::code::{Op, RegisterKind};
use crate::native::layout::{CodeFault, type_of};
use crate::native::translate::Translator;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Type, Value, types};

/// A Cranelift instruction on two values.
#[derive(Clone, Copy)]
enum Two {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    FloatAdd,
    FloatSub,
    FloatMul,
    FloatDiv,
}

/// The type of an integer of `64 - shift` bits; `None` if it is narrower than 32 bits.
fn integer(shift: u32) -> Option<Type> {
    match shift {
        0 => Some(types::I64),
        32 => Some(types::I32),
        _ => None,
    }
}

impl Translator<'_> {
    /// Translates an operation that computes a value; `None` for other operations.
    pub fn value(&mut self, op: Op) -> Option<()> {
        use types::{F32, F64, I32, I64};
        match op {
            Op::Move { d, a } => {
                let value = self.get(a);
                self.set(d, value);
            }
            Op::Add32 { d, a, b } => self.two(Two::Add, I32, d, a, b),
            Op::Sub32 { d, a, b } => self.two(Two::Sub, I32, d, a, b),
            Op::Mul32 { d, a, b } => self.two(Two::Mul, I32, d, a, b),
            Op::Add64 { d, a, b } => self.two(Two::Add, I64, d, a, b),
            Op::Sub64 { d, a, b } => self.two(Two::Sub, I64, d, a, b),
            Op::Mul64 { d, a, b } => self.two(Two::Mul, I64, d, a, b),
            Op::And { d, a, b } => self.two(Two::And, self.word_type(d), d, a, b),
            Op::Or { d, a, b } => self.two(Two::Or, self.word_type(d), d, a, b),
            Op::Xor { d, a, b } => self.two(Two::Xor, self.word_type(d), d, a, b),
            Op::Shl32 { d, a, b } => self.two(Two::Shl, I32, d, a, b),
            Op::Shl64 { d, a, b } => self.two(Two::Shl, I64, d, a, b),
            Op::AddF32 { d, a, b } => self.two(Two::FloatAdd, F32, d, a, b),
            Op::SubF32 { d, a, b } => self.two(Two::FloatSub, F32, d, a, b),
            Op::MulF32 { d, a, b } => self.two(Two::FloatMul, F32, d, a, b),
            Op::DivF32 { d, a, b } => self.two(Two::FloatDiv, F32, d, a, b),
            Op::AddF64 { d, a, b } => self.two(Two::FloatAdd, F64, d, a, b),
            Op::SubF64 { d, a, b } => self.two(Two::FloatSub, F64, d, a, b),
            Op::MulF64 { d, a, b } => self.two(Two::FloatMul, F64, d, a, b),
            Op::DivF64 { d, a, b } => self.two(Two::FloatDiv, F64, d, a, b),
            Op::Equal { d, a, b } => {
                let value = self.compare_words(IntCC::Equal, a, b);
                self.set(d, value);
            }
            Op::NotEqual { d, a, b } => {
                let value = self.compare_words(IntCC::NotEqual, a, b);
                self.set(d, value);
            }
            Op::LessUnsigned { d, a, b } => {
                let value = self.compare_words(IntCC::UnsignedLessThan, a, b);
                self.set(d, value);
            }
            Op::LessEqualUnsigned { d, a, b } => {
                let value = self.compare_words(IntCC::UnsignedLessThanOrEqual, a, b);
                self.set(d, value);
            }
            Op::LessSigned { d, a, b, shift } => {
                let value = self.compare_signed(IntCC::SignedLessThan, a, b, shift);
                self.set(d, value);
            }
            Op::LessEqualSigned { d, a, b, shift } => {
                let value = self.compare_signed(IntCC::SignedLessThanOrEqual, a, b, shift);
                self.set(d, value);
            }
            Op::LessF32 { d, a, b } => self.compare_floats(FloatCC::LessThan, F32, d, a, b),
            Op::LessEqualF32 { d, a, b } => {
                self.compare_floats(FloatCC::LessThanOrEqual, F32, d, a, b);
            }
            Op::LessF64 { d, a, b } => self.compare_floats(FloatCC::LessThan, F64, d, a, b),
            Op::LessEqualF64 { d, a, b } => {
                self.compare_floats(FloatCC::LessThanOrEqual, F64, d, a, b);
            }
            Op::Select { d, c, a, b } => {
                let ty = type_of(self.code.kinds[d as usize]);
                let condition = self.get_as(c, self.word_type(c));
                let (yes, no) = (self.get_as(a, ty), self.get_as(b, ty));
                let value = self.b.ins().select(condition, yes, no);
                self.set(d, value);
            }
            Op::SignExtend { d, a, shift, mask } => {
                let mut value = self.signed(a, shift);
                if mask > 32 {
                    value = self.b.ins().band_imm_s(value, (u64::MAX >> mask) as i64);
                } else if mask > 0 {
                    value = self.b.ins().ireduce(I32, value);
                }
                self.set(d, value);
            }
            Op::Truncate { d, a, mask } => {
                let value = if mask >= 32 {
                    let value = self.get_as(a, I32);
                    let all = u64::MAX >> mask;
                    if mask == 32 { value } else { self.b.ins().band_imm_s(value, all as i64) }
                } else {
                    let value = self.get64(a);
                    self.b.ins().band_imm_s(value, (u64::MAX >> mask) as i64)
                };
                self.set(d, value);
            }
            Op::ShiftRightSigned { d, a, b, shift } => {
                let ty = integer(shift)?;
                let (value, count) = (self.get_as(a, ty), self.get_as(b, I32));
                let value = self.b.ins().sshr(value, count);
                self.set(d, value);
            }
            Op::ShiftRightUnsigned { d, a, b, shift } => {
                let ty = integer(shift)?;
                let (value, count) = (self.get_as(a, ty), self.get_as(b, I32));
                let value = self.b.ins().ushr(value, count);
                self.set(d, value);
            }
            Op::DivideSigned { d, a, b, shift } => self.divide_signed(d, a, b, integer(shift)?),
            Op::RemainderSigned { d, a, b, shift } => {
                let (x, y) = self.division(a, b, integer(shift)?);
                // Cranelift's remainder by -1 is 0, even for the minimum integer.
                let value = self.b.ins().srem(x, y);
                self.set(d, value);
            }
            Op::DivideUnsigned { d, a, b } => {
                let (x, y) = self.division(a, b, self.common_word(a, b));
                let value = self.b.ins().udiv(x, y);
                self.set(d, value);
            }
            Op::RemainderUnsigned { d, a, b } => {
                let (x, y) = self.division(a, b, self.common_word(a, b));
                let value = self.b.ins().urem(x, y);
                self.set(d, value);
            }
            _ => return self.conversion(op),
        }
        Some(())
    }

    /// Translates a conversion between numbers.
    fn conversion(&mut self, op: Op) -> Option<()> {
        use types::{F32, F64, I32, I64};
        let (d, value) = match op {
            Op::F32ToSigned32 { d, a } => {
                let value = self.get_as(a, F32);
                (d, self.b.ins().fcvt_to_sint_sat(I32, value))
            }
            Op::F64ToSigned32 { d, a } => {
                let value = self.get_as(a, F64);
                (d, self.b.ins().fcvt_to_sint_sat(I32, value))
            }
            Op::F64ToSigned64 { d, a } => {
                let value = self.get_as(a, F64);
                (d, self.b.ins().fcvt_to_sint_sat(I64, value))
            }
            Op::UnsignedToF32 { d, a } => (d, self.unsigned_to(F32, a)),
            Op::UnsignedToF64 { d, a } => (d, self.unsigned_to(F64, a)),
            Op::Signed32ToF32 { d, a } => {
                let value = self.get_as(a, I32);
                (d, self.b.ins().fcvt_from_sint(F32, value))
            }
            Op::Signed32ToF64 { d, a } => {
                let value = self.get_as(a, I32);
                (d, self.b.ins().fcvt_from_sint(F64, value))
            }
            Op::Signed64ToF64 { d, a } => {
                let value = self.get64(a);
                (d, self.b.ins().fcvt_from_sint(F64, value))
            }
            Op::F32ToF64 { d, a } => {
                let value = self.get_as(a, F32);
                (d, self.b.ins().fpromote(F64, value))
            }
            Op::F64ToF32 { d, a } => {
                let value = self.get_as(a, F64);
                (d, self.b.ins().fdemote(F32, value))
            }
            _ => return None,
        };
        self.set(d, value);
        Some(())
    }

    /// The integer type that holds a register.
    pub fn word_type(&self, register: u32) -> Type {
        match self.code.kinds[register as usize] {
            RegisterKind::Word32 | RegisterKind::F32 => types::I32,
            RegisterKind::Word64 | RegisterKind::F64 => types::I64,
        }
    }

    /// The integer type that holds two registers.
    fn common_word(&self, a: u32, b: u32) -> Type {
        if self.word_type(a) == types::I32 { self.word_type(b) } else { types::I64 }
    }

    fn two(&mut self, op: Two, ty: Type, d: u32, a: u32, b: u32) {
        let (x, y) = (self.get_as(a, ty), self.get_as(b, ty));
        let ins = self.b.ins();
        let value = match op {
            Two::Add => ins.iadd(x, y),
            Two::Sub => ins.isub(x, y),
            Two::Mul => ins.imul(x, y),
            Two::And => ins.band(x, y),
            Two::Or => ins.bor(x, y),
            Two::Xor => ins.bxor(x, y),
            Two::Shl => ins.ishl(x, y),
            Two::FloatAdd => ins.fadd(x, y),
            Two::FloatSub => ins.fsub(x, y),
            Two::FloatMul => ins.fmul(x, y),
            Two::FloatDiv => ins.fdiv(x, y),
        };
        self.set(d, value);
    }

    /// Compares all bits of two registers.
    pub fn compare_words(&mut self, condition: IntCC, a: u32, b: u32) -> Value {
        let ty = self.common_word(a, b);
        let (x, y) = (self.get_as(a, ty), self.get_as(b, ty));
        self.b.ins().icmp(condition, x, y)
    }

    /// Compares signed integers of `64 - shift` bits.
    pub fn compare_signed(&mut self, condition: IntCC, a: u32, b: u32, shift: u32) -> Value {
        let (x, y) = match integer(shift) {
            Some(ty) => (self.get_as(a, ty), self.get_as(b, ty)),
            None => {
                let (x, y) = (self.get64(a), self.get64(b));
                let x = self.b.ins().ishl_imm_s(x, i64::from(shift));
                (x, self.b.ins().ishl_imm_s(y, i64::from(shift)))
            }
        };
        self.b.ins().icmp(condition, x, y)
    }

    pub fn compare_floats(&mut self, condition: FloatCC, ty: Type, d: u32, a: u32, b: u32) {
        let (x, y) = (self.get_as(a, ty), self.get_as(b, ty));
        let value = self.b.ins().fcmp(condition, x, y);
        self.set(d, value);
    }

    /// Sign-extends an integer of `64 - shift` bits to 64 bits.
    pub fn signed(&mut self, a: u32, shift: u32) -> Value {
        if shift == 32 {
            let value = self.get_as(a, types::I32);
            return self.b.ins().sextend(types::I64, value);
        }
        let value = self.get64(a);
        let up = self.b.ins().ishl_imm_s(value, i64::from(shift));
        self.b.ins().sshr_imm_s(up, i64::from(shift))
    }

    /// The float nearest to an unsigned integer.
    pub fn unsigned_to(&mut self, ty: Type, a: u32) -> Value {
        let value = self.get64(a);
        if self.word_type(a) == types::I32 {
            // The value is not negative as a signed 64-bit integer.
            return self.b.ins().fcvt_from_sint(ty, value);
        }
        self.b.ins().fcvt_from_uint(ty, value)
    }

    /// The operands of a division. Faults if the divisor is 0.
    pub fn division(&mut self, a: u32, b: u32, ty: Type) -> (Value, Value) {
        if self.code.constants.get(b as usize).is_none_or(|bits| *bits == 0) {
            let divisor = self.get64(b);
            let zero = self.b.ins().icmp_imm_s(IntCC::Equal, divisor, 0);
            self.fault_if(zero, CodeFault::DivisionByZero);
        }
        (self.get_as(a, ty), self.get_as(b, ty))
    }

    fn divide_signed(&mut self, d: u32, a: u32, b: u32, ty: Type) {
        let (x, y) = self.division(a, b, ty);
        let minus_one = if ty == types::I32 { u64::from(u32::MAX) } else { u64::MAX };
        if self.code.constants.get(b as usize).is_some_and(|bits| *bits != minus_one) {
            let value = self.b.ins().sdiv(x, y);
            self.set(d, value);
            return;
        }
        // The minimum integer divided by -1 wraps here, but traps in Cranelift.
        let [divide, negate, next] = [(); 3].map(|()| self.b.create_block());
        self.b.set_cold_block(negate);
        self.b.append_block_param(next, ty);
        let special = self.b.ins().icmp_imm_s(IntCC::Equal, y, -1);
        self.b.ins().brif(special, negate, &[], divide, &[]);
        self.b.switch_to_block(negate);
        self.b.seal_block(negate);
        let value = self.b.ins().ineg(x);
        self.b.ins().jump(next, &[BlockArg::from(value)]);
        self.b.switch_to_block(divide);
        self.b.seal_block(divide);
        let value = self.b.ins().sdiv(x, y);
        self.b.ins().jump(next, &[BlockArg::from(value)]);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
        let value = self.b.block_params(next)[0];
        self.set(d, value);
    }
}
