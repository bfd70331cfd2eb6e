//! Element types: how they are read and written, as complex numbers of double precision, which hold each of them exactly.

use crate::status::{Result, Status, refuse};
use half::{bf16, f16};

/// A complex number.
pub type Number = [f64; 2];

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    F16,
    Bf16,
    F32,
    F64,
    C32,
    C64,
    I8,
    I32,
}

impl Kind {
    /// The type of a `cudaDataType`.
    ///
    /// # Errors
    /// When the stand-in does not know it.
    pub fn of(code: i32) -> Result<Kind> {
        Ok(match code {
            2 => Kind::F16,
            14 => Kind::Bf16,
            0 => Kind::F32,
            1 => Kind::F64,
            4 => Kind::C32,
            5 => Kind::C64,
            3 => Kind::I8,
            10 => Kind::I32,
            _ => {
                return refuse(
                    Status::NotSupported,
                    &format!(
                        "elements of cudaDataType {code} are not computed; use f16, bf16, f32, f64, complex of the two or i8"
                    ),
                );
            }
        })
    }

    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            Kind::I8 => 1,
            Kind::F16 | Kind::Bf16 => 2,
            Kind::F32 | Kind::I32 => 4,
            Kind::F64 | Kind::C32 => 8,
            Kind::C64 => 16,
        }
    }

    /// Whether it is complex.
    pub fn is_complex(self) -> bool {
        matches!(self, Kind::C32 | Kind::C64)
    }

    /// Whether sums of it need double precision.
    pub fn is_double(self) -> bool {
        matches!(self, Kind::F64 | Kind::C64 | Kind::I32)
    }

    /// Reads an element from its bytes.
    pub fn read(self, from: &[u8]) -> Number {
        fn array<const N: usize>(from: &[u8], at: usize) -> [u8; N] {
            let mut to = [0; N];
            if let Some(part) = from.get(at..at + N) {
                to.copy_from_slice(part);
            }
            to
        }
        match self {
            Kind::F16 => [f16::from_le_bytes(array(from, 0)).to_f64(), 0.0],
            Kind::Bf16 => [bf16::from_le_bytes(array(from, 0)).to_f64(), 0.0],
            Kind::F32 => [f32::from_le_bytes(array(from, 0)).into(), 0.0],
            Kind::F64 => [f64::from_le_bytes(array(from, 0)), 0.0],
            Kind::C32 => [0, 4].map(|at| f32::from_le_bytes(array(from, at)).into()),
            Kind::C64 => [0, 8].map(|at| f64::from_le_bytes(array(from, at))),
            Kind::I8 => [i8::from_le_bytes(array(from, 0)).into(), 0.0],
            Kind::I32 => [i32::from_le_bytes(array(from, 0)).into(), 0.0],
        }
    }

    /// Appends the bytes of an element, rounded to nearest; integers saturate, but sums of 32-bit ones wrap as on a GPU. Elements of 16 bits are
    /// rounded from f32, in which a GPU has the sum: `from_f64` takes what lies just beside the middle of two of them for the middle.
    pub fn put(self, number: Number, to: &mut Vec<u8>) {
        let [re, im] = number;
        match self {
            Kind::F16 => to.extend(f16::from_f32(re as f32).to_le_bytes()),
            Kind::Bf16 => to.extend(bf16::from_f32(re as f32).to_le_bytes()),
            Kind::F32 => to.extend((re as f32).to_le_bytes()),
            Kind::F64 => to.extend(re.to_le_bytes()),
            Kind::C32 => [re, im].iter().for_each(|part| to.extend((*part as f32).to_le_bytes())),
            Kind::C64 => [re, im].iter().for_each(|part| to.extend(part.to_le_bytes())),
            Kind::I8 => to.extend((re.round_ties_even() as i8).to_le_bytes()),
            Kind::I32 => to.extend((re as i64 as i32).to_le_bytes()),
        }
    }
}

/// The sum of two numbers.
pub fn add(a: Number, b: Number) -> Number {
    [a[0] + b[0], a[1] + b[1]]
}

/// The product of two numbers.
pub fn mul(a: Number, b: Number) -> Number {
    match (a[1] == 0.0, b[1] == 0.0) {
        // Without the products with zero, which an infinity would make NaN.
        (true, true) => [a[0] * b[0], 0.0],
        _ => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]],
    }
}

/// The quotient of two numbers.
pub fn div(a: Number, b: Number) -> Number {
    if b[1] == 0.0 {
        return [a[0] / b[0], a[1] / b[0]];
    }
    let size = b[0] * b[0] + b[1] * b[1];
    let [re, im] = mul(a, [b[0], -b[1]]);
    [re / size, im / size]
}

#[cfg(test)]
mod tests {
    use super::{Kind, Number};
    use half::{bf16, f16};

    #[test]
    fn elements_of_16_bits_beside_the_middle_of_two_are_rounded_to_the_nearer() {
        let put = |kind: Kind, value: f64| {
            let mut to = Vec::new();
            kind.put([value, 0.0] as Number, &mut to);
            u16::from_le_bytes([to[0], to[1]])
        };
        let beyond = f64::from(2.0_f32.powi(-23));
        // 1 and 1 + 2^-7 are neighbours in bf16, 1 and 1 + 2^-10 in f16.
        let (brain, half) = (1.0 + 2.0_f64.powi(-8), 1.0 + 2.0_f64.powi(-11));
        assert_eq!(put(Kind::Bf16, brain), bf16::ONE.to_bits());
        assert_eq!(put(Kind::Bf16, brain + beyond), bf16::ONE.to_bits() + 1);
        assert_eq!(put(Kind::F16, half), f16::ONE.to_bits());
        assert_eq!(put(Kind::F16, half + beyond), f16::ONE.to_bits() + 1);
    }
}
