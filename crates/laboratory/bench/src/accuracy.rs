//! The verdict on a result: bit-exact, within the proven bound of rounding errors, of lower precision than
//! promised, or wrong.
//!
//! The two questions are separate. A result is *wrong* only where no order of additions could have given it
//! ([`crate::bound`]). It is *of lower precision than promised* where it is nearer to what rounded inputs
//! would have given than roundings explain (`product/precision.rs`).

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What a comparison with the host found, when it passed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum Accuracy {
    /// Every bit equal.
    BitExact,
    /// Every element within its bound, see `bound.rs`.
    WithinBound {
        /// Largest `|y - ref| / |ref|` over elements with `ref != 0`.
        max_relative: f64,
        /// Mean of the same.
        mean_relative: f64,
        /// `||y - ref|| / ||ref||`, Euclidean.
        normwise: f64,
        /// Largest part of its bound that an element used; 1 would be the limit.
        bound_used: f64,
        /// How many elements have an error of which size.
        #[serde(default)]
        errors: Errors,
    },
}

/// How many elements have a relative error of which size, by powers of ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Errors {
    /// Elements that are equal to the reference.
    pub exact: u64,
    /// The power of ten that the first of the decades starts at; what is smaller is counted in it, too.
    pub lowest: i32,
    /// Elements by the power of ten that their error is at least; larger ones are counted in the last, too.
    pub decades: [u64; DECADES],
}

/// Decades that are told apart, up to 1.
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
        // A NaN is not an error of any size, and is not counted.
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
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Rejection {
    /// No order of additions gives this result.
    #[error("wrong: {0}")]
    Wrong(String),
    /// A right result of another problem: the same one in a narrower number format.
    #[error("of lower precision than promised: {0}")]
    LowerPrecision(String),
    /// There is no result: the device failed.
    #[error("{0}")]
    Failed(String),
}

impl Rejection {
    /// The same, with the place where it was found before the reason.
    pub fn at(self, place: impl std::fmt::Display) -> Self {
        match self {
            Rejection::Wrong(why) => Rejection::Wrong(format!("{place}: {why}")),
            Rejection::LowerPrecision(why) => Rejection::LowerPrecision(format!("{place}: {why}")),
            Rejection::Failed(why) => Rejection::Failed(why),
        }
    }

    /// The kind, for records and tables; `None` where there is no result.
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
        // Records of before have none.
        let old = r#"{"rule":"within-bound","max_relative":0.1,"mean_relative":0.1,"normwise":0.1,"bound_used":0.1}"#;
        let old: Accuracy = serde_json::from_str(old).expect("an older record");
        assert!(matches!(old, Accuracy::WithinBound { errors, .. } if errors == Errors::default()));
    }
}
