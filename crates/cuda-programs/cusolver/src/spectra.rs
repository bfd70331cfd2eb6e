//! Eigenvalues and singular values of device matrices, in stream order.
//!
//! Eigenvectors of general matrices come from the Schur decomposition: back substitution gives an eigenvector of the
//! triangle, and the basis transforms it to one of the matrix.

use crate::algorithms::spectral::{Schur, Svd, Vectors, eigen, schur, svd};
use crate::matrix::{DeviceMatrix, Matrix, Number};
use crate::operations::Call;
use crate::{Result, Status, refuse};
use lanework_standin::submit;

/// Computes the eigenvalues of a Hermitian matrix from one triangle; its eigenvectors overwrite it if requested.
///
/// # Errors
/// If memory is not allocated, or the stream does not exist.
pub fn eigenvalues(
    call: Call,
    vectors: bool,
    upper: bool,
    a: DeviceMatrix,
    values: usize,
) -> Result {
    submit(call.stream, move || {
        let half = a.load(call.element, "A")?;
        let whole = Matrix::of(a.rows, a.rows, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Equal => Number::new(half.get(i, j).re, 0.0),
            std::cmp::Ordering::Less if upper => half.get(i, j),
            std::cmp::Ordering::Greater if !upper => half.get(i, j),
            _ => half.get(j, i).conj(),
        });
        let place = DeviceMatrix::vector(values, a.rows);
        let Some((found, columns)) = eigen(&whole, vectors) else {
            return not_finite(call, &[(place, true)], &[(a, vectors)]);
        };
        place.store(call.element.real(), &Matrix::column_of(&found), "W")?;
        if vectors {
            a.store(call.element, &columns, "A")?;
        }
        call.store_info(0)
    })
}

/// For matrices with elements that are not finite: fills the results with NaN, and reports in `devInfo` that the
/// method did not converge.
fn not_finite(
    call: Call,
    real: &[(DeviceMatrix, bool)],
    others: &[(DeviceMatrix, bool)],
) -> Result {
    let nan = |place: &DeviceMatrix| {
        Matrix::of(place.rows, place.columns, |_, _| Number::new(f64::NAN, 0.0))
    };
    for (place, _) in real.iter().filter(|(_, wanted)| *wanted) {
        place.store(call.element.real(), &nan(place), "values")?;
    }
    for (place, _) in others.iter().filter(|(_, wanted)| *wanted) {
        place.store(call.element, &nan(place), "vectors")?;
    }
    call.store_info(1)
}

/// The requested singular vectors: some columns at an address, or none.
#[derive(Clone, Copy, Debug)]
pub struct VectorOutputs {
    /// Destination of the left vectors.
    pub left: Option<DeviceMatrix>,
    /// Destination of the right vectors.
    pub right: Option<DeviceMatrix>,
    /// Whether the right vectors are stored as the rows of their adjoint.
    pub adjoint: bool,
}

/// Computes singular values and the requested vectors.
///
/// # Errors
/// As [`eigenvalues`].
pub fn singular_values(
    call: Call,
    a: DeviceMatrix,
    values: usize,
    wanted: VectorOutputs,
) -> Result {
    submit(call.stream, move || {
        let place = DeviceMatrix::vector(values, a.rows.min(a.columns));
        let sides = [wanted.left, wanted.right];
        let vectors = match sides.iter().flatten().map(|side| side.columns).max() {
            None => Vectors::None,
            Some(columns) if columns <= place.rows => Vectors::First,
            Some(_) => Vectors::All,
        };
        let a = a.load(call.element, "A")?;
        let Some(Svd { left, values: found, right }) = svd(&a, vectors) else {
            let others: Vec<(DeviceMatrix, bool)> =
                sides.iter().flatten().map(|p| (*p, true)).collect();
            return not_finite(call, &[(place, true)], &others);
        };
        place.store(call.element.real(), &Matrix::column_of(&found), "S")?;
        if let Some(to) = wanted.left {
            to.store(call.element, &Matrix::of(to.rows, to.columns, |i, j| left.get(i, j)), "U")?;
        }
        if let Some(to) = wanted.right {
            let shown = Matrix::of(to.rows, to.columns, |i, j| match wanted.adjoint {
                true => right.get(j, i).conj(),
                false => right.get(i, j),
            });
            to.store(call.element, &shown, "V")?;
        }
        call.store_info(0)
    })
}

/// Translates LAPACK's letters for `gesvd`: all columns of U (rows of V*), only the first ones, the first ones in
/// place of A, or none.
///
/// # Errors
/// If there are more columns than rows, which NVIDIA's function also refuses; if a letter is unknown; or if both
/// outputs overwrite A.
pub fn wanted(jobs: [i8; 2], a: DeviceMatrix, [u, vt]: [(usize, i64); 2]) -> Result<VectorOutputs> {
    let (rows, columns) = (a.rows as i64, a.columns as i64);
    if rows < columns {
        let why = format!(
            "gesvd needs at least as many rows as columns, and A is {rows} x {columns}; pass the adjoint"
        );
        return refuse(Status::InvalidValue, &why);
    }
    let [left, right] = jobs.map(|job| job as u8 as char);
    if left == 'O' && right == 'O' {
        return refuse(Status::InvalidValue, "U and V* cannot both overwrite A");
    }
    let unknown = |job: char| {
        refuse(Status::InvalidValue, &format!("`{job}` is not a job for vectors; use A, S, O or N"))
    };
    let left = match left {
        'A' => Some(DeviceMatrix::new(u.0, rows, rows, u.1)?),
        'S' => Some(DeviceMatrix::new(u.0, rows, columns, u.1)?),
        'O' => Some(a),
        'N' => None,
        other => return unknown(other),
    };
    let right = match right {
        'A' | 'S' => Some(DeviceMatrix::new(vt.0, columns, columns, vt.1)?),
        'O' => Some(DeviceMatrix { rows: a.columns, ..a }),
        'N' => None,
        other => return unknown(other),
    };
    Ok(VectorOutputs { left, right, adjoint: true })
}

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
        // A right vector is nonzero in the rows above its eigenvalue (from the triangle); a left one in the rows below
        // it (from the adjoint).
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
            // Separates equal eigenvalues, which may share one vector, by a small amount.
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
