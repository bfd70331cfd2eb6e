//! Elements of A and B, and of scale factors, as the adders take them.

use crate::instructions::matrix::sum::Term;
use lanework_numbers::SmallFloat;
use lanework_ptx_ir::opcode::matrix::ElementType;
use lanework_ptx_ir::opcode::tensor_memory::MultiplyKind;

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Half precision.
    F16,
    /// The upper half of an f32.
    Bf16,
    /// An f32 whose low 13 bits are ignored.
    Tf32,
    /// 8 bits: 4 of exponent, 3 of mantissa.
    E4m3,
    /// 8 bits: 5 of exponent, 2 of mantissa.
    E5m2,
    /// 6 bits: 2 of exponent, 3 of mantissa.
    E2m3,
    /// 6 bits: 3 of exponent, 2 of mantissa.
    E3m2,
    /// 4 bits: 2 of exponent, 1 of mantissa, in containers of 8 bits.
    E2m1,
    /// The same, two in a byte.
    PackedE2m1,
    /// Signed bytes.
    S8,
    /// Unsigned bytes.
    U8,
}

/// Bytes of a row of A or B along K: one row of one product.
pub type Row = [u8; 64];

impl Element {
    /// The type that a kind's descriptor names by a number.
    pub fn from_number(kind: MultiplyKind, number: usize) -> Option<Element> {
        Some(match (kind, number) {
            (MultiplyKind::F16, 0) => Element::F16,
            (MultiplyKind::F16, 1) => Element::Bf16,
            (MultiplyKind::Tf32, 2) => Element::Tf32,
            (MultiplyKind::I8, 0) => Element::U8,
            (MultiplyKind::I8, 1) => Element::S8,
            (MultiplyKind::F8f6f4 | MultiplyKind::Mxf8f6f4, 0) => Element::E4m3,
            (MultiplyKind::F8f6f4 | MultiplyKind::Mxf8f6f4, 1) => Element::E5m2,
            (MultiplyKind::F8f6f4 | MultiplyKind::Mxf8f6f4, 3) => Element::E2m3,
            (MultiplyKind::F8f6f4 | MultiplyKind::Mxf8f6f4, 4) => Element::E3m2,
            (MultiplyKind::F8f6f4 | MultiplyKind::Mxf8f6f4, 5) => Element::E2m1,
            (MultiplyKind::Mxf4 | MultiplyKind::Mxf4nvf4, 1) => Element::PackedE2m1,
            _ => return None,
        })
    }

    /// Bits of an element.
    pub fn bits(self) -> usize {
        match self {
            Element::Tf32 => 32,
            Element::F16 | Element::Bf16 => 16,
            Element::E2m3 | Element::E3m2 => 6,
            Element::E2m1 | Element::PackedE2m1 => 4,
            _ => 8,
        }
    }

    /// Bytes of an element's container in unpacked memory.
    pub fn container(self) -> usize {
        (self.bits() / 8).max(1)
    }

    /// The bits of element `k` of a row. In shared memory, 16 elements of 4 or 6 bits are packed at the start
    /// of 16 bytes; in tensor memory each has its own byte, in which a 4-bit element starts at bit 2.
    pub fn at(self, row: &Row, k: usize, in_tensor_memory: bool) -> u64 {
        let bytes = |at: usize, count: usize| {
            (0..count).fold(0, |bits, i| bits | u64::from(row[at + i]) << (8 * i))
        };
        match self {
            Element::PackedE2m1 => u64::from(row[k / 2]) >> (k % 2 * 4) & 15,
            Element::E2m1 if in_tensor_memory => u64::from(row[k]) >> 2 & 15,
            Element::E2m3 | Element::E3m2 if in_tensor_memory => u64::from(row[k]) & 63,
            Element::E2m1 | Element::E2m3 | Element::E3m2 => {
                let (first, bit) = (k / 16 * 16, k % 16 * self.bits());
                let pair =
                    u64::from(row[first + bit / 8]) | u64::from(row[first + bit / 8 + 1]) << 8;
                pair >> (bit % 8) & ((1 << self.bits()) - 1)
            }
            _ => bytes(k * self.container(), self.container()),
        }
    }

    /// The number with these bits.
    pub fn term(self, bits: u64) -> Term {
        let small = |value: f32, least: f64| Term::new(f64::from(value), least);
        match self {
            Element::F16 => Term::decode(ElementType::F16, bits),
            Element::Bf16 => Term::decode(ElementType::Bf16, bits),
            Element::Tf32 => Term::decode(ElementType::Tf32, bits),
            Element::E4m3 => Term::decode(ElementType::E4m3, bits),
            Element::E5m2 => Term::decode(ElementType::E5m2, bits),
            Element::E2m3 => small(SmallFloat::E2M3.decode(bits as u8), 1.0),
            Element::E3m2 => small(SmallFloat::E3M2.decode(bits as u8), 0.25),
            Element::E2m1 | Element::PackedE2m1 => small(SmallFloat::E2M1.decode(bits as u8), 1.0),
            Element::S8 | Element::U8 => Term::default(),
        }
    }

    /// The integer with these bits.
    pub fn integer(self, bits: u64) -> i32 {
        if self == Element::S8 { i32::from(bits as i8) } else { i32::from(bits as u8) }
    }
}

/// A scale factor: a power of two (UE8M0) or UE4M3.
pub fn factor(powers: bool, bits: u8) -> Term {
    match (powers, bits) {
        (true, 0xff) => Term { value: f64::NAN, power: 1.0 },
        (true, _) => {
            let value = f64::from_bits((u64::from(bits) + 1023 - 127) << 52);
            Term { value, power: value }
        }
        (false, _) => Term::decode(ElementType::E4m3, u64::from(bits & 0x7f)),
    }
}

/// A number times its scale factor.
pub fn scaled(term: Term, factor: Term) -> Term {
    Term { value: term.value * factor.value, power: term.power * factor.power }
}

#[cfg(test)]
mod tests {
    use crate::instructions::tensor_memory::element::*;

    #[test]
    fn small_elements_are_packed_in_shared_memory_and_padded_in_tensor_memory() {
        let mut row: Row = [0; 64];
        row[16] = 0x21;
        assert_eq!(Element::E2m1.at(&row, 16, false), 1);
        assert_eq!(Element::E2m1.at(&row, 17, false), 2);
        assert_eq!(Element::PackedE2m1.at(&row, 33, false), 2);
        row[0..3].copy_from_slice(&[0b1100_0001, 0b0011_1000, 0b0000_1000]);
        assert_eq!(Element::E3m2.at(&row, 0, false), 1);
        assert_eq!(Element::E3m2.at(&row, 1, false), 0b10_0011);
        assert_eq!(Element::E3m2.at(&row, 2, false), 0b00_0011);
        row[5] = 0b0010_0100;
        assert_eq!(Element::E2m1.at(&row, 5, true), 9);
    }

    #[test]
    fn factors_are_powers_or_bytes_without_a_sign() {
        assert_eq!(factor(true, 127).value, 1.0);
        assert_eq!(factor(true, 0).value, 2f64.powi(-127));
        assert!(factor(true, 255).value.is_nan());
        assert_eq!(factor(false, 0x38).value, 1.0);
        assert_eq!(factor(false, 0xb8).value, 1.0);
    }
}
