//! Eigenvalues of Hermitian matrices and singular values, by faer: tridiagonal or bidiagonal forms by Householder reflections, then
//! divide and conquer.

use crate::algorithms::field::{FaerNumber, from_faer, in_field, to_faer};
use crate::matrix::{Matrix, Number};
use faer::Side;
use faer::diag::DiagRef;

fn reals<T: FaerNumber>(of: DiagRef<'_, T>) -> Vec<f64> {
    of.column_vector().iter().map(|value| value.number().re).collect()
}

/// Eigenvalues of a Hermitian matrix in ascending order, with its eigenvectors as columns if requested; `None` if an element is not finite.
pub fn eigen(a: &Matrix, vectors: bool) -> Option<(Vec<f64>, Matrix)> {
    if !a.norm().is_finite() {
        return None;
    }
    // faer does not accept an empty matrix.
    if a.rows == 0 {
        return Some((Vec::new(), Matrix::zeros(0, 0)));
    }
    in_field!(a.is_real(), eigen_in(a, vectors))
}

fn eigen_in<T: FaerNumber<Real = f64>>(a: &Matrix, vectors: bool) -> Option<(Vec<f64>, Matrix)> {
    let a = to_faer::<T>(a);
    if !vectors {
        return Some((a.self_adjoint_eigenvalues(Side::Lower).ok()?, Matrix::zeros(0, 0)));
    }
    let found = a.self_adjoint_eigen(Side::Lower).ok()?;
    Some((reals(found.S()), from_faer(found.U())))
}

/// The requested singular vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    None,
    /// As many as there are singular values.
    First,
    /// A complete basis on each side.
    All,
}

/// A singular value decomposition, A = left diag(values) right*, with values in descending order.
pub struct Svd {
    pub left: Matrix,
    pub values: Vec<f64>,
    pub right: Matrix,
}

/// Decomposes any matrix; `None` if an element is not finite.
pub fn svd(a: &Matrix, vectors: Vectors) -> Option<Svd> {
    if !a.norm().is_finite() {
        return None;
    }
    in_field!(a.is_real(), svd_in(a, vectors))
}

fn svd_in<T: FaerNumber<Real = f64>>(a: &Matrix, vectors: Vectors) -> Option<Svd> {
    let a = to_faer::<T>(a);
    let found = match vectors {
        Vectors::None => {
            let (values, none) = (a.singular_values().ok()?, Matrix::zeros(0, 0));
            return Some(Svd { left: none.clone(), values, right: none });
        }
        Vectors::First => a.thin_svd().ok()?,
        Vectors::All => a.svd().ok()?,
    };
    let (left, right) = (from_faer(found.U()), from_faer(found.V()));
    Some(Svd { left, values: reals(found.S()), right })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::tests::{difference, product, random};

    fn diagonal(rows: usize, columns: usize, values: &[f64]) -> Matrix {
        Matrix::of(
            rows,
            columns,
            |i, j| {
                if i == j { Number::new(values[i], 0.0) } else { Number::ZERO }
            },
        )
    }

    #[test]
    fn eigenvectors_diagonalize_a_hermitian_matrix() {
        let counts = [0, 1, 2, 7, 20].into_iter().flat_map(|count| [(count, false), (count, true)]);
        // Large enough for divide and conquer.
        for (count, real) in counts.chain([(130, false)]) {
            let half = if real { random(count, count).real() } else { random(count, count) };
            let a = Matrix::of(count, count, |i, j| half.get(i, j) + half.get(j, i).conj());
            let (values, vectors) = eigen(&a, true).expect("finite");
            assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
            let (alone, _) = eigen(&a, false).expect("finite");
            assert!(
                alone.iter().zip(&values).all(|(a, b)| (a - b).abs() < 1e-12 * a.abs().max(1.0))
            );
            let identity = Matrix::identity(count, count);
            assert!(difference(&product(&vectors.adjoint(), &vectors), &identity) < 1e-13);
            let made = product(&vectors, &diagonal(count, count, &values));
            assert!(difference(&product(&a, &vectors), &made) < 1e-12);
        }
        // A multiple eigenvalue with a known answer.
        let (values, _) = eigen(&Matrix::of(3, 3, |_, _| Number::ONE), true).expect("finite");
        assert!(
            values[0].abs() < 1e-15 && values[1].abs() < 1e-15 && (values[2] - 3.0).abs() < 1e-14
        );
        assert!(eigen(&Matrix::of(2, 2, |_, _| Number::new(f64::NAN, 0.0)), false).is_none());
    }

    #[test]
    fn singular_vectors_rebuild_a_matrix_of_any_rank() {
        let low = product(&random(6, 2), &random(2, 5));
        let zero = Matrix::zeros(4, 3);
        let ones = Matrix::of(60, 50, |_, _| Number::ONE);
        let large = [random(140, 130), random(90, 10), random(10, 90).real(), ones];
        let small = [random(7, 4), random(4, 7), random(1, 1), random(0, 3), low, zero];
        for a in small.into_iter().chain(large) {
            let Svd { left, values, right } = svd(&a, Vectors::All).expect("finite");
            let first = svd(&a, Vectors::First).expect("finite");
            let none = svd(&a, Vectors::None).expect("finite");
            let shape = |matrix: &Matrix| (matrix.rows, matrix.columns);
            let size = a.rows.min(a.columns);
            assert_eq!(
                [shape(&first.left), shape(&first.right)],
                [(a.rows, size), (a.columns, size)]
            );
            for other in [&first.values, &none.values] {
                assert!(other.iter().zip(&values).all(|(a, b)| (a - b).abs() < 1e-12 * a.max(1.0)));
            }
            assert!(values.windows(2).all(|pair| pair[0] >= pair[1] && pair[1] >= 0.0));
            for of in [&left, &right] {
                let identity = Matrix::identity(of.rows, of.rows);
                assert!(difference(&product(&of.adjoint(), of), &identity) < 1e-13);
            }
            let middle = diagonal(a.rows, a.columns, &values);
            let made = product(&product(&left, &middle), &right.adjoint());
            assert!(difference(&made, &a) < 1e-14 * a.norm().max(10.0));
            let middle = diagonal(size, size, &values);
            let made = product(&product(&first.left, &middle), &first.right.adjoint());
            assert!(difference(&made, &a) < 1e-14 * a.norm().max(10.0));
        }
    }
}
