//! Properties of a sample's data, and how well an assumed cause explains its errors: a linear regression of the errors on
//! the cause's predicted contribution to each element.
//!
//! The right cause has slope 1. Its standard error is robust to errors that whole rows or columns share (clustered
//! standard errors: K.-Y. Liang and S. L. Zeger, "Longitudinal Data Analysis Using Generalized Linear Models",
//! Biometrika 73, 1986). Errors proportional to the result or to its scale, as from systematic roundings of data of
//! one sign, are projected out first (R. Frisch and F. V. Waugh, Econometrica 1, 1933), so that they support no
//! cause.

use super::sample::Sample;
use crate::bound::UNIT_F32;

/// Result of a regression.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// The share of the cause in the errors: 1 for the true cause.
    pub slope: f64,
    /// The slope over its standard error.
    pub certainty: f64,
    /// Errors that remain without the cause (slope 1), relative to their Euclidean norm.
    pub left: f64,
}

/// Regresses `errors` on `cause`, both of a sample with rows of `cols` elements, after projecting out `others`.
pub fn evidence(errors: &[f64], cause: &[f64], others: &[&[f64]], cols: usize) -> Evidence {
    let size = norm(errors).max(f64::MIN_POSITIVE);
    let left = errors.iter().zip(cause).map(|(e, c)| (e - c) * (e - c)).sum::<f64>().sqrt() / size;
    let base = basis(others);
    let (e, c) = (without(errors, &base), without(cause, &base));
    let power = dot(&c, &c);
    if norm(&c) <= 1e-6 * norm(cause) || power == 0.0 {
        return Evidence { slope: 0.0, certainty: 0.0, left };
    }
    let slope = dot(&e, &c) / power;
    let scores: Vec<f64> = e.iter().zip(&c).map(|(e, c)| (e - slope * c) * c).collect();
    let mut of_cols = vec![0.0; cols];
    let mut of_rows = Vec::new();
    for row in scores.chunks(cols.max(1)) {
        of_rows.push(row.iter().sum::<f64>());
        of_cols.iter_mut().zip(row).for_each(|(sum, score)| *sum += score);
    }
    let freedom = errors.len().saturating_sub(base.len() + 1).max(1) as f64;
    let plain = dot(&scores, &scores) * errors.len() as f64 / freedom;
    let variance = plain.max(dot(&of_rows, &of_rows)).max(dot(&of_cols, &of_cols));
    let standard_error = variance.sqrt() / power;
    let certainty = slope / standard_error.max(f64::MIN_POSITIVE);
    Evidence { slope, certainty, left }
}

/// `x` without its components along `others`.
pub fn beside(x: &[f64], others: &[&[f64]]) -> Vec<f64> {
    without(x, &basis(others))
}

fn without(x: &[f64], base: &[Vec<f64>]) -> Vec<f64> {
    let mut x = x.to_vec();
    base.iter().for_each(|direction| remove(&mut x, direction));
    x
}

/// An orthonormal basis of `others` (Gram-Schmidt).
fn basis(others: &[&[f64]]) -> Vec<Vec<f64>> {
    let mut base: Vec<Vec<f64>> = Vec::new();
    for other in others {
        let direction = without(other, &base);
        // The remainder of a dependent direction is rounding error.
        if norm(&direction) > 1e-9 * norm(other) {
            base.push(direction);
        }
    }
    base
}

/// The scalar product.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The Euclidean norm.
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// The root of the mean square.
pub fn rms(x: &[f64]) -> f64 {
    norm(x) / (x.len().max(1) as f64).sqrt()
}

/// Removes the component of `x` along `direction`.
fn remove(x: &mut [f64], direction: &[f64]) {
    let along = dot(x, direction) / dot(direction, direction).max(f64::MIN_POSITIVE);
    x.iter_mut().zip(direction).for_each(|(x, d)| *x -= along * d);
}

