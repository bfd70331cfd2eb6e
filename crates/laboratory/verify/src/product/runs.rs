//! Finds a slice of k that was omitted or counted twice, exactly.
//!
//! The error of an element is then a difference of two prefix sums of its terms. Candidates that fit the worst
//! element are found in the sorted prefix sums and tried on the others.

use super::evidence::norm;
use super::operands::Product;
use super::sample::Sample;

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
    // All terms are a factor, not a slice.
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

    /// The sample with the slice so counted.
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
