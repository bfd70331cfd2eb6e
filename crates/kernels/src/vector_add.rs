//! Vector addition, `c[i] = a[i] + b[i]`: the step before the matrix product.
//!
//! Two numbers are read and one is written for each addition, so the memory sets the time, and all
//! there is to learn is how to keep it busy.

mod grid_stride;
mod one_each;
mod vectorized;

use crate::{Ladder, Rung};
use lanework::Buffer;

/// Threads of a block.
const THREADS: u32 = 256;
/// The most elements that a rung takes, so that indices keep clear of 32 bits.
pub const LONGEST: u64 = 1 << 31;

/// Vectors on a device, all of one length.
pub struct Vectors {
    /// First summands.
    pub a: Buffer<f32>,
    /// Second summands.
    pub b: Buffer<f32>,
    /// Sums.
    pub c: Buffer<f32>,
}

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
