//! Softmax of the rows of a matrix, from one thread per row to the speed of a copy.
//!
//! A row is needed three times: for its largest number, for the sum of the exponentials, and for the results. The
//! rungs read it with neighboring threads, then fewer times, and finally once.

mod block_per_row;
mod held;
mod library;
mod online;
mod ring;
mod spread;
mod thread_per_row;
mod vectorized;
mod warp_shuffle;

use crate::rows::Rows;
use crate::{Ladder, Rung};

/// The rungs, in the order of the ladder.
#[rustfmt::skip]
pub fn rungs() -> Vec<Rung<Rows>> {
    vec![
        Rung::new("thread-per-row", "beyond", include_str!("softmax/thread_per_row.rs"), thread_per_row::prepare),
        Rung::new("block-per-row", "beyond", include_str!("softmax/block_per_row.rs"), block_per_row::prepare),
        Rung::new("warp-shuffle", "beyond", include_str!("softmax/warp_shuffle.rs"), warp_shuffle::prepare),
        Rung::new("online", "beyond", include_str!("softmax/online.rs"), online::prepare),
        Rung::new("held", "beyond", include_str!("softmax/held.rs"), held::prepare),
        Rung::new("vectorized", "beyond", include_str!("softmax/vectorized.rs"), vectorized::prepare),
        Rung::new("spread", "beyond", include_str!("softmax/spread.rs"), spread::prepare),
        Rung::new("ring", "beyond", include_str!("softmax/ring.rs"), ring::prepare),
        Rung::new("library", "beyond", include_str!("softmax/library.rs"), library::prepare),
    ]
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "softmax",
        title: "softmax of the rows of a matrix of f32",
        story: [include_str!("softmax/story.en.md"), include_str!("softmax/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}
