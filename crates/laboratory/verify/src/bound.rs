//! The proven bound on the rounding errors of a sum of products, for every order of additions.
//!
//! n roundings to nearest multiply a value by a factor within `1 +- gamma_n`, `gamma_n = n u / (1 - n u)` (N. J.
//! Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed. 2002, lemma 3.1). In a sum of K products, whatever
//! the order, each product goes through one rounding of its own (none with a fused multiply-add) and at most K - 1
//! additions, so that
//!
//! `|y - sum| <= gamma_K sum_k |a_k b_k|` (section 3.1, and 4.2 for any order of summation).
//!
//! The bound also covers: alpha, beta and the addition of beta C; compensated sums, whose bound is `2 u + O(K u^2)`
//! (section 4.3); products that underflow, each by at most half of the smallest subnormal number (section 2.8: sums
//! do not underflow); the roundings of the reference itself; and results that are not finite where partial sums could
//! have overflowed. If `K u >= 1/2`, `2 K u` replaces `gamma_K`: it is not less than `K u`, which holds for every K
//! (C.-P. Jeannerod and S. M. Rump, "Improved error bounds for inner products in floating-point arithmetic", SIAM J.
//! Matrix Anal. Appl. 34, 2013).
//!
//! Limits: the bound assumes sums of the products themselves. It is also applied to fast algorithms (Strassen) and to
//! arithmetic that flushes subnormal numbers or does not round to nearest, although it does not hold for them.

use lanework_bench::{Accuracy, Errors};

/// Unit roundoff of f32.
pub const UNIT_F32: f64 = 5.960_464_477_539_063e-8;
/// Unit roundoff of f64.
pub const UNIT_F64: f64 = 1.110_223_024_625_156_5e-16;

/// The bound of sums of a number format, for one problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The most roundings of a term.
    pub roundings: f64,
    /// Unit roundoff of the sums.
    pub unit: f64,
    /// Error bound of the reference, relative to the scale.
    pub of_reference: f64,
    /// Error bound of all underflows together.
    pub underflow: f64,
    /// The largest finite number.
    pub largest: f64,
    /// Largest ratio of partial sums to the final sum: `1 / |alpha|`, at least 1.
    pub swell: f64,
}

/// Roundings in addition to the products and their sums: alpha, beta, their sum, and one each for
/// compensation and the final rounding.
const OTHER_ROUNDINGS: f64 = 5.0;

impl Bound {
    /// The bound for `alpha a.b + beta c` in f32, where a and b have `terms` elements.
    pub fn of_product(terms: usize, alpha: f32, beta: f32) -> Self {
        let factor = f64::from(alpha).abs().max(f64::from(beta).abs()).max(1.0);
        let swell = 1.0 / f64::from(alpha).abs();
        Bound {
            roundings: terms as f64 + OTHER_ROUNDINGS,
            unit: UNIT_F32,
            of_reference: Self::gamma(terms as f64 + OTHER_ROUNDINGS, UNIT_F64),
            underflow: (terms as f64 + OTHER_ROUNDINGS) * factor * 2f64.powi(-149),
            largest: f64::from(f32::MAX),
            swell: if swell.is_finite() { swell.max(1.0) } else { 1.0 },
        }
    }

    /// The bound for a sum of the squares of `length` numbers in a format of this roundoff, if no number goes through
    /// more than `depth` additions. The reference is compensated: `u + (n u)^2` (T. Ogita, S. M. Rump and S. Oishi,
    /// "Accurate Sum and Dot Product", SIAM J. Sci. Comput. 26, 2005, proposition 4.5).
    pub fn of_squares(length: usize, depth: u64, unit: f64) -> Self {
        let in_f32 = unit > UNIT_F64;
        Bound {
            roundings: depth as f64 + OTHER_ROUNDINGS,
            unit,
            of_reference: 2.0 * UNIT_F64 + (length as f64 * UNIT_F64).powi(2),
            underflow: length as f64 * if in_f32 { 2f64.powi(-149) } else { f64::from_bits(1) },
            largest: if in_f32 { f32::MAX.into() } else { f64::MAX },
            swell: 1.0,
        }
    }

    /// `gamma_n`, or its replacement if there are too many roundings.
    fn gamma(roundings: f64, unit: f64) -> f64 {
        let first_order = roundings * unit;
        if first_order < 0.5 { first_order / (1.0 - first_order) } else { 2.0 * first_order }
    }

    /// Largest distance of a result from its reference; `scale` is the sum of the absolute values of the terms.
    pub fn allowed(&self, scale: f64) -> f64 {
        // The scale is rounded, too.
        let scale = scale * (1.0 + 2.0 * self.of_reference);
        (Self::gamma(self.roundings, self.unit) + self.of_reference) * scale + self.underflow
    }

