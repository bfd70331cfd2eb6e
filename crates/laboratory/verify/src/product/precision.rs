//! Results of lower precision than f32: distinguished from wrong results, and from right ones with equally large
//! rounding errors.
//!
//! Each assumption (A, B or both were rounded to TF32, bf16 or fp16) predicts the error of every element, since the
//! inputs are known. There are two tests:
//!
//! - *By the bound*: a result that no order of f32 additions of these inputs produces, but some order with the
//!   rounded inputs does, element by element.
//! - *By the errors*: a result within the bound whose errors contain the predicted ones, by a regression over a
//!   sample ([`super::evidence`]). Correct sums have errors, too: they grow like the root of the number of terms if the
//!   terms have either sign, and up to their number if they have one sign (N. J. Higham and T. Mary, "A New Approach to
//!   Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 41, 2019); but these are not correlated with the
//!   losses of the inputs.
//!
//! Errors that follow no assumption are reported if they exceed that random walk, for inputs whose roundings can be
//! one. Limits: inputs of few different values are judged only by the bound, since all their errors are correlated.

use super::evidence::{
    Evidence, beside, distinct, dominated, evidence, is_generic, norm, rms, small_terms,
};
use super::sample::{Known, Product, Sample, Wrong};
use crate::bound::UNIT_F32;
use crate::host::Format;

/// The operands that an assumption rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Both,
    A,
    B,
}

/// A product as it would be in lower precision.
struct Assumption {
    format: Format,
    which: Which,
    /// The elements of the sample.
    values: Vec<f64>,
    /// Size of the predicted errors, without components like systematic roundings.
    size: f64,
}

/// A sample with its results in lower precision.
pub struct Expectations {
    /// The sample.
    pub sample: Sample,
    assumptions: Vec<Assumption>,
    /// Whether both inputs have many different values.
    generic: bool,
    /// The most that sums can lose of small terms.
    lost: f64,
}

impl Expectations {
    /// The expectations for a sample.
    pub fn of(sample: Sample) -> Self {
        let round = |x: &[f64], format: Format| -> Vec<f64> {
            x.iter().map(|&x| f64::from(format.round(x as f32))).collect()
        };
        let mut assumptions = Vec::new();
        for format in Format::ALL {
            let (a, b) = (round(&sample.a, format), round(&sample.b, format));
            for (which, values) in [
                (Which::Both, sample.with(&a, &b)),
                (Which::A, sample.with(&a, &sample.b)),
                (Which::B, sample.with(&sample.a, &b)),
            ] {
                let size = beside_systematic(&sample, &sample.relative(&values));
                assumptions.push(Assumption { format, which, values, size });
            }
        }
        let generic = [&sample.a, &sample.b].iter().all(|x| is_generic(x, sample.terms));
        let lost = small_terms(&sample);
        Expectations { sample, assumptions, generic, lost }
    }

    /// Assumptions with the errors that remain; the best one and equally good ones are reported.
    fn best<'a>(&self, found: &[(f64, &'a Assumption)]) -> Option<(String, &'a Assumption)> {
        let (least, best) = found.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        let mut names: Vec<&str> = Vec::new();
        for (left, assumed) in found {
            let name = assumed.format.name();
            if *left <= 1.1 * least && assumed.which == best.which && !names.contains(&name) {
                names.push(name);
            }
        }
        let inputs = match best.which {
            Which::Both => "the inputs",
            Which::A => "A, but not B,",
            Which::B => "B, but not A,",
        };
        Some((format!("as if {inputs} had been {}", names.join(" or ")), best))
    }
}

/// Certainty required of a cause. It may be this low because there are few regressions and the errors of sums have
/// short tails.
const CERTAIN: f64 = 8.0;
/// The fewest elements of a sample for a regression.
const ENOUGH: usize = 64;

