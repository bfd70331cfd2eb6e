//! The verdict on a result: bit-exact, within the proven bound of rounding errors, of lower precision than
//! promised, or wrong.
//!
//! The two questions are separate. A result is *wrong* only if no order of additions could have produced it
//! (`bound.rs` of `lanework-verify`). It is *of lower precision than promised* if it is closer to the result of rounded
//! inputs than rounding errors explain (`product/precision.rs` there).

use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// The outcome of a successful comparison with the host.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum Accuracy {
    /// Every bit equal.
    BitExact,
    /// Every element is within its error bound.
    WithinBound {
        /// Largest `|y - ref| / |ref|` over elements with `ref != 0`.
        max_relative: f64,
        /// Mean of that ratio.
        mean_relative: f64,
        /// `||y - ref|| / ||ref||`, Euclidean.
        normwise: f64,
        /// Largest fraction of its bound that an element used; 1 is the limit.
        bound_used: f64,
        /// Histogram of the elements' errors.
        #[serde(default)]
        errors: Errors,
    },
}

/// Histogram of the elements' relative errors, by powers of ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Errors {
    /// Elements that are equal to the reference.
    pub exact: u64,
    /// The power of ten where the first decade starts; it also counts smaller errors.
    pub lowest: i32,
    /// Elements per decade of their error; the last decade also counts larger errors.
    pub decades: [u64; DECADES],
}

/// Number of decades, up to 1.
const DECADES: usize = 16;
const LOWEST: i32 = -(DECADES as i32);

impl Default for Errors {
    fn default() -> Self {
        Errors { exact: 0, lowest: LOWEST, decades: [0; DECADES] }
    }
}

impl Errors {
    /// Counts an element with this relative error.
    pub fn count(&mut self, relative: f64) {
        if relative == 0.0 {
            self.exact += 1;
            return;
        }
        let decade = relative.log10().floor() - f64::from(LOWEST);
        // A NaN has no error size and is not counted.
        if !decade.is_nan() {
            self.decades[(decade.max(0.0) as usize).min(DECADES - 1)] += 1;
        }
    }
}

impl Accuracy {
    /// A word or two for a table.
    pub fn short(&self) -> String {
        match self {
            Accuracy::BitExact => "bit-exact".to_owned(),
            Accuracy::WithinBound { normwise, .. } => format!("err {normwise:.1e}"),
        }
    }
}

/// Why a result is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// No order of additions produces this result.
    Wrong(String),
    /// The correct result of the same problem in a narrower number format.
    LowerPrecision(String),
    /// There is no result: the device failed.
    Failed(String),
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rejection::Wrong(why) => write!(f, "wrong: {why}"),
            Rejection::LowerPrecision(why) => {
                write!(f, "of lower precision than promised: {why}")
            }
            Rejection::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Rejection {}

impl Rejection {
    /// The same rejection, with the place prepended to the reason.
    pub fn at(self, place: impl std::fmt::Display) -> Self {
        match self {
            Rejection::Wrong(why) => Rejection::Wrong(format!("{place}: {why}")),
            Rejection::LowerPrecision(why) => Rejection::LowerPrecision(format!("{place}: {why}")),
            Rejection::Failed(why) => Rejection::Failed(why),
        }
    }

    /// The kind, for records and tables; `None` if there is no result.
    pub fn kind(&self) -> Option<&'static str> {
        match self {
            Rejection::Wrong(_) => Some("wrong"),
            Rejection::LowerPrecision(_) => Some("lower-precision"),
            Rejection::Failed(_) => None,
        }
    }
}

impl From<lanework_runtime::Error> for Rejection {
    fn from(error: lanework_runtime::Error) -> Self {
        Rejection::Failed(error.to_string())
    }
}

/// The most mismatches in a message.
const SHOWN: usize = 5;

/// Checks that every element of `got` equals `want`. NaN equals nothing.
///
/// # Errors
/// The number of elements that differ, and the first of them.
pub fn same<T: PartialEq + Debug>(got: &[T], want: &[T]) -> Result<Accuracy, Rejection> {
    let differs = |index: usize| got[index] != want[index];
    check(got, want, &differs)?;
    Ok(Accuracy::BitExact)
}

