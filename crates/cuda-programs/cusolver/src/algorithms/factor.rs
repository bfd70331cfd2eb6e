//! Factorizations with LAPACK's conventions, and solutions from them: LU with partial pivoting and Cholesky, by faer
//! (`getrf`, `getrs`, `potrf` and `potrs`); and unblocked QR by Householder reflections, with Q as a matrix and products
//! with Q (`geqrf`, `orgqr` and `ormqr`).

use crate::algorithms::{FaerNumber, from_faer, in_field, to_faer};
use crate::matrix::{Matrix, Number};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place_with_conj, solve_unit_lower_triangular_in_place_with_conj,
    solve_unit_upper_triangular_in_place_with_conj, solve_upper_triangular_in_place_with_conj,
};
use faer::{Conj, Par};

/// Factors A in place. Returns the row exchanged at each step, and the number, from 1, of the first pivot that is 0 (0: none).
pub fn lu(a: &mut Matrix, pivoting: bool) -> (Vec<usize>, usize) {
    let pivots = if pivoting { in_field!(a.is_real(), regular_lu(a)) } else { None };
    pivots.map_or_else(|| unblocked_lu(a, pivoting), |pivots| (pivots, 0))
}

/// Factors A by faer and returns the row exchanged at each step; `None`, with A unchanged, if a pivot is 0 or a factor is not finite.
fn regular_lu<T: FaerNumber>(a: &mut Matrix) -> Option<Vec<usize>> {
    let (rows, columns) = (a.rows, a.columns);
    let mut factors = to_faer::<T>(a);
    let (mut order, mut inverse) = (vec![0usize; rows], vec![0usize; rows]);
    let scratch = lu_in_place_scratch::<usize, T>(rows, columns, Par::Seq, Default::default());
    let mut buffer = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut buffer);
    let params = Default::default();
    lu_in_place(factors.as_mut(), &mut order, &mut inverse, Par::Seq, stack, params);
    let steps = rows.min(columns);
    let singular = (0..steps).any(|step| factors[(step, step)] == T::of(Number::ZERO));
    if singular || !factors.is_all_finite() {
        return None;
    }
    *a = from_faer(factors.as_ref());
    Some(exchanges(&order, steps))
}

/// The row exchanged at each step, from the final order: `order[i]` is the original row that is now row `i`.
fn exchanges(order: &[usize], steps: usize) -> Vec<usize> {
    let mut row_at: Vec<usize> = (0..order.len()).collect();
    let mut place_of = row_at.clone();
    let exchange = |step: usize| {
        let place = place_of[order[step]];
        row_at.swap(step, place);
        (place_of[row_at[step]], place_of[row_at[place]]) = (step, place);
        place
    };
    (0..steps).map(exchange).collect()
}

/// The magnitude by which LAPACK chooses pivots: |re| + |im|.
fn measure(a: Number) -> f64 {
    a.re.abs() + a.im.abs()
}

/// LU by elimination, where faer cannot be used: without pivoting, and for singular matrices (faer divides by the zero
/// pivot, LAPACK skips its column).
fn unblocked_lu(a: &mut Matrix, pivoting: bool) -> (Vec<usize>, usize) {
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

/// Operation on a matrix: none, transpose, conjugate transpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transposition {
    Plain,
    Transposed,
    Adjoint,
}

/// A triangle of a matrix, after an operation.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    /// Whether the stored triangle is the lower one.
    pub lower: bool,
    /// Whether the diagonal is 1 and not read.
    pub unit: bool,
    pub form: Transposition,
}

impl Triangle {
    /// Solves for every column of B, which the solution overwrites.
    pub fn solve(self, a: &Matrix, b: &mut Matrix) {
        in_field!(a.is_real() && b.is_real(), solve(self, a, b))
    }
}

fn solve<T: FaerNumber>(triangle: Triangle, a: &Matrix, b: &mut Matrix) {
    let (factor, mut x) = (to_faer::<T>(a), to_faer::<T>(b));
    let conj = if triangle.form == Transposition::Adjoint { Conj::Yes } else { Conj::No };
    let turned = triangle.form != Transposition::Plain;
    let factor = if turned { factor.as_ref().transpose() } else { factor.as_ref() };
    let to = x.as_mut();
    match (triangle.lower != turned, triangle.unit) {
        (true, false) => solve_lower_triangular_in_place_with_conj(factor, conj, to, Par::Seq),
        (true, true) => solve_unit_lower_triangular_in_place_with_conj(factor, conj, to, Par::Seq),
        (false, false) => solve_upper_triangular_in_place_with_conj(factor, conj, to, Par::Seq),
        (false, true) => solve_unit_upper_triangular_in_place_with_conj(factor, conj, to, Par::Seq),
    }
    *b = from_faer(x.as_ref());
}

