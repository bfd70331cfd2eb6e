//! The reference of a sum of squares, exact or in higher precision, and the comparison with it.

use crate::accuracy::{Accuracy, FloatRule};
use lanework_kernels::sum_squares::{Numbers, Summand, on_host};

/// What a sum is compared with.
pub enum Reference<E: Summand> {
    /// The very sum.
    Exact(E::Sum),
    /// The sum as it would be without rounding.
    Rounded(f64),
}

impl<E: Summand> Reference<E> {
    /// The reference for the squares of `src`.
    pub fn of(src: &[E]) -> Self {
        if E::ROUNDOFF == 0.0 {
            return Reference::Exact(on_host(src));
        }
        let sum = sum_without_rounding(src);
        // Where the sum's type ends, it has to end at infinity.
        let nearest = E::Sum::from_f64(sum).to_f64();
        Reference::Rounded(if nearest.is_finite() { sum } else { nearest })
    }

    /// Compares a sum; floats by `rule`.
    pub fn compare(&self, got: E::Sum, rule: FloatRule) -> Result<Accuracy, String> {
        match *self {
            Reference::Exact(expected) if got == expected => Ok(Accuracy::BitExact),
            Reference::Exact(expected) => {
                Err(format!("the sum is {got:?}, should be {expected:?}"))
            }
            Reference::Rounded(expected) => {
                let at = |_| (got.to_f64(), expected, expected);
                rule.compare(1, &at, &|_| "the sum".to_owned())
            }
        }
    }
}

/// The sum of squares in twice the precision of `f64`: what each addition and each product rounds
/// away is added up apart.
fn sum_without_rounding<E: Summand>(src: &[E]) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for number in src {
        let x = number.to_f64();
        let square = x * x;
        if size_of::<E>() == 8 {
            lost += x.mul_add(x, -square); // narrower numbers have exact squares
        }
        let next = sum + square;
        lost += if sum >= square { sum - next + square } else { square - next + sum };
        sum = next;
    }
    if sum.is_finite() { sum + lost } else { sum }
}

/// The most additions one after the other that stand between a number and the result: those of its
/// thread; those in its block, of which a serial one has as many as threads; those in warps; and
/// those on the host, which count only where `f64` is no more precise than the sums.
pub fn additions_in_a_row<E: Summand>(numbers: &Numbers<E>, (blocks, threads): (u64, u64)) -> u64 {
    let on_host = if size_of::<E::Sum>() == 8 { numbers.sums.len() as u64 } else { 0 };
    (numbers.src.len() as u64).div_ceil(blocks * threads) + threads + 32 + on_host
}

/// How far a sum of `in_a_row` additions one after the other may be off.
///
/// The roundings of numbers drawn at random cancel like a random walk: 8 times its length is allowed.
/// That holds up to some 2^16 additions; then the sum is so much larger than its terms that most of
/// them are rounded to the same side. Numbers of the user's own may be rounded so from the start.
pub fn rule<E: Summand>(in_a_row: u64, drawn: bool) -> FloatRule {
    let safe = FloatRule::of_one_sign(in_a_row, E::ROUNDOFF);
    match drawn && in_a_row <= 1 << 16 {
        true => FloatRule { terms: safe.terms.min(256 * in_a_row), ..safe },
        false => safe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_lost_thread_of_8192_shows_among_2_to_the_28_random_floats() {
        let in_a_row = (1 << 28) / 8192 + 256 + 32;
        assert!(rule::<f32>(in_a_row, true).allowed(1.0, 1.0) < 1.0 / 8192.0);
    }

    #[test]
    fn numbers_that_all_round_to_one_side_are_allowed_for() {
        let tenths = vec![0.1f32; 1 << 16];
        let sum = tenths.iter().fold(0.0f32, |sum, x| sum + x * x);
        let reference = Reference::of(&tenths);
        assert!(reference.compare(sum, rule::<f32>(1 << 16, false)).is_ok());
        assert!(reference.compare(sum, rule::<f32>(1 << 16, true)).is_err());
    }

    #[test]
    fn the_reference_does_not_round() {
        let numbers = [1e8f64, 1.0, 1e-8, 1e-8];
        assert_eq!(sum_without_rounding(&numbers), 1e16 + 1.0 + 2e-16);
        // 1 + 2^-53 is lost one by one in f64.
        let mut small = vec![2f64.powi(-27); 1 << 10];
        small.insert(0, 1.0);
        assert_eq!(sum_without_rounding(&small), 1.0 + 2f64.powi(-44));
    }
}
