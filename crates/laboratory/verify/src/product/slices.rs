//! Terms of the sums that were omitted or counted twice: a slice of k, or terms at equal steps.
//!
//! An error matrix E that lacks the outer products `a_p b_p` of some p has, for each of them, the coefficient
//! `a_p^T E b_p / (|a_p|^2 |b_p|^2)` of about -1, and about 0 for every other p. Rows and columns are centered
//! first, so that data of one sign differ as much as others; the rest is noise that falls with the size of the
//! sample. The search starts with the longest run of such coefficients (J. B. Kadane's maximum subarray, in J. Bentley,
//! "Programming Pearls", Comm. ACM 27, 1984); the remainder is then corrected term by term.
//!
//! Limits: if all inputs are equal, terms are indistinguishable; a small sample has more terms than it can
//! distinguish.
//!
//! One slice of k is found exactly: the error of an element is then a difference of two prefix sums of its terms.
//! Candidates that fit the worst element are found in the sorted prefix sums and tried on the others.

use super::evidence::{evidence, norm, rms};
use super::precision::against_systematic;
use super::sample::{Product, Sample};
use crate::bound::UNIT_F32;

/// Maximum number of corrections of the first guess.
const CORRECTIONS: usize = 8;

/// Excess count of each term: -1 if it is omitted.
pub struct Counts(Vec<i8>);

impl Counts {
    /// The terms that explain the errors of `results`.
    pub fn of(sample: &Sample, results: &[f64]) -> Self {
        let terms = Centered::of(sample);
        let mut counts = Counts(vec![0; sample.terms]);
        let first = terms.coefficients(sample, results, &sample.reference);
        for (run, sign) in [(longest(&first, -1.0), -1), (longest(&first, 1.0), 1)] {
            if run.0 > longest(&first, f64::from(-sign)).0 {
                counts.0[run.1].fill(sign);
            }
        }
        for _ in 0..CORRECTIONS {
            let values = counts.values(sample);
            let mut changed = false;
            let coefficients = terms.coefficients(sample, results, &values);
            for (count, coefficient) in counts.0.iter_mut().zip(coefficients) {
                let corrected = (f64::from(*count) + coefficient).round().clamp(-1.0, 1.0) as i8;
                changed |= corrected != *count;
                *count = corrected;
            }
            if !changed {
                break;
            }
        }
        counts
    }

    /// The values of the sample with these counts of its terms.
    pub fn values(&self, sample: &Sample) -> Vec<f64> {
        if self.0.iter().all(|count| *count == 0) {
            return sample.reference.clone();
        }
        let counts = self.0.iter().map(|count| f64::from(1 + count));
        let weighted: Vec<f64> = sample
            .a
            .iter()
            .zip(counts.collect::<Vec<_>>().iter().cycle())
            .map(|(a, c)| a * c)
            .collect();
        sample.with(&weighted, &sample.b)
    }

    /// The terms in words, if all have the same excess count.
    pub fn words(&self) -> Option<String> {
        let of =
            |sign: i8| -> Vec<usize> { (0..self.0.len()).filter(|&p| self.0[p] == sign).collect() };
        let (lost, doubled) = (of(-1), of(1));
        let (terms, how) = match (lost.is_empty(), doubled.is_empty()) {
            (false, true) => (lost, "left out"),
            // If all terms are counted twice, the result is off by a factor, not by a slice.
            (true, false) if doubled.len() < self.0.len() => (doubled, "counted twice"),
            _ => return None,
        };
        Some(match steps(&terms) {
            _ if terms.len() == 1 => format!("as if the term of k = {} had been {how}", terms[0]),
            Some(1) => format!(
                "as if the slice k = {} to {} had been {how}",
                terms[0],
                terms[terms.len() - 1]
            ),
            Some(step) => format!(
                "as if every {step}th term from k = {} to {} had been {how}",
                terms[0],
                terms[terms.len() - 1]
            ),
            None => format!("as if {} of the {} terms had been {how}", terms.len(), self.0.len()),
        })
    }

    /// Whether the terms follow each other at equal steps.
    fn is_regular(&self) -> bool {
        let terms: Vec<usize> = (0..self.0.len()).filter(|&p| self.0[p] != 0).collect();
        terms.len() == 1 || steps(&terms).is_some()
    }
}

/// The step of indices at equal steps.
fn steps(terms: &[usize]) -> Option<usize> {
    let step = terms.get(1)? - terms[0];
    terms.windows(2).all(|pair| pair[1] - pair[0] == step).then_some(step)
}

/// The run with the most coefficients near `sign`: its sum and its range.
fn longest(coefficients: &[f64], sign: f64) -> (f64, std::ops::Range<usize>) {
    let (mut best, mut sum, mut start) = ((0.0, 0..0), 0.0, 0);
    for (p, coefficient) in coefficients.iter().enumerate() {
        if sum <= 0.0 {
            (sum, start) = (0.0, p);
        }
        sum += sign * coefficient - 0.5;
        if sum > best.0 {
            best = (sum, start..p + 1);
        }
    }
    best
}

