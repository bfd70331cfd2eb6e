//! Eigenvalues and eigenvectors of general matrices by the Schur decomposition: back substitution gives an eigenvector of the triangle, and
//! the basis transforms it to one of the matrix. As in LAPACK's `geev`, each has length 1 and a real largest component, and eigenvectors of
//! real matrices are in packed form.

use crate::algorithms::schur::{Schur, schur};
use crate::element::Number;
use crate::matrix::{DeviceMatrix, Matrix};
use crate::operations::Call;
use crate::status::Result;
use lanework_standin::submit;

/// Destination of eigenvalues.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    pub at: usize,
    /// Whether all real parts precede all imaginary parts; otherwise they are complex numbers.
    pub split_parts: bool,
}

/// Computes the eigenvalues of a matrix, and the requested left and right eigenvectors as columns.
///
/// # Errors
/// If memory is not allocated, or the stream does not exist.
pub fn general_eigenvalues(
    call: Call,
    a: DeviceMatrix,
    values: Values,
    [left, right]: [Option<DeviceMatrix>; 2],
) -> Result {
    let order = a.rows;
    let complex = call.element.complex();
    submit(call.stream, move || {
        let form = schur(&a.load(call.element, "A")?);
        let nan = |rows, columns| Matrix::of(rows, columns, |_, _| Number::new(f64::NAN, f64::NAN));
        let found = form.as_ref().map_or_else(
            || nan(order, 1),
            |form| Matrix::of(order, 1, |row, _| form.triangle.get(row, row)),
        );
        if values.split_parts {
            let parts = Matrix::of(2 * order, 1, |row, _| {
                let value = found.get(row % order.max(1), 0);
                Number::new(if row < order { value.re } else { value.im }, 0.0)
            });
            DeviceMatrix::vector(values.at, 2 * order).store(call.element, &parts, "W")?;
        } else {
            DeviceMatrix::vector(values.at, order).store(complex, &found, "W")?;
        }
        for (to, name, left) in [(left, "VL", true), (right, "VR", false)] {
            let Some(to) = to else { continue };
            let made = match &form {
                Some(form) if call.element.is_complex => vectors(form, left),
                Some(form) => packed(form, &vectors(form, left)),
                None => nan(order, order),
            };
            to.store(call.element, &made, name)?;
        }
        call.store_info(usize::from(form.is_none()))
    })
}

/// Eigenvectors as columns, in the order of the eigenvalues.
fn vectors(form: &Schur, left: bool) -> Matrix {
    let (t, order) = (&form.triangle, form.triangle.rows);
    // Lower bound of divisors; its square does not underflow.
    let least = (f64::EPSILON * t.norm()).max(1e-150);
    let mut result = Matrix::zeros(order, order);
    for number in 0..order {
        let value = t.get(number, number);
        let mut solved = vec![Number::ZERO; order];
        solved[number] = Number::ONE;
        // A right vector has nonzero rows above its eigenvalue, from the triangle; a left one below, from its adjoint.
        let rows: Vec<usize> =
            if left { (number + 1..order).collect() } else { (0..number).rev().collect() };
        for row in rows {
            let known: Number = if left {
                (number..row).map(|k| t.get(k, row).conj() * solved[k]).sum()
            } else {
                (row + 1..=number).map(|k| t.get(row, k) * solved[k]).sum()
            };
            let apart = t.get(row, row) - value;
            let apart = if left { apart.conj() } else { apart };
            // Equal eigenvalues, which may share one vector, are separated by a small amount.
            let apart = if apart.norm() < least { Number::new(least, 0.0) } else { apart };
            solved[row] = -known / apart;
            let size = solved[row].norm();
            if size > 1e100 {
                solved.iter_mut().for_each(|element| *element /= size);
            }
        }
        let column = result.column_mut(number);
        for (at, factor) in solved.iter().enumerate() {
            column.iter_mut().zip(form.basis.column(at)).for_each(|(to, z)| *to += z * factor);
        }
        let largest = column.iter().fold(Number::ZERO, |largest, element| {
            if element.norm_sqr() > largest.norm_sqr() { *element } else { largest }
        });
        let length = column.iter().map(Number::norm_sqr).sum::<f64>().sqrt();
        let scale = largest.conj() / (largest.norm() * length);
        column.iter_mut().for_each(|element| *element *= scale);
    }
    result
}

/// LAPACK's packed form for real matrices: a real vector is one column; the real and imaginary parts of a conjugate pair are two columns.
fn packed(form: &Schur, vectors: &Matrix) -> Matrix {
    let imaginary = |column: usize| form.triangle.get(column, column).im;
    Matrix::of(vectors.rows, vectors.columns, |row, column| {
        let part = if imaginary(column) < 0.0 {
            vectors.get(row, column - 1).im
        } else {
            vectors.get(row, column).re
        };
        Number::new(part, 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::tests::{difference, product, random};

    fn scaled(vectors: &Matrix, form: &Schur, conjugate: bool) -> Matrix {
        Matrix::of(vectors.rows, vectors.columns, |row, column| {
            let value = form.triangle.get(column, column);
            vectors.get(row, column) * if conjugate { value.conj() } else { value }
        })
    }

    #[test]
    fn vectors_match_their_eigenvalues() {
        for order in [1, 2, 3, 8, 20] {
            for is_real in [false, true] {
                let mut a = random(order, order);
                if is_real {
                    a = a.real();
                }
                let form = schur(&a).expect("converges");
                let (right, left) = (vectors(&form, false), vectors(&form, true));
                assert!(difference(&product(&a, &right), &scaled(&right, &form, false)) < 1e-11);
                let adjoint = a.adjoint();
                assert!(difference(&product(&adjoint, &left), &scaled(&left, &form, true)) < 1e-11);
                for column in 0..order {
                    let length: f64 = right.column(column).iter().map(Number::norm_sqr).sum();
                    assert!((length - 1.0).abs() < 1e-14);
                }
                if is_real {
                    let packed = packed(&form, &right);
                    for column in 0..order {
                        let imaginary = form.triangle.get(column, column).im;
                        let other = if imaginary > 0.0 { column + 1 } else { column };
                        for row in 0..order {
                            let second = packed.get(row, other).re;
                            let whole = right.get(row, column);
                            if imaginary > 0.0 {
                                assert_eq!(second, whole.im);
                            } else if imaginary == 0.0 {
                                assert!(whole.im.abs() < 1e-12);
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn vectors_of_equal_eigenvalues_are_finite() {
        let jordan = Matrix::of(25, 25, |i, j| {
            Number::new(if i == j { 2.0 } else { f64::from(u8::from(i + 1 == j)) }, 0.0)
        });
        let form = schur(&jordan).expect("converges");
        let found = vectors(&form, false);
        assert!((found.get(0, 24).norm() - 1.0).abs() < 1e-12 && found.get(24, 24).norm() < 1e-12);
        assert!(vectors(&schur(&Matrix::zeros(3, 3)).expect("converges"), true).norm().is_finite());
    }
}
