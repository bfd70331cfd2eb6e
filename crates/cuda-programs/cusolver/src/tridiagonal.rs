//! The tridiagonal form of a Hermitian matrix by Householder reflections from both sides (LAPACK's `sytrd` and `hetrd`, unblocked): A = Q T
//! Q* with a real T. The reflections stay in the stored triangle, outside the off-diagonal next to the main one.

use crate::algorithms::factor::reflection;
use crate::dense::{WORK, call, is_upper};
use crate::handle::stream;
use crate::matrix::{DeviceMatrix, Matrix, Number};
use crate::operations::Call;
use crate::{Result, Status, matrix};
use lanework_standin::{Out, calls, store, submit};

/// A tridiagonal matrix, and the scales of the reflections that produce it.
struct Tridiagonal {
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    taus: Vec<Number>,
}

/// Reduces a Hermitian matrix to tridiagonal form in place; reads and writes one triangle.
fn tridiagonal(a: &mut Matrix, upper: bool) -> Tridiagonal {
    let (order, steps) = (a.rows, a.rows.saturating_sub(1));
    let mut result = Tridiagonal {
        diagonal: vec![0.0; order],
        beside: vec![0.0; steps],
        taus: vec![Number::ZERO; steps],
    };
    for at in 0..steps {
        // The upper triangle is reduced from its last column on: each reflection acts on the rows before it.
        let (step, column, pivot, part) = match upper {
            false => (at, at, at + 1, at + 1..order),
            true => (steps - 1 - at, order - 1 - at, order - 2 - at, 0..order - 1 - at),
        };
        let rest = if upper { 0..pivot } else { pivot + 1..order };
        let first = a.get(pivot, column);
        let (beside, tau) = reflection(first, &mut a.column_mut(column)[rest]);
        a.set(pivot, column, Number::ONE);
        let vector = a.column(column)[part.clone()].to_vec();
        both_sides(a, part.start, &vector, tau, upper);
        a.set(pivot, column, Number::new(beside, 0.0));
        (result.beside[step], result.taus[step]) = (beside, tau);
    }
    for at in 0..order {
        let real = a.get(at, at).re;
        a.set(at, at, Number::new(real, 0.0));
        result.diagonal[at] = real;
    }
    result
}

/// Applies a reflection from both sides to a diagonal block of a Hermitian matrix: it starts at a row and has the vector's
/// length.
fn both_sides(a: &mut Matrix, start: usize, vector: &[Number], tau: Number, upper: bool) {
    let order = vector.len();
    let counts = |i: usize, j: usize| if upper { i <= j } else { i >= j };
    let element = |i: usize, j: usize| match i == j {
        true => Number::new(a.get(start + i, start + i).re, 0.0),
        false if counts(i, j) => a.get(start + i, start + j),
        false => a.get(start + j, start + i).conj(),
    };
    let row = |i: usize| (0..order).map(|j| element(i, j) * vector[j]).sum::<Number>() * tau;
    let mut beside: Vec<Number> = (0..order).map(row).collect();
    let dot: Number = beside.iter().zip(vector).map(|(w, v)| w.conj() * v).sum();
    let share = tau * dot * -0.5;
    beside.iter_mut().zip(vector).for_each(|(w, v)| *w += share * v);
    for j in 0..order {
        for i in (0..order).filter(|i| counts(*i, j)) {
            let less = vector[i] * beside[j].conj() + beside[i] * vector[j].conj();
            a.set(start + i, start + j, a.get(start + i, start + j) - less);
        }
    }
}

