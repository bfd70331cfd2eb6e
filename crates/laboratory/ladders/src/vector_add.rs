//! Vector addition, `c[i] = a[i] + b[i]`: the step before the matrix product.
//!
//! Each addition needs two loads and one store, so the kernel is memory-bound, and the ladder shows
//! how to saturate the memory.

mod grid_stride;
mod one_each;
mod vectorized;
mod vectors;

pub use vectors::{LONGEST, Vectors};

use crate::{Ladder, Rung};

/// The rungs, in the order of the ladder.
pub fn rungs() -> Vec<Rung<Vectors>> {
    vec![
        Rung::new("one-each", "C1", include_str!("vector_add/one_each.rs"), one_each::prepare),
        Rung::new(
            "grid-stride",
            "beyond",
            include_str!("vector_add/grid_stride.rs"),
            grid_stride::prepare,
        ),
        Rung::new(
            "vectorized",
            "C4",
            include_str!("vector_add/vectorized.rs"),
            vectorized::prepare,
        ),
    ]
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "vector-add",
        title: "sum of two vectors of f32",
        story: [include_str!("vector_add/story.en.md"), include_str!("vector_add/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}
