//! Expected results of built-in references, computed on the host: products of matrices and row operations, in f64 with
//! error bounds, or as integers.

use crate::references::approx::{Approx, Arithmetic, Sum};
use crate::references::data::{Data, wrap};
use crate::references::formula::{Formula, MOST_TERMS, Scene};
use crate::task::{Element, Factor, Reference};

/// The expected results of one output.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The parameter.
    pub output: usize,
    /// Indices of the computed elements in ascending order; `None` if all are.
    pub at: Option<Vec<usize>>,
    /// The expected values.
    pub right: Right,
}

/// Expected values.
#[derive(Clone, Debug)]
pub enum Right {
    /// Numbers with the errors allowed.
    Numbers(Vec<Approx>),
    /// Integers, wrapped to their type.
    Integers(Vec<i128>),
}

/// The results of some elements.
struct ComputedShare {
    right: Right,
    /// Terms of folds evaluated for them.
    terms: u64,
}

impl Reference {
    /// The expected results of a built-in reference at these elements, in ascending order, for an output of this
    /// type; `None` if the reference is a kernel or a command.
    ///
    /// # Errors
    /// If a formula has too many terms.
    pub fn at(
        &self,
        data: &Data,
        element: Element,
        arithmetic: Arithmetic,
        at: &[usize],
    ) -> Result<Option<Right>, String> {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let part = at.len().div_ceil(workers).max(1024);
        let mut numbers = Vec::with_capacity(at.len());
        let (mut integers, mut terms) = (Vec::new(), 0u64);
        let parts: Vec<Option<ComputedShare>> = std::thread::scope(|scope| {
            let start = |part| scope.spawn(move || self.part(data, element, arithmetic, part));
            let threads: Vec<_> = at.chunks(part).map(start).collect();
            threads.into_iter().map(|one| one.join().unwrap_or(None)).collect()
        });
        for part in parts {
            let Some(part) = part else { return Ok(None) };
            terms = terms.saturating_add(part.terms);
            match part.right {
                Right::Numbers(part) => numbers.extend(part),
                Right::Integers(part) => integers.extend(part),
            }
        }
        if terms > MOST_TERMS {
            return Err(format!("the formula has more than {MOST_TERMS} terms"));
        }
        Ok(Some(if element.is_float() {
            Right::Numbers(numbers)
        } else {
            Right::Integers(integers)
        }))
    }

    fn part(
        &self,
        data: &Data,
        element: Element,
        arithmetic: Arithmetic,
        at: &[usize],
    ) -> Option<ComputedShare> {
        let mut terms = 0;
        let right = match self {
            Reference::Formula { output, formula } => {
                let scene = data.scene(arithmetic);
                let shape = &data.shapes[*output];
                let right = match element.is_float() {
                    true => Right::Numbers(each(shape, at, |at| formula.approx(&scene, at))),
                    false => {
                        Right::Integers(each(shape, at, |at| wrapped(formula, &scene, at, element)))
                    }
                };
                terms = scene.terms.get();
                right
            }
            Reference::Product { output, a, b, transposed, alpha, beta } => {
                let of = Product { data, output: *output, a: *a, b: *b, transposed: *transposed };
                match element.is_float() {
                    true => {
                        let factors = [*alpha, *beta].map(|one| data.factor(one, &arithmetic));
                        let one = |at: &usize| of.element(*at, factors, &arithmetic);
                        Right::Numbers(at.iter().map(one).collect())
                    }
                    false => Right::Integers(of.integers(element, at, *alpha, *beta)),
                }
            }
            Reference::Softmax { output, input } => {
                let rows = Rows { data, input: *input, row: data.row(*output) };
                Right::Numbers(rows.each(at, &arithmetic, softmax))
            }
            Reference::Norm { output, input, weight, bias, epsilon, centered } => {
                let rows = Rows { data, input: *input, row: data.row(*output) };
                let epsilon = data.factor(*epsilon, &arithmetic);
                let normed = rows.each(at, &arithmetic, |row, arithmetic| {
                    norm(row, epsilon, *centered, arithmetic)
                });
                let of_row = |array: &Option<usize>, column: usize| {
                    array.map(|array| Approx::exact(data.values[array][column]))
                };
                let finish = |(value, at): (Approx, &usize)| {
                    let column = at % rows.row;
                    let scaled =
                        of_row(weight, column).map_or(value, |w| value.multiply(w, &arithmetic));
                    of_row(bias, column).map_or(scaled, |b| scaled.add(b, &arithmetic))
                };
                Right::Numbers(normed.into_iter().zip(at).map(finish).collect())
            }
            Reference::Scan { output, input, exclusive } => {
                let rows = Rows { data, input: *input, row: data.row(*output) };
                match element.is_float() {
                    true => Right::Numbers(rows.each(at, &arithmetic, |row, arithmetic| {
                        scan(row, *exclusive, arithmetic)
                    })),
                    false => Right::Integers(rows.scanned_integers(at, *exclusive, element)),
                }
            }
            Reference::Kernel { .. } | Reference::Command { .. } => return None,
        };
        Some(ComputedShare { right, terms })
    }
}

