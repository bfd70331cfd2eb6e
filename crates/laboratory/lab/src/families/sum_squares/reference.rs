//! The reference of a sum of squares, exact or in higher precision, and the comparison with it.

use super::doubt::doubt;
use super::found::{KernelResult, sum_without_rounding};
use lanework_bench::{Accuracy, Rejection};
use lanework_ladders::sum_squares::{Summand, on_host};

/// The expected sum.
pub enum Reference<E: Summand> {
    /// The exact sum.
    Exact(E::Sum),
    /// The sum without rounding.
    Rounded(f64),
}

impl<E: Summand> Reference<E> {
    /// The reference for the squares of `src`.
    pub fn of(src: &[E]) -> Self {
        match E::ROUNDOFF == 0.0 {
            true => Reference::Exact(on_host(src)),
            false => Reference::Rounded(sum_without_rounding(src.iter().map(|x| x.to_f64()))),
        }
    }

    /// Compares a sum: integers exactly; floats with the bound of the kernel's additions and the usual rounding
    /// errors.
    ///
    /// # Errors
    /// A description of the difference.
    pub fn compare(&self, found: &KernelResult<'_, E>) -> Result<Accuracy, Rejection> {
        let expected = match *self {
            Reference::Exact(expected) if found.sum == expected => return Ok(Accuracy::BitExact),
            Reference::Exact(expected) => {
                let why = format!("the sum is {:?}, should be {expected:?}", found.sum);
                return Err(Rejection::Wrong(why));
            }
            Reference::Rounded(expected) => expected,
        };
        let (got, bound) = (found.sum.to_f64(), found.bound());
        let compared = bound.compare(1, &|_| (got, expected, expected));
        match doubt(found, &bound, expected) {
            Some(rejection) => Err(rejection),
            None => Ok(compared.accuracy),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::sum_squares::{Draw, draw_numbers};

    fn found<E: Summand>(
        src: &[E],
        sum: E::Sum,
        depth: u64,
        drawn: bool,
    ) -> Result<Accuracy, Rejection> {
        let found = KernelResult { src, sum, parts: vec![sum], depth, threads: 1, drawn };
        Reference::of(src).compare(&found)
    }

    fn one_by_one(src: &[f32]) -> f32 {
        src.iter().fold(0.0f32, |sum, x| sum + x * x)
    }

    #[test]
    fn sums_one_by_one_of_any_numbers_are_right() {
        let length = 1 << 16;
        let tenths = vec![0.1f32; length];
        let even: Vec<f32> = (0..length).map(|i| i as f32 / length as f32).collect();
        let wide: Vec<f32> =
            draw_numbers::<f32>(length, Draw::Notes, 3).iter().map(|x| (40.0 * x).exp2()).collect();
        let random = draw_numbers::<f32>(length, Draw::Notes, 4);
        let one_large: Vec<f32> = std::iter::once(4096.0).chain(tenths.clone()).collect();
        for (name, src, drawn) in [
            ("constant", &tenths, false),
            ("even", &even, false),
            ("wide", &wide, false),
            ("random", &random, true),
            ("one large", &one_large, false),
        ] {
            let depth = src.len() as u64;
            let forwards = found(src, one_by_one(src), depth, drawn);
            assert!(forwards.is_ok(), "{name}: {forwards:?}");
            let mut reversed = src.clone();
            reversed.reverse();
            let backwards = found(src, one_by_one(&reversed), depth, drawn);
            assert!(backwards.is_ok(), "{name} backwards: {backwards:?}");
        }
    }

    #[test]
    fn one_lost_thread_of_8192_is_recognized() {
        let src = draw_numbers::<f32>(1 << 20, Draw::Notes, 5);
        let parts = |lost: usize| -> Vec<f32> {
            let of = |t: usize| src.iter().skip(t).step_by(8192).fold(0.0f32, |s, x| s + x * x);
            (0..8192).map(|t| if t == lost { 0.0 } else { of(t) }).collect()
        };
        let compare = |lost| {
            let parts = parts(lost);
            let sum = f32::add_up(parts.iter().copied());
            let (depth, threads) = (128 + 256 + 32, 8192);
            Reference::of(&src).compare(&KernelResult {
                src: &src,
                sum,
                parts,
                depth,
                threads,
                drawn: true,
            })
        };
        assert!(compare(8192).is_ok());
        let Err(Rejection::Wrong(why)) = compare(77) else {
            panic!("accepted, or told as another")
        };
        assert!(why.contains("one of 8192 threads"), "{why}");
    }

    #[test]
    fn lower_precision_sums_are_recognized() {
        let src = draw_numbers::<f32>(5000, Draw::Notes, 6);
        let half = |x: f32| half::f16::from_f32(x).to_f32();
        let parts: Vec<f32> = (0..64)
            .map(|t| src.iter().skip(t).step_by(64).fold(0.0, |sum, x| half(sum + half(x * x))))
            .collect();
        let sum = f32::add_up(parts.iter().copied());
        let found = KernelResult { src: &src, sum, parts, depth: 200, threads: 64, drawn: true };
        let Err(Rejection::LowerPrecision(why)) = Reference::of(&src).compare(&found) else {
            panic!("accepted, or told as another")
        };
        assert!(why.contains("fp16"), "{why}");
    }

    #[test]
    fn the_reference_does_not_round() {
        let sum = |numbers: &[f64]| sum_without_rounding(numbers.iter().copied());
        assert_eq!(sum(&[1e8f64, 1.0, 1e-8, 1e-8]), 1e16 + 1.0 + 2e-16);
        // Added one by one in f64, each 2^-53 is lost.
        let mut small = vec![2f64.powi(-27); 1 << 10];
        small.insert(0, 1.0);
        assert_eq!(sum(&small), 1.0 + 2f64.powi(-44));
    }
}
