//! Every case, by topic.

/// Algorithms on arrays, graphs and text.
mod algorithms {
    pub mod primitives;
    pub mod science;
    pub mod sparse;
    pub mod text;
}
/// Matrices, grids and layers of neural networks.
mod arrays {
    pub mod dense;
    pub mod grid;
    pub mod network;
}
/// Constructs of CUDA C++, and kernels of other compilers.
mod compilers {
    pub mod language;
    pub mod others;
}
/// Threads that work together: atomics, warps, asynchronous copies, clusters.
mod cooperation {
    pub mod asynchrony;
    pub mod warps;
}
/// Arithmetic and conversions.
mod numbers {
    pub mod floats;
    pub mod integers;
}

use crate::Case;
use algorithms::{primitives, science, sparse, text};
use arrays::{dense, grid, network};
use compilers::{language, others};
use cooperation::{asynchrony, warps};
use numbers::{floats, integers};

/// All cases.
pub fn all() -> Vec<Case> {
    let topics = [
        asynchrony::cases(),
        dense::cases(),
        floats::cases(),
        grid::cases(),
        integers::cases(),
        language::cases(),
        network::cases(),
        primitives::cases(),
        science::cases(),
        sparse::cases(),
        text::cases(),
        others::cases(),
        warps::cases(),
    ];
    topics.into_iter().flatten().collect()
}
