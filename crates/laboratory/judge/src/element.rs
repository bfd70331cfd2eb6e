//! Element types: sizes, conversion from and to bytes, and rounding.

use half::{bf16, f16};

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
    /// IEEE half precision.
    F16,
    /// The upper half of single precision.
    Bf16,
    /// Bytes.
    U8,
    /// Signed bytes.
    I8,
    /// 32-bit words.
    U32,
    /// Signed 32-bit words.
    I32,
    /// 64-bit words.
    U64,
    /// Signed 64-bit words.
    I64,
}

impl Element {
    /// Every element type.
    pub const ALL: [Element; 10] = [
        Element::F32,
        Element::F64,
        Element::F16,
        Element::Bf16,
        Element::U8,
        Element::I8,
        Element::U32,
        Element::I32,
        Element::U64,
        Element::I64,
    ];

    /// The Rust name of the type.
    pub fn name(self) -> &'static str {
        match self {
            Element::F32 => "f32",
            Element::F64 => "f64",
            Element::F16 => "f16",
            Element::Bf16 => "bf16",
            Element::U8 => "u8",
            Element::I8 => "i8",
            Element::U32 => "u32",
            Element::I32 => "i32",
            Element::U64 => "u64",
            Element::I64 => "i64",
        }
    }

    /// The type with this name.
    pub fn named(name: &str) -> Option<Element> {
        Element::ALL.into_iter().find(|element| element.name() == name)
    }

    /// Bytes per element.
    pub fn bytes(self) -> usize {
        match self {
            Element::U8 | Element::I8 => 1,
            Element::F16 | Element::Bf16 => 2,
            Element::F32 | Element::U32 | Element::I32 => 4,
            Element::F64 | Element::U64 | Element::I64 => 8,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Element::F32 | Element::F64 | Element::F16 | Element::Bf16)
    }

    /// Significand bits, including the leading one; for an integer, its width in bits.
    pub fn precision(self) -> u32 {
        match self {
            Element::F32 => 24,
            Element::F64 => 53,
            Element::F16 => 11,
            Element::Bf16 => 8,
            integer => 8 * integer.bytes() as u32,
        }
    }

    /// Unit roundoff: half the distance from 1 to the next number.
    pub fn unit(self) -> f64 {
        if self.is_float() { 2f64.powi(-(self.precision() as i32)) } else { 0.0 }
    }

    /// The largest finite number.
    pub fn largest(self) -> f64 {
        match self {
            Element::F32 => f64::from(f32::MAX),
            Element::F64 => f64::MAX,
            Element::F16 => f16::MAX.to_f64(),
            Element::Bf16 => bf16::MAX.to_f64(),
            Element::U8 => 255.0,
            Element::I8 => 127.0,
            Element::U32 => f64::from(u32::MAX),
            Element::I32 => f64::from(i32::MAX),
            Element::U64 => u64::MAX as f64,
            Element::I64 => i64::MAX as f64,
        }
    }

    /// The smallest normal number.
    pub fn smallest_normal(self) -> f64 {
        match self {
            Element::F32 | Element::Bf16 => f64::from(f32::MIN_POSITIVE),
            Element::F64 => f64::MIN_POSITIVE,
            Element::F16 => 2f64.powi(-14),
            _ => 0.0,
        }
    }

    /// The smallest number above zero.
    pub fn smallest(self) -> f64 {
        match self {
            Element::F32 => 2f64.powi(-149),
            Element::F64 => f64::from_bits(1),
            Element::F16 => 2f64.powi(-24),
            Element::Bf16 => 2f64.powi(-133),
            _ => 0.0,
        }
    }

    /// Decodes a number from bytes. A 64-bit integer above 2^53 is rounded.
    pub fn get(self, bytes: &[u8]) -> f64 {
        fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
            let mut array = [0; N];
            array.copy_from_slice(&bytes[..N]);
            array
        }
        match self {
            Element::F32 => f32::from_le_bytes(array(bytes)).into(),
            Element::F64 => f64::from_le_bytes(array(bytes)),
            Element::F16 => f16::from_le_bytes(array(bytes)).to_f64(),
            Element::Bf16 => bf16::from_le_bytes(array(bytes)).to_f64(),
            _ => self.integer(bytes) as f64,
        }
    }

    /// Decodes an integer from bytes.
    pub fn integer(self, bytes: &[u8]) -> i128 {
        let mut word = [0u8; 8];
        word[..self.bytes()].copy_from_slice(&bytes[..self.bytes()]);
        let value = u64::from_le_bytes(word);
        match self {
            Element::I8 => i128::from(value as i8),
            Element::I32 => i128::from(value as i32),
            Element::I64 => i128::from(value as i64),
            _ => i128::from(value),
        }
    }

    /// Appends a number, rounded to the type; integers wrap.
    pub fn put(self, value: f64, to: &mut Vec<u8>) {
        match self {
            Element::F32 => to.extend((value as f32).to_le_bytes()),
            Element::F64 => to.extend(value.to_le_bytes()),
            Element::F16 => to.extend(f16::from_f64(value).to_le_bytes()),
            Element::Bf16 => to.extend(bf16::from_f64(value).to_le_bytes()),
            _ => self.put_integer(value as i128, to),
        }
    }

    /// Appends an integer, wrapped to the type.
    pub fn put_integer(self, value: i128, to: &mut Vec<u8>) {
        to.extend(&value.to_le_bytes()[..self.bytes()]);
    }

    /// Decodes all numbers in a byte slice.
    pub fn all(self, bytes: &[u8]) -> Vec<f64> {
        bytes.chunks_exact(self.bytes()).map(|one| self.get(one)).collect()
    }
}
