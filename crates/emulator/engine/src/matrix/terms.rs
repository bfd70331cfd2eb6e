//! Numbers as the tensor cores' adders take them: exact values, and the powers of two that align them.

use crate::number::eight::E4M3;
use crate::number::narrow::{Narrow, widen16};
use half::{bf16, f16};
use lanework_ptx_ir::opcode::matrix::ElementType;

/// A number and the power of two that its exponent stands for: that of the smallest normal number for
/// a denormal, whose leading bit is 0, and 0 for a zero, which aligns nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Term {
    /// The number.
    pub value: f64,
    /// Its power of two.
    pub power: f64,
}

/// The exponent's bits of an f64.
const EXPONENT: u64 = 0x7ff0_0000_0000_0000;

impl Term {
    /// What a sparse matrix does not store: it is not multiplied, not even by an infinity.
    pub const ABSENT: Term = Term { value: 0.0, power: -1.0 };

    /// A number of a type whose smallest normal number is `least`.
    #[inline(always)]
    pub fn new(value: f64, least: f64) -> Term {
        let power = f64::from_bits(value.to_bits() & EXPONENT);
        let power = if power < least { least } else { power };
        Term { value, power: if value == 0.0 { 0.0 } else { power } }
    }

    /// The number with these bits.
    #[inline(always)]
    pub fn decode(number: ElementType, bits: u64) -> Term {
        let value = match number {
            ElementType::F16 => f64::from(widen16(f16::from_bits(bits as u16))),
            ElementType::Bf16 => f64::from(bf16::from_bits(bits as u16).widen()),
            ElementType::Tf32 => f64::from(f32::from_bits(bits as u32 & !0x1fff)),
            ElementType::E4m3 => f64::from(E4M3[bits as usize & 0xff]),
            ElementType::E5m2 => f64::from(widen16(f16::from_bits((bits as u16) << 8))),
            _ => f64::from(f32::from_bits(bits as u32)),
        };
        Term::new(value, least(number))
    }
}

/// The smallest normal number of a type.
#[inline(always)]
pub fn least(number: ElementType) -> f64 {
    const M6: f64 = 1.0 / 64.0;
    const M14: f64 = 1.0 / 16384.0;
    match number {
        ElementType::F16 | ElementType::E5m2 => M14,
        ElementType::E4m3 => M6,
        _ => f32::MIN_POSITIVE as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri rounds `powi` and `exp2` at random")]
    fn narrow_numbers_have_their_documented_extremes() {
        let value = |number, bits| Term::decode(number, bits).value;
        assert_eq!(value(ElementType::E4m3, 0x7e), 448.0);
        assert_eq!(value(ElementType::E4m3, 0x08), 0.015625);
        assert_eq!(value(ElementType::E4m3, 0x81), -1.0 / 512.0);
        assert!(value(ElementType::E4m3, 0x7f).is_nan() && value(ElementType::E4m3, 0xff).is_nan());
        assert_eq!(value(ElementType::E5m2, 0x7b), 57344.0);
        assert_eq!(value(ElementType::E5m2, 0xfc), f64::NEG_INFINITY);
        assert_eq!(value(ElementType::E5m2, 0x01), 2f64.powi(-16));
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri rounds `powi` and `exp2` at random")]
    fn a_denormal_aligns_as_the_smallest_normal_number_and_zero_as_nothing() {
        assert_eq!(Term::decode(ElementType::F16, 1).power, 2f64.powi(-14));
        assert_eq!(Term::decode(ElementType::F16, 0x3e00).power, 1.0);
        assert_eq!(Term::decode(ElementType::F32, 0x8000_0000).power, 0.0);
    }
}
