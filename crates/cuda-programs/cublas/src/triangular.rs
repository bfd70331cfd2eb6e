//! Triangular systems by substitution.

use crate::kind::{Number, add, div, mul};
use crate::matrix::Dense;

/// Which triangle of a factor there is, and on which side of the unknown it stands.
#[derive(Clone, Copy)]
pub struct Triangle {
    pub left: bool,
    pub lower: bool,
    pub unit: bool,
}

/// Solves `A X = B` or `X A = B`, X in B's place.
pub fn solve(a: &Dense, shape: Triangle, b: &mut Dense) {
    let order = a.rows;
    let Triangle { left, lower, unit } = shape;
    let factor = |row: usize, column: usize| a.elements[row * a.columns + column];
    // From the left, an unknown of a lower triangle needs those above it; from the right, those after it.
    let forwards = lower == left;
    let others = if left { b.columns } else { b.rows };
    for other in 0..others {
        let place = |index: usize| match left {
            true => index * b.columns + other,
            false => other * b.columns + index,
        };
        for step in 0..order {
            let index = if forwards { step } else { order - 1 - step };
            let mut rest: Number = b.elements[place(index)];
            for known in (0..step).map(|step| if forwards { step } else { order - 1 - step }) {
                let coefficient = if left { factor(index, known) } else { factor(known, index) };
                let [re, im] = mul(coefficient, b.elements[place(known)]);
                rest = add(rest, [-re, -im]);
            }
            b.elements[place(index)] = if unit { rest } else { div(rest, factor(index, index)) };
        }
    }
}
