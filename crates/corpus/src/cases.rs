//! Every declaration, by topic.

mod histogram;
mod reduce;
mod scan;
mod sort;

use crate::Case;

/// All cases.
pub fn all() -> Vec<Case> {
    [reduce::cases(), scan::cases(), sort::cases(), histogram::cases()]
        .into_iter()
        .flatten()
        .collect()
}