/// Whether single products make up most of many of the sums.
pub fn dominated(sample: &Sample) -> bool {
    let mut of_most = 0;
    for (index, scale) in sample.scale.iter().enumerate() {
        let (a, b) = sample.operands(index);
        let largest = a.iter().zip(b).map(|(a, b)| (a * b).abs()).fold(0.0, f64::max);
        let largest = largest.mul_add(sample.alpha.abs(), sample.before[index].abs());
        of_most += usize::from(largest > 0.5 * scale);
    }
    2 * of_most > sample.scale.len()
}

/// Number of elements whose small terms are added up.
const LOOKED_AT: usize = 64;

/// The most that sums can lose of relatively small terms, relative to the scale: such terms are all rounded to one
/// side, so their losses are no random walk.
pub fn small_terms(sample: &Sample) -> f64 {
    let count = sample.scale.len();
    let lost = (0..count).step_by(count.div_ceil(LOOKED_AT).max(1)).map(|index| {
        let (a, b) = sample.operands(index);
        let unit = UNIT_F32 * sample.scale[index] / sample.alpha.abs();
        let sum: f64 = a
            .iter()
            .zip(b)
            .map(|(a, b)| (a * b).abs())
            .filter(|term| *term <= 64.0 * unit)
            .map(|term| term.min(unit))
            .sum();
        sum * sample.alpha.abs() / sample.scale[index]
    });
    lost.filter(|part| part.is_finite()).fold(0.0, f64::max)
}

/// Whether roundings of these numbers can be a random walk: there are many different values, spread further than the
/// rounding of a sum of `terms` of them.
pub fn is_generic(numbers: &[f64], terms: usize) -> bool {
    let mut some: Vec<f64> =
        numbers.iter().step_by(numbers.len().div_ceil(4096).max(1)).map(|x| x.abs()).collect();
    some.sort_by(f64::total_cmp);
    let different = distinct(some.iter().map(|x| (*x as f32).to_bits()));
    let [low, middle, high] = [1, 2, 3].map(|quarter| some.get(quarter * some.len() / 4));
    let (Some(low), Some(middle), Some(high)) = (low, middle, high) else { return false };
    let apart = (high - low) / middle;
    let rounds = 64.0 * terms as f64 * UNIT_F32;
    different >= 256.min(some.len() - some.len() / 8) && apart >= rounds.max(1.0 / 64.0)
}

/// The number of different values.
pub fn distinct(values: impl Iterator<Item = u32>) -> usize {
    let mut values: Vec<u32> = values.collect();
    values.sort_unstable();
    values.dedup();
    values.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::uniform_floats;

    fn random(count: usize, seed: u64) -> Vec<f64> {
        uniform_floats(count, seed).into_iter().map(f64::from).collect()
    }

    #[test]
    fn a_cause_is_found_under_noise_four_times_its_size() {
        let (cause, noise) = (random(4096, 1), random(4096, 2));
        let errors: Vec<f64> = cause.iter().zip(&noise).map(|(c, n)| c + 4.0 * n).collect();
        let found = evidence(&errors, &cause, &[], 64);
        assert!((found.slope - 1.0).abs() < 0.25 && found.certainty > 8.0, "{found:?}");
        let found = evidence(&noise, &cause, &[], 64);
        assert!(found.certainty.abs() < 5.0, "{found:?}");
    }

    #[test]
    fn rows_repeated_64_times_count_once() {
        let rows = |seed| -> Vec<f64> {
            random(64, seed).into_iter().flat_map(|x| std::iter::repeat_n(x, 64)).collect()
        };
        let worst = (0..40).map(|i| evidence(&rows(i), &rows(i + 100), &[], 64).certainty.abs());
        assert!(worst.fold(0.0, f64::max) < 5.0);
    }

    #[test]
    fn correlated_errors_are_not_evidence() {
        let other = random(4096, 3);
        let twice: Vec<f64> = other.iter().map(|x| 2.0 * x).collect();
        assert_eq!(evidence(&twice, &other, &[&other], 64).slope, 0.0);
    }
}
