//! Poisson numbers by inversion: the smallest count whose cumulative probability reaches a uniform number. Each uniform number gives one
//! count, so positions in the sequence and dimensions of quasirandom numbers are kept. NVIDIA uses other methods, so individual numbers
//! differ.
//!
//! Probabilities follow from the mode's by their ratios and are normalized by their sum; those below 1e-18 of the mode's are left out.
//!
//! For kernels (`curand_discrete`) the distribution is a table in device memory, with the layout of cuRAND's header. Up to a mean of 2000 it is an
//! alias table (Walker 1977, built as by Vose 1991): a uniform index `j` of `n` is taken if the uniform number is below `V[j]`, which is between
//! `j / n` and `(j + 1) / n`; otherwise `K[j]` is taken. Above that mean, kernels round normal numbers.

use crate::status::{Result, Status, refuse};
use lanework_standin::{allocate, write};

/// A distribution as a table.
pub struct Poisson {
    /// The smallest count.
    pub first: u32,
    /// Probabilities of the counts from `first`.
    pub probabilities: Vec<f64>,
}

/// The largest mean that cuRAND accepts.
pub const MOST: f64 = 400_000.0;

impl Poisson {
    /// The distribution of a mean above 0.
    pub fn new(mean: f64) -> Poisson {
        const LEAST: f64 = 1e-18;
        let mode = mean.floor();
        let below = std::iter::successors(Some((mode, 1.0)), |(count, weight)| {
            (*count > 0.0).then(|| (count - 1.0, weight * count / mean))
        });
        let mut probabilities: Vec<f64> =
            below.map(|(_, weight)| weight).take_while(|weight| *weight > LEAST).collect();
        let first = mode as u32 + 1 - probabilities.len() as u32;
        probabilities.reverse();
        let above = std::iter::successors(Some((mode, 1.0)), |(count, weight)| {
            Some((count + 1.0, weight * mean / (count + 1.0)))
        });
        probabilities
            .extend(above.map(|(_, weight)| weight).skip(1).take_while(|weight| *weight > LEAST));
        let sum: f64 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|weight| *weight /= sum);
        Poisson { first, probabilities }
    }

    /// The counts of uniform numbers.
    pub fn invert(&self, numbers: &[f64]) -> Vec<u32> {
        let cumulative: Vec<f64> = self
            .probabilities
            .iter()
            .scan(0.0, |sum, probability| {
                *sum += probability;
                Some(*sum)
            })
            .collect();
        let last = cumulative.len() - 1;
        let count = |number: &f64| cumulative.partition_point(|sum| sum < number).min(last) as u32;
        numbers.iter().map(|number| self.first + count(number)).collect()
    }
}

/// `CURAND_M2` (alias table) and `CURAND_DISCRETE_GAUSS` (rounded normal numbers).
const BY_TABLE: u64 = 5;
const BY_NORMAL: u64 = 7;
/// The largest mean with a table.
const TABLE: f64 = 2000.0;
/// Bytes of the three records before the table.
const RECORDS: usize = 48 + 32 + 40;

/// Thresholds and aliases of probabilities that sum to 1.
fn aliases(probabilities: &[f64]) -> (Vec<f64>, Vec<u32>) {
    let count = probabilities.len();
    let mut shares: Vec<f64> = probabilities.iter().map(|share| share * count as f64).collect();
    let mut others: Vec<u32> = (0..count as u32).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        (0..count).partition(|at| shares[*at] < 1.0);
    while let (Some(low), Some(high)) = (small.pop(), large.last().copied()) {
        others[low] = high as u32;
        shares[high] -= 1.0 - shares[low];
        if shares[high] < 1.0 {
            small.extend(large.pop());
        }
    }
    let place = |(at, share): (usize, f64)| (at as f64 + share.clamp(0.0, 1.0)) / count as f64;
    // Entries left at the end differ from 1 only by rounding, or are their own alias.
    (shares.into_iter().enumerate().map(place).collect(), others)
}

/// Creates the distribution of a mean, and returns its device address.
///
/// # Errors
/// If the mean is out of range, or memory runs out.
pub fn create_distribution(mean: f64) -> Result<u64> {
    if !(mean > 0.0 && mean <= MOST) {
        let why = format!("lambda is {mean}; it must be above 0 and at most {MOST}");
        return refuse(Status::OutOfRange, &why);
    }
    let table = (mean <= TABLE).then(|| Poisson::new(mean));
    let (values, others) =
        table.as_ref().map_or_else(Default::default, |table| aliases(&table.probabilities));
    let at = allocate(RECORDS + 12 * values.len())?;
    let (shift, histogram, thresholds) = (at + 48, at + 48 + 32, at + RECORDS as u64);
    let keys = thresholds + 8 * values.len() as u64;
    let method = if table.is_some() { BY_TABLE } else { BY_NORMAL };
    let first = table.map_or(0, |table| table.first);
    let mut bytes = Vec::new();
    // The distribution: its address, the table and its host copy, deviation, mean, method, and whether it is on the host.
    for word in [at, shift, shift, mean.sqrt().to_bits(), mean.to_bits(), method] {
        bytes.extend(word.to_le_bytes());
    }
    // The table: its histogram and its host copy, first count, length.
    for word in [histogram, histogram, u64::from(first) | (values.len() as u64) << 32, 0] {
        bytes.extend(word.to_le_bytes());
    }
    // The histogram: thresholds and aliases, for the device and for the host.
    for word in [thresholds, thresholds, keys, keys, 0] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes.extend(others.iter().flat_map(|other| other.to_le_bytes()));
    write(at as usize, &bytes, "the distribution")?;
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::{MOST, Poisson};

    #[test]
    fn tables_have_the_mean_and_variance() {
        for mean in [1e-3, 0.3, 1.0, 7.5, 63.9, 4000.0, MOST] {
            let table = Poisson::new(mean);
            let counts = (0..).map(|at| f64::from(table.first) + f64::from(at));
            let (mut first, mut second) = (0.0, 0.0);
            for (count, probability) in counts.zip(&table.probabilities) {
                first += probability * count;
                second += probability * (count - mean) * (count - mean);
            }
            assert!((first / mean - 1.0).abs() < 1e-9, "{mean}: {first}");
            assert!((second / mean - 1.0).abs() < 1e-9, "{mean}: {second}");
        }
    }

    #[test]
    fn counts_are_the_quantiles() {
        // Mean 2: 0 up to 0.1353, 1 up to 0.4060, 2 up to 0.6767.
        assert_eq!(
            Poisson::new(2.0).invert(&[1e-12, 0.135, 0.136, 0.4, 0.41, 1.0])[..5],
            [0, 0, 1, 1, 2]
        );
        assert!(Poisson::new(2.0).invert(&[1.0])[0] > 10);
    }
}

#[cfg(test)]
mod discrete_tests {
    use super::aliases;
    use crate::poisson::Poisson;

    #[test]
    fn aliases_keep_every_probability() {
        for mean in [0.01, 3.0, 1999.5] {
            let wanted = Poisson::new(mean).probabilities;
            let count = wanted.len() as f64;
            let (values, others) = aliases(&wanted);
            let mut got = vec![0.0; wanted.len()];
            for (at, (value, other)) in values.iter().zip(&others).enumerate() {
                got[at] += value - at as f64 / count;
                got[*other as usize] += (at as f64 + 1.0) / count - value;
            }
            for (got, wanted) in got.iter().zip(&wanted) {
                assert!((got - wanted).abs() < 1e-12, "{mean}: {got} for {wanted}");
            }
        }
    }
}
