//! Column-major matrices on the device, and their copies on the host.
//!
//! Elements are real or complex, in single or double precision. They are held as double-precision complex numbers,
//! which represent each of them exactly.

use crate::{Result, Status, refuse};
use lanework_numbers::{DataType, NumberType};
use lanework_standin::{Memory, write, write_spaced};

/// A column-major matrix on the device.
#[derive(Clone, Copy, Debug)]
pub struct DeviceMatrix {
    pub at: usize,
    pub rows: usize,
    pub columns: usize,
    /// Elements from one column to the next.
    pub leading: usize,
}

/// Checks a number of rows, columns or elements.
///
/// # Errors
/// If it is negative.
pub fn size(of: i64, what: &str) -> Result<usize> {
    match usize::try_from(of) {
        Ok(size) => Ok(size),
        Err(_) => refuse(Status::InvalidValue, &format!("{what} is {of}, which is negative")),
    }
}

impl DeviceMatrix {
    /// A matrix at an address.
    ///
    /// # Errors
    /// If a size is negative, or the leading dimension is smaller than the number of rows.
    pub fn new(at: usize, rows: i64, columns: i64, leading: i64) -> Result<DeviceMatrix> {
        let matrix = DeviceMatrix {
            at,
            rows: size(rows, "the number of rows")?,
            columns: size(columns, "the number of columns")?,
            leading: size(leading, "the leading dimension")?,
        };
        if matrix.leading < matrix.rows.max(1) {
            let why =
                format!("the leading dimension {leading} is 0 or smaller than the {rows} rows");
            return refuse(Status::InvalidValue, &why);
        }
        Ok(matrix)
    }

    /// A square matrix.
    ///
    /// # Errors
    /// As [`DeviceMatrix::new`].
    pub fn square(at: usize, order: i64, leading: i64) -> Result<DeviceMatrix> {
        DeviceMatrix::new(at, order, order, leading)
    }

    /// A vector.
    pub fn vector(at: usize, length: usize) -> DeviceMatrix {
        DeviceMatrix { at, rows: length, columns: 1, leading: length.max(1) }
    }

    /// Matrix `number` of several consecutive matrices without gaps.
    pub fn after(self, element: Element, number: usize) -> DeviceMatrix {
        let at = self.at + number * self.leading * self.columns * element.bytes();
        DeviceMatrix { at, ..self }
    }

    /// Reads the matrix.
    ///
    /// # Errors
    /// If it is not inside one allocation.
    pub fn load(&self, element: Element, what: &str) -> Result<Matrix> {
        let mut result = Matrix::zeros(self.rows, self.columns);
        if self.rows == 0 || self.columns == 0 {
            return Ok(result);
        }
        let each = element.bytes();
        let count = (self.columns - 1).checked_mul(self.leading);
        let bytes = count.and_then(|count| (count + self.rows).checked_mul(each));
        let bytes = Memory { at: self.at, bytes: bytes.unwrap_or(usize::MAX) }.read(what)?;
        for column in 0..self.columns {
            let from = &bytes[column * self.leading * each..][..self.rows * each];
            for (row, from) in from.chunks_exact(each).enumerate() {
                let [re, im] = element.read(from);
                result.set(row, column, Number::new(re, im));
            }
        }
        Ok(result)
    }

