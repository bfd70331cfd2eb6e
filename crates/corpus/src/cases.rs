//! Every declaration, by topic.

mod dense;
mod grid;
mod histogram;
mod network;
mod reduce;
mod scan;
mod science;
mod sort;
mod sparse;
mod text;

use crate::Case;

/// All cases.
pub fn all() -> Vec<Case> {
    let topics = [
        dense::cases(),
        grid::cases(),
        histogram::cases(),
        network::cases(),
        reduce::cases(),
        scan::cases(),
        science::cases(),
        sort::cases(),
        sparse::cases(),
        text::cases(),
    ];
    topics.into_iter().flatten().collect()
}
