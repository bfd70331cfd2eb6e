//! Every declaration, by topic.

mod algorithms;
mod arrays;
mod compilers;
mod cooperation;
mod numbers;

use crate::Case;
use algorithms::{histogram, reduce, scan, science, sort, sparse, text};
use arrays::{dense, grid, matrices, network};
use compilers::{language, numba, triton};
use cooperation::{atomics, copies, hopper, warps};
use numbers::{floats, integers};

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