/// The fewest elements of a sample that distinguish terms by errors within the bound.
const ENOUGH: usize = 256;

/// Required certainty of a slice, among many candidates.
const CERTAIN: f64 = 12.0;

/// The missing terms of a result within its bound, in words: in long sums, a slice is smaller than the bound.
pub fn told_by_errors(sample: &Sample, errors: &[f64]) -> Option<String> {
    // A sum may lose terms that are relatively smaller than this.
    let visible = 8.0 * UNIT_F32;
    if errors.len() < ENOUGH || rms(errors) < visible / 2.0 {
        return None;
    }
    let parts = errors.iter().zip(&sample.scale).zip(&sample.reference);
    let results: Vec<f64> = parts.map(|((error, scale), value)| value + error * scale).collect();
    let counts = Counts::of(sample, &results);
    let words = counts.words().filter(|_| counts.is_regular())?;
    let cause = sample.relative(&counts.values(sample));
    let changed = counts.0.iter().filter(|count| **count != 0).count() as f64;
    let of_one = rms(&cause) / changed;
    let (alone, found) = (
        evidence(errors, &cause, &[], sample.cols.len()),
        against_systematic(sample, errors, &cause),
    );
    let told = of_one > visible
        && (found.slope - 1.0).abs() <= 0.25
        && found.certainty >= CERTAIN
        && alone.left < 0.5;
    told.then(|| {
        format!("{words}: errors of {:.1e} of the sums' scale match those terms", rms(errors))
    })
}

/// The rows of A and columns of B of a sample, with the mean of each term subtracted.
struct Centered {
    a: Vec<f64>,
    b: Vec<f64>,
    /// `|a_p|^2 |b_p|^2`.
    powers: Vec<f64>,
}

impl Centered {
    fn of(sample: &Sample) -> Self {
        let (a, of_a) = centered(&sample.a, sample.terms);
        let (b, of_b) = centered(&sample.b, sample.terms);
        Centered { a, b, powers: of_a.iter().zip(&of_b).map(|(a, b)| a * b).collect() }
    }

    /// The coefficient of each term in the differences of `results` from `values`.
    fn coefficients(&self, sample: &Sample, results: &[f64], values: &[f64]) -> Vec<f64> {
        let (cols, terms) = (sample.cols.len(), sample.terms);
        let mut errors: Vec<f64> = results
            .iter()
            .zip(values)
            .map(|(result, value)| (result - value) / sample.alpha)
            .map(|error| if error.is_finite() { error } else { 0.0 })
            .collect();
        center(&mut errors, cols);
        let mut sums = vec![0.0; terms];
        for (row, a) in errors.chunks(cols).zip(self.a.chunks(terms.max(1))) {
            let mut weighted = vec![0.0; terms];
            for (error, b) in row.iter().zip(self.b.chunks(terms.max(1))) {
                weighted.iter_mut().zip(b).for_each(|(sum, b)| *sum += error * b);
            }
            sums.iter_mut().zip(a).zip(weighted).for_each(|((sum, a), w)| *sum += a * w);
        }
        let coefficients = sums.iter().zip(&self.powers);
        coefficients.map(|(sum, power)| if *power > 0.0 { sum / power } else { 0.0 }).collect()
    }
}

/// Lines of `terms` with the mean of each term over the lines subtracted, and the squares of each term.
fn centered(lines: &[f64], terms: usize) -> (Vec<f64>, Vec<f64>) {
    let mut lines = lines.to_vec();
    let (mut means, mut powers) = (vec![0.0; terms], vec![0.0; terms]);
    let count = lines.len() / terms.max(1);
    if count > 1 {
        for line in lines.chunks(terms.max(1)) {
            means.iter_mut().zip(line).for_each(|(mean, x)| *mean += x / count as f64);
        }
    }
    let mut absolute = 0.0f64;
    for line in lines.chunks_mut(terms.max(1)) {
        for ((x, mean), power) in line.iter_mut().zip(&means).zip(&mut powers) {
            absolute = absolute.max(x.abs());
            *x -= mean;
            *power += *x * *x;
        }
    }
    // The remainder of equal numbers is rounding error.
    let least = (1e-9 * absolute) * (1e-9 * absolute);
    powers.iter_mut().filter(|power| **power <= least).for_each(|power| *power = 0.0);
    (lines, powers)
}

/// Subtracts the mean of each row and of each column, if there are several.
fn center(matrix: &mut [f64], cols: usize) {
    let rows = matrix.len() / cols.max(1);
    if cols > 1 {
        for row in matrix.chunks_mut(cols) {
            let mean = row.iter().sum::<f64>() / cols as f64;
            row.iter_mut().for_each(|x| *x -= mean);
        }
    }
    if rows > 1 {
        for col in 0..cols {
            let mean = (0..rows).map(|row| matrix[row * cols + col]).sum::<f64>() / rows as f64;
            (0..rows).for_each(|row| matrix[row * cols + col] -= mean);
        }
    }
}