/// Checks that every element of `got` is within the relative `tolerance` of `want`: `|y - ref| <= tolerance |ref|`.
/// Non-finite elements must be equal.
///
/// # Errors
/// The number of elements that are outside, and the first of them.
pub fn close<T: Copy + Debug + Into<f64>>(
    got: &[T],
    want: &[T],
    tolerance: f64,
) -> Result<Accuracy, Rejection> {
    let pair = |index: usize| -> (f64, f64) { (got[index].into(), want[index].into()) };
    let outside = |index: usize| match pair(index) {
        (y, of) if y.is_finite() && of.is_finite() => (y - of).abs() > tolerance * of.abs(),
        (y, of) => y.to_bits() != of.to_bits() && !(y.is_nan() && of.is_nan()),
    };
    check(got, want, &outside)?;
    let (mut largest, mut sum, mut count) = (0.0f64, 0.0, 0u64);
    let (mut error, mut norm) = (0.0, 0.0);
    let mut errors = Errors::default();
    for (y, of) in (0..want.len()).map(pair).filter(|(_, of)| of.is_finite()) {
        error += (y - of) * (y - of);
        norm += of * of;
        if of != 0.0 {
            let relative = ((y - of) / of).abs();
            (largest, sum, count) = (largest.max(relative), sum + relative, count + 1);
            errors.count(relative);
        }
    }
    let part = |of: f64, whole: f64| if whole > 0.0 { of / whole } else { 0.0 };
    Ok(Accuracy::WithinBound {
        max_relative: largest,
        mean_relative: part(sum, count as f64),
        normwise: part(error, norm).sqrt(),
        bound_used: part(largest, tolerance),
        errors,
    })
}

fn check<T: Debug>(got: &[T], want: &[T], wrong: &dyn Fn(usize) -> bool) -> Result<(), Rejection> {
    if got.len() != want.len() {
        let (got, want) = (got.len(), want.len());
        return Err(Rejection::Wrong(format!("{got} elements, but the reference has {want}")));
    }
    let all: Vec<usize> = (0..got.len()).filter(|&index| wrong(index)).collect();
    if all.is_empty() {
        return Ok(());
    }
    let shown = all.iter().take(SHOWN);
    let shown: Vec<String> = shown
        .map(|&index| format!("[{index}] is {:?}, not {:?}", got[index], want[index]))
        .collect();
    let (wrong, of) = (all.len(), got.len());
    Err(Rejection::Wrong(format!("{wrong} of {of} elements differ: {}", shown.join("; "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_by_their_power_of_ten() {
        let mut errors = Errors::default();
        [0.0, 0.0, 3e-8, 9.9e-8, 1e-7, 1e-300, 5.0, f64::INFINITY, f64::NAN]
            .into_iter()
            .for_each(|relative| errors.count(relative));
        assert_eq!((errors.exact, errors.decades[8], errors.decades[9]), (2, 2, 1));
        assert_eq!((errors.decades[0], errors.decades[15]), (1, 2));
        // Older records have none.
        let old = r#"{"rule":"within-bound","max_relative":0.1,"mean_relative":0.1,"normwise":0.1,"bound_used":0.1}"#;
        let old: Accuracy = serde_json::from_str(old).expect("an older record");
        assert!(matches!(old, Accuracy::WithinBound { errors, .. } if errors == Errors::default()));
    }

    #[test]
    fn a_nan_never_passes_for_a_number() {
        assert!(same(&[f32::NAN], &[1.0]).is_err() && close(&[f32::NAN], &[1.0], 1e9).is_err());
        assert!(close(&[1.0f32], &[f32::NAN], 1e9).is_err());
        assert!(close(&[f32::INFINITY], &[f32::NEG_INFINITY], 1.0).is_err());
        assert!(close(&[f32::NAN, f32::INFINITY], &[f32::NAN, f32::INFINITY], 0.0).is_ok());
    }

    #[test]
    fn differences_are_counted_and_shown() {
        let why = same(&[1, 2, 3], &[1, 0, 3]).expect_err("differs").to_string();
        assert_eq!(why, "wrong: 1 of 3 elements differ: [1] is 2, not 0");
        assert!(same(&[1, 2], &[1]).is_err());
        let Ok(Accuracy::WithinBound { max_relative, bound_used, .. }) =
            close(&[1.0f64, 2.0], &[1.0, 2.002], 0.01)
        else {
            panic!("within")
        };
        assert!((max_relative - 0.000_999).abs() < 1e-6 && bound_used < 0.11);
    }
}
