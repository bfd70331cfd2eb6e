//! Distributions computed from random bits, as in cuRAND's headers: uniform, normal and Poisson. A uniform number is
//! the midpoint of the interval that its bits select, so none is 0.
//!
//! Normal numbers of pseudorandom sequences use the Box-Muller transform (1958); normal numbers of quasirandom sequences use the inverse of the
//! cumulative distribution function, Wichura's AS 241 (PPND16, Applied Statistics 37, 1988), with a relative error near 1e-16.
//!
//! Poisson numbers are found by inversion: the smallest count whose cumulative probability reaches a uniform
//! number. Probabilities follow from the mode's by their ratios and are normalized by their sum; those below
//! 1e-18 of the mode's are omitted.
//!
//! Kernels use a table in device memory (`curand_discrete`), with the layout of cuRAND's header. Up to a mean of 2000
//! it is an alias table (Walker 1977, built as by Vose 1991): a uniform index `j` of `n` is taken if the uniform
//! number is below `V[j]`, which is between `j / n` and `(j + 1) / n`; otherwise `K[j]` is taken. Above that mean,
//! kernels round normal numbers.

use crate::{Result, Status, refuse};
use lanework_standin::{allocate, write};

/// A uniform number from 32 bits.
pub fn uniform(bits: u32) -> f32 {
    bits as f32 * 2f32.powi(-32) + 2f32.powi(-33)
}

/// A uniform number from 32 bits.
pub fn uniform_double(bits: u32) -> f64 {
    f64::from(bits) * 2f64.powi(-32) + 2f64.powi(-33)
}

/// A uniform number from 32 bits, at the end of its interval, as in cuRAND's doubles of MTGP32 and 32-bit Sobol'
/// sequences.
pub fn uniform_double_at_end(bits: u32) -> f64 {
    (f64::from(bits) + 1.0) * 2f64.powi(-32)
}

/// A uniform number from 53 bits: the whole low word and 21 bits of the high word.
pub fn uniform_of_two(low: u32, high: u32) -> f64 {
    let bits = u64::from(low) ^ (u64::from(high) << 21);
    bits as f64 * 2f64.powi(-53) + 2f64.powi(-54)
}

/// A uniform number from the highest 53 of 64 bits.
pub fn uniform_of_wide(bits: u64) -> f64 {
    (bits >> 11) as f64 * 2f64.powi(-53) + 2f64.powi(-54)
}

/// Two normal numbers from two uniform ones.
pub fn box_muller(u: f64, v: f64) -> (f64, f64) {
    let radius = (-2.0 * u.ln()).sqrt();
    let (sine, cosine) = (std::f64::consts::TAU * v).sin_cos();
    (radius * sine, radius * cosine)
}

fn polynomial(coefficients: &[f64], at: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * at + coefficient)
}

/// The normal number with cumulative probability `p`, above 0 and below 1.
pub fn inverse_normal(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * polynomial(&CENTER.0, r) / polynomial(&CENTER.1, r);
    }
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let size = match r <= 5.0 {
        true => polynomial(&MIDDLE.0, r - 1.6) / polynomial(&MIDDLE.1, r - 1.6),
        false => polynomial(&TAIL.0, r - 5.0) / polynomial(&TAIL.1, r - 5.0),
    };
    size.copysign(q)
}

/// Coefficients of a numerator and a denominator, constant term first.
type Ratio = ([f64; 8], [f64; 8]);

#[rustfmt::skip]
const CENTER: Ratio = (
    [3.387_132_872_796_366_5, 133.141_667_891_784_38, 1_971.590_950_306_551_3, 13_731.693_765_509_46,
     45_921.953_931_549_87, 67_265.770_927_008_7, 33_430.575_583_588_13, 2_509.080_928_730_122_7],
    [1.0, 42.313_330_701_600_91, 687.187_007_492_057_9, 5_394.196_021_424_751, 21_213.794_301_586_597,
     39_307.895_800_092_71, 28_729.085_735_721_943, 5_226.495_278_852_545],
);

