//! Poisson numbers by inversion: the smallest count whose cumulative probability reaches a uniform number. One uniform number gives one, so
//! that each keeps its place in the sequence and dimensions of quasirandom numbers stay apart. NVIDIA's come by other methods, so that they
//! differ number by number.
//!
//! Probabilities follow from the mode's by their ratios and are divided by their sum; those below 1e-18 of the mode's are left out.

/// A distribution as a table.
pub struct Poisson {
    /// The smallest count.
    pub first: u32,
    /// Probabilities of the counts from it on.
    pub probabilities: Vec<f64>,
}

/// The largest mean that cuRAND takes.
pub const MOST: f64 = 400_000.0;

impl Poisson {
    /// The distribution of a mean, which is above 0.
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
        // Of mean 2: 0 up to 0.1353, 1 up to 0.4060, 2 up to 0.6767.
        assert_eq!(
            Poisson::new(2.0).invert(&[1e-12, 0.135, 0.136, 0.4, 0.41, 1.0])[..5],
            [0, 0, 1, 1, 2]
        );
        assert!(Poisson::new(2.0).invert(&[1.0])[0] > 10);
    }
}