/// The lower precision that explains the errors of a result within its bound, in words.
pub fn told_by_errors(
    product: &Product<'_>,
    expected: &Expectations,
    errors: &[f64],
    got: &[f32],
) -> Option<String> {
    let Expectations { sample, lost, .. } = expected;
    if norm(errors) == 0.0 || !expected.generic {
        return None;
    }
    let walk = (sample.terms as f64).sqrt() * UNIT_F32;
    // A cause larger than the errors cannot explain them.
    let possible = |assumed: &&Assumption| norm(errors) >= 0.7 * assumed.size;
    let found: Vec<(f64, &Assumption)> = expected
        .assumptions
        .iter()
        .filter(possible)
        .filter_map(|assumed| {
            let cause = sample.relative(&assumed.values);
            let Evidence { slope, certainty, left } = against_systematic(sample, errors, &cause);
            // Errors below the rounding of the result are negligible.
            if rms(&cause) < UNIT_F32 / 2.0 {
                return None;
            }
            let by_many = errors.len() >= ENOUGH
                && (slope - 1.0).abs() <= 0.25
                && certainty >= CERTAIN
                && left < 1.0;
            let by_size = left <= 1.0 / 16.0 && rms(errors) > 0.5 * walk + lost;
            (by_many || by_size).then_some((left, assumed))
        })
        .collect();
    if let Some((words, best)) = expected.best(&found) {
        let rest: Vec<f64> = sample.relative(&best.values);
        let rest: Vec<f64> = errors.iter().zip(rest).map(|(e, c)| e - c).collect();
        return Some(format!(
            "{words}: errors of {:.1e} of the sums' scale match this loss; without it, {:.1e} is left",
            rms(errors),
            rms(&rest)
        ));
    }
    if let Some(words) = rounded_results(product, sample, got) {
        return Some(words);
    }
    // The random walk assumes independent roundings of sums as large as the scale. In a small sample, most errors
    // may be large by chance.
    let usual = (1.0 + 2.0 / (errors.len() as f64).sqrt()) * walk + lost;
    if sample.terms < 16 || rms(errors) <= usual {
        return None;
    }
    let of_products = [Format::Bf16, Format::F16].into_iter().find(|format| {
        let cause = sample.relative(&rounded_products(sample, *format));
        against_systematic(sample, errors, &cause).left <= 0.25
    });
    Some(match of_products {
        Some(format) => format!("as if each product had been {}", format.name()),
        None => format!(
            "errors of {:.1e} of the sums' scale, where f32 roundings of {} terms give {usual:.1e} at most",
            rms(errors),
            sample.terms
        ),
    })
}

/// The evidence for a cause, without systematic roundings.
pub fn against_systematic(sample: &Sample, errors: &[f64], cause: &[f64]) -> Evidence {
    let [ones, signed] = systematic(sample);
    evidence(errors, cause, &[&ones, &signed], sample.cols.len())
}

/// The size of errors without systematic ones.
fn beside_systematic(sample: &Sample, errors: &[f64]) -> f64 {
    let [ones, signed] = systematic(sample);
    norm(&beside(errors, &[&ones, &signed]))
}

/// Errors proportional to the scale and to the result, relative to the scale.
fn systematic(sample: &Sample) -> [Vec<f64>; 2] {
    let signed: Vec<f64> = sample
        .reference
        .iter()
        .zip(&sample.scale)
        .map(|(reference, scale)| reference / scale)
        .map(|part| if part.is_finite() { part } else { 0.0 })
        .collect();
    [vec![1.0; signed.len()], signed]
}

