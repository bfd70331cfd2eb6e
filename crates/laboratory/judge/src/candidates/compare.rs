//! Compares a result with the expected one, element by element, and describes the first wrong element.

use crate::element::Element;
use crate::references::approx::Approx;
use crate::references::expected::{Expected, Right};
use serde::{Deserialize, Serialize};

/// Accuracy of a result that passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Closeness {
    /// Elements compared.
    pub elements: u64,
    /// Largest fraction of its tolerance that any element used; 1 is the limit.
    pub tolerance_used: f64,
    /// Largest relative error of an element whose expected value is not 0.
    pub max_relative: f64,
}

/// Describes a wrong result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counterexample {
    /// The output.
    pub output: String,
    /// Indices of the first wrong element.
    pub index: Vec<u64>,
    /// Its value.
    pub got: String,
    /// The expected value.
    pub expected: String,
    /// The largest error allowed.
    pub tolerance: f64,
    /// Number of wrong elements.
    pub wrong: u64,
    /// Number of elements compared.
    pub of: u64,
}

/// A result to compare with the expected one.
pub struct Compared<'a> {
    /// The output's name.
    pub name: &'a str,
    /// Its type.
    pub element: Element,
    /// Its shape.
    pub shape: &'a [u64],
    /// Its contents.
    pub bytes: &'a [u8],
}

impl Compared<'_> {
    /// Compares with the expected result.
    ///
    /// # Errors
    /// The first wrong element, and the number of wrong elements.
    pub fn with(&self, expected: &Expected) -> Result<Closeness, Counterexample> {
        let size = self.element.bytes();
        let place = |index: usize| expected.at.as_ref().map_or(index, |at| at[index]);
        let bytes = |index: usize| &self.bytes[place(index) * size..][..size];
        let mut closeness = Closeness::default();
        let (mut wrong, mut first) = (0, None);
        match &expected.right {
            Right::Integers(right) => {
                closeness.elements = right.len() as u64;
                for (index, want) in right.iter().enumerate() {
                    let got = self.element.read_integer(bytes(index));
                    if got != *want {
                        wrong += 1;
                        first
                            .get_or_insert_with(|| (index, got.to_string(), want.to_string(), 0.0));
                    }
                }
            }
            Right::Numbers(right) => {
                closeness.elements = right.len() as u64;
                for (index, want) in right.iter().enumerate() {
                    let got = self.element.read(bytes(index));
                    let allowed = allowed(want, self.element);
                    if !accepts(got, want, allowed, self.element) {
                        wrong += 1;
                        first
                            .get_or_insert_with(|| (index, shown(got), shown(want.value), allowed));
                        continue;
                    }
                    let off = (got - want.value).abs();
                    if off > 0.0 && off.is_finite() {
                        closeness.tolerance_used = closeness.tolerance_used.max(off / allowed);
                        if want.value != 0.0 {
                            let relative = off / want.value.abs();
                            closeness.max_relative = closeness.max_relative.max(relative);
                        }
                    }
                }
            }
        }
        let Some((index, got, want, tolerance)) = first else { return Ok(closeness) };
        let mut rest = place(index) as u64;
        let mut at: Vec<u64> = Vec::new();
        for extent in self.shape.iter().rev() {
            at.insert(0, rest % (*extent).max(1));
            rest /= (*extent).max(1);
        }
        Err(Counterexample {
            output: self.name.to_owned(),
            index: at,
            got,
            expected: want,
            tolerance,
            wrong,
            of: closeness.elements,
        })
    }
}

fn shown(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// The error allowed: twice the first-order error bound, plus the rounding to the output's type.
pub fn allowed(want: &Approx, element: Element) -> f64 {
    let mut held = Vec::new();
    element.put(want.value, &mut held);
    if want.error == 0.0 && (element.read(&held) == want.value || !want.value.is_finite()) {
        return 0.0;
    }
    let error = 2.0 * want.error;
    error + element.unit() * (want.value.abs() + error) + element.smallest()
}

/// Whether a result is right.
pub fn accepts(got: f64, want: &Approx, allowed: f64, element: Element) -> bool {
    if want.wild && !got.is_finite() {
        return true;
    }
    if want.value.is_nan() || got.is_nan() {
        return want.value.is_nan() && got.is_nan();
    }
    if !allowed.is_finite() || got == want.value {
        return true;
    }
    if got.is_infinite() {
        return want.value.signum() == got.signum()
            && want.value.abs() + allowed >= element.largest();
    }
    if want.value.is_infinite() {
        return want.wild && got.abs() >= element.largest() * 0.5;
    }
    (got - want.value).abs() <= allowed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(got: &[f32], want: &[Approx]) -> Result<Closeness, Counterexample> {
        let bytes: Vec<u8> = got.iter().flat_map(|x| x.to_le_bytes()).collect();
        let shape = [got.len() as u64];
        let result = Compared { name: "y", element: Element::F32, shape: &shape, bytes: &bytes };
        let right = Right::Numbers(want.to_vec());
        result.with(&Expected { output: 0, at: None, right })
    }

    #[test]
    fn nan_is_right_only_where_it_is_expected() {
        let nan = Approx::exact(f64::NAN);
        assert!(compare(&[f32::NAN], &[nan]).is_ok());
        let wide = Approx { value: 1.0, error: 1e9, wild: false };
        let found = compare(&[1.0, f32::NAN], &[wide, wide]).expect_err("NaN for a number");
        assert_eq!((found.index, found.wrong), (vec![1], 1));
        assert!(compare(&[1.0], &[nan]).is_err());
        assert!(compare(&[f32::INFINITY], &[wide]).is_err());
    }

    #[test]
    fn exact_results_have_no_tolerance_and_overflow_has_its_place() {
        assert!(compare(&[3.0], &[Approx::exact(3.0)]).is_ok());
        assert!(compare(&[3.000_000_2], &[Approx::exact(3.0)]).is_err());
        assert!(
            compare(&[f32::INFINITY], &[Approx { value: 1e39, error: 1e30, wild: true }]).is_ok()
        );
        assert!(compare(&[-0.0], &[Approx::exact(0.0)]).is_ok());
    }
}
