//! The sum of the squares of many numbers, from one thread up to the memory bandwidth.
//!
//! Each number is read once and hardly anything is written, so the time to read them is the limit.
//! The first rungs leave the memory idle; the middle ones shorten the serial additions of the host,
//! or of one thread of a block, at the end; the last ones keep enough loads in flight.
//!
//! [`Summand`] defines the type of a sum and its overflow. [`Cycles`] is a kernel's time by the
//! GPU's clock.

mod announced;
mod block_serial;
mod bulk_copies;
mod chunked;
mod clock;
mod eight_loads;
mod interleaved;
mod library;
mod many_blocks;
mod numbers;
mod one_thread;
mod several_loads;
mod single_pass;
mod summand;
mod tree_halving;
mod tree_interleaved;
mod tree_strided;
mod tree_unrolled;
mod warp_shuffle;

pub use clock::Cycles;
pub use numbers::{BLOCKS, LONGEST, Numbers, THREADS};
pub use summand::{Summand, on_host};

use crate::{Ladder, Rung};
use half::{bf16, f16};

/// The rungs, in the order of the ladder; [`LadderElement::rungs`] has them compiled.
#[rustfmt::skip]
fn rungs<E: Summand>() -> Vec<Rung<Numbers<E>>> {
    vec![
        Rung::new("one-thread", "A1", include_str!("sum_squares/one_thread.rs"), one_thread::prepare),
        Rung::new("chunked", "A2", include_str!("sum_squares/chunked.rs"), chunked::prepare),
        Rung::new("interleaved", "A3", include_str!("sum_squares/interleaved.rs"), interleaved::prepare),
        Rung::new("many-blocks", "A4", include_str!("sum_squares/many_blocks.rs"), many_blocks::prepare),
        Rung::new("block-serial", "A5", include_str!("sum_squares/block_serial.rs"), block_serial::prepare),
        Rung::new("tree-interleaved", "A6", include_str!("sum_squares/tree_interleaved.rs"), tree_interleaved::prepare),
        Rung::new("tree-strided", "beyond", include_str!("sum_squares/tree_strided.rs"), tree_strided::prepare),
        Rung::new("tree-halving", "A7", include_str!("sum_squares/tree_halving.rs"), tree_halving::prepare),
        Rung::new("tree-unrolled", "A8", include_str!("sum_squares/tree_unrolled.rs"), tree_unrolled::prepare),
        Rung::new("warp-shuffle", "C4", include_str!("sum_squares/warp_shuffle.rs"), warp_shuffle::prepare),
        Rung::new("several-loads", "C4", include_str!("sum_squares/several_loads.rs"), several_loads::prepare),
        Rung::new("single-pass", "beyond", include_str!("sum_squares/single_pass.rs"), single_pass::prepare),
        Rung::new("eight-loads", "beyond", include_str!("sum_squares/eight_loads.rs"), eight_loads::prepare),
        Rung::new("announced", "beyond", include_str!("sum_squares/announced.rs"), announced::prepare),
        Rung::new("bulk-copies", "beyond", include_str!("sum_squares/bulk_copies.rs"), bulk_copies::prepare),
        Rung::new("library", "beyond", include_str!("sum_squares/library.rs"), library::prepare),
    ]
}

/// A type of numbers that the ladder is compiled for.
pub trait LadderElement: Summand {
    /// The ladder for this type. Here and not in a generic function, so that the kernels of each
    /// type are compiled once, in this crate.
    fn rungs() -> Vec<Rung<Numbers<Self>>>;
}

macro_rules! elements {
    ($($element:ty),*) => {$(
        impl LadderElement for $element {
            fn rungs() -> Vec<Rung<Numbers<Self>>> {
                rungs()
            }
        }
    )*};
}

elements!(i32, u32, i64, u64, f32, f64, f16, bf16);

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "sum-squares",
        title: "sum of squares of i32, u32, i64, u64, f32, f64, f16 or bf16",
        story: [include_str!("sum_squares/story.en.md"), include_str!("sum_squares/story.zh.md")],
        rungs: f32::rungs().iter().map(|rung| rung.info).collect(),
    }
}
