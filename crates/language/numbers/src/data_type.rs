//! Element types of CUDA's libraries (`cudaDataType`): real or complex numbers.

use crate::NumberType;
use half::{bf16, f16};

/// A type of real numbers, or of complex numbers.
///
/// ```
/// use lanework_numbers::DataType;
///
/// assert_eq!(DataType::from_code(5), Some(DataType::C64));
/// assert_eq!((DataType::C64.bytes(), DataType::C64.real()), (16, DataType::F64));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DataType {
    /// The type of a real number, or of both parts of a complex one.
    pub part: NumberType,
    /// Whether the numbers are complex.
    pub is_complex: bool,
}

macro_rules! types {
    ($($(#[$doc:meta])* $name:ident $part:ident $complex:literal $code:literal;)*) => {
        impl DataType {
            $($(#[$doc])* pub const $name: DataType =
                DataType { part: NumberType::$part, is_complex: $complex };)*

            /// The type of a `cudaDataType`; `None` for an unsupported one.
            pub const fn from_code(code: i32) -> Option<DataType> {
                match code {
                    $($code => Some(DataType::$name),)*
                    _ => None,
                }
            }
        }
    };
}

types! {
    /// `CUDA_R_32F`.
    F32 F32 false 0;
    /// `CUDA_R_64F`.
    F64 F64 false 1;
    /// `CUDA_R_16F`.
    F16 F16 false 2;
    /// `CUDA_R_8I`.
    I8 I8 false 3;
    /// `CUDA_C_32F`.
    C32 F32 true 4;
    /// `CUDA_C_64F`.
    C64 F64 true 5;
    /// `CUDA_C_16F`.
    C16 F16 true 6;
    /// `CUDA_R_32I`.
    I32 I32 false 10;
    /// `CUDA_R_16BF`.
    BF16 Bf16 false 14;
    /// `CUDA_C_16BF`.
    CBF16 Bf16 true 15;
}

impl DataType {
    /// Bytes of an element.
    #[inline(always)]
    pub const fn bytes(self) -> usize {
        self.part.bytes() * if self.is_complex { 2 } else { 1 }
    }

    /// The real type of the parts.
    pub const fn real(self) -> DataType {
        DataType { is_complex: false, ..self }
    }

    /// The complex type with these parts.
    pub const fn complex(self) -> DataType {
        DataType { is_complex: true, ..self }
    }

    /// Reads the real and imaginary part of an element from its bytes.
    ///
    /// # Panics
    /// If there are too few bytes.
    #[inline(always)]
    pub fn read(self, from: &[u8]) -> [f64; 2] {
        let imaginary =
            if self.is_complex { self.part.read(&from[self.part.bytes()..]) } else { 0.0 };
        [self.part.read(from), imaginary]
    }

    /// The bytes of an element, rounded to nearest and padded with zeros. For a 16-bit float, the value is first rounded to f32,
    /// the precision of sums on a GPU: rounded directly from f64, values next to a tie would differ. `i8` saturates; other integers
    /// wrap, as sums on a GPU do.
    #[inline(always)]
    pub fn encode(self, [re, im]: [f64; 2]) -> [u8; 16] {
        let mut bytes = [0; 16];
        let size = self.part.bytes();
        bytes[..8].copy_from_slice(&part(self.part, re));
        if self.is_complex {
            let second = part(self.part, im);
            bytes[size..2 * size].copy_from_slice(&second[..size]);
        }
        bytes
    }

    /// Appends the bytes of an element, rounded as in [`DataType::encode`].
    pub fn put(self, number: [f64; 2], to: &mut Vec<u8>) {
        to.extend(&self.encode(number)[..self.bytes()]);
    }
}

#[inline(always)]
fn part(number: NumberType, value: f64) -> [u8; 8] {
    fn padded<const N: usize>(bytes: [u8; N]) -> [u8; 8] {
        std::array::from_fn(|at| if at < N { bytes[at] } else { 0 })
    }
    match number {
        NumberType::F16 => padded(f16::from_f32(value as f32).to_le_bytes()),
        NumberType::Bf16 => padded(bf16::from_f32(value as f32).to_le_bytes()),
        NumberType::F32 => padded((value as f32).to_le_bytes()),
        NumberType::F64 => value.to_le_bytes(),
        NumberType::I8 => padded((value.round_ties_even() as i8).to_le_bytes()),
        _ => (value as i64).to_le_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(of: DataType, number: [f64; 2]) -> Vec<u8> {
        let mut to = Vec::new();
        of.put(number, &mut to);
        to
    }

    #[test]
    fn elements_round_trip_through_bytes() {
        for code in 0..64 {
            let Some(of) = DataType::from_code(code) else { continue };
            let number = [-3.0, if of.is_complex { 5.0 } else { 0.0 }];
            let bytes = put(of, number);
            assert_eq!((bytes.len(), of.read(&bytes)), (of.bytes(), number), "{code}");
        }
        assert_eq!(DataType::from_code(28), None);
        assert_eq!((DataType::C32.real(), DataType::F64.complex()), (DataType::F32, DataType::C64));
    }

    #[test]
    fn floats_of_16_bits_near_a_tie_round_to_nearest() {
        let put = |of: DataType, value: f64| {
            let bytes = put(of, [value, 0.0]);
            u16::from_le_bytes([bytes[0], bytes[1]])
        };
        let beyond = f64::from(2.0_f32.powi(-23));
        // Adjacent values: 1 and 1 + 2^-7 in bf16, 1 and 1 + 2^-10 in f16.
        let (brain, half) = (1.0 + 2.0_f64.powi(-8), 1.0 + 2.0_f64.powi(-11));
        assert_eq!(put(DataType::BF16, brain), bf16::ONE.to_bits());
        assert_eq!(put(DataType::BF16, brain + beyond), bf16::ONE.to_bits() + 1);
        assert_eq!(put(DataType::F16, half), f16::ONE.to_bits());
        assert_eq!(put(DataType::F16, half + beyond), f16::ONE.to_bits() + 1);
    }

    #[test]
    fn bytes_saturate_and_words_wrap() {
        assert_eq!(put(DataType::I8, [300.0, 0.0]), [127]);
        assert_eq!(put(DataType::I8, [-2.5, 0.0]), [-2i8 as u8]);
        assert_eq!(put(DataType::I32, [2f64.powi(32) + 7.0, 0.0]), 7i32.to_le_bytes());
    }
}