/// Reduces a device matrix to tridiagonal form.
fn sytrd(call: Call, upper: bool, a: DeviceMatrix, [diagonal, beside, tau]: [usize; 3]) -> Result {
    submit(call.stream, move || {
        let mut whole = a.load(call.element, "A")?;
        let found = tridiagonal(&mut whole, upper);
        a.store(call.element, &whole, "A")?;
        let real = [(diagonal, &found.diagonal, "D"), (beside, &found.beside, "E")];
        for (at, values, name) in real {
            let values = Matrix::column_of(values);
            DeviceMatrix::vector(at, values.rows).store(call.element.real(), &values, name)?;
        }
        let taus = Matrix::of(found.taus.len(), 1, |row, _| found.taus[row]);
        DeviceMatrix::vector(tau, taus.rows).store(call.element, &taus, "tau")?;
        call.store_info(0)
    })
}

macro_rules! tridiagonal {
    ($($element:ident: $sytrd_size:ident $sytrd:ident;)*) => {
        calls! { "cuSOLVER", Status; $(
            fn $sytrd_size(handle: usize, _fill: i32, _n: i32, _a: usize, _lda: i32, _d: usize, _e: usize, _tau: usize, to: Out<'_, i32>) {
                stream(handle)?;
                store(to, WORK)
            }
            fn $sytrd(handle: usize, fill: i32, n: i32, a: usize, lda: i32, d: usize, e: usize, tau: usize, _work: usize, _length: i32, info: usize) {
                let a = DeviceMatrix::square(a, n.into(), lda.into())?;
                sytrd(call(matrix::$element, handle, info)?, is_upper(fill)?, a, [d, e, tau])
            }
        )* }
    };
}

tridiagonal! {
    S: cusolverDnSsytrd_bufferSize cusolverDnSsytrd;
    D: cusolverDnDsytrd_bufferSize cusolverDnDsytrd;
    C: cusolverDnChetrd_bufferSize cusolverDnChetrd;
    Z: cusolverDnZhetrd_bufferSize cusolverDnZhetrd;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::tests::{difference, product, random};

    /// The product of the reflections that a triangle stores, each applied to all rows.
    fn q(a: &Matrix, taus: &[Number], upper: bool) -> Matrix {
        let order = a.rows;
        let mut q = Matrix::identity(order, order);
        for step in 0..taus.len() {
            let step = if upper { taus.len() - 1 - step } else { step };
            let vector = Matrix::of(order, 1, |row, _| match upper {
                false if row > step + 1 => a.get(row, step),
                true if row < step => a.get(row, step + 1),
                _ if row == (if upper { step } else { step + 1 }) => Number::ONE,
                _ => Number::ZERO,
            });
            let outer = product(&vector, &vector.adjoint());
            let mut reflection = Matrix::identity(order, order);
            for column in 0..order {
                for row in 0..order {
                    let less = taus[step] * outer.get(row, column);
                    reflection.set(row, column, reflection.get(row, column) - less);
                }
            }
            q = product(&q, &reflection);
        }
        q
    }

    #[test]
    fn q_t_q_adjoint_is_the_matrix() {
        for order in [0, 1, 2, 5, 8] {
            let any = random(order, order);
            let whole = Matrix::of(order, order, |i, j| any.get(i, j) + any.get(j, i).conj());
            for upper in [false, true] {
                let counts = |i: usize, j: usize| if upper { i <= j } else { i >= j };
                let other = Number::new(7e9, -7e9);
                let pick = |i, j| if counts(i, j) { whole.get(i, j) } else { other };
                let mut reduced = Matrix::of(order, order, pick);
                let found = tridiagonal(&mut reduced, upper);
                let untouched = Matrix::of(order, order, |i, j| match counts(i, j) {
                    true => Number::ZERO,
                    false => reduced.get(i, j) - other,
                });
                assert_eq!(untouched.norm(), 0.0);
                let t = Matrix::of(order, order, |i, j| match i.abs_diff(j) {
                    0 => Number::new(found.diagonal[i], 0.0),
                    1 => Number::new(found.beside[i.min(j)], 0.0),
                    _ => Number::ZERO,
                });
                let q = q(&reduced, &found.taus, upper);
                assert!(difference(&product(&product(&q, &t), &q.adjoint()), &whole) < 1e-12);
            }
        }
    }
}