/// The lower precision in which every element would be within its bound, in words.
pub fn told_by_bound(
    product: &Product<'_>,
    known: &Known,
    expected: &Expectations,
    got: &[f32],
    wrong: &[Wrong],
) -> Option<String> {
    let sample = &expected.sample;
    let (bound, results) = (product.bound(), sample.results(product, got));
    let errors = sample.relative(&results);
    let left_by = |values: &[f64]| {
        let places = results.iter().zip(values).zip(&sample.scale);
        let explained = places
            .into_iter()
            .all(|((&got, &value), scale)| bound.accepts(got, value, 1.02 * scale));
        let cause = sample.relative(values);
        let left: Vec<f64> = errors.iter().zip(cause).map(|(e, c)| e - c).collect();
        explained.then(|| norm(&left)).filter(|left| *left <= 0.5 * norm(&errors))
    };
    let found: Vec<(f64, &Assumption)> = expected
        .assumptions
        .iter()
        .filter_map(|assumed| Some((left_by(&assumed.values)?, assumed)))
        .collect();
    if let Some((words, best)) = expected.best(&found)
        && best.explains_all(product, known, got, wrong)
    {
        return Some(words);
    }
    for format in [Format::Bf16, Format::F16] {
        if left_by(&rounded_products(sample, format)).is_some() {
            return Some(format!("as if each product had been {}", format.name()));
        }
    }
    None
}

impl Assumption {
    /// Whether every known element and every wrong one is within the bound of the rounded inputs.
    fn explains_all(
        &self,
        product: &Product<'_>,
        known: &Known,
        got: &[f32],
        wrong: &[Wrong],
    ) -> bool {
        let ((_, n, _), (_, _, ldc)) = (product.extents, product.leading);
        let round = |x: &[f32], rounds: bool| -> Vec<f32> {
            x.iter().map(|&x| if rounds { self.format.round(x) } else { x }).collect()
        };
        let (a, b) =
            (round(product.a, self.which != Which::B), round(product.b, self.which != Which::A));
        let rounded = Product { a: &a, b: &b, ..*product };
        let mut rows = known.rows.clone();
        rows.extend(wrong.iter().map(|one| one.row));
        rows.sort_unstable();
        rows.dedup();
        let bound = product.bound();
        let Known { rows, values, scales } = rounded.known_rows(rows);
        (0..values.len()).all(|index| {
            let result = f64::from(got[rows[index / n] * ldc + index % n]);
            bound.accepts(result, values[index], 1.02 * scales[index])
        })
    }
}

/// The sample with every product rounded before it is added.
fn rounded_products(sample: &Sample, format: Format) -> Vec<f64> {
    let lines = sample.a.chunks(sample.terms.max(1));
    let dot = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(format.round((a * b) as f32))).sum()
    };
    let sums = lines.flat_map(|a| sample.b.chunks(sample.terms.max(1)).map(move |b| dot(a, b)));
    sums.zip(&sample.before).map(|(sum, before)| sample.alpha * sum + before).collect()
}

/// Whether a narrower format represents every result of the sample, with errors as large as one rounding to it. f32
/// sums do not have this property by chance.
pub fn rounded_results(product: &Product<'_>, sample: &Sample, got: &[f32]) -> Option<String> {
    let results = sample.results(product, got);
    [(Format::Bf16, "a bf16"), (Format::F16, "an fp16")].into_iter().find_map(|(format, name)| {
        let holds = |x: f64| format.holds(x as f32);
        if results.len() < 16 || !results.iter().all(|&x| x.is_finite() && holds(x)) {
            return None;
        }
        // Small integers are exact in every format, right or wrong.
        let others = sample.reference.iter().filter(|reference| !holds(**reference)).count();
        let told = 2 * others > results.len()
            && distinct(results.iter().map(|&x| (x as f32).to_bits() & 0x7F_FFFF)) >= 8
            && !dominated(sample);
        // The error of a result rounded once is uniform within half a unit; errors of sums are larger.
        let of_unit: Vec<f64> = results
            .iter()
            .zip(&sample.reference)
            .filter(|(result, _)| **result != 0.0)
            .map(|(result, reference)| (result - reference) / format.spacing(*result))
            .collect();
        (told && rms(&of_unit) > 0.2).then(|| {
            format!("every result is exactly {name} number: sums or results were computed in that format")
        })
    })
}