/// Solves with the factors of [`lu`] for every column of B, which the solution overwrites.
pub fn solve_lu(factors: &Matrix, pivots: &[usize], form: Transposition, b: &mut Matrix) {
    let lower = Triangle { lower: true, unit: true, form };
    let upper = Triangle { lower: false, unit: false, form };
    if form == Transposition::Plain {
        pivots.iter().enumerate().for_each(|(row, pivot)| b.swap_rows(row, *pivot));
        lower.solve(factors, b);
        upper.solve(factors, b);
    } else {
        upper.solve(factors, b);
        lower.solve(factors, b);
        pivots.iter().enumerate().rev().for_each(|(row, pivot)| b.swap_rows(row, *pivot));
    }
}

/// Factors A = L L* or U* U. Reads one triangle of A and overwrites it with L or U. Returns the order of the leading minor that is not
/// positive definite (0: none).
pub fn cholesky(a: &mut Matrix, upper: bool) -> usize {
    in_field!(a.is_real(), cholesky_in(a, upper))
}

fn cholesky_in<T: FaerNumber>(a: &mut Matrix, upper: bool) -> usize {
    let order = a.rows;
    let counts = |i: usize, j: usize| if upper { i <= j } else { i >= j };
    let mut whole = to_faer::<T>(a);
    // As in LAPACK, imaginary parts on the diagonal are ignored.
    for at in 0..order {
        whole[(at, at)] = T::of(Number::new(a.get(at, at).re, 0.0));
    }
    let scratch = cholesky_in_place_scratch::<T>(order, Par::Seq, Default::default());
    let mut buffer = MemBuffer::new(scratch);
    // With A = U* U, the transpose of A is the lower factor U' times its adjoint.
    let view = if upper { whole.as_mut().transpose_mut() } else { whole.as_mut() };
    let stack = MemStack::new(&mut buffer);
    let found = cholesky_in_place(view, Default::default(), Par::Seq, stack, Default::default());
    *a = Matrix::of(order, order, |i, j| match counts(i, j) {
        true => whole[(i, j)].number(),
        false => a.get(i, j),
    });
    match found {
        Ok(_) => 0,
        Err(LltError::NonPositivePivot { index }) => index + 1,
    }
}

/// Solves with the factor of [`cholesky`] for every column of B, which the solution overwrites.
pub fn solve_cholesky(factor: &Matrix, upper: bool, b: &mut Matrix) {
    let forms = [Transposition::Plain, Transposition::Adjoint];
    for form in if upper { [forms[1], forms[0]] } else { forms } {
        Triangle { lower: !upper, unit: false, form }.solve(factor, b);
    }
}

/// Factors A in place: R and, below it, the vectors of the reflections. Returns the scales of the reflections (tau).
pub fn qr(a: &mut Matrix) -> Vec<Number> {
    (0..a.rows.min(a.columns)).map(|step| reflect(a, step)).collect()
}

/// The reflection that zeroes the elements below `first` (LAPACK's `larfg`). `below` becomes its vector after the leading 1. Returns the
/// new first element, which is real, and the scale.
pub fn reflection(first: Number, below: &mut [Number]) -> (f64, Number) {
    let rest = below.iter().map(Number::norm_sqr).sum::<f64>().sqrt();
    if rest == 0.0 && first.im == 0.0 {
        return (first.re, Number::ZERO);
    }
    let length = first.norm().hypot(rest);
    let diagonal = if first.re >= 0.0 { -length } else { length };
    let scale = Number::ONE / (first - diagonal);
    below.iter_mut().for_each(|below| *below *= scale);
    (diagonal, Number::new((diagonal - first.re) / diagonal, -first.im / diagonal))
}

/// Zeroes a column below the diagonal by one reflection, and applies it to the columns after it.
fn reflect(a: &mut Matrix, step: usize) -> Number {
    let (diagonal, tau) = reflection(a.get(step, step), &mut a.column_mut(step)[step + 1..]);
    if tau == Number::ZERO {
        return tau;
    }
    a.set(step, step, Number::new(diagonal, 0.0));
    let vector = vector(a, step);
    for column in step + 1..a.columns {
        apply(&vector, tau.conj(), &mut a.column_mut(column)[step..]);
    }
    tau
}

/// The vector of a reflection, from the diagonal on; its element on the diagonal is 1.
fn vector(a: &Matrix, step: usize) -> Vec<Number> {
    let mut vector = a.column(step)[step..].to_vec();
    vector[0] = Number::ONE;
    vector
}

/// `x -= tau v (v* x)`.
fn apply(vector: &[Number], tau: Number, x: &mut [Number]) {
    let dot: Number = vector.iter().zip(&*x).map(|(v, x)| v.conj() * x).sum();
    let scaled = tau * dot;
    x.iter_mut().zip(vector).for_each(|(x, v)| *x -= v * scaled);
}

