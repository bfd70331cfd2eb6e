//! Matrices on the host: small integers, whose sums are exact in every type, and their representation in each type.

use half::{bf16, f16};
use lanework::Element;
use lanework::lang::tensor_cores::{B1, E4m3, E5m2, MatrixElement, S4, Tf32, U4};

/// A type with conversions of its elements from and to integers.
pub trait Host: MatrixElement {
    /// The smallest and the largest factor.
    const RANGE: (i32, i32) = (-3, 3);
    /// Packs the elements that share a scalar of memory.
    fn scalar(elements: &[i32]) -> Self::Storage;
    /// The number that a scalar represents.
    fn number(_: Self::Storage) -> i32 {
        unreachable!("no accumulator")
    }
}

macro_rules! hosts {
    ($($t:ty: $range:expr, $scalar:expr, $number:expr;)*) => {$(
        impl Host for $t {
            const RANGE: (i32, i32) = $range;
            fn scalar(elements: &[i32]) -> Self::Storage {
                let scalar: fn(&[i32]) -> Self::Storage = $scalar;
                scalar(elements)
            }
            fn number(scalar: Self::Storage) -> i32 {
                let number: fn(Self::Storage) -> i32 = $number;
                number(scalar)
            }
        }
    )*};
}

fn bits(elements: &[i32], width: u32) -> u32 {
    let mask = (1 << width) - 1;
    elements
        .iter()
        .enumerate()
        .fold(0, |word, (i, e)| word | (*e as u32 & mask) << (i as u32 * width))
}

hosts! {
    f16: (-3, 3), |e| f16::from_f32(e[0] as f32), |s| s.to_f32() as i32;
    bf16: (-3, 3), |e| bf16::from_f32(e[0] as f32), |s| s.to_f32() as i32;
    Tf32: (-3, 3), |e| e[0] as f32, |s| s as i32;
    f32: (-3, 3), |e| e[0] as f32, |s| s as i32;
    f64: (-3, 3), |e| f64::from(e[0]), |s| s as i32;
    i8: (-128, 127), |e| e[0] as i8, |s| s.into();
    u8: (0, 255), |e| e[0] as u8, |s| s.into();
    i32: (-99, 99), |e| e[0], |s| s;
    E4m3: (-3, 3), |e| E4m3::encode(e[0] as f32), |s| E4m3::decode(s) as i32;
    E5m2: (-3, 3), |e| E5m2::encode(e[0] as f32), |s| E5m2::decode(s) as i32;
    S4: (-8, 7), |e| bits(e, 4), |_| 0;
    U4: (0, 15), |e| bits(e, 4), |_| 0;
    B1: (0, 1), |e| bits(e, 1), |_| 0;
}

/// The next number of a pseudorandom sequence.
pub fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Integers by rows.
pub struct Numbers {
    pub rows: usize,
    pub columns: usize,
    pub at: Vec<i32>,
}

impl Numbers {
    /// Random factors of `T`.
    pub fn random<T: Host>(rows: u32, columns: u32, seed: u64) -> Numbers {
        let (rows, columns) = (rows as usize, columns as usize);
        let mut state = seed;
        let (low, high) = T::RANGE;
        let span = (high - low + 1) as u64;
        let at = (0..rows * columns).map(|_| low + (next(&mut state) % span) as i32).collect();
        Numbers { rows, columns, at }
    }

    /// Rows and columns exchanged.
    pub fn t(&self) -> Numbers {
        let Numbers { rows, columns, .. } = *self;
        let at = (0..rows * columns).map(|i| self.at[i % rows * columns + i / rows]).collect();
        Numbers { rows: columns, columns: rows, at }
    }

    /// `self * right + sum`.
    pub fn times(&self, right: &Numbers, sum: &Numbers) -> Numbers {
        let mut at = sum.at.clone();
        for row in 0..self.rows {
            for k in 0..self.columns {
                let left = self.at[row * self.columns + k];
                for column in 0..right.columns {
                    let i = row * right.columns + column;
                    at[i] = at[i].wrapping_add(left * right.at[k * right.columns + column]);
                }
            }
        }
        Numbers { rows: self.rows, columns: right.columns, at }
    }

    /// Their representation in memory, by rows.
    pub fn stored<T: Host>(&self) -> Vec<T::Storage> {
        self.at.chunks(T::UNIT as usize).map(T::scalar).collect()
    }

    /// The representation of a right factor, by rows of K: elements that share a scalar are adjacent along K.
    pub fn stored_along_rows<T: Host>(&self) -> Vec<T::Storage> {
        let unit = T::UNIT as usize;
        let scalar = |i: usize| {
            let (row, column) = (i / self.columns * unit, i % self.columns);
            let elements: Vec<i32> =
                (row..row + unit).map(|row| self.at[row * self.columns + column]).collect();
            T::scalar(&elements)
        };
        (0..self.rows / unit * self.columns).map(scalar).collect()
    }
}

/// Compares results with expected values.
pub fn compare<T: Host>(what: &str, got: &[T::Storage], want: &Numbers)
where
    T::Storage: Element,
{
    for (i, got) in got.iter().enumerate() {
        let (row, column) = (i / want.columns, i % want.columns);
        assert_eq!(T::number(*got), want.at[i], "{what}: row {row}, column {column}");
    }
    assert_eq!(got.len(), want.at.len());
}