    /// Writes the matrix.
    ///
    /// # Errors
    /// If it is not inside one allocation.
    pub fn store(&self, element: Element, from: &Matrix, what: &str) -> Result {
        if self.rows == 0 || self.columns == 0 {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(self.rows * self.columns * element.bytes());
        for column in 0..self.columns {
            for row in 0..self.rows {
                let number = from.get(row, column);
                element.put([number.re, number.im], &mut bytes);
            }
        }
        let (length, apart) = (self.rows * element.bytes(), self.leading * element.bytes());
        if self.columns == 1 {
            return Ok(write(self.at, &bytes, what)?);
        }
        Ok(write_spaced(self.at, &bytes, length, apart, what)?)
    }
}

/// A column-major matrix on the host.
#[derive(Clone, Debug)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    elements: Vec<Number>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Matrix {
        Matrix { rows, columns, elements: vec![Number::ZERO; rows * columns] }
    }

    /// The identity; a matrix that is not square gets a unit diagonal.
    pub fn identity(rows: usize, columns: usize) -> Matrix {
        let one = |row, column| if row == column { Number::ONE } else { Number::ZERO };
        Matrix::of(rows, columns, one)
    }

    /// A matrix from a function of row and column.
    pub fn of(rows: usize, columns: usize, element: impl Fn(usize, usize) -> Number) -> Matrix {
        let mut made = Matrix::zeros(rows, columns);
        for column in 0..columns {
            for row in 0..rows {
                made.set(row, column, element(row, column));
            }
        }
        made
    }

    /// A real column.
    pub fn column_of(values: &[f64]) -> Matrix {
        Matrix::of(values.len(), 1, |row, _| Number::new(values[row], 0.0))
    }

    pub fn get(&self, row: usize, column: usize) -> Number {
        self.elements[column * self.rows + row]
    }

    pub fn set(&mut self, row: usize, column: usize, value: Number) {
        self.elements[column * self.rows + row] = value;
    }

    pub fn column(&self, column: usize) -> &[Number] {
        &self.elements[column * self.rows..][..self.rows]
    }

    pub fn column_mut(&mut self, column: usize) -> &mut [Number] {
        &mut self.elements[column * self.rows..][..self.rows]
    }

    /// Two columns, the first before the second.
    pub fn two_columns(&mut self, first: usize, second: usize) -> [&mut [Number]; 2] {
        let (before, after) = self.elements.split_at_mut(second * self.rows);
        [&mut before[first * self.rows..][..self.rows], &mut after[..self.rows]]
    }

    pub fn swap_rows(&mut self, a: usize, b: usize) {
        for column in 0..self.columns {
            self.elements.swap(column * self.rows + a, column * self.rows + b);
        }
    }

    /// The conjugate transpose.
    pub fn adjoint(&self) -> Matrix {
        Matrix::of(self.columns, self.rows, |row, column| self.get(column, row).conj())
    }

    /// Whether all imaginary parts are 0.
    pub fn is_real(&self) -> bool {
        self.elements.iter().all(|element| element.im == 0.0)
    }

    /// The Frobenius norm.
    pub fn norm(&self) -> f64 {
        self.elements.iter().map(Number::norm_sqr).sum::<f64>().sqrt()
    }
}

/// A complex number.
pub type Number = num_complex::Complex<f64>;

/// An element type.
pub type Element = DataType;

/// The element types by LAPACK's letters.
pub const S: Element = DataType::F32;

pub const D: Element = DataType::F64;

pub const C: Element = DataType::C32;

pub const Z: Element = DataType::C64;

/// The type of a `cudaDataType`.
///
/// # Errors
/// If the stand-in does not support it.
pub fn element(code: i32) -> Result<Element> {
    match DataType::from_code(code) {
        Some(found) if matches!(found.part, NumberType::F32 | NumberType::F64) => Ok(found),
        _ => refuse(
            Status::NotSupported,
            &format!(
                "elements of cudaDataType {code} are not supported; use f32, f64, or complex f32 or f64"
            ),
        ),
    }
}

#[cfg(test)]
pub mod tests {
    use super::{DeviceMatrix, Matrix};
    use crate::matrix::Number;

    /// A matrix of reproducible pseudorandom numbers from -1 to 1.
    pub fn random(rows: usize, columns: usize) -> Matrix {
        let state = std::cell::Cell::new(0x9e37_79b9_7f4a_7c15 ^ (rows * 131 + columns) as u64);
        let next = || {
            state.set(state.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
            (state.get() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        Matrix::of(rows, columns, |_, _| Number::new(next(), next()))
    }

    pub fn product(a: &Matrix, b: &Matrix) -> Matrix {
        Matrix::of(a.rows, b.columns, |i, j| {
            (0..a.columns).map(|k| a.get(i, k) * b.get(k, j)).sum()
        })
    }

    /// The Frobenius norm of the difference.
    pub fn difference(a: &Matrix, b: &Matrix) -> f64 {
        assert_eq!((a.rows, a.columns), (b.rows, b.columns));
        Matrix::of(a.rows, a.columns, |i, j| a.get(i, j) - b.get(i, j)).norm()
    }

    impl Matrix {
        /// The real parts.
        pub fn real(&self) -> Matrix {
            Matrix::of(self.rows, self.columns, |i, j| Number::new(self.get(i, j).re, 0.0))
        }
    }

    #[test]
    fn the_leading_dimension_covers_the_rows() {
        assert!(DeviceMatrix::new(64, 3, 2, 3).is_ok());
        assert!(DeviceMatrix::new(64, 3, 2, 2).is_err());
        assert!(DeviceMatrix::new(64, -1, 2, 2).is_err());
        assert!(DeviceMatrix::new(64, 0, 0, 0).is_err());
    }
}
