//! LU factorization with partial pivoting, Cholesky factorization, and solutions from them (LAPACK's `getrf`, `getrs`, `potrf`, `potrs` and
//! `potri`, unblocked).

use crate::element::Number;
use crate::matrix::Matrix;

/// The magnitude by which LAPACK chooses pivots: |re| + |im|.
fn measure(a: Number) -> f64 {
    a.re.abs() + a.im.abs()
}

/// Factors A in place. Returns the row exchanged at each step, and the number, from 1, of the first pivot that is 0 (0: none).
pub fn lu(a: &mut Matrix, pivoting: bool) -> (Vec<usize>, usize) {
    let (mut pivots, mut singular) = (Vec::new(), 0);
    for step in 0..a.rows.min(a.columns) {
        let mut pivot = step;
        for row in step + 1..if pivoting { a.rows } else { step } {
            if measure(a.get(row, step)) > measure(a.get(pivot, step)) {
                pivot = row;
            }
        }
        pivots.push(pivot);
        if a.get(pivot, step) == Number::ZERO {
            singular = if singular == 0 { step + 1 } else { singular };
            continue;
        }
        a.swap_rows(step, pivot);
        let diagonal = a.get(step, step);
        a.column_mut(step)[step + 1..].iter_mut().for_each(|below| *below /= diagonal);
        for column in step + 1..a.columns {
            let [factors, rest] = a.two_columns(step, column);
            let top = rest[step];
            for (rest, factor) in rest[step + 1..].iter_mut().zip(&factors[step + 1..]) {
                *rest -= factor * top;
            }
        }
    }
    (pivots, singular)
}

/// A triangular matrix, given by a function of row and column.
pub struct Triangle<F: Fn(usize, usize) -> Number> {
    pub lower: bool,
    /// Whether the diagonal is 1 and not read.
    pub unit: bool,
    pub element: F,
}

impl<F: Fn(usize, usize) -> Number> Triangle<F> {
    /// Solves for every column of B, which the solution overwrites.
    pub fn solve(&self, b: &mut Matrix) {
        let order = b.rows;
        for column in 0..b.columns {
            let x = b.column_mut(column);
            for step in 0..order {
                let row = if self.lower { step } else { order - 1 - step };
                let known = if self.lower { 0..row } else { row + 1..order };
                let sum: Number = known.map(|k| (self.element)(row, k) * x[k]).sum();
                let rest = x[row] - sum;
                x[row] = if self.unit { rest } else { rest / (self.element)(row, row) };
            }
        }
    }
}

/// Operation on a matrix: none, transpose, conjugate transpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transposition {
    Plain,
    Transposed,
    Adjoint,
}

/// Solves with the factors of [`lu`] for every column of B, which the solution overwrites.
pub fn solve_lu(factors: &Matrix, pivots: &[usize], form: Transposition, b: &mut Matrix) {
    let turned = |row, column| match form {
        Transposition::Plain => factors.get(row, column),
        Transposition::Transposed => factors.get(column, row),
        Transposition::Adjoint => factors.get(column, row).conj(),
    };
    let triangle = |lower, unit| Triangle { lower, unit, element: turned };
    if form == Transposition::Plain {
        pivots.iter().enumerate().for_each(|(row, pivot)| b.swap_rows(row, *pivot));
        triangle(true, true).solve(b);
        triangle(false, false).solve(b);
    } else {
        triangle(true, false).solve(b);
        triangle(false, true).solve(b);
        pivots.iter().enumerate().rev().for_each(|(row, pivot)| b.swap_rows(row, *pivot));
    }
}

/// Factors A = L L* or U* U. Reads one triangle of A and overwrites it with L or U. Returns the order of the leading minor that is not
/// positive definite (0: none).
pub fn cholesky(a: &mut Matrix, upper: bool) -> usize {
    let at = |row: usize, column: usize| if upper { (column, row) } else { (row, column) };
    let read = |a: &Matrix, row, column| {
        let (i, j) = at(row, column);
        let value = a.get(i, j);
        if upper { value.conj() } else { value }
    };
    for column in 0..a.rows {
        let known: f64 = (0..column).map(|k| read(a, column, k).norm_sqr()).sum();
        let square = read(a, column, column).re - known;
        // NaN is not positive either.
        if square.is_nan() || square <= 0.0 {
            return column + 1;
        }
        let root = square.sqrt();
        a.set(column, column, Number::new(root, 0.0));
        for row in column + 1..a.rows {
            let known: Number =
                (0..column).map(|k| read(a, row, k) * read(a, column, k).conj()).sum();
            let value = (read(a, row, column) - known) / root;
            let (i, j) = at(row, column);
            a.set(i, j, if upper { value.conj() } else { value });
        }
    }
    0
}

