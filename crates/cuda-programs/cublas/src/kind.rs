//! Element types, read and written as complex numbers of double precision, which represent every element exactly.

use crate::status::{Result, Status, refuse};
use half::{bf16, f16};

/// A complex number.
pub type Number = [f64; 2];

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
    F16,
    Bf16,
    F32,
    F64,
    C32,
    C64,
    I8,
    I32,
}

/// Runs code for a kind as a constant, so that the compiler makes a loop for each.
macro_rules! for_each_kind {
    ($of:expr, $kind:ident => $code:block) => {
        for_each_kind!(@ $of, $kind, $code, F16 Bf16 F32 F64 C32 C64 I8 I32)
    };
    (@ $of:expr, $kind:ident, $code:block, $($name:ident)*) => {
        match $of {
            $(ElementType::$name => {
                let $kind = ElementType::$name;
                $code
            })*
        }
    };
}

impl ElementType {
    /// The type of a `cudaDataType`.
    ///
    /// # Errors
    /// If the stand-in does not support it.
    pub fn of(code: i32) -> Result<ElementType> {
        Ok(match code {
            2 => ElementType::F16,
            14 => ElementType::Bf16,
            0 => ElementType::F32,
            1 => ElementType::F64,
            4 => ElementType::C32,
            5 => ElementType::C64,
            3 => ElementType::I8,
            10 => ElementType::I32,
            _ => {
                return refuse(
                    Status::NotSupported,
                    &format!(
                        "elements of cudaDataType {code} are not supported; use f16, bf16, f32, f64, complex f32 or f64, or i8"
                    ),
                );
            }
        })
    }

    /// Bytes of an element.
    #[inline(always)]
    pub fn bytes(self) -> usize {
        match self {
            ElementType::I8 => 1,
            ElementType::F16 | ElementType::Bf16 => 2,
            ElementType::F32 | ElementType::I32 => 4,
            ElementType::F64 | ElementType::C32 => 8,
            ElementType::C64 => 16,
        }
    }

    /// Whether the type is complex.
    pub fn is_complex(self) -> bool {
        matches!(self, ElementType::C32 | ElementType::C64)
    }

    /// Whether sums need double precision.
    pub fn is_double(self) -> bool {
        matches!(self, ElementType::F64 | ElementType::C64 | ElementType::I32)
    }

    /// Reads an element from its bytes.
    #[inline(always)]
    pub fn read(self, from: &[u8]) -> Number {
        fn array<const N: usize>(from: &[u8], at: usize) -> [u8; N] {
            let mut to = [0; N];
            if let Some(part) = from.get(at..at + N) {
                to.copy_from_slice(part);
            }
            to
        }
        match self {
            ElementType::F16 => [f16::from_le_bytes(array(from, 0)).to_f64(), 0.0],
            ElementType::Bf16 => [bf16::from_le_bytes(array(from, 0)).to_f64(), 0.0],
            ElementType::F32 => [f32::from_le_bytes(array(from, 0)).into(), 0.0],
            ElementType::F64 => [f64::from_le_bytes(array(from, 0)), 0.0],
            ElementType::C32 => [0, 4].map(|at| f32::from_le_bytes(array(from, at)).into()),
            ElementType::C64 => [0, 8].map(|at| f64::from_le_bytes(array(from, at))),
            ElementType::I8 => [i8::from_le_bytes(array(from, 0)).into(), 0.0],
            ElementType::I32 => [i32::from_le_bytes(array(from, 0)).into(), 0.0],
        }
    }

    /// Appends what a function makes of a line of elements, `step` elements apart.
    pub fn read_all<T>(
        self,
        from: &[u8],
        step: usize,
        length: usize,
        make: impl Fn(Number) -> T,
        to: &mut Vec<T>,
    ) {
        for_each_kind!(self, kind => {
            let size = kind.bytes();
            let element = |bytes: &[u8]| make(kind.read(bytes));
            match step {
                1 => to.extend(from.chunks_exact(size).take(length).map(element)),
                _ => to.extend((0..length).map(|at| element(&from[at * step * size..][..size]))),
            }
        })
    }

