//! Figures of merit of predictions.

use super::pair::MeasuredPair;

/// The figures of a set of predictions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Number of kernels.
    pub count: usize,
    /// Median of the absolute errors.
    pub median: f64,
    /// Their mean.
    pub mean: f64,
    /// Their 90th percentile.
    pub ninetieth: f64,
    /// Spearman's rank correlation.
    pub spearman: f64,
    /// Pairs of one problem whose measured times differ by more than 10 %.
    pub pairs: usize,
    /// The part of them in the predicted order.
    pub ordered: f64,
    /// The part of the intervals that hold the measured time.
    pub coverage: f64,
}

impl Summary {
    /// Of these predictions.
    pub fn of(pairs: &[MeasuredPair]) -> Summary {
        if pairs.is_empty() {
            return Summary::default();
        }
        let mut errors: Vec<f64> = pairs.iter().map(|pair| pair.error().abs()).collect();
        errors.sort_by(f64::total_cmp);
        let count = pairs.len();
        let (mut compared, mut ordered) = (0, 0);
        for (at, one) in pairs.iter().enumerate() {
            for other in pairs[at + 1..].iter().filter(|other| other.problem == one.problem) {
                if (one.measured_ns / other.measured_ns).ln().abs() > 1.1f64.ln() {
                    compared += 1;
                    let measured = one.measured_ns < other.measured_ns;
                    ordered += usize::from(measured == (one.predicted_ns < other.predicted_ns));
                }
            }
        }
        let measured: Vec<f64> = pairs.iter().map(|pair| pair.measured_ns).collect();
        let predicted: Vec<f64> = pairs.iter().map(|pair| pair.predicted_ns).collect();
        Summary {
            count,
            median: errors[count / 2],
            mean: errors.iter().sum::<f64>() / count as f64,
            ninetieth: errors[(count * 9 / 10).min(count - 1)],
            spearman: spearman(&measured, &predicted),
            pairs: compared,
            ordered: ordered as f64 / compared.max(1) as f64,
            coverage: pairs.iter().filter(|pair| pair.covered()).count() as f64 / count as f64,
        }
    }
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = rank as f64;
    }
    ranks
}

/// Spearman's rank correlation.
pub fn spearman(one: &[f64], other: &[f64]) -> f64 {
    let (a, b) = (ranks(one), ranks(other));
    let n = a.len() as f64;
    let distance: f64 = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum();
    if n < 2.0 { 1.0 } else { 1.0 - 6.0 * distance / (n * (n * n - 1.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_correlate_by_order_alone() {
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 200.0, 201.0]), 1.0);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0);
    }

    #[test]
    fn errors_orders_and_intervals_are_counted() {
        let pair = |name: &str, measured_ns, predicted_ns| MeasuredPair {
            problem: "p".to_owned(),
            name: name.to_owned(),
            suite: "ladders".to_owned(),
            measured_ns,
            predicted_ns,
            interval_ns: [0.9 * predicted_ns, 1.1 * predicted_ns],
            limiter: String::new(),
            roofline_ns: 1.0,
        };
        let found = Summary::of(&[pair("a", 100.0, 105.0), pair("b", 200.0, 100.0)]);
        assert_eq!((found.count, found.pairs, found.ordered), (2, 1, 0.0));
        assert_eq!(found.coverage, 0.5);
        assert!((found.mean - 0.275).abs() < 1e-9);
    }
}
