//! Numerical algorithms on host matrices, and conversions to and from faer's matrices. Real matrices use real arithmetic,
//! which takes a quarter of the work.

pub(crate) mod factor;
pub(crate) mod spectral;

use crate::matrix::{Matrix, Number};
use faer::traits::ComplexField;
use faer::{Mat, MatRef};

/// Number types of the algorithms.
pub trait FaerNumber: ComplexField {
    /// Converts a number; drops the imaginary part if the type is real.
    fn of(number: Number) -> Self;
    fn number(&self) -> Number;
}

impl FaerNumber for f64 {
    fn of(number: Number) -> f64 {
        number.re
    }

    fn number(&self) -> Number {
        Number::new(*self, 0.0)
    }
}

impl FaerNumber for Number {
    fn of(number: Number) -> Number {
        number
    }

    fn number(&self) -> Number {
        *self
    }
}

/// Calls a function for real numbers, or for complex ones.
macro_rules! in_field {
    ($real:expr, $function:ident($($argument:expr),*)) => {
        if $real { $function::<f64>($($argument),*) } else { $function::<Number>($($argument),*) }
    };
}
use in_field;

pub fn to_faer<T: FaerNumber>(a: &Matrix) -> Mat<T> {
    Mat::from_fn(a.rows, a.columns, |row, column| T::of(a.get(row, column)))
}

pub fn from_faer<T: FaerNumber>(a: MatRef<'_, T>) -> Matrix {
    Matrix::of(a.nrows(), a.ncols(), |row, column| a[(row, column)].number())
}