    /// The bytes of an element, rounded to nearest, and zeros. `i8` saturates; `i32` wraps, as sums on a GPU do. 16-bit floats are rounded
    /// from f32, the precision of the sum on a GPU: rounding from f64 would treat values next to a tie as the tie.
    #[inline(always)]
    fn encode(self, [re, im]: Number) -> [u8; 16] {
        fn padded<const N: usize>(bytes: [u8; N]) -> [u8; 16] {
            std::array::from_fn(|at| if at < N { bytes[at] } else { 0 })
        }
        fn pair<const N: usize>(parts: [[u8; N]; 2]) -> [u8; 16] {
            std::array::from_fn(|at| if at < 2 * N { parts[at / N][at % N] } else { 0 })
        }
        match self {
            ElementType::F16 => padded(f16::from_f32(re as f32).to_le_bytes()),
            ElementType::Bf16 => padded(bf16::from_f32(re as f32).to_le_bytes()),
            ElementType::F32 => padded((re as f32).to_le_bytes()),
            ElementType::F64 => padded(re.to_le_bytes()),
            ElementType::C32 => pair([re, im].map(|part| (part as f32).to_le_bytes())),
            ElementType::C64 => pair([re, im].map(f64::to_le_bytes)),
            ElementType::I8 => padded((re.round_ties_even() as i8).to_le_bytes()),
            ElementType::I32 => padded((re as i64 as i32).to_le_bytes()),
        }
    }

    /// Appends the bytes of an element, rounded as in [`ElementType::encode`].
    pub fn put(self, number: Number, to: &mut Vec<u8>) {
        to.extend(&self.encode(number)[..self.bytes()]);
    }

    /// The bytes of lines of elements: element `at` of a line is at `line * strides.0 + at * strides.1`.
    pub fn put_lines(
        self,
        from: &[Number],
        lines: usize,
        length: usize,
        strides: (usize, usize),
    ) -> Vec<u8> {
        let mut bytes = vec![0; lines * length * self.bytes()];
        for_each_kind!(self, kind => {
            let size = kind.bytes();
            for (line, at) in tiled(lines, length) {
                let place = (line * length + at) * size;
                let element = kind.encode(from[line * strides.0 + at * strides.1]);
                bytes[place..place + size].copy_from_slice(&element[..size]);
            }
        });
        bytes
    }
}

/// All pairs of a row and a column, in tiles of a few rows: a matrix and its transpose are both accessed in whole cache lines.
pub fn tiled(rows: usize, columns: usize) -> impl Iterator<Item = (usize, usize)> {
    const TILE: usize = 8;
    (0..rows).step_by(TILE).flat_map(move |first| {
        (0..columns)
            .flat_map(move |column| (first..rows.min(first + TILE)).map(move |row| (row, column)))
    })
}

/// The sum of two numbers.
pub fn add(a: Number, b: Number) -> Number {
    [a[0] + b[0], a[1] + b[1]]
}

/// The product of two numbers.
pub fn mul(a: Number, b: Number) -> Number {
    match (a[1] == 0.0, b[1] == 0.0) {
        // Leaves out the products with zero imaginary parts, which would turn infinities into NaN.
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
    use super::{ElementType, Number};
    use half::{bf16, f16};

    #[test]
    fn floats_of_16_bits_near_a_tie_round_to_nearest() {
        let put = |kind: ElementType, value: f64| {
            let mut to = Vec::new();
            kind.put([value, 0.0] as Number, &mut to);
            u16::from_le_bytes([to[0], to[1]])
        };
        let beyond = f64::from(2.0_f32.powi(-23));
        // Adjacent values: 1 and 1 + 2^-7 in bf16, 1 and 1 + 2^-10 in f16.
        let (brain, half) = (1.0 + 2.0_f64.powi(-8), 1.0 + 2.0_f64.powi(-11));
        assert_eq!(put(ElementType::Bf16, brain), bf16::ONE.to_bits());
        assert_eq!(put(ElementType::Bf16, brain + beyond), bf16::ONE.to_bits() + 1);
        assert_eq!(put(ElementType::F16, half), f16::ONE.to_bits());
        assert_eq!(put(ElementType::F16, half + beyond), f16::ONE.to_bits() + 1);
    }
}