/// The most differences to try.
const MOST_TRIED: usize = 1 << 17;

/// The most fitting slices to compare; the best is reported. A wide bound and equal terms make many fit.
const MOST_FITS: usize = 64;

/// A slice that explains every element of the sample.
#[derive(Clone, Copy)]
struct Run {
    from: usize,
    to: usize,
    /// Whether it is counted twice instead of never.
    twice: bool,
}

/// The slice as text, and the remaining errors.
pub fn named(product: &Product<'_>, sample: &Sample, results: &[f64]) -> Option<(String, f64)> {
    let errors = sample.relative(results);
    let left = |run: &Run| {
        let cause = sample.relative(&run.values(sample));
        norm(&errors.iter().zip(cause).map(|(e, c)| e - c).collect::<Vec<_>>())
    };
    let mut fits: Vec<(f64, Run)> =
        fitting(product, sample, results).into_iter().map(|run| (left(&run), run)).collect();
    fits.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (least, best) = *fits.first()?;
    // If the slice has all terms, the result is off by a factor.
    let length = best.to - best.from;
    if length == sample.terms {
        return None;
    }
    let as_good = fits.iter().filter(|(left, _)| *left <= 1.001 * least);
    let shortest = as_good.clone().map(|(_, run)| run.to - run.from).min()?;
    let alike = as_good.filter(|(_, run)| run.to - run.from == shortest).count();
    let how = if best.twice { "counted twice" } else { "left out" };
    let words = match (alike, length) {
        (1, 1) => format!("as if the term of k = {} had been {how}", best.from),
        (1, _) => format!("as if the slice k = {} to {} had been {how}", best.from, best.to - 1),
        _ => format!("as if {shortest} of the {} terms had been {how}", sample.terms),
    };
    Some((words, least))
}

fn fitting(product: &Product<'_>, sample: &Sample, results: &[f64]) -> Vec<Run> {
    let bound = product.bound();
    let off = |at: &usize| {
        let error = (results[*at] - sample.reference[*at]).abs() / bound.allowed(sample.scale[*at]);
        if error.is_finite() { error } else { 0.0 }
    };
    let Some(first) = (0..results.len()).max_by(|a, b| off(a).total_cmp(&off(b))) else {
        return Vec::new();
    };
    let prefixes = prefixes(sample, first);
    let mut sorted: Vec<usize> = (0..prefixes.len()).collect();
    sorted.sort_by(|a, b| prefixes[*a].total_cmp(&prefixes[*b]));
    let room = bound.allowed(sample.scale[first]);
    let (mut fits, mut tried) = (Vec::new(), 0);
    for twice in [false, true] {
        let error = results[first] - sample.reference[first];
        let wanted = if twice { error } else { -error };
        for from in 0..prefixes.len() {
            let (low, high) = (prefixes[from] + wanted - room, prefixes[from] + wanted + room);
            let start = sorted.partition_point(|&p| prefixes[p] < low);
            for &to in sorted[start..].iter().take_while(|&&p| prefixes[p] <= high) {
                tried += 1;
                if tried > MOST_TRIED || fits.len() >= MOST_FITS {
                    return fits;
                }
                let run = Run { from, to, twice };
                if from < to && run.explains(product, sample, results) {
                    fits.push(run);
                }
            }
        }
    }
    fits
}

/// The sums of the first 0, 1, 2, ... terms of an element.
fn prefixes(sample: &Sample, at: usize) -> Vec<f64> {
    let (a, b) = sample.operands(at);
    let mut sum = 0.0;
    let sums = a.iter().zip(b).map(|(a, b)| {
        sum += sample.alpha * a * b;
        sum
    });
    std::iter::once(0.0).chain(sums).collect()
}

impl Run {
    /// Whether every element of the sample is within its bound without the slice, or with it twice.
    fn explains(self, product: &Product<'_>, sample: &Sample, results: &[f64]) -> bool {
        let bound = product.bound();
        let fits =
            |at: usize| bound.accepts(results[at], self.value(sample, at), 2.0 * sample.scale[at]);
        (0..results.len()).all(fits)
    }

    /// The values of the sample with the slice omitted, or counted twice.
    fn values(self, sample: &Sample) -> Vec<f64> {
        (0..sample.reference.len()).map(|at| self.value(sample, at)).collect()
    }

    fn value(self, sample: &Sample, at: usize) -> f64 {
        let (a, b) = sample.operands(at);
        let (a, b) = (&a[self.from..self.to], &b[self.from..self.to]);
        let part: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        sample.reference[at] + if self.twice { part } else { -part } * sample.alpha
    }
}