    /// Whether some order of additions can produce `got`.
    pub fn accepts(&self, got: f64, reference: f64, scale: f64) -> bool {
        if got == reference || (got.is_nan() && reference.is_nan()) {
            return true;
        }
        if !reference.is_finite() || !scale.is_finite() {
            return false;
        }
        if got.is_finite() {
            return (got - reference).abs() <= self.allowed(scale);
        }
        // Partial sums can reach the sum of all positive terms or of all negative terms.
        let swell = self.swell * (1.0 + Self::gamma(self.roundings, self.unit));
        let overflows = |sum: f64| sum * swell >= self.largest;
        let (up, down) =
            (overflows((scale + reference) / 2.0), overflows((scale - reference) / 2.0));
        match (got.is_nan(), got > 0.0) {
            (true, _) => up && down,
            (_, true) => up,
            _ => down,
        }
    }

    /// Compares `count` elements; `at` returns the result, the reference and the scale of one.
    pub fn compare(&self, count: usize, at: &dyn Fn(usize) -> (f64, f64, f64)) -> Comparison {
        let mut wrong = Vec::new();
        let (mut max_relative, mut sum_relative, mut relatives) = (0.0f64, 0.0, 0u64);
        let (mut error_squared, mut squared, mut bound_used) = (0.0, 0.0, 0.0f64);
        let mut errors = Errors::default();
        for index in 0..count {
            let (got, reference, scale) = at(index);
            if !self.accepts(got, reference, scale) {
                wrong.push(index);
                continue;
            }
            if !reference.is_finite() || !got.is_finite() {
                continue;
            }
            let error = (got - reference).abs();
            if reference != 0.0 {
                let relative = error / reference.abs();
                max_relative = max_relative.max(relative);
                sum_relative += relative;
                errors.count(relative);
                relatives += 1;
            }
            error_squared += error * error;
            squared += reference * reference;
            bound_used = bound_used.max(error / self.allowed(scale).max(f64::MIN_POSITIVE));
        }
        let accuracy = Accuracy::WithinBound {
            max_relative,
            mean_relative: sum_relative / relatives.max(1) as f64,
            normwise: if squared > 0.0 { (error_squared / squared).sqrt() } else { 0.0 },
            bound_used,
            errors,
        };
        Comparison { wrong, accuracy }
    }

    /// A result with its reference and bound, as text.
    pub fn words(&self, got: f64, reference: f64, scale: f64) -> String {
        format!("is {got:e}, should be {reference:e} +- {:.1e}", self.allowed(scale))
    }
}

/// The outcome of a comparison.
pub struct Comparison {
    /// The elements that no order of additions produces.
    pub wrong: Vec<usize>,
    /// The errors of the others.
    pub accuracy: Accuracy,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(terms: usize) -> Bound {
        Bound::of_product(terms, 1.0, 0.0)
    }

    #[test]
    fn rounding_passes_and_its_size_is_reported() {
        let (got, reference) = ([1.0, 2.0 + 1e-7], [1.0, 2.0]);
        let found = bound(16).compare(2, &|i| (got[i], reference[i], 1.0));
        assert!(found.wrong.is_empty());
        let Accuracy::WithinBound { max_relative, normwise, errors, .. } = found.accuracy else {
            panic!()
        };
        assert_eq!((errors.exact, errors.decades.iter().sum::<u64>()), (1, 1));
        assert!((max_relative - 5e-8).abs() < 1e-12 && normwise < 5e-8);
    }

    #[test]
    fn far_or_non_finite_results_are_wrong() {
        let accepts = |got, reference| bound(16).accepts(got, reference, 1.0);
        assert!(!accepts(1.0 + 1e-4, 1.0) && !accepts(f64::NAN, 1.0) && !accepts(1.0, f64::NAN));
        assert!(!accepts(f64::INFINITY, 1.0) && accepts(f64::INFINITY, f64::INFINITY));
        assert!(!accepts(f64::NEG_INFINITY, f64::INFINITY) && accepts(f64::NAN, f64::NAN));
    }

    #[test]
    fn partial_sums_may_overflow_where_they_can() {
        // 3e38 + 3e38 - 3e38 - 3e38: one order gives 0, others +-inf or NaN.
        for got in [0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            assert!(bound(4).accepts(got, 0.0, 1.2e39), "{got}");
        }
        // 3e38 + 3e38 can only overflow to +inf.
        assert!(bound(2).accepts(f64::INFINITY, 6e38, 6e38));
        assert!(!bound(2).accepts(f64::NEG_INFINITY, 6e38, 6e38));
        assert!(!bound(2).accepts(f64::NAN, 6e38, 6e38));
        // A sum may overflow before a small alpha scales it down.
        assert!(Bound::of_product(2, 1e-3, 0.0).accepts(f64::INFINITY, 6e35, 6e35));
        assert!(!bound(2).accepts(f64::INFINITY, 6e35, 6e35));
    }

    #[test]
    fn the_bound_grows_monotonically_with_the_terms() {
        let mut before = 0.0;
        for log in 0..40 {
            let allowed = bound(1 << log).allowed(1.0);
            assert!(allowed > before, "2^{log}");
            before = allowed;
        }
    }
}