/// The first columns of Q, from all given reflections.
pub fn form_q(a: &Matrix, taus: &[Number], columns: usize) -> Matrix {
    let mut q = Matrix::identity(a.rows, columns);
    multiply_left(a, taus, false, &mut q);
    q
}

/// Q C or Q* C, which overwrites C.
pub fn multiply_left(a: &Matrix, taus: &[Number], adjoint: bool, c: &mut Matrix) {
    for at in 0..taus.len() {
        let step = if adjoint { at } else { taus.len() - 1 - at };
        let vector = vector(a, step);
        let tau = if adjoint { taus[step].conj() } else { taus[step] };
        for column in 0..c.columns {
            apply(&vector, tau, &mut c.column_mut(column)[step..]);
        }
    }
}

/// C Q or C Q*.
pub fn multiply_right(a: &Matrix, taus: &[Number], adjoint: bool, c: &Matrix) -> Matrix {
    let mut turned = c.adjoint();
    multiply_left(a, taus, !adjoint, &mut turned);
    turned.adjoint()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::tests::{difference, product, random};

    #[test]
    fn factors_multiply_to_the_permuted_matrix() {
        for (rows, columns) in [(5, 5), (7, 4), (4, 7), (1, 1), (0, 3), (40, 90), (100, 70)] {
            let original = random(rows, columns);
            let mut factors = original.clone();
            let (pivots, singular) = lu(&mut factors, true);
            assert_eq!(singular, 0);
            assert_eq!(pivots, unblocked_lu(&mut original.clone(), true).0);
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
            let most = 1e-14 * exchanged.norm().max(10.0);
            assert!(difference(&product(&lower, &upper), &exchanged) < most);
            // With partial pivoting, |re| + |im| of each factor is at most 1, so its absolute value
            // is at most sqrt(2).
            assert!((0..order).all(|j| (j + 1..rows).all(|i| factors.get(i, j).norm() <= 1.4143)));
        }
        let mut singular = Matrix::of(3, 3, |i, j| Number::new((i + j) as f64, 0.0));
        assert_eq!(lu(&mut singular, true).1, 3);
        // A zero column in the middle does not stop the factorization.
        let mut gap = random(6, 6).real();
        gap.column_mut(2).fill(Number::ZERO);
        let (_, first) = lu(&mut gap, true);
        assert_eq!(first, 3);
        assert!(gap.norm().is_finite());
    }

    #[test]
    fn systems_are_solved_in_every_form() {
        let mixed = (random(6, 6), random(6, 3));
        // Real factors with a real or a complex right-hand side.
        let pairs = [(mixed.0.real(), mixed.1.real()), (mixed.0.real(), mixed.1.clone()), mixed];
        for (a, b) in pairs {
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
        for (order, at) in [(4, 2), (140, 0), (140, 64), (140, 139)] {
            for value in [-1.0, 0.0, f64::NAN] {
                for upper in [false, true] {
                    let mut bad = Matrix::identity(order, order);
                    bad.set(at, at, Number::new(value, 0.0));
                    assert_eq!(cholesky(&mut bad, upper), at + 1, "{order} {value} {upper}");
                }
            }
        }
    }

    #[test]
    fn q_is_orthogonal_and_q_times_r_is_the_matrix() {
        for (rows, columns) in [(6, 4), (4, 4), (3, 5), (1, 1)] {
            let original = random(rows, columns);
            let mut factors = original.clone();
            let taus = qr(&mut factors);
            let order = rows.min(columns);
            let q = form_q(&factors, &taus, order);
            assert!(
                difference(&product(&q.adjoint(), &q), &Matrix::identity(order, order))
                    < 1e-14 * 20.0
            );
            let r =
                Matrix::of(
                    order,
                    columns,
                    |i, j| {
                        if i <= j { factors.get(i, j) } else { Number::ZERO }
                    },
                );
            assert!(difference(&product(&q, &r), &original) < 1e-13);
        }
    }

    #[test]
    fn products_with_q_match_the_explicit_q() {
        let mut factors = random(5, 3);
        let taus = qr(&mut factors);
        let q = form_q(&factors, &taus, 5);
        let (tall, wide) = (random(5, 2), random(2, 5));
        for adjoint in [false, true] {
            let whole = if adjoint { q.adjoint() } else { q.clone() };
            let mut left = tall.clone();
            multiply_left(&factors, &taus, adjoint, &mut left);
            assert!(difference(&left, &product(&whole, &tall)) < 1e-13);
            let right = multiply_right(&factors, &taus, adjoint, &wide);
            assert!(difference(&right, &product(&wide, &whole)) < 1e-13);
        }
    }
}
