//! Vector addition, `c[i] = a[i] + b[i]`: the step before the matrix product.
//!
//! Two numbers are read and one is written for each addition, so the memory sets the time, and all
//! there is to learn is how to keep it busy.

mod grid_stride;
mod one_each;
mod vectorized;
mod vectors;

pub use vectors::{LONGEST, Vectors};

use crate::{Ladder, Rung};

/// The rungs, from the bottom up.
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

/// The ladder, for lists.
pub fn ladder() -> Ladder {
    Ladder {
        name: "vector-add",
        title: "sum of two vectors of f32",
        story: [include_str!("vector_add/story.en.md"), include_str!("vector_add/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}
