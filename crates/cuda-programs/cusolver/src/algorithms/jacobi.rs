//! Eigenvalues and singular values by Jacobi rotations (Golub and Van Loan, "Matrix Computations", sections 8.5 and 8.6.3): two-sided
//! rotations diagonalize a Hermitian matrix, and one-sided rotations (Hestenes 1958) orthogonalize the columns of any matrix. Both sweep
//! over all pairs in order until no pair needs a rotation. This takes about ten sweeps of order n^3 each, so matrices with thousands of
//! rows are slow.

use crate::element::Number;
use crate::matrix::Matrix;

/// Maximum number of sweeps.
const MOST_SWEEPS: usize = 60;
/// Tolerance of orthogonality, relative to the columns' lengths, and of diagonality, relative to the matrix's norm.
const SMALL: f64 = 1e-15;

/// A rotation of two columns, `x` and `y` to `c x - s p y` and `s x + c p y`, where `p` turns the phase.
#[derive(Clone, Copy)]
struct Rotation {
    cosine: f64,
    sine: f64,
    phase: Number,
}

impl Rotation {
    /// The rotation that diagonalizes the Hermitian matrix `[first, beside; conj(beside), second]`.
    fn diagonal(first: f64, second: f64, beside: Number) -> Rotation {
        let length = beside.norm();
        let cotangent = (second - first) / (2.0 * length);
        let tangent = cotangent.signum() / (cotangent.abs() + cotangent.hypot(1.0));
        let cosine = 1.0 / tangent.hypot(1.0);
        Rotation { cosine, sine: tangent * cosine, phase: (beside / length).conj() }
    }

    /// Rotates columns.
    fn rotate(self, matrix: &mut Matrix, first: usize, second: usize) {
        let [x, y] = matrix.two_columns(first, second);
        for (x, y) in x.iter_mut().zip(y) {
            let turned = *y * self.phase;
            (*x, *y) =
                (*x * self.cosine - turned * self.sine, *x * self.sine + turned * self.cosine);
        }
    }

    /// Rotates rows, by the conjugate.
    fn rotate_rows(self, matrix: &mut Matrix, first: usize, second: usize) {
        for column in 0..matrix.columns {
            let (x, turned) =
                (matrix.get(first, column), matrix.get(second, column) * self.phase.conj());
            matrix.set(first, column, x * self.cosine - turned * self.sine);
            matrix.set(second, column, x * self.sine + turned * self.cosine);
        }
    }
}

/// The indices of values in ascending or descending order; NaN compares equal to every value.
fn order(values: &[f64], descending: bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|a, b| {
        let order = values[*a].partial_cmp(&values[*b]).unwrap_or(std::cmp::Ordering::Equal);
        if descending { order.reverse() } else { order }
    });
    places
}

/// Eigenvalues of a Hermitian matrix in ascending order, with its eigenvectors as columns; `None` if an element is not finite.
pub fn eigen(mut a: Matrix) -> Option<(Vec<f64>, Matrix)> {
    let count = a.rows;
    let norm = a.norm();
    if !norm.is_finite() {
        return None;
    }
    let mut vectors = Matrix::identity(count, count);
    let least = SMALL * norm / count.max(1) as f64;
    for _ in 0..MOST_SWEEPS {
        let mut rotated = false;
        for first in 0..count {
            for second in first + 1..count {
                let beside = a.get(first, second);
                if beside.norm() <= least {
                    continue;
                }
                rotated = true;
                let rotation =
                    Rotation::diagonal(a.get(first, first).re, a.get(second, second).re, beside);
                rotation.rotate(&mut a, first, second);
                rotation.rotate_rows(&mut a, first, second);
                rotation.rotate(&mut vectors, first, second);
            }
        }
        if !rotated {
            break;
        }
    }
    let values: Vec<f64> = (0..count).map(|i| a.get(i, i).re).collect();
    let places = order(&values, false);
    let sorted = Matrix::of(count, count, |row, column| vectors.get(row, places[column]));
    Some((places.iter().map(|place| values[*place]).collect(), sorted))
}

/// A singular value decomposition, A = left diag(values) right*, with values in descending order.
pub struct Svd {
    /// Square: as many columns as A has rows.
    pub left: Matrix,
    pub values: Vec<f64>,
    /// Square: as many columns as A has columns.
    pub right: Matrix,
}

