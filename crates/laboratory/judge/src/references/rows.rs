//! Expected results of row operations: softmax, norms and running sums.

use crate::element::Element;
use crate::references::approx::{Approx, Arithmetic, Sum};
use crate::references::data::{Data, wrap};

/// The rows of an array.
pub struct Rows<'a> {
    /// The problem's data.
    pub data: &'a Data,
    /// The array.
    pub input: usize,
    /// The length of a row.
    pub row: usize,
}

impl Rows<'_> {
    /// Applies `compute` to each row and returns the requested elements.
    pub fn each(
        &self,
        at: &[usize],
        arithmetic: &Arithmetic,
        compute: impl Fn(&[f64], &Arithmetic) -> Vec<Approx>,
    ) -> Vec<Approx> {
        let mut known: Option<(usize, Vec<Approx>)> = None;
        at.iter()
            .map(|at| {
                let (row, column) = (at / self.row.max(1), at % self.row.max(1));
                let held = known.take().filter(|(held, _)| *held == row);
                let (_, values) = known.insert(held.unwrap_or_else(|| {
                    let values = &self.data.values[self.input][row * self.row..][..self.row];
                    (row, compute(values, arithmetic))
                }));
                values[column]
            })
            .collect()
    }

    /// Running sums of wrapping integers.
    pub fn scanned_integers(&self, at: &[usize], exclusive: bool, element: Element) -> Vec<i128> {
        let mut known: Option<(usize, Vec<i64>)> = None;
        let one = |at: &usize| {
            let (row, column) = (at / self.row.max(1), at % self.row.max(1));
            if known.as_ref().is_none_or(|(held, _)| *held != row) {
                let values = &self.data.integers[self.input][row * self.row..][..self.row];
                let mut sum = 0i64;
                let sums = values.iter().map(|value| {
                    let before = sum;
                    sum = sum.wrapping_add(*value);
                    if exclusive { before } else { sum }
                });
                known = Some((row, sums.collect()));
            }
            wrap(known.as_ref().map_or(0, |(_, sums)| sums[column]), element)
        };
        at.iter().map(one).collect()
    }
}

/// `exp(x - max x) / sum exp(x - max x)`.
pub fn softmax(row: &[f64], arithmetic: &Arithmetic) -> Vec<Approx> {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = Sum::new();
    let terms: Vec<Approx> = row
        .iter()
        .map(|x| {
            let below = Approx::exact(*x).add(Approx::exact(-largest), arithmetic);
            let term = below.monotonic(f64::exp, arithmetic);
            sum.add(term);
            term
        })
        .collect();
    // One-pass sums are rescaled at each new maximum.
    let total = sum.finish(2.0 * row.len() as f64 + 2.0 * arithmetic.function_units, arithmetic);
    terms.into_iter().map(|term| term.divide(total, arithmetic)).collect()
}

/// `(x - mean) / sqrt(variance + epsilon)`, or without the mean.
pub fn norm(row: &[f64], epsilon: Approx, centered: bool, arithmetic: &Arithmetic) -> Vec<Approx> {
    let length = Approx::exact(row.len() as f64);
    let mean = match centered {
        false => Approx::exact(0.0),
        true => {
            let mut sum = Sum::new();
            row.iter().for_each(|x| sum.add(Approx::exact(*x)));
            sum.finish(0.0, arithmetic).divide(length, arithmetic)
        }
    };
    let center = |x: &f64| Approx::exact(*x).add(mean.minus(), arithmetic);
    let mut squares = Sum::new();
    for x in row {
        let apart = center(x);
        squares.add(apart.multiply(apart, arithmetic));
    }
    // Kernels may compute the mean of the squares minus the square of the mean, so the error bound is the one of the
    // squares.
    let mut plain = Sum::new();
    row.iter().for_each(|x| plain.add(Approx::exact(x * x)));
    let by_difference = arithmetic.gamma(row.len() as f64 + 4.0) * plain.scale;
    let mut variance = squares.finish(2.0, arithmetic);
    if centered && variance.error > 0.0 {
        variance.error = variance.error.max(by_difference);
    }
    let variance = variance.divide(length, arithmetic);
    let root = variance.add(epsilon, arithmetic).monotonic(|x| 1.0 / x.sqrt(), arithmetic);
    row.iter().map(|x| center(x).multiply(root, arithmetic)).collect()
}

/// Running sums.
pub fn scan(row: &[f64], exclusive: bool, arithmetic: &Arithmetic) -> Vec<Approx> {
    let mut sum = Sum::new();
    row.iter()
        .map(|x| {
            let before = sum.finish(0.0, arithmetic);
            sum.add(Approx::exact(*x));
            if exclusive { before } else { sum.finish(0.0, arithmetic) }
        })
        .collect()
}
