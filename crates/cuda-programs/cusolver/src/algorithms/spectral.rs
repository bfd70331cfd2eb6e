//! Eigenvalues and singular values.
//!
//! For Hermitian matrices and singular values, faer reduces the matrix to tridiagonal or bidiagonal form by Householder
//! reflections, and then uses divide and conquer.
//!
//! For general matrices, the Schur decomposition A = Z T Z* with T upper triangular (Golub and Van Loan, "Matrix
//! Computations", sections 7.4 and 7.5): Householder reflections reduce A to Hessenberg form, Francis double-shift QR steps
//! leave diagonal blocks of one and two rows, and a rotation makes each two-row block triangular. Complex matrices use
//! double shifts, too: the blocks of a real matrix then stay real until they are split, and its complex eigenvalues are
//! exact conjugate pairs.

use crate::algorithms::{FaerNumber, from_faer, in_field, to_faer};
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

/// Maximum QR steps per eigenvalue.
const MOST_STEPS: usize = 60;

/// An exceptional shift is tried after every multiple of this many unsuccessful steps.
const EXCEPTIONAL: usize = 10;

/// A Schur decomposition.
pub struct Schur {
    /// T, upper triangular; its diagonal holds the eigenvalues.
    pub triangle: Matrix,
    /// Z, unitary.
    pub basis: Matrix,
}

/// A reflection `1 - tau v v*`, `v[0] = 1`, whose adjoint maps a vector to a multiple of the first unit vector.
struct Reflection {
    vector: Vec<Number>,
    tau: Number,
}

impl Reflection {
    fn of(x: &[Number]) -> Reflection {
        let below = x[1..].iter().map(Number::norm_sqr).sum::<f64>().sqrt();
        let mut vector = x.to_vec();
        vector[0] = Number::ONE;
        if below == 0.0 {
            return Reflection { vector, tau: Number::ZERO };
        }
        let length = x[0].norm().hypot(below);
        let made = if x[0].re >= 0.0 { -length } else { length };
        let scale = Number::ONE / (x[0] - made);
        vector[1..].iter_mut().for_each(|element| *element *= scale);
        Reflection { vector, tau: Number::new((made - x[0].re) / made, -x[0].im / made) }
    }

    /// Applies the adjoint from the left, to rows from `row` on of columns from `column` on.
    fn left(&self, a: &mut Matrix, row: usize, column: usize) {
        for column in column..a.columns {
            let x = &mut a.column_mut(column)[row..][..self.vector.len()];
            let dot: Number = self.vector.iter().zip(&*x).map(|(v, x)| v.conj() * x).sum();
            let scaled = self.tau.conj() * dot;
            x.iter_mut().zip(&self.vector).for_each(|(x, v)| *x -= v * scaled);
        }
    }

    /// Applies the reflection from the right, to columns from `column` on of the first `rows` rows.
    fn right(&self, a: &mut Matrix, column: usize, rows: usize) {
        for row in 0..rows {
            let terms = self.vector.iter().enumerate();
            let dot: Number = terms.clone().map(|(at, v)| a.get(row, column + at) * v).sum();
            let scaled = self.tau * dot;
            for (at, v) in terms {
                a.set(row, column + at, a.get(row, column + at) - scaled * v.conj());
            }
        }
    }
}

/// Decomposes a square matrix; `None` if an element is not finite, or the steps do not converge.
pub fn schur(a: &Matrix) -> Option<Schur> {
    let norm = a.norm();
    if !norm.is_finite() {
        return None;
    }
    let order = a.rows;
    let mut form = Schur { triangle: a.clone(), basis: Matrix::identity(order, order) };
    for step in 0..order.saturating_sub(2) {
        let reflection = Reflection::of(&form.triangle.column(step)[step + 1..]);
        form.reflect(&reflection, step + 1, step, order);
        form.triangle.column_mut(step)[step + 2..].fill(Number::ZERO);
    }
    let (mut end, mut steps) = (order, 0);
    while end > 0 {
        let start = form.block(end, norm);
        match end - start {
            size @ 1..=2 => {
                if size == 2 {
                    form.split(start);
                }
                (end, steps) = (start, 0);
            }
            _ if steps == MOST_STEPS => return None,
            _ => {
                steps += 1;
                form.step(start, end, steps % EXCEPTIONAL == 0);
            }
        }
    }
    Some(form)
}

impl Schur {
    /// Applies a reflection to rows and columns from `at` on: to the rows from `column` on, and to the first `rows` rows of the columns.
    fn reflect(&mut self, reflection: &Reflection, at: usize, column: usize, rows: usize) {
        reflection.left(&mut self.triangle, at, column);
        reflection.right(&mut self.triangle, at, rows);
        let whole = self.basis.rows;
        reflection.right(&mut self.basis, at, whole);
    }

    /// The first row of the unreduced block that ends before `end`. Zeroes the negligible subdiagonal element before
    /// that row.
    fn block(&mut self, end: usize, norm: f64) -> usize {
        for start in (1..end).rev() {
            let t = &mut self.triangle;
            let beside = t.get(start - 1, start - 1).norm() + t.get(start, start).norm();
            let least = f64::EPSILON * if beside == 0.0 { norm } else { beside };
            if t.get(start, start - 1).norm() <= least {
                t.set(start, start - 1, Number::ZERO);
                return start;
            }
        }
        0
    }

