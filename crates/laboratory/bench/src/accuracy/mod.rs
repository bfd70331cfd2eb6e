//! The verdict on a result: bit-exact, within the proven bound of rounding errors, of lower precision than
//! promised, or wrong.
//!
//! The two questions are separate. A result is *wrong* only if no order of additions could have produced it
//! (`bound.rs` of `lanework-verify`). It is *of lower precision than promised* if it is closer to the result of rounded
//! inputs than rounding errors explain (`product/precision.rs` there).

pub mod verify;

use serde::{Deserialize, Serialize};

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
        /// Mean of the same.
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
    /// In a word or two, for a table.
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
}
