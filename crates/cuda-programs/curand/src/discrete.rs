//! Poisson distributions for kernels (`curand_discrete`): a table in memory of the device, laid out as cuRAND's header declares it.
//!
//! Up to a mean of 2000 it is an alias table (Walker 1977, made as by Vose 1991): an index `j` of `n` with equal chances is taken where the
//! uniform number is below `V[j]`, which lies between `j / n` and `(j + 1) / n`, and else `K[j]`. Above, kernels round normal numbers.

use crate::poisson::{MOST, Poisson};
use crate::status::{Result, Status, refuse};
use lanework_standin::{allocate, write};

/// `CURAND_M2`, by the table, and `CURAND_DISCRETE_GAUSS`, by normal numbers.
const BY_TABLE: u64 = 5;
const BY_NORMAL: u64 = 7;
/// The largest mean that has a table.
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
    // What is left at the end differs from 1 by rounding only, or is its own alias.
    (shares.into_iter().enumerate().map(place).collect(), others)
}

/// Makes the distribution of a mean; its address on the device.
///
/// # Errors
/// When the mean is out of range, or there is no memory.
pub fn create(mean: f64) -> Result<u64> {
    if !(mean > 0.0 && mean <= MOST) {
        let why = format!("lambda is {mean}; it has to be above 0 and not above {MOST}");
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
    // The distribution: itself, the table and the host's, deviation, mean, method and whether it is the host's.
    for word in [at, shift, shift, mean.sqrt().to_bits(), mean.to_bits(), method] {
        bytes.extend(word.to_le_bytes());
    }
    // The table: its histogram and the host's, first count, length.
    for word in [histogram, histogram, u64::from(first) | (values.len() as u64) << 32, 0] {
        bytes.extend(word.to_le_bytes());
    }
    // The histogram: thresholds and aliases, here and for the host.
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
