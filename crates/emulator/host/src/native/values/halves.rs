//! Translates the frequent conversions between `float` and the 16-bit formats: the formulas of
//! [`FrequentConversion::convert`], without branches.

use crate::half::{FrequentConversion, INFINITY, LEAST_NORMAL, MAGIC, REBIAS, SCALE, TOO_LARGE};
use crate::native::translate::Translator;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};

impl Translator<'_> {
    /// Converts the low bits of a register.
    pub fn convert_half(&mut self, conversion: FrequentConversion, register: u32) -> Value {
        let bits = self.get_as(register, types::I32);
        match conversion {
            FrequentConversion::HalfFromFloat => self.half_from_float(bits),
            FrequentConversion::BfloatFromFloat => self.bfloat_from_float(bits),
            FrequentConversion::FloatFromHalf => self.float_from_half(bits),
        }
    }

    fn bits32(&mut self, bits: u32) -> Value {
        self.b.ins().iconst(types::I32, i64::from(bits))
    }

    fn as_float(&mut self, bits: Value) -> Value {
        self.b.ins().bitcast(types::F32, MemFlagsData::new(), bits)
    }

    fn as_bits(&mut self, float: Value) -> Value {
        self.b.ins().bitcast(types::I32, MemFlagsData::new(), float)
    }

    /// Whether a magnitude's bits exceed other bits.
    fn exceeds(&mut self, magnitude: Value, bits: u32) -> Value {
        let bits = self.bits32(bits);
        self.b.ins().icmp(IntCC::UnsignedGreaterThan, magnitude, bits)
    }

    /// The bits, or those of the result NaN if the magnitude is NaN.
    fn unless_nan(&mut self, magnitude: Value, bits: Value) -> Value {
        let is_nan = self.exceeds(magnitude, INFINITY);
        let nan = self.bits32(0x7fff);
        self.b.ins().select(is_nan, nan, bits)
    }

    fn half_from_float(&mut self, bits: Value) -> Value {
        let magnitude = self.b.ins().band_imm_u(bits, 0x7fff_ffff);
        let top = self.b.ins().ushr_imm_s(bits, 16);
        let sign = self.b.ins().band_imm_u(top, 0x8000);
        let odd = self.b.ins().ushr_imm_s(magnitude, 13);
        let odd = self.b.ins().band_imm_u(odd, 1);
        let rebias = self.bits32(REBIAS);
        let normal = self.b.ins().iadd(magnitude, rebias);
        let normal = self.b.ins().iadd(normal, odd);
        let normal = self.b.ins().ushr_imm_s(normal, 13);
        let (small, magic) = (self.as_float(magnitude), self.bits32(MAGIC));
        let half = self.as_float(magic);
        let sum = self.b.ins().fadd(small, half);
        let sum = self.as_bits(sum);
        let subnormal = self.b.ins().isub(sum, magic);
        let is_normal = self.exceeds(magnitude, LEAST_NORMAL - 1);
        let finite = self.b.ins().select(is_normal, normal, subnormal);
        let is_large = self.exceeds(magnitude, TOO_LARGE - 1);
        let infinity = self.bits32(0x7c00);
        let value = self.b.ins().select(is_large, infinity, finite);
        let value = self.b.ins().bor(value, sign);
        self.unless_nan(magnitude, value)
    }

    fn bfloat_from_float(&mut self, bits: Value) -> Value {
        let magnitude = self.b.ins().band_imm_u(bits, 0x7fff_ffff);
        let odd = self.b.ins().ushr_imm_s(bits, 16);
        let odd = self.b.ins().band_imm_u(odd, 1);
        let rounded = self.b.ins().iadd_imm_s(bits, 0x7fff);
        let rounded = self.b.ins().iadd(rounded, odd);
        let value = self.b.ins().ushr_imm_s(rounded, 16);
        self.unless_nan(magnitude, value)
    }

    fn float_from_half(&mut self, bits: Value) -> Value {
        let magnitude = self.b.ins().band_imm_u(bits, 0x7fff);
        let moved = self.b.ins().ishl_imm_s(magnitude, 13);
        let (small, scale) = (self.as_float(moved), self.bits32(SCALE));
        let scale = self.as_float(scale);
        let scaled = self.b.ins().fmul(small, scale);
        let scaled = self.as_bits(scaled);
        let (zero, infinity) = (self.bits32(0), self.bits32(INFINITY));
        let nan = self.bits32(INFINITY | 0x40_0000);
        let is_nan = self.exceeds(magnitude, 0x7c00);
        let is_special = self.exceeds(magnitude, 0x7bff);
        let special = self.b.ins().select(is_nan, nan, infinity);
        let special = self.b.ins().select(is_special, special, zero);
        let value = self.b.ins().bor(scaled, special);
        let sign = self.b.ins().band_imm_u(bits, 0x8000);
        let sign = self.b.ins().ishl_imm_s(sign, 16);
        self.b.ins().bor(value, sign)
    }
}