    /// A Francis double-shift step on a block of three rows or more. The shifts are the eigenvalues of the block's last two rows, or other
    /// numbers in an exceptional step; only their sum and product are needed.
    fn step(&mut self, start: usize, end: usize, exceptional: bool) {
        let h = |row: usize, column: usize| self.triangle.get(row, column);
        let last = end - 1;
        let (sum, product) = if exceptional {
            let size = h(last, last - 1).norm() + h(last - 1, last - 2).norm();
            (Number::new(1.5 * size, 0.0), Number::new(size * size, 0.0))
        } else {
            let [a, b] = [h(last - 1, last - 1), h(last - 1, last)];
            let [c, d] = [h(last, last - 1), h(last, last)];
            (a + d, a * d - b * c)
        };
        let (first, second, below) =
            (h(start, start), h(start + 1, start + 1), h(start + 1, start));
        let mut column = vec![
            first * first + h(start, start + 1) * below - sum * first + product,
            below * (first + second - sum),
            below * h(start + 2, start + 1),
        ];
        for at in start..last {
            let reflection = Reflection::of(&column);
            let from = if at > start { at - 1 } else { at };
            self.reflect(&reflection, at, from, end.min(at + 4));
            let size = column.len();
            if at > start {
                self.triangle.column_mut(at - 1)[at + 1..at + size].fill(Number::ZERO);
            }
            column = self.triangle.column(at)[at + 1..end.min(at + 4)].to_vec();
        }
    }

    /// Makes a two-row block triangular. Of a conjugate pair of eigenvalues, the one with the positive imaginary part comes first.
    fn split(&mut self, at: usize) {
        let t = &self.triangle;
        let [a, b] = [t.get(at, at), t.get(at, at + 1)];
        let [c, d] = [t.get(at + 1, at), t.get(at + 1, at + 1)];
        let half = (a - d) * 0.5;
        let square = half * half + b * c;
        let real = [a, b, c, d].iter().all(|element| element.im == 0.0);
        let root = if real && square.re < 0.0 {
            Number::new(0.0, (-square.re).sqrt())
        } else {
            square.sqrt()
        };
        // The eigenvalue farther from `d`, to avoid cancellation.
        let far =
            if (half + root).norm() >= (half - root).norm() { half + root } else { half - root };
        let (first, second) = if real && square.re < 0.0 {
            let mean = (a + d) * 0.5;
            (mean + root, mean - root)
        } else if far == Number::ZERO {
            (d, d)
        } else {
            (d + far, d - b * c / far)
        };
        let length = far.norm().hypot(c.norm());
        let (u, v) = (far / length, c / length);
        let rotate = |matrix: &mut Matrix, rows: usize| {
            for row in 0..rows {
                let (x, y) = (matrix.get(row, at), matrix.get(row, at + 1));
                matrix.set(row, at, x * u + y * v);
                matrix.set(row, at + 1, y * u.conj() - x * v.conj());
            }
        };
        rotate(&mut self.triangle, at + 2);
        let whole = self.basis.rows;
        rotate(&mut self.basis, whole);
        for column in at..self.triangle.columns {
            let (x, y) = (self.triangle.get(at, column), self.triangle.get(at + 1, column));
            self.triangle.set(at, column, x * u.conj() + y * v.conj());
            self.triangle.set(at + 1, column, y * u - x * v);
        }
        self.triangle.set(at, at, first);
        self.triangle.set(at + 1, at, Number::ZERO);
        self.triangle.set(at + 1, at + 1, second);
    }
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

    /// Asserts that the factors multiply to the matrix and have the required shapes.
    fn holds(a: &Matrix) -> Schur {
        let form = schur(a).expect("converges");
        let (t, z) = (&form.triangle, &form.basis);
        let (order, most) = (a.rows, 1e-13 * a.norm().max(1.0));
        assert!((0..order).all(|i| (0..i).all(|j| t.get(i, j) == Number::ZERO)));
        assert!(difference(&product(&z.adjoint(), z), &Matrix::identity(order, order)) < 1e-13);
        assert!(difference(&product(&product(z, t), &z.adjoint()), a) < most);
        form
    }

    #[test]
    fn the_schur_form_rebuilds_any_matrix() {
        for order in [0, 1, 2, 3, 4, 7, 30] {
            holds(&random(order, order));
            let form = holds(&random(order, order).real());
            // Complex eigenvalues of a real matrix are adjacent, and exactly conjugate.
            let mut at = 0;
            while at < order {
                let value = form.triangle.get(at, at);
                if value.im != 0.0 {
                    assert!(value.im > 0.0);
                    assert_eq!(form.triangle.get(at + 1, at + 1), value.conj());
                    at += 1;
                }
                at += 1;
            }
        }
    }

    #[test]
    fn shifts_without_effect_are_replaced() {
        // A cyclic permutation, whose last two rows give zero shifts; zeros; a Jordan block; a triangle that must stay
        // unchanged.
        let order = 6;
        let by = |made: &dyn Fn(usize, usize) -> bool| {
            Matrix::of(order, order, |i, j| Number::new(f64::from(u8::from(made(i, j))), 0.0))
        };
        let form = holds(&by(&|i, j| i == (j + 1) % order));
        assert!((0..order).all(|i| (form.triangle.get(i, i).norm() - 1.0).abs() < 1e-14));
        holds(&Matrix::zeros(order, order));
        holds(&by(&|i, j| i == j || i + 1 == j));
        holds(&by(&|i, j| i <= j));
        holds(&by(&|i, j| i == j || i == j + 1));
        let mut bad = random(3, 3);
        bad.set(1, 2, Number::new(f64::INFINITY, 0.0));
        assert!(schur(&bad).is_none());
    }
}
