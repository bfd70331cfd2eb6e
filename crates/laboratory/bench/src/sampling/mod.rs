//! Samples of times: the plan, the sampler, statistics, and the interface to a device.
//!
//! The statistics are quartiles, and the median with a 95 % confidence interval. The interval is the distribution-free
//! one between two order statistics (Conover, Practical Nonparametric Statistics, 3.2): the number of samples below the
//! median is binomial with p = 1/2, whose normal approximation gives the ranks `n/2 -+ 0.98 sqrt(n)`.
//!
//! Limits: samples are assumed independent, which neighboring launches are not quite; with fewer than six samples the
//! interval is their whole range and covers the median with less than 95 %.

pub mod sampler;

use crate::record::{SummaryRecord, TimedSample};

/// The distribution of samples by rank, in the samples' unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Smallest.
    pub min: f64,
    /// First quartile.
    pub lower_quartile: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub upper_quartile: f64,
    /// 95 % confidence interval of the median, from ranks `n/2 -+ 0.98 sqrt(n)` (the normal
    /// approximation of the binomial distribution of ranks).
    pub interval: (f64, f64),
    /// Number of samples.
    pub count: usize,
}

impl Summary {
    /// The summary of `samples`; `None` if `samples` is empty.
    pub fn of(samples: &[f64]) -> Option<Self> {
        if samples.is_empty() {
            return None;
        }
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len() as f64;
        let rank = |position: f64| at(&sorted, position);
        let half = sorted.len() / 2;
        let median = match sorted.len() % 2 {
            0 => (sorted[half - 1] + sorted[half]) / 2.0,
            _ => sorted[half],
        };
        Some(Summary {
            min: sorted[0],
            lower_quartile: rank(n / 4.0),
            median,
            upper_quartile: rank(3.0 * n / 4.0),
            interval: interval(&sorted, HALF_95),
            count: sorted.len(),
        })
    }

    /// The summary of the times of samples.
    pub(crate) fn of_samples(samples: &[TimedSample]) -> Option<Self> {
        Summary::of(&samples.iter().map(|sample| sample.ns).collect::<Vec<_>>())
    }

    /// Width of the median's interval relative to the median.
    pub fn relative_width(&self) -> f64 {
        (self.interval.1 - self.interval.0) / self.median
    }
}

impl From<&Summary> for SummaryRecord {
    fn from(summary: &Summary) -> Self {
        SummaryRecord {
            median_ns: summary.median,
            interval_ns: [summary.interval.0, summary.interval.1],
            min_ns: summary.min,
            quartiles_ns: [summary.lower_quartile, summary.upper_quartile],
            count: summary.count,
        }
    }
}

/// Half of the normal quantile for 95 %: the largest distance of a rank from the middle, in units of sqrt(n).
const HALF_95: f64 = 0.98;

/// Half of the normal quantile for 97.5 %.
const HALF_975: f64 = 1.1207;

/// The 97.5 % interval of the median of samples. Two such intervals contain both medians with 95 % (Bonferroni's
/// inequality).
pub(crate) fn wide_interval(samples: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    (!sorted.is_empty()).then(|| interval(&sorted, HALF_975))
}

/// The interval of the median between the ranks `n/2 -+ half sqrt(n)`.
fn interval(sorted: &[f64], half: f64) -> (f64, f64) {
    let n = sorted.len() as f64;
    let reach = half * n.sqrt();
    (at(sorted, (n / 2.0 - reach).floor()), at(sorted, (n / 2.0 + reach).ceil()))
}

/// The element of this rank, from 0, or the nearest existing one.
fn at(sorted: &[f64], rank: f64) -> f64 {
    sorted[(rank.max(0.0) as usize).min(sorted.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_its_interval() {
        let samples: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let summary = Summary::of(&samples).expect("samples");
        assert_eq!(summary.median, 50.5);
        assert_eq!((summary.min, summary.count), (1.0, 100));
        assert_eq!(summary.interval, (41.0, 61.0));
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn the_summary_of_one_sample_is_the_sample() {
        let summary = Summary::of(&[3.0]).expect("a sample");
        assert_eq!((summary.median, summary.interval), (3.0, (3.0, 3.0)));
    }
}
