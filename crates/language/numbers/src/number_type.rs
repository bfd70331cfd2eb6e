//! Number types, their names and sizes, and the conversion between their values and bytes.

use crate::SmallFloat;
use half::{bf16, f16};

/// A number type.
///
/// The first fourteen have the same values as `lanework_type` in the C header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i32)]
pub enum NumberType {
    /// Signed, 8 bits.
    I8 = 0,
    /// Unsigned, 8 bits.
    U8 = 1,
    /// Signed, 16 bits.
    I16 = 2,
    /// Unsigned, 16 bits.
    U16 = 3,
    /// Signed, 32 bits.
    I32 = 4,
    /// Unsigned, 32 bits.
    U32 = 5,
    /// Signed, 64 bits.
    I64 = 6,
    /// Unsigned, 64 bits.
    U64 = 7,
    /// IEEE's binary16.
    F16 = 8,
    /// bfloat16: the upper half of an f32.
    Bf16 = 9,
    /// IEEE's binary32.
    F32 = 10,
    /// IEEE's binary64.
    F64 = 11,
    /// [`SmallFloat::E4M3`].
    E4m3 = 12,
    /// [`SmallFloat::E5M2`].
    E5m2 = 13,
    /// [`SmallFloat::E2M3`].
    E2m3 = 14,
    /// [`SmallFloat::E3M2`].
    E3m2 = 15,
    /// [`SmallFloat::E2M1`].
    E2m1 = 16,
    /// A power of two from 2^-127 to 2^127, or NaN. Blocks of small floats have such scale factors.
    E8m0 = 17,
}

impl NumberType {
    /// All types, in the order of their values.
    pub const ALL: [NumberType; 18] = [
        NumberType::I8,
        NumberType::U8,
        NumberType::I16,
        NumberType::U16,
        NumberType::I32,
        NumberType::U32,
        NumberType::I64,
        NumberType::U64,
        NumberType::F16,
        NumberType::Bf16,
        NumberType::F32,
        NumberType::F64,
        NumberType::E4m3,
        NumberType::E5m2,
        NumberType::E2m3,
        NumberType::E3m2,
        NumberType::E2m1,
        NumberType::E8m0,
    ];

    /// NCCL's types, in the order of `ncclDataType_t`.
    pub const NCCL: [NumberType; 12] = [
        NumberType::I8,
        NumberType::U8,
        NumberType::I32,
        NumberType::U32,
        NumberType::I64,
        NumberType::U64,
        NumberType::F16,
        NumberType::F32,
        NumberType::F64,
        NumberType::Bf16,
        NumberType::E4m3,
        NumberType::E5m2,
    ];

