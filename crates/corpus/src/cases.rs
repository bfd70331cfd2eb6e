//! Every declaration, by topic.

mod dense;
mod grid;
mod histogram;
mod reduce;
mod scan;
mod sort;
mod sparse;

use crate::Case;

/// All cases.
pub fn all() -> Vec<Case> {
    let topics = [
        dense::cases(),
        grid::cases(),
        histogram::cases(),
        reduce::cases(),
        scan::cases(),
        sort::cases(),
        sparse::cases(),
    ];
    topics.into_iter().flatten().collect()
}