/// Decomposes any matrix; `None` if an element is not finite.
pub fn svd(a: &Matrix) -> Option<Svd> {
    if a.rows < a.columns {
        let Svd { left, values, right } = svd(&a.adjoint())?;
        return Some(Svd { left: right, values, right: left });
    }
    if !a.norm().is_finite() {
        return None;
    }
    let (mut columns, mut right) = (a.clone(), Matrix::identity(a.columns, a.columns));
    let square = |matrix: &Matrix, column| -> f64 {
        matrix.column(column).iter().map(Number::norm_sqr).sum()
    };
    for _ in 0..MOST_SWEEPS {
        let mut rotated = false;
        for first in 0..a.columns {
            for second in first + 1..a.columns {
                let pairs = columns.column(first).iter().zip(columns.column(second));
                let beside: Number = pairs.map(|(x, y)| x.conj() * y).sum();
                let lengths = [square(&columns, first), square(&columns, second)];
                if beside.norm() <= SMALL * (lengths[0] * lengths[1]).sqrt() {
                    continue;
                }
                rotated = true;
                let rotation = Rotation::diagonal(lengths[0], lengths[1], beside);
                rotation.rotate(&mut columns, first, second);
                rotation.rotate(&mut right, first, second);
            }
        }
        if !rotated {
            break;
        }
    }
    let lengths: Vec<f64> = (0..a.columns).map(|column| square(&columns, column).sqrt()).collect();
    let places = order(&lengths, true);
    let values: Vec<f64> = places.iter().map(|place| lengths[*place]).collect();
    let right = Matrix::of(a.columns, a.columns, |row, column| right.get(row, places[column]));
    let mut left = Matrix::zeros(a.rows, a.rows);
    for (column, place) in places.iter().enumerate() {
        if values[column] > f64::MIN_POSITIVE {
            let scaled = columns.column(*place).iter().map(|x| x / values[column]);
            left.column_mut(column).iter_mut().zip(scaled).for_each(|(to, x)| *to = x);
        } else {
            complete(&mut left, column);
        }
    }
    (a.columns..a.rows).for_each(|column| complete(&mut left, column));
    Some(Svd { left, values, right })
}

/// Fills a column with a unit vector orthogonal to the columns before it, by Gram-Schmidt, applied twice for accuracy.
fn complete(matrix: &mut Matrix, column: usize) {
    let mut best: (f64, Vec<Number>) = (0.0, Vec::new());
    for unit in 0..matrix.rows {
        let mut x = vec![Number::ZERO; matrix.rows];
        x[unit] = Number::ONE;
        for _ in 0..2 {
            for before in 0..column {
                let known = matrix.column(before);
                let dot: Number = known.iter().zip(&x).map(|(a, x)| a.conj() * x).sum();
                x.iter_mut().zip(known).for_each(|(x, a)| *x -= a * dot);
            }
        }
        let length = x.iter().map(Number::norm_sqr).sum::<f64>().sqrt();
        if length > best.0 {
            best = (length, x);
        }
        // The longest is at least the mean; half of that is far above rounding errors.
        if best.0 * best.0 * 2.0 > (matrix.rows - column) as f64 / matrix.rows as f64 {
            break;
        }
    }
    let (length, x) = best;
    matrix.column_mut(column).iter_mut().zip(x).for_each(|(to, x)| *to = x / length);
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
        for count in [1, 2, 7, 20] {
            let half = random(count, count);
            let a = Matrix::of(count, count, |i, j| half.get(i, j) + half.get(j, i).conj());
            let (values, vectors) = eigen(a.clone()).expect("finite");
            assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
            let identity = Matrix::identity(count, count);
            assert!(difference(&product(&vectors.adjoint(), &vectors), &identity) < 1e-13);
            let made = product(&vectors, &diagonal(count, count, &values));
            assert!(difference(&product(&a, &vectors), &made) < 1e-12);
        }
        // A multiple eigenvalue with a known answer.
        let (values, _) = eigen(Matrix::of(3, 3, |_, _| Number::ONE)).expect("finite");
        assert!(
            values[0].abs() < 1e-15 && values[1].abs() < 1e-15 && (values[2] - 3.0).abs() < 1e-14
        );
        assert!(eigen(Matrix::of(2, 2, |_, _| Number::new(f64::NAN, 0.0))).is_none());
    }

    #[test]
    fn singular_vectors_rebuild_a_matrix_of_any_rank() {
        let low = product(&random(6, 2), &random(2, 5));
        let zero = Matrix::zeros(4, 3);
        for a in [random(7, 4), random(4, 7), random(1, 1), low, zero] {
            let Svd { left, values, right } = svd(&a).expect("finite");
            assert!(values.windows(2).all(|pair| pair[0] >= pair[1] && pair[1] >= 0.0));
            for of in [&left, &right] {
                let identity = Matrix::identity(of.rows, of.rows);
                assert!(difference(&product(&of.adjoint(), of), &identity) < 1e-13);
            }
            let middle = diagonal(a.rows, a.columns, &values);
            let made = product(&product(&left, &middle), &right.adjoint());
            assert!(difference(&made, &a) < 1e-13);
        }
    }
}