fn wrapped(formula: &Formula, scene: &Scene<'_>, at: &mut Vec<u64>, element: Element) -> i128 {
    wrap(formula.whole(scene, at), element)
}

/// Calls `compute` with the indices of each element.
fn each<T>(shape: &[u64], at: &[usize], mut compute: impl FnMut(&mut Vec<u64>) -> T) -> Vec<T> {
    let mut indices = vec![0; shape.len()];
    at.iter()
        .map(|flat| {
            indices.resize(shape.len(), 0);
            let mut rest = *flat as u64;
            for (index, extent) in indices.iter_mut().zip(shape).rev() {
                *index = rest % extent.max(&1);
                rest /= extent.max(&1);
            }
            compute(&mut indices)
        })
        .collect()
}

/// A matrix product.
pub struct Product<'a> {
    /// The problem's data.
    pub data: &'a Data,
    /// The output.
    pub output: usize,
    /// The first factor.
    pub a: usize,
    /// The second factor.
    pub b: usize,
    /// Whether each factor is transposed.
    pub transposed: (bool, bool),
}

impl Product<'_> {
    /// Indices of the terms of an element: first index and stride in A, first index and stride in B, and the number
    /// of terms.
    fn terms(&self, at: usize) -> ([usize; 2], [usize; 2], usize) {
        let shape = |array: usize| {
            let shape = &self.data.shapes[array];
            (shape[0] as usize, shape[1] as usize)
        };
        let (n, (of_a, of_b)) = (self.data.row(self.output).max(1), (shape(self.a), shape(self.b)));
        let (i, j) = (at / n, at % n);
        let (a, k) = match self.transposed.0 {
            true => ([i, of_a.1], of_a.0),
            false => ([i * of_a.1, 1], of_a.1),
        };
        let b = if self.transposed.1 { [j * of_b.1, 1] } else { [j, of_b.1] };
        (a, b, k)
    }

    /// An element of a floating-point product.
    pub fn element(
        &self,
        at: usize,
        [alpha, beta]: [Approx; 2],
        arithmetic: &Arithmetic,
    ) -> Approx {
        let ([a, a_step], [b, b_step], k) = self.terms(at);
        let (of_a, of_b) = (&self.data.values[self.a], &self.data.values[self.b]);
        let mut sum = Sum::new();
        let mut largest = 0f64;
        for index in 0..k {
            // Exact in f64 for factors of single precision or lower.
            let term = of_a[a + index * a_step] * of_b[b + index * b_step];
            largest = largest.max(term.abs());
            sum.add(Approx::exact(term));
        }
        // Each product is rounded once unless it is fused with the addition.
        let mut product = sum.finish(1.0, arithmetic);
        product.wild |= largest > arithmetic.format.largest();
        let product = match alpha.value {
            1.0 => product,
            _ => product.multiply(alpha, arithmetic),
        };
        match beta.value {
            0.0 => product,
            _ => {
                let before = Approx::exact(self.data.values[self.output][at]);
                product.add(before.multiply(beta, arithmetic), arithmetic)
            }
        }
    }

    /// Elements of a product of wrapping integers.
    pub fn integers(
        &self,
        element: Element,
        at: &[usize],
        alpha: Factor,
        beta: Factor,
    ) -> Vec<i128> {
        let whole = |factor: Factor| match factor {
            Factor::Parameter(number) => self.data.scalars[number].1,
            Factor::Number(value) => value as i64,
        };
        let (alpha, beta) = (whole(alpha), whole(beta));
        let (of_a, of_b) = (&self.data.integers[self.a], &self.data.integers[self.b]);
        let element_at = |at: &usize| {
            let ([a, a_step], [b, b_step], k) = self.terms(*at);
            let sum = (0..k).fold(0i64, |sum, index| {
                let term = of_a[a + index * a_step].wrapping_mul(of_b[b + index * b_step]);
                sum.wrapping_add(term)
            });
            let before = self.data.integers[self.output].get(*at).copied().unwrap_or(0);
            wrap(alpha.wrapping_mul(sum).wrapping_add(beta.wrapping_mul(before)), element)
        };
        at.iter().map(element_at).collect()
    }
}

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
