//! Layer norm of the rows of a matrix, from one thread per row to the speed of a copy.
//!
//! The same rungs as in [`softmax`](crate::softmax), with different statistics: the mean and the mean squared
//! deviation.

mod block_per_row;
mod held;
mod library;
mod one_pass;
mod ring;
mod spread;
mod thread_per_row;
mod vectorized;

use crate::rows::Rows;
use crate::{Ladder, Rung};

/// The rungs, in the order of the ladder.
#[rustfmt::skip]
pub fn rungs() -> Vec<Rung<Rows>> {
    vec![
        Rung::new("thread-per-row", "beyond", include_str!("layer_norm/thread_per_row.rs"), thread_per_row::prepare),
        Rung::new("block-per-row", "beyond", include_str!("layer_norm/block_per_row.rs"), block_per_row::prepare),
        Rung::new("one-pass", "beyond", include_str!("layer_norm/one_pass.rs"), one_pass::prepare),
        Rung::new("held", "beyond", include_str!("layer_norm/held.rs"), held::prepare),
        Rung::new("vectorized", "beyond", include_str!("layer_norm/vectorized.rs"), vectorized::prepare),
        Rung::new("spread", "beyond", include_str!("layer_norm/spread.rs"), spread::prepare),
        Rung::new("ring", "beyond", include_str!("layer_norm/ring.rs"), ring::prepare),
        Rung::new("library", "beyond", include_str!("layer_norm/library.rs"), library::prepare),
    ]
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "layer-norm",
        title: "layer norm of the rows of a matrix of f32",
        story: [include_str!("layer_norm/story.en.md"), include_str!("layer_norm/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}
