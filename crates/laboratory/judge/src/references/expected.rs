//! Expected results of built-in references, computed on the host: in f64 with error bounds, or as integers.

use crate::element::Element;
use crate::references::approx::{Approx, Arithmetic};
use crate::references::data::{Data, wrap};
use crate::references::formula::{Formula, Scene};
use crate::references::product::Product;
use crate::references::rows::{Rows, norm, scan, softmax};
use crate::task::Reference;

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

impl Reference {
    /// The expected results of a built-in reference at these elements, in ascending order, for an output of this
    /// type; `None` if the reference is a kernel or a command.
    pub fn at(
        &self,
        data: &Data,
        element: Element,
        arithmetic: Arithmetic,
        at: &[usize],
    ) -> Option<Right> {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let part = at.len().div_ceil(workers).max(1024);
        let mut numbers = Vec::with_capacity(at.len());
        let mut integers = Vec::new();
        let parts: Vec<Option<Right>> = std::thread::scope(|scope| {
            let start = |part| scope.spawn(move || self.part(data, element, arithmetic, part));
            let threads: Vec<_> = at.chunks(part).map(start).collect();
            threads.into_iter().map(|one| one.join().unwrap_or(None)).collect()
        });
        for part in parts {
            match part? {
                Right::Numbers(part) => numbers.extend(part),
                Right::Integers(part) => integers.extend(part),
            }
        }
        Some(if element.is_float() { Right::Numbers(numbers) } else { Right::Integers(integers) })
    }

    fn part(
        &self,
        data: &Data,
        element: Element,
        arithmetic: Arithmetic,
        at: &[usize],
    ) -> Option<Right> {
        Some(match self {
            Reference::Formula { output, formula } => {
                let scene = data.scene(arithmetic);
                let shape = &data.shapes[*output];
                match element.is_float() {
                    true => Right::Numbers(each(shape, at, |at| formula.approx(&scene, at))),
                    false => {
                        Right::Integers(each(shape, at, |at| wrapped(formula, &scene, at, element)))
                    }
                }
            }
            Reference::Product { output, a, b, transposed, alpha, beta } => {
                let of = Product { data, output: *output, a: *a, b: *b, transposed: *transposed };
                if !element.is_float() {
                    return Some(Right::Integers(of.integers(element, at, *alpha, *beta)));
                }
                let factors = [*alpha, *beta].map(|one| data.factor(one, &arithmetic));
                Right::Numbers(at.iter().map(|at| of.element(*at, factors, &arithmetic)).collect())
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
        })
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
