//! Properties of a sample's data: whether roundings can be independent, and the part of small terms that sums may
//! lose.

use super::sample::Sample;
use crate::bound::UNIT_F32;

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