/// Solves with the factor of [`cholesky`] for every column of B, which the solution overwrites.
pub fn solve_cholesky(factor: &Matrix, upper: bool, b: &mut Matrix) {
    let lower = |row, column| {
        if upper { factor.get(column, row).conj() } else { factor.get(row, column) }
    };
    Triangle { lower: true, unit: false, element: lower }.solve(b);
    let adjoint = |row, column| lower(column, row).conj();
    Triangle { lower: false, unit: false, element: adjoint }.solve(b);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::tests::{difference, product, random};

    #[test]
    fn factors_multiply_to_the_permuted_matrix() {
        for (rows, columns) in [(5, 5), (7, 4), (4, 7), (1, 1)] {
            let original = random(rows, columns);
            let mut factors = original.clone();
            let (pivots, singular) = lu(&mut factors, true);
            assert_eq!(singular, 0);
            let order = rows.min(columns);
            let lower = Matrix::of(rows, order, |i, j| match i.cmp(&j) {
                std::cmp::Ordering::Less => Number::ZERO,
                std::cmp::Ordering::Equal => Number::ONE,
                std::cmp::Ordering::Greater => factors.get(i, j),
            });
            let upper =
                Matrix::of(
                    order,
                    columns,
                    |i, j| {
                        if i <= j { factors.get(i, j) } else { Number::ZERO }
                    },
                );
            let mut exchanged = original;
            pivots.iter().enumerate().for_each(|(row, pivot)| exchanged.swap_rows(row, *pivot));
            assert!(difference(&product(&lower, &upper), &exchanged) < 1e-13);
            // Partial pivoting bounds factors by 1 in |re| + |im|, so by sqrt(2) in absolute value.
            assert!((0..order).all(|j| (j + 1..rows).all(|i| factors.get(i, j).norm() <= 1.4143)));
        }
        let mut singular = Matrix::of(3, 3, |i, j| Number::new((i + j) as f64, 0.0));
        assert_eq!(lu(&mut singular, true).1, 3);
    }

    #[test]
    fn systems_are_solved_in_every_form() {
        let (a, b) = (random(6, 6), random(6, 3));
        let mut factors = a.clone();
        let (pivots, _) = lu(&mut factors, true);
        let transposed = Matrix::of(6, 6, |i, j| a.get(j, i));
        for (form, turned) in [
            (Transposition::Plain, a.clone()),
            (Transposition::Transposed, transposed),
            (Transposition::Adjoint, a.adjoint()),
        ] {
            let mut x = b.clone();
            solve_lu(&factors, &pivots, form, &mut x);
            assert!(difference(&product(&turned, &x), &b) < 1e-12, "{form:?}");
        }
    }

    #[test]
    fn cholesky_reads_one_triangle_and_reports_a_minor_that_is_not_positive() {
        let half = random(5, 5);
        let whole = product(&half, &half.adjoint());
        for upper in [false, true] {
            let counts = |i: usize, j: usize| if upper { i <= j } else { i >= j };
            let wrong = Number::new(9e9, 9e9);
            let mut a = Matrix::of(5, 5, |i, j| if counts(i, j) { whole.get(i, j) } else { wrong });
            assert_eq!(cholesky(&mut a, upper), 0);
            assert_eq!(a.get(if upper { 4 } else { 0 }, if upper { 0 } else { 4 }), wrong);
            let mut x = whole.clone();
            solve_cholesky(&a, upper, &mut x);
            assert!(difference(&x, &Matrix::identity(5, 5)) < 1e-10);
        }
        let mut negative = Matrix::identity(4, 4);
        negative.set(2, 2, Number::new(-1.0, 0.0));
        assert_eq!(cholesky(&mut negative, false), 3);
    }
}
