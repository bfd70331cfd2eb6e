//! Compares the outputs of a run with the expected ones: every element within its tolerance, at the promised
//! precision.
//!
//! Errors show a result of lower precision than promised. Rounding the known inputs to TF32, bf16 or fp16 predicts the
//! error of every element. If the errors of a result match the prediction, the kernel rounded its inputs. If every
//! element is representable in a narrower format, it rounded results or sums. Single-precision matrix products also go
//! through the tests of `lanework_lab`, which find less.
//!
//! Limits: only random numbers are tested, with at least [`ENOUGH`] elements.

use crate::candidates::run::Results;
use crate::problems::prepared::{Prepared, Ready};
use crate::problems::problem::{Argument, Problem};
use crate::references::approx::Arithmetic;
use crate::references::data::Data;
use crate::references::expected::Right;
use crate::task::{Element, Factor, Reference, Task, Values};
use crate::verdict::{Closeness, Compared, Reason};
use lanework_lab::{Format, Rejection};

/// Compares all outputs.
///
/// # Errors
/// The first wrong element.
pub fn compare(task: &Task, prepared: &Prepared, results: &Results) -> Result<Closeness, Reason> {
    let mut all = Closeness::default();
    for expected in &prepared.expected {
        let output = expected.output;
        let parameter = &task.parameters[output];
        let Argument::Array { shape, .. } = &prepared.problem.arguments[output] else { continue };
        let held = results.iter().find(|(number, _)| *number == output);
        let bytes = held.map_or(&[][..], |(_, bytes)| bytes);
        if bytes.len() as u64 != prepared.problem.arguments[output].bytes() {
            continue;
        }
        let result = Compared { name: &parameter.name, element: parameter.element, shape, bytes };
        match result.with(expected) {
            Ok(closeness) => all = add(all, closeness),
            Err(found) => {
                let why = format!(
                    "{} of {} elements of `{}` are wrong",
                    found.wrong, found.of, parameter.name
                );
                return Err(Reason {
                    problem: Some(prepared.problem.record()),
                    counterexample: Some(found),
                    ..Reason::new("wrong", why)
                });
            }
        }
    }
    Ok(all)
}

fn add(a: Closeness, b: Closeness) -> Closeness {
    Closeness {
        elements: a.elements + b.elements,
        tolerance_used: a.tolerance_used.max(b.tolerance_used),
        max_relative: a.max_relative.max(b.max_relative),
    }
}

/// Merges the accuracy of one comparison into the total.
pub fn merge(all: &mut Option<Closeness>, one: Closeness) {
    *all = Some(all.map_or(one, |all| add(all, one)));
}

/// Describes the lower precision of the results, if the problem's values can reveal it.
pub fn lower_precision(ready: &Ready<'_>, problem: &Problem, results: &Results) -> Option<String> {
    if !is_conclusive(problem.kind) {
        return None;
    }
    detect(ready.task, problem, results, &|element| ready.arithmetic(element))
}

/// Minimum number of elements for a conclusive prediction.
const ENOUGH: usize = 32;

/// Whether values of this kind can reveal a lower precision.
pub fn is_conclusive(kind: Values) -> bool {
    matches!(kind, Values::Uniform | Values::Normal | Values::Positive | Values::Spread)
}

/// Describes the lower precision of a result, if any.
pub fn detect(
    task: &Task,
    problem: &Problem,
    results: &Results,
    arithmetic: &dyn Fn(Element) -> Arithmetic,
) -> Option<String> {
    let order: Vec<String> = task.extents.iter().map(|extent| extent.name.clone()).collect();
    let plain = Data::of(problem, &order, &|x| x);
    for (output, bytes) in results {
        let element = task.parameters[*output].element;
        if element != Element::F32 {
            continue;
        }
        let Some(reference) = task.references.iter().find(|one| one.output() == Some(*output))
        else {
            continue;
        };
        let got = element.read_all(bytes);
        let at: Vec<usize> = (0..got.len()).step_by(got.len().div_ceil(1 << 14).max(1)).collect();
        let got: Vec<f64> = at.iter().map(|at| got[*at]).collect();
        let values = |data: &Data| match reference.at(data, element, arithmetic(element), &at) {
            Ok(Some(Right::Numbers(numbers))) => {
                Some(numbers.iter().map(|one| one.value).collect::<Vec<f64>>())
            }
            _ => None,
        };
        let right = values(&plain)?;
        if let Some(words) = narrow(&got, &right) {
            return Some(words);
        }
        for format in Format::ALL {
            let data = Data::of(problem, &order, &|x| f64::from(format.round(x as f32)));
            if follows(&got, &right, &values(&data)?) {
                return Some(format!("as if the inputs had been {}", format.name()));
            }
        }
        if let Some(words) = of_product(task, problem, reference, bytes) {
            return Some(words);
        }
    }
    None
}

