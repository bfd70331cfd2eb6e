//! The accuracy of a result: bit-exact, or within a tolerance derived from rounding-error analysis.
//!
//! Sums of n products are held to the probabilistic bound of Higham and Mary ("A New Approach to Probabilistic
//! Rounding Error Analysis", SIAM J. Sci. Comput. 41, 2019), which grows with sqrt(n) where the classical bound
//! (Higham, Accuracy and Stability of Numerical Algorithms, 3.1) grows with n; sums of terms of one sign are held
//! to the classical one. Limits: inputs chosen so that all roundings go one way can exceed the probabilistic bound.

use serde::Serialize;
use std::fmt::Write;

/// What a comparison with the host found, when it passed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum Accuracy {
    /// Every bit equal.
    BitExact,
    /// Every element within the tolerance of [`FloatRule`].
    WithinBound {
        /// Largest `|y - ref| / |ref|` over elements with `ref != 0`.
        max_relative: f64,
        /// Mean of the same.
        mean_relative: f64,
        /// `||y - ref|| / ||ref||`, Euclidean.
        normwise: f64,
        /// Largest part of its bound that an element used; 1 would be the limit.
        bound_used: f64,
    },
}

impl Accuracy {
    /// In a word or two, for a table.
    pub fn short(&self) -> String {
        match self {
            Accuracy::BitExact => "bit-exact".to_owned(),
            Accuracy::WithinBound { normwise, .. } => format!("err {normwise:.1e}"),
        }
    }
}

/// The tolerance of a sum of products in floating point against its FP64 reference:
///
/// `|y - ref| <= (c sqrt(terms) + 2) unit * scale + unit_out * |ref|` with `c = 1/2`, where `scale`
/// is the sum of the absolute products (`(|A| |B|)_ij`).
///
/// Rounding errors of a sum add like a random walk, so they grow with the square root of the number
/// of terms; for random data the walk is well under this bound, while the same sum with inputs
/// rounded to the next lower precision (`unit` 2^11 times larger) is far above it. The `+ 2` covers
/// alpha and beta.
#[derive(Clone, Copy, Debug)]
pub struct FloatRule {
    /// Products added up in one element.
    pub terms: u64,
    /// Unit roundoff of the accumulation: 2^-24 for f32.
    pub unit: f64,
    /// Unit roundoff of the stored result.
    pub unit_out: f64,
}

/// Unit roundoff of f32.
pub const UNIT_F32: f64 = 5.960_464_477_539_063e-8;

/// Mismatches that are shown.
const SHOWN: usize = 5;

impl FloatRule {
    /// The rule for f32 sums of `terms` products.
    pub fn f32(terms: u64) -> Self {
        FloatRule { terms, unit: UNIT_F32, unit_out: UNIT_F32 }
    }

    /// The rule for a sum of squares or the like, of which at most `in_a_row` terms are added one
    /// after the other: where all terms have one sign the roundings can too, so that the bound
    /// grows with the number of additions and not with its root.
    pub fn of_one_sign(in_a_row: u64, unit: f64) -> Self {
        let doubled = in_a_row.saturating_mul(2);
        FloatRule { terms: doubled.saturating_mul(doubled), unit, unit_out: unit }
    }

    /// The largest error allowed.
    pub fn allowed(&self, scale: f64, reference: f64) -> f64 {
        (0.5 * (self.terms as f64).sqrt() + 2.0) * self.unit * scale
            + self.unit_out * reference.abs()
    }

    /// Compares `count` elements; `at` gives the result, the reference and the scale of one, `place`
    /// its coordinates in words. Non-finite results must equal a non-finite reference.
    ///
    /// # Errors
    /// How many elements exceed the tolerance, and the first of them.
    pub fn compare(
        &self,
        count: usize,
        at: &dyn Fn(usize) -> (f64, f64, f64),
        place: &dyn Fn(usize) -> String,
    ) -> Result<Accuracy, String> {
        let (mut wrong, mut shown) = (0u64, String::new());
        let (mut max_relative, mut sum_relative, mut relatives) = (0.0f64, 0.0, 0u64);
        let (mut error_squared, mut squared, mut bound_used) = (0.0, 0.0, 0.0f64);
        for index in 0..count {
            let (got, reference, scale) = at(index);
            let same = got == reference || (got.is_nan() && reference.is_nan());
            let error = if same { 0.0 } else { (got - reference).abs() };
            let allowed = self.allowed(scale, reference);
            // Written so that a NaN error is wrong.
            let right = error <= allowed || same;
            if !right {
                wrong += 1;
                if wrong <= SHOWN as u64 {
                    let _ = write!(
                        shown,
                        "; {} is {got:e}, should be {reference:e} +- {allowed:.1e}",
                        place(index)
                    );
                }
                continue;
            }
            if !reference.is_finite() {
                continue;
            }
            if reference != 0.0 {
                let relative = error / reference.abs();
                max_relative = max_relative.max(relative);
                sum_relative += relative;
                relatives += 1;
            }
            error_squared += error * error;
            squared += reference * reference;
            if allowed > 0.0 {
                bound_used = bound_used.max(error / allowed);
            }
        }
        if wrong > 0 {
            return Err(format!("{wrong} of {count} elements exceed the tolerance{shown}"));
        }
        Ok(Accuracy::WithinBound {
            max_relative,
            mean_relative: sum_relative / relatives.max(1) as f64,
            normwise: if squared > 0.0 { (error_squared / squared).sqrt() } else { 0.0 },
            bound_used,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(got: &[f64], reference: &[f64]) -> Result<Accuracy, String> {
        let at = |i: usize| (got[i], reference[i], 1.0);
        FloatRule::f32(16).compare(got.len(), &at, &|i| format!("[{i}]"))
    }

    #[test]
    fn rounding_passes_and_its_size_is_reported() {
        let Ok(Accuracy::WithinBound { max_relative, normwise, .. }) =
            compare(&[1.0, 2.0 + 1e-7], &[1.0, 2.0])
        else {
            panic!("refused")
        };
        assert!((max_relative - 5e-8).abs() < 1e-12 && normwise < 5e-8);
    }

    #[test]
    fn lower_precision_and_nan_fail() {
        let why = compare(&[1.0, 1.0 + 1e-4], &[1.0, 1.0]).expect_err("1e-4 off");
        assert!(why.contains("1 of 2 elements") && why.contains("[1] is"), "{why}");
        assert!(compare(&[f64::NAN], &[1.0]).is_err());
        assert!(compare(&[1.0], &[f64::NAN]).is_err());
        assert!(compare(&[f64::INFINITY], &[1.0]).is_err());
        assert!(compare(&[f64::INFINITY], &[f64::INFINITY]).is_ok());
    }
}