    /// The Rust name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            NumberType::I8 => "i8",
            NumberType::I16 => "i16",
            NumberType::I32 => "i32",
            NumberType::I64 => "i64",
            other => other.ptx_name(),
        }
    }

    /// The PTX name.
    pub const fn ptx_name(self) -> &'static str {
        match self {
            NumberType::I8 => "s8",
            NumberType::U8 => "u8",
            NumberType::I16 => "s16",
            NumberType::U16 => "u16",
            NumberType::I32 => "s32",
            NumberType::U32 => "u32",
            NumberType::I64 => "s64",
            NumberType::U64 => "u64",
            NumberType::F16 => "f16",
            NumberType::Bf16 => "bf16",
            NumberType::F32 => "f32",
            NumberType::F64 => "f64",
            NumberType::E4m3 => "e4m3",
            NumberType::E5m2 => "e5m2",
            NumberType::E2m3 => "e2m3",
            NumberType::E3m2 => "e3m2",
            NumberType::E2m1 => "e2m1",
            NumberType::E8m0 => "ue8m0",
        }
    }

    /// The type with this Rust name.
    pub fn named(name: &str) -> Option<NumberType> {
        NumberType::ALL.into_iter().find(|number| number.name() == name)
    }

    /// Bits of a number.
    pub const fn bits(self) -> u32 {
        match self {
            NumberType::E2m1 => 4,
            NumberType::E2m3 | NumberType::E3m2 => 6,
            NumberType::I8
            | NumberType::U8
            | NumberType::E4m3
            | NumberType::E5m2
            | NumberType::E8m0 => 8,
            NumberType::I16 | NumberType::U16 | NumberType::F16 | NumberType::Bf16 => 16,
            NumberType::I32 | NumberType::U32 | NumberType::F32 => 32,
            NumberType::I64 | NumberType::U64 | NumberType::F64 => 64,
        }
    }

    /// Bytes of a number that is not packed with others.
    #[inline(always)]
    pub const fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// Whether it is a floating-point type.
    pub const fn is_float(self) -> bool {
        self as i32 >= NumberType::F16 as i32
    }

    /// The format of the type, if it is a float of 8 bits or less.
    pub const fn small_float(self) -> Option<SmallFloat> {
        match self {
            NumberType::E4m3 => Some(SmallFloat::E4M3),
            NumberType::E5m2 => Some(SmallFloat::E5M2),
            NumberType::E2m3 => Some(SmallFloat::E2M3),
            NumberType::E3m2 => Some(SmallFloat::E3M2),
            NumberType::E2m1 => Some(SmallFloat::E2M1),
            _ => None,
        }
    }

    /// Bits of the significand, including the leading one; for an integer, its width.
    pub const fn precision(self) -> u32 {
        match (self, self.small_float()) {
            (_, Some(format)) => 1 + format.mantissa_bits(),
            (NumberType::F32, _) => 24,
            (NumberType::F64, _) => 53,
            (NumberType::F16, _) => 11,
            (NumberType::Bf16, _) => 8,
            (NumberType::E8m0, _) => 1,
            (integer, _) => integer.bits(),
        }
    }

    /// Unit roundoff of a float, half the distance from 1 to the next number; 0 for an integer.
    pub fn unit(self) -> f64 {
        if self.is_float() { 2f64.powi(-(self.precision() as i32)) } else { 0.0 }
    }

    /// The exponent of the smallest normal number; `None` for integers and unsigned floats.
    const fn least_exponent(self) -> Option<i32> {
        match (self, self.small_float()) {
            (_, Some(format)) => Some(2 - (1 << (format.exponent_bits() - 1))),
            (NumberType::F32 | NumberType::Bf16, _) => Some(-126),
            (NumberType::F64, _) => Some(-1022),
            (NumberType::F16, _) => Some(-14),
            _ => None,
        }
    }

    /// The largest finite number.
    pub fn largest(self) -> f64 {
        match (self, self.small_float(), self.least_exponent()) {
            (_, Some(format), _) => format.decode(format.largest()).into(),
            (_, _, Some(least)) => (2.0 - 2.0 * self.unit()) * 2f64.powi(1 - least),
            (NumberType::E8m0, ..) => 2f64.powi(127),
            (NumberType::I8, ..) => i8::MAX.into(),
            (NumberType::I16, ..) => i16::MAX.into(),
            (NumberType::I32, ..) => i32::MAX.into(),
            (NumberType::I64, ..) => i64::MAX as f64,
            (integer, ..) => (u64::MAX >> (64 - integer.bits())) as f64,
        }
    }

    /// The smallest normal number of a signed float, else 0.
    pub fn smallest_normal(self) -> f64 {
        self.least_exponent().map_or(0.0, |least| 2f64.powi(least))
    }

    /// The smallest positive number of a signed float, else 0.
    pub fn smallest(self) -> f64 {
        2.0 * self.unit() * self.smallest_normal()
    }

    /// Reads all numbers of some bytes.
    pub fn read_all(self, bytes: &[u8]) -> Vec<f64> {
        bytes.chunks_exact(self.bytes()).map(|one| self.read(one)).collect()
    }

    /// Reads an integer from its bytes; for a float, its bits.
    pub fn read_integer(self, bytes: &[u8]) -> i128 {
        let mut word = [0; 8];
        word[..self.bytes()].copy_from_slice(&bytes[..self.bytes()]);
        let value = u64::from_le_bytes(word);
        match self {
            NumberType::I8 => (value as i8).into(),
            NumberType::I16 => (value as i16).into(),
            NumberType::I32 => (value as i32).into(),
            NumberType::I64 => (value as i64).into(),
            _ => value.into(),
        }
    }

    /// Appends the bytes of a number. Rounds once to nearest, except that small floats are rounded from f32. Integers wrap.
    pub fn put(self, value: f64, to: &mut Vec<u8>) {
        match (self, self.small_float()) {
            (_, Some(format)) => to.push(format.encode(value as f32)),
            (NumberType::F32, _) => to.extend((value as f32).to_le_bytes()),
            (NumberType::F64, _) => to.extend(value.to_le_bytes()),
            (NumberType::F16, _) => to.extend(f16::from_f64(value).to_le_bytes()),
            (NumberType::Bf16, _) => to.extend(bf16::from_f64(value).to_le_bytes()),
            _ => self.put_integer(value as i128, to),
        }
    }

    /// Appends the bytes of an integer, wrapped to the type.
    pub fn put_integer(self, value: i128, to: &mut Vec<u8>) {
        to.extend(&value.to_le_bytes()[..self.bytes()]);
    }

    /// Reads a number from its bytes. Rounds 64-bit integers above 2^53; all other results are exact.
    ///
    /// # Panics
    /// If there are too few bytes.
    #[inline(always)]
    pub fn read(self, bytes: &[u8]) -> f64 {
        fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
            let mut array = [0; N];
            array.copy_from_slice(&bytes[..N]);
            array
        }
        match self {
            NumberType::I8 => f64::from(bytes[0] as i8),
            NumberType::U8 => f64::from(bytes[0]),
            NumberType::I16 => i16::from_le_bytes(array(bytes)).into(),
            NumberType::U16 => u16::from_le_bytes(array(bytes)).into(),
            NumberType::I32 => i32::from_le_bytes(array(bytes)).into(),
            NumberType::U32 => u32::from_le_bytes(array(bytes)).into(),
            NumberType::I64 => i64::from_le_bytes(array(bytes)) as f64,
            NumberType::U64 => u64::from_le_bytes(array(bytes)) as f64,
            NumberType::F16 => f16::from_le_bytes(array(bytes)).to_f64(),
            NumberType::Bf16 => bf16::from_le_bytes(array(bytes)).to_f64(),
            NumberType::F32 => f32::from_le_bytes(array(bytes)).into(),
            NumberType::F64 => f64::from_le_bytes(array(bytes)),
            NumberType::E4m3 => SmallFloat::E4M3.decode(bytes[0]).into(),
            NumberType::E5m2 => SmallFloat::E5M2.decode(bytes[0]).into(),
            NumberType::E2m3 => SmallFloat::E2M3.decode(bytes[0]).into(),
            NumberType::E3m2 => SmallFloat::E3M2.decode(bytes[0]).into(),
            NumberType::E2m1 => SmallFloat::E2M1.decode(bytes[0]).into(),
            NumberType::E8m0 if bytes[0] == 0xff => f64::NAN,
            NumberType::E8m0 => f64::from_bits((u64::from(bytes[0]) + 1023 - 127) << 52),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_sizes_match() {
        for (number, of) in NumberType::ALL.into_iter().enumerate() {
            assert_eq!(of as usize, number);
            assert_eq!(NumberType::named(of.name()), Some(of));
            let small = of.small_float().map_or(of.bits(), SmallFloat::bits);
            assert_eq!(of.bits(), small);
        }
        assert_eq!(NumberType::named("f80"), None);
        assert_eq!((NumberType::E2m1.bytes(), NumberType::E2m3.bytes()), (1, 1));
        assert_eq!((NumberType::I64.bytes(), NumberType::F16.bytes()), (8, 2));
        assert!(NumberType::F16.is_float() && !NumberType::U64.is_float());
        assert_eq!((NumberType::E4m3.precision(), NumberType::I16.precision()), (4, 16));
    }

    #[test]
    fn limits_are_those_of_the_types() {
        let limits = |of: NumberType| [of.largest(), of.smallest_normal(), of.smallest()];
        let single = [f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1)].map(f64::from);
        assert_eq!(limits(NumberType::F32), single);
        assert_eq!(limits(NumberType::F64), [f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1)]);
        let half = [f16::MAX, f16::MIN_POSITIVE, f16::from_bits(1)].map(f16::to_f64);
        assert_eq!(limits(NumberType::F16), half);
        let brain = [bf16::MAX, bf16::MIN_POSITIVE, bf16::from_bits(1)].map(bf16::to_f64);
        assert_eq!(limits(NumberType::Bf16), brain);
        assert_eq!(limits(NumberType::E4m3), [448.0, 2f64.powi(-6), 2f64.powi(-9)]);
        assert_eq!(limits(NumberType::E2m1), [6.0, 1.0, 0.5]);
        assert_eq!(limits(NumberType::U16), [65535.0, 0.0, 0.0]);
        assert_eq!([NumberType::I8.largest(), NumberType::U64.largest()], [127.0, 2f64.powi(64)]);
        assert_eq!([NumberType::F32.unit(), NumberType::I32.unit()], [2f64.powi(-24), 0.0]);
    }

    #[test]
    fn numbers_round_trip_through_bytes() {
        for of in NumberType::ALL.into_iter().filter(|of| *of != NumberType::E8m0) {
            let mut bytes = Vec::new();
            of.put(3.0, &mut bytes);
            of.put(1.0, &mut bytes);
            assert_eq!(of.read_all(&bytes), [3.0, 1.0], "{of:?}");
        }
        let mut bytes = Vec::new();
        NumberType::I16.put_integer(-2 - 65536, &mut bytes);
        assert_eq!(
            (NumberType::I16.read_integer(&bytes), NumberType::I16.read(&bytes)),
            (-2, -2.0)
        );
        assert_eq!(NumberType::U16.read_integer(&bytes), 65534);
    }

    #[test]
    fn numbers_are_read_from_bytes() {
        assert_eq!(NumberType::I8.read(&[0xff]), -1.0);
        assert_eq!(NumberType::U16.read(&[0xff, 0xff]), 65535.0);
        assert_eq!(NumberType::I64.read(&(-5i64).to_le_bytes()), -5.0);
        assert_eq!(NumberType::F16.read(&f16::from_f32(1.5).to_le_bytes()), 1.5);
        assert_eq!(NumberType::E4m3.read(&[0x38]), 1.0);
        assert_eq!(NumberType::E8m0.read(&[127]), 1.0);
        assert_eq!(NumberType::E8m0.read(&[0]), 2f64.powi(-127));
        assert!(NumberType::E8m0.read(&[0xff]).is_nan());
    }
}
