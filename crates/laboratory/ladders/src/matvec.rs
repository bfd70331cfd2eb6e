//! Matrix-vector product in single precision, `y = A x`, A by rows.
//!
//! Each element of A is multiplied once, so its bytes determine the time, as in a sum. The reuse techniques of
//! `sgemm` do not help.

mod library;
mod operands;
mod several_rows;
mod thread_per_row;
mod vectorized;
mod warp_per_row;

pub use operands::Operands;

use crate::{Ladder, Rung};

/// The rungs, in the order of the ladder.
#[rustfmt::skip]
pub fn rungs() -> Vec<Rung<Operands>> {
    vec![
        Rung::new("thread-per-row", "beyond", include_str!("matvec/thread_per_row.rs"), thread_per_row::prepare),
        Rung::new("warp-per-row", "beyond", include_str!("matvec/warp_per_row.rs"), warp_per_row::prepare),
        Rung::new("vectorized", "beyond", include_str!("matvec/vectorized.rs"), vectorized::prepare),
        Rung::new("several-rows", "beyond", include_str!("matvec/several_rows.rs"), several_rows::prepare),
        Rung::new("library", "beyond", include_str!("matvec/library.rs"), library::prepare),
    ]
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "matvec",
        title: "product of a matrix and a vector of f32",
        story: [include_str!("matvec/story.en.md"), include_str!("matvec/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}