/// Whether all results are representable in a narrower format while the expected ones are not.
fn narrow(got: &[f64], right: &[f64]) -> Option<String> {
    for format in [Format::F16, Format::Bf16, Format::Tf32] {
        let holds = |x: f64| format.holds(x as f32);
        let conclusive: Vec<f64> = got
            .iter()
            .zip(right)
            .filter(|(got, right)| got.is_finite() && right.is_finite() && !holds(**right))
            .map(|(got, _)| *got)
            .collect();
        if conclusive.len() >= ENOUGH && conclusive.iter().all(|x| holds(*x)) {
            return Some(format!("every result is {}", format.name()));
        }
    }
    None
}

/// Whether the errors of a result match those that `assumed` predicts.
fn follows(got: &[f64], right: &[f64], assumed: &[f64]) -> bool {
    let (mut explained, mut size, mut predicted, mut count) = (0.0, 0.0, 0.0, 0);
    for ((got, right), assumed) in got.iter().zip(right).zip(assumed) {
        if !(got.is_finite() && right.is_finite() && assumed.is_finite()) {
            continue;
        }
        let scale = right.abs().max(f64::MIN_POSITIVE);
        let (error, cause) = ((got - right) / scale, (assumed - right) / scale);
        if error.abs() > 1.0 || cause.abs() > 1.0 {
            continue;
        }
        explained += (error - cause) * (error - cause);
        size += error * error;
        predicted += cause * cause;
        count += usize::from(cause.abs() > 16.0 * Element::F32.unit());
    }
    count >= ENOUGH && predicted > 0.0 && explained <= 0.25 * size && explained <= 0.25 * predicted
}

/// Runs the tests for matrix products.
fn of_product(
    task: &Task,
    problem: &Problem,
    reference: &Reference,
    bytes: &[u8],
) -> Option<String> {
    let Reference::Product { output, a, b, transposed: (false, false), alpha, beta } = reference
    else {
        return None;
    };
    let single = |number: &usize| task.parameters[*number].element == Element::F32;
    if ![a, b, output].into_iter().all(single) {
        return None;
    }
    let floats = |bytes: &[u8]| -> Vec<f32> {
        let word = |one: &[u8]| f32::from_le_bytes([one[0], one[1], one[2], one[3]]);
        bytes.chunks_exact(4).map(word).collect()
    };
    let array = |number: usize| match &problem.arguments[number] {
        Argument::Array { shape, before, .. } => Some((shape, floats(before))),
        Argument::Scalar { .. } => None,
    };
    let factor = |factor: &Factor| match factor {
        Factor::Number(value) => *value as f32,
        Factor::Parameter(number) => match &problem.arguments[*number] {
            Argument::Scalar { value, .. } => *value as f32,
            Argument::Array { .. } => 1.0,
        },
    };
    let ((of_a, a), (of_b, b), (_, c)) = (array(*a)?, array(*b)?, array(*output)?);
    let (m, k, n) = (of_a[0] as usize, of_a[1] as usize, of_b[1] as usize);
    if m * n < ENOUGH || k == 0 {
        return None;
    }
    let product = lanework_lab::Product {
        extents: (m, n, k),
        leading: (k, n, n),
        alpha: factor(alpha),
        beta: factor(beta),
        a: &a,
        b: &b,
        c: if factor(beta) == 0.0 { &[] } else { &c },
    };
    match product.compare(&product.reference(), &floats(bytes)) {
        Err(Rejection::LowerPrecision(why)) => Some(why),
        _ => None,
    }
}
