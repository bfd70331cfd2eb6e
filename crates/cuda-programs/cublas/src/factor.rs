//! Factors of square matrices: LU with partial pivoting, what is solved and inverted with it, and QR by Householder's reflections (LAPACK's
//! `getrf`, `getrs`, `getri` and `geqrf`, unblocked). Elements are in double precision here, and rounded once where they are stored.

use crate::kind::{Number, add, div, mul};
use crate::matrix::Dense;

fn minus(a: Number) -> Number {
    [-a[0], -a[1]]
}

/// The measure by which LAPACK chooses pivots.
fn size(a: Number) -> f64 {
    a[0].abs() + a[1].abs()
}

impl Dense {
    fn get(&self, row: usize, column: usize) -> Number {
        self.elements[row * self.columns + column]
    }

    fn set(&mut self, row: usize, column: usize, value: Number) {
        self.elements[row * self.columns + column] = value;
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        for column in 0..self.columns {
            self.elements.swap(a * self.columns + column, b * self.columns + column);
        }
    }
}

/// Factors A in its place: rows that were exchanged, each with the one after it, and the number from 1 of the first pivot that is 0, or 0.
pub fn lu(a: &mut Dense, pivoting: bool) -> (Vec<usize>, usize) {
    let order = a.rows;
    let (mut pivots, mut singular) = (Vec::new(), 0);
    for step in 0..order {
        let mut pivot = step;
        for row in step + 1..if pivoting { order } else { step } {
            if size(a.get(row, step)) > size(a.get(pivot, step)) {
                pivot = row;
            }
        }
        pivots.push(pivot);
        if a.get(pivot, step) == [0.0; 2] {
            singular = if singular == 0 { step + 1 } else { singular };
            continue;
        }
        a.swap_rows(step, pivot);
        for row in step + 1..order {
            let factor = div(a.get(row, step), a.get(step, step));
            a.set(row, step, factor);
            for column in step + 1..order {
                let less = mul(factor, a.get(step, column));
                a.set(row, column, add(a.get(row, column), minus(less)));
            }
        }
    }
    (pivots, singular)
}

/// The inverse, by the factors and the exchanges. Where a pivot is 0 it is divided by all the same, so that the result holds infinities or
/// NaNs, by which programs that do not read `info` tell that there is no inverse.
pub fn inverse(factors: &Dense, pivots: &[usize]) -> Dense {
    let order = factors.rows;
    let mut result = identity(order);
    for (row, pivot) in pivots.iter().enumerate() {
        result.swap_rows(row, *pivot);
    }
    for column in 0..order {
        for row in 0..order {
            let known = (0..row).map(|k| mul(factors.get(row, k), result.get(k, column)));
            let sum = known.fold(result.get(row, column), |sum, term| add(sum, minus(term)));
            result.set(row, column, sum);
        }
        for row in (0..order).rev() {
            let known = (row + 1..order).map(|k| mul(factors.get(row, k), result.get(k, column)));
            let sum = known.fold(result.get(row, column), |sum, term| add(sum, minus(term)));
            result.set(row, column, div(sum, factors.get(row, row)));
        }
    }
    result
}

fn identity(order: usize) -> Dense {
    let mut result = Dense { rows: order, columns: order, elements: vec![[0.0; 2]; order * order] };
    (0..order).for_each(|index| result.set(index, index, [1.0, 0.0]));
    result
}

/// Factors A in its place to R and, below it, the vectors of the reflections, whose scales are the result.
pub fn qr(a: &mut Dense) -> Vec<Number> {
    let steps = a.rows.min(a.columns);
    (0..steps).map(|step| reflect(a, step)).collect()
}

/// One reflection, which makes a column's elements below the diagonal 0 (LAPACK's `larfg`), and the columns behind it with its conjugate.
fn reflect(a: &mut Dense, step: usize) -> Number {
    let first = a.get(step, step);
    let below = (step + 1..a.rows).flat_map(|row| a.get(row, step)).map(|part| part * part);
    let below = below.sum::<f64>().sqrt();
    if below == 0.0 && first[1] == 0.0 {
        return [0.0; 2];
    }
    let length = first[0].hypot(first[1]).hypot(below);
    let diagonal = if first[0] >= 0.0 { -length } else { length };
    let tau = [(diagonal - first[0]) / diagonal, -first[1] / diagonal];
    let scale = div([1.0, 0.0], [first[0] - diagonal, first[1]]);
    for row in step + 1..a.rows {
        a.set(row, step, mul(scale, a.get(row, step)));
    }
    a.set(step, step, [diagonal, 0.0]);
    let conjugate = |[re, im]: Number| [re, -im];
    for column in step + 1..a.columns {
        let vector = |row: usize| if row == step { [1.0, 0.0] } else { a.get(row, step) };
        let terms = (step..a.rows).map(|row| mul(conjugate(vector(row)), a.get(row, column)));
        let dot = mul(conjugate(tau), terms.fold([0.0; 2], add));
        let less: Vec<Number> = (step..a.rows).map(|row| minus(mul(vector(row), dot))).collect();
        for (row, less) in (step..a.rows).zip(less) {
            a.set(row, column, add(a.get(row, column), less));
        }
    }
    tau
}
