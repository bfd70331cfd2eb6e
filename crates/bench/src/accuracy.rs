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

impl From<lanework::Error> for Rejection {
    fn from(error: lanework::Error) -> Self {
        Rejection::Failed(error.to_string())
    }
}
