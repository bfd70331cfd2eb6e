//! Every declaration, by topic.

mod atomics;
mod copies;
mod dense;
mod floats;
mod grid;
mod histogram;
mod hopper;
mod integers;
mod language;
mod matrices;
mod network;
mod numba;
mod reduce;
mod scan;
mod science;
mod sort;
mod sparse;
mod text;
mod triton;
mod warps;

use crate::Case;

/// All cases.
pub fn all() -> Vec<Case> {
    let topics = [
        atomics::cases(),
        copies::cases(),
        dense::cases(),
        floats::cases(),
        grid::cases(),
        histogram::cases(),
        hopper::cases(),
        integers::cases(),
        language::cases(),
        matrices::cases(),
        network::cases(),
        numba::cases(),
        reduce::cases(),
        scan::cases(),
        science::cases(),
        sort::cases(),
        sparse::cases(),
        text::cases(),
        triton::cases(),
        warps::cases(),
    ];
    topics.into_iter().flatten().collect()
}
