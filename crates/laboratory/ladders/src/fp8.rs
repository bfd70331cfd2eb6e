//! Product of 8-bit floats, `C = A B` with e4m3 factors and f32 results; B is stored by columns.
//!
//! FP8 has half of bf16's bytes and twice its rate, but the tensor cores of Hopper sum the products of 8-bit floats
//! with about 14 bits. The rungs differ in the number of products per such sum before it moves to 32-bit registers,
//! and in the work that waits meanwhile.

mod chained;
mod library;
mod operands;
mod promoted;
mod turns;

pub use operands::{Operands, PROMOTED};

use crate::{Ladder, Rung};

/// The rungs, in the order of the ladder.
pub fn rungs() -> Vec<Rung<Operands>> {
    vec![
        Rung::new("chained", "beyond", include_str!("fp8/chained.rs"), chained::prepare),
        Rung::new("library", "beyond", include_str!("fp8/library.rs"), library::prepare),
        Rung::new("promoted", "beyond", include_str!("fp8/promoted.rs"), promoted::prepare),
        Rung::new("turns", "beyond", include_str!("fp8/turns.rs"), turns::prepare),
    ]
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "fp8",
        title: "matrix product on tensor cores, 8-bit floats (e4m3) and f32 results",
        story: [include_str!("fp8/story.en.md"), include_str!("fp8/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}