#[rustfmt::skip]
const MIDDLE: Ratio = (
    [1.423_437_110_749_683_5, 4.630_337_846_156_546, 5.769_497_221_460_691, 3.647_848_324_763_204_5,
     1.270_458_252_452_368_4, 0.241_780_725_177_450_6, 0.022_723_844_989_269_184, 7.745_450_142_783_414e-4],
    [1.0, 2.053_191_626_637_759, 1.676_384_830_183_803_8, 0.689_767_334_985_1, 0.148_103_976_427_480_08,
     0.015_198_666_563_616_457, 5.475_938_084_995_345e-4, 1.050_750_071_644_416_9e-9],
);

#[rustfmt::skip]
const TAIL: Ratio = (
    [6.657_904_643_501_103, 5.463_784_911_164_114, 1.784_826_539_917_291_3, 0.296_560_571_828_504_87,
     0.026_532_189_526_576_124, 1.242_660_947_388_078_4e-3, 2.711_555_568_743_487_6e-5, 2.010_334_399_292_288_1e-7],
    [1.0, 0.599_832_206_555_888, 0.136_929_880_922_735_8, 0.014_875_361_290_850_615, 7.868_691_311_456_133e-4,
     1.846_318_317_510_054_7e-5, 1.421_511_758_316_446e-7, 2.044_263_103_389_939_8e-15],
);

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

    /// Converts uniform numbers to counts.
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

/// The largest mean for which a table is used.
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
    // The remaining entries differ from 1 only by rounding, or are their own aliases.
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
    // The distribution record: its address, the table and its host copy, deviation, mean, method, and whether it is on
    // the host.
    for word in [at, shift, shift, mean.sqrt().to_bits(), mean.to_bits(), method] {
        bytes.extend(word.to_le_bytes());
    }
    // The table record: its histogram and the histogram's host copy, first count, length.
    for word in [histogram, histogram, u64::from(first) | (values.len() as u64) << 32, 0] {
        bytes.extend(word.to_le_bytes());
    }
    // The histogram record: thresholds and aliases, for the device and for the host.
    for word in [thresholds, thresholds, keys, keys, 0] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes.extend(others.iter().flat_map(|other| other.to_le_bytes()));
    write(at as usize, &bytes, "the distribution")?;
    Ok(at)
}

#[cfg(test)]
mod discrete_tests {
    use super::aliases;
    use crate::distribution::Poisson;

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

#[cfg(test)]
mod tests {
    use super::{MOST, Poisson, box_muller, inverse_normal, uniform, uniform_of_two};

    #[test]
    fn uniform_numbers_are_above_zero_and_reach_one() {
        assert_eq!((uniform(0), uniform(u32::MAX)), (2f32.powi(-33), 1.0));
        assert_eq!(uniform_of_two(0, 0), 2f64.powi(-54));
        assert_eq!(uniform_of_two(0x1f_ffff, u32::MAX), 1.0);
    }

    #[test]
    fn the_inverse_matches_the_papers_values() {
        // Wichura's test values, and a symmetric pair.
        for (p, wanted) in [
            (0.25, -0.674_489_750_196_081_7),
            (0.001, -3.090_232_306_167_813_5),
            (1e-20, -9.262_340_089_798_408),
        ] {
            let got = inverse_normal(p);
            assert!((got - wanted).abs() < 1e-14 * wanted.abs(), "{p}: {got}");
        }
        assert_eq!(inverse_normal(0.5), 0.0);
        assert_eq!(inverse_normal(0.75), -inverse_normal(0.25));
    }

    #[test]
    fn box_muller_of_a_quarter_turn() {
        let (sine, cosine) = box_muller((-0.5f64).exp(), 0.25);
        assert!((sine - 1.0).abs() < 1e-15 && cosine.abs() < 1e-15);
    }

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
