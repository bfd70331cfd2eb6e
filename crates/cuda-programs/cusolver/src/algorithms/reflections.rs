//! QR factorization by Householder reflections, Q as a matrix, and products with Q (LAPACK's `geqrf`, `orgqr` and `ormqr`, unblocked).

use crate::matrix::{Matrix, Number};

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
